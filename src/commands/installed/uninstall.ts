import * as Args from '@oclif/core/args';
import { BaseCommand } from '../../cli/base-command.js';
import { connectionFlags } from '../../cli/flags/connection.js';
import { consentFlags } from '../../cli/flags/consent.js';
import { originFlags, uninstallFlags } from '../../cli/flags/installed.js';
import { refuseNamespaces } from '../../cli/settings.js';
import { runUninstall } from '../../flows/install/uninstall.js';
import { CliError } from '../../core/errors.js';
import { uninstallView } from '../../output/views/uninstall.js';
import { parsePackageRef } from '../../services/catalog/package-ref.js';

export default class InstalledUninstall extends BaseCommand {
  static override summary = 'Remove from the platform what the install of a package made';
  static override description =
    'Removes only what that install made, what is still as it was installed and what nothing else uses; says what it leaves and why. Ends with 0 only when nothing that the install made is there any more: with 10 when it removed some and left some, with 6 when it left all of it; what was there before the install stays and counts for neither. The same command resumes an uninstall that stopped.';
  static override examples = [
    'cdapctl installed uninstall example-trim-fields --dry-run',
    'cdapctl installed uninstall example-trim-fields@1.10.0 -n default -y',
  ];
  static override failures = [
    'PACKAGE_NOT_FOUND',
    'CONFLICT',
    'LOCKED',
    'CHANGES',
    'PARTIAL',
    'REMOTE_FAILED',
    'DECLINED',
    'UNKNOWN_OUTCOME',
  ] as const;
  static override changes = 'platform' as const;
  static override seeAlso = ['cdapctl installed show', 'cdapctl install'];
  static override args = { package: Args.string({ required: true, description: '[HUB/]NAME[@VERSION]' }) };
  static override flags = { ...consentFlags, ...uninstallFlags, ...originFlags, ...connectionFlags };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(InstalledUninstall);
    if (this.onLine.has('detailed-exitcode') && flags['dry-run'] === undefined)
      throw new CliError('USAGE', '--detailed-exitcode needs --dry-run');
    const { hub, ...others } = flags;
    const named = parsePackageRef(args.package);
    const ref = { ...named, hub: named.hub ?? hub };
    const context = await this.context(others);
    refuseNamespaces(context.found);
    const target = await context.platform();
    const { session } = this;
    const run = { session, context, target, named: args.package, ref, dryRun: flags['dry-run'] !== undefined };
    const result = await runUninstall(run);
    await this.show(uninstallView, result);
    const changes = result.state === 'planned' && result.items.some(({ state }) => state === 'planned');
    if (flags['detailed-exitcode'] && changes) throw new CliError('CHANGES', 'the uninstall would remove something');
  }
}
