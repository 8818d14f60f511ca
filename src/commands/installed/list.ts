import { BaseCommand } from '../../cli/base-command.js';
import { connectionFlags } from '../../flags/connection.js';
import { installedFlags } from '../../flags/installed.js';
import { installedItem, installsOf, noteElsewhere } from '../../flows/install/installed-packages.js';
import { installedList } from '../../output/views/installed.js';

export default class InstalledListing extends BaseCommand {
  static override summary = 'List packages installed from this machine';
  static override description =
    'Reads the install journals in the state folder of this machine, filtered by platform and namespace if given. Sends requests only with --verify.';
  static override examples = [
    'cdapctl installed list',
    'cdapctl installed list -n default --verify',
    'cdapctl installed list --json',
  ];
  static override failures = ['JOURNAL'] as const;
  static override seeAlso = ['cdapctl installed show', 'cdapctl installed uninstall'];
  static override flags = { ...installedFlags, ...connectionFlags };

  async run(): Promise<void> {
    const { flags } = await this.parse(InstalledListing);
    // For settings, "verify" is the policy of trust.
    const { verify, ...others } = flags;
    const context = await this.context(others);
    // Makes sure that there is a platform to ask before its installs are chosen.
    if (verify) await context.platform();
    const installs = (await installsOf(context, this.session)).filter(({ items }) => items.length > 0);
    const items = [];
    for (const install of installs) items.push(await installedItem(install, verify, context, this.session));
    await this.show(installedList, { items });
    await noteElsewhere(context, this.session, installs);
  }
}
