import * as Args from '@oclif/core/args';
import { BaseCommand } from '../../cli/base-command.js';
import { connectionFlags } from '../../flags/connection.js';
import { consentFlags } from '../../flags/consent.js';
import { originFlags, uninstallFlags } from '../../flags/installed.js';
import { refuseNamespaces } from '../../cli/settings.js';
import { runUninstall } from '../../flows/install/uninstall.js';
import { CliError } from '../../core/errors.js';
import { uninstallView } from '../../output/views/uninstall.js';
import { parsePackageRef } from '../../services/catalog/package-ref.js';

export default class InstalledUninstall extends BaseCommand {
  static override summary = 'Uninstall a package: remove what its install created';
  static override description =
    'Removes only objects that the install created, that are unchanged since, and that nothing else uses; lists what it keeps and why. Objects that existed before the install are always kept. Exits with 0 when all created objects are removed, with 10 when only some are, and with 6 when none could be. To resume an interrupted uninstall, run the same command again.';
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
    if (flags['detailed-exitcode'] && changes) throw new CliError('CHANGES', 'the uninstall would make changes');
  }
}
