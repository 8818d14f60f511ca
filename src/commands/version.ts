import { BaseCommand } from '../cli/base-command.js';
import { versionView } from '../output/views/version.js';

export default class Version extends BaseCommand {
  static override summary = 'Show the version of the tool, what it runs on and the platforms it is made for';
  static override examples = ['cdapctl version', 'cdapctl version --json'];

  async run(): Promise<void> {
    await this.parse(Version);
    const { version, commit, node, system } = this.session.build;
    await this.show(versionView, { version, commit: commit === '' ? undefined : commit, node, system });
  }
}
