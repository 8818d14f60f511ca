import { BaseCommand } from '../../cli/base-command.js';
import { contextsWithLogins } from '../../flows/settings/connections.js';
import { findKnown } from '../../cli/settings.js';
import { contextList } from '../../output/views/context.js';

export default class ContextList extends BaseCommand {
  static override summary = 'List contexts';
  static override examples = ['cdapctl context list', 'cdapctl context list -o name', 'cdapctl context list --json'];
  static override failures = ['CONFIG', 'NOT_FOUND'] as const;
  static override seeAlso = ['cdapctl context add', 'cdapctl context use'];

  async run(): Promise<void> {
    await this.parse(ContextList);
    const items = await contextsWithLogins(await findKnown(this.session), this.session);
    await this.show(contextList, { items });
  }
}
