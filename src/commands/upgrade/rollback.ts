import * as Args from '@oclif/core/args';
import { BaseCommand } from '../../cli/base-command.js';
import { connectionFlags } from '../../flags/connection.js';
import { consentFlags } from '../../flags/consent.js';
import { rollbackFlags } from '../../flags/upgrade.js';
import { refuseNamespaces } from '../../cli/settings.js';
import { runRollback } from '../../flows/upgrade/rollback.js';
import { findUpgrade } from '../../services/upgrade/journals/rollback-journals.js';
import { selectNamespaces } from '../../services/upgrade/plan/select.js';
import { maxFailuresOf, namedNamespace } from '../../flows/upgrade/selection.js';
import { endUpgrade } from '../../flows/upgrade/end.js';
import { probeOutputs } from '../../flows/probe-outputs.js';
import { KeptErrors } from '../../services/upgrade/files/local-failures.js';

export default class UpgradeRollback extends BaseCommand {
  static override summary = 'Roll back an upgrade';
  static override description =
    'Restores the previous artifact and configuration of every upgraded pipeline, except pipelines changed since the upgrade. Schedules are kept. Without a terminal it needs -y. By default, rolls back the newest upgrade that changed the platform, together with the interrupted runs directly before it; for an older one, give its journal as listed by `upgrade history`.';
  static override examples = [
    'cdapctl upgrade rollback --dry-run',
    'cdapctl upgrade rollback -p orders-hourly -y',
    'cdapctl upgrade rollback ~/.local/state/cdapctl/upgrades/2024-05-02T22-00-00Z.ndjson -y',
  ];
  static override failures = [
    'NOT_FOUND',
    'LOCKED',
    'PARTIAL',
    'CONSENT_MISSING',
    'DECLINED',
    'LOCAL_IO',
    'UNKNOWN_OUTCOME',
  ] as const;
  static override changes = 'platform' as const;
  static override seeAlso = ['cdapctl upgrade history', 'cdapctl upgrade'];
  static override args = {
    journal: Args.string({
      description: 'journal of the upgrade, by name or path (default: the newest that changed the platform)',
    }),
  };
  static override flags = { ...consentFlags, ...rollbackFlags, ...connectionFlags };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(UpgradeRollback);
    // What is wrong with it is told before anything is asked or written.
    const maxFailures = maxFailuresOf(flags['max-failures']);
    await probeOutputs(flags);
    const context = await this.context(flags);
    refuseNamespaces(context.found);
    const keeping = new KeptErrors(context.emit);
    const target = await context.platform();
    // A context must not hide a part of what the journal has.
    const namespace = namedNamespace(context);
    // One that is not there would have nothing to roll back.
    if (namespace !== undefined) await selectNamespaces(namespace, target.platform, this.signal);
    const { settings } = context.found;
    const result = await runRollback({
      session: this.session,
      context,
      target,
      namespace,
      command: 'rollback',
      engine: 'client',
      keeping,
      upgrade: await findUpgrade(args.journal, context.stateFolder, { url: target.url, namespace }, context.emit),
      pipelines: flags.pipeline ?? [],
      lookOnly: flags['dry-run'] !== undefined || flags.diff,
      concurrency: flags.concurrency ?? 8,
      maxFailures,
      errorDir: settings.errorDir?.value,
      isWhole: flags.verbose,
    });
    const { view, lines, error } = await endUpgrade(result, { session: this.session, keeping, flags });
    if (view !== undefined) await this.show(view, result);
    for (const line of lines) this.terminal.tell(line);
    if (error !== undefined) throw error;
  }
}
