import * as Args from '@oclif/core/args';
import { BaseCommand } from '../../cli/base-command.js';
import { installNamed } from '../../flows/install/choose-install.js';
import { connectionFlags } from '../../flags/connection.js';
import { installedFlags, originFlags } from '../../flags/installed.js';
import { installedItem, installsOf } from '../../flows/install/installed-packages.js';
import { installedView } from '../../output/views/installed.js';
import { parsePackageRef } from '../../services/catalog/package-ref.js';

export default class InstalledShow extends BaseCommand {
  static override summary = 'Show what an install created and what already existed';
  static override examples = [
    'cdapctl installed show example-trim-fields',
    'cdapctl installed show example-trim-fields@1.10.0 -n default --verify',
  ];
  static override failures = ['PACKAGE_NOT_FOUND'] as const;
  static override seeAlso = ['cdapctl installed list', 'cdapctl installed uninstall'];
  static override args = { package: Args.string({ required: true, description: '[HUB/]NAME[@VERSION]' }) };
  static override flags = { ...installedFlags, ...originFlags, ...connectionFlags };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(InstalledShow);
    // For settings, "verify" is the policy of trust.
    const { verify, hub, ...others } = flags;
    const named = parsePackageRef(args.package);
    const ref = { ...named, hub: named.hub ?? hub };
    const context = await this.context(others);
    if (verify) await context.platform();
    const { install } = await installNamed(
      args.package,
      ref,
      await installsOf(context, this.session),
      context,
      this.session,
    );
    await this.show(installedView, await installedItem(install, verify, context, this.session));
  }
}
