import { BaseCommand } from '../../cli/base-command.js';
import { placelessFlags } from '../../flags/connection.js';
import { keepListed } from '../../flows/completion/kept-names.js';
import { namespaceList } from '../../output/views/namespaces.js';
import { namespacesOf } from '../../services/listing/namespaces.js';

export default class NamespaceList extends BaseCommand {
  static override summary = 'List the namespaces you can see';
  static override examples = [
    'cdapctl namespace list',
    'cdapctl namespace list -o name',
    'cdapctl namespace list --json',
  ];
  static override seeAlso = ['cdapctl artifact list', 'cdapctl dashboard'];
  static override flags = { ...placelessFlags };

  async run(): Promise<void> {
    const { flags } = await this.parse(NamespaceList);
    const context = await this.context(flags);
    const { platform } = await context.platform();
    const items = await namespacesOf(platform, this.signal);
    await this.show(namespaceList, { items });
    const names = items.map(({ name }) => name);
    await keepListed(undefined, names, { found: context.found, clock: this.session.clock });
  }
}
