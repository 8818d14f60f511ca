import { BaseCommand } from '../cli/base-command.js';
import { versionView } from '../output/views/version.js';

export default class Version extends BaseCommand {
  static override summary = 'Show version, runtime and supported platforms';
  static override examples = ['cdapctl version', 'cdapctl version --json'];

  async run(): Promise<void> {
    await this.parse(Version);
    const { version, commit, node, system } = this.session.build;
    await this.show(versionView, { version, commit: commit === '' ? undefined : commit, node, system });
  }
}
