import type { InferredFlags } from '@oclif/core/interfaces';
import { BaseCommand } from '../cli/base-command.js';
import { connectionFlags } from '../flags/connection.js';
import { consentFlags } from '../flags/consent.js';
import { upgradeFlags } from '../flags/upgrade.js';
import { otherPlatformText, resumeText } from '../flows/upgrade/commands.js';
import { requestOf } from '../flows/upgrade/request.js';
import { maxFailuresOf, namespaceOf, selectionOf } from '../flows/upgrade/selection.js';
import { runUpgrade } from '../flows/upgrade/upgrade.js';
import { endUpgrade } from '../flows/upgrade/end.js';
import { probeOutputs } from '../flows/probe-outputs.js';
import { KeptErrors } from '../services/upgrade/files/local-failures.js';
import { CliError } from '../core/errors.js';

type UpgradeFlags = InferredFlags<typeof upgradeFlags & typeof consentFlags> & { readonly yes: boolean };

export default class Upgrade extends BaseCommand {
  static override summary = "Upgrade pipelines to the platform's current artifacts";
  static override description =
    'Changes only the versions of pipeline and plugin artifacts in a configuration. Every pipeline is checked before the first write, and schedules are kept. A journal records each pipeline, so that a run can be resumed (--resume), failed pipelines retried (--only-failed), and a run rolled back (upgrade rollback).\nWithout -n, upgrades the namespace of the context, or all namespaces if the context has none.\nThis is the only command that changes a platform WITHOUT CONFIRMATION when there is no terminal at all: neither stdin nor stderr is one, or CI is set (cron, build servers). Otherwise it asks, or needs -y if it cannot ask (stdin is a pipe, --no-input). A protected context always needs its name, typed or as --confirm NAME.';
  static override examples = [
    'cdapctl upgrade -n etl --check',
    'cdapctl upgrade -u https://cdap.example.com:10443 -n etl -e ./failed -a token.txt',
    'cdapctl upgrade -n etl -p orders-hourly --diff',
    'cdapctl upgrade --plan-out plan.json',
    'cdapctl upgrade --only-failed',
  ];
  static override failures = [
    'NOT_FOUND',
    'PLAN_CHANGED',
    'LOCKED',
    'PARTIAL',
    'BLOCKED',
    'CONSENT_MISSING',
    'DECLINED',
    'CHANGES',
    'LOCAL_IO',
    'UNKNOWN_OUTCOME',
  ] as const;
  static override changes = 'platform' as const;
  static override seeAlso = ['cdapctl upgrade history', 'cdapctl upgrade rollback', 'cdapctl help exit-codes'];
  static override flags = { ...consentFlags, ...upgradeFlags, ...connectionFlags };

  async run(): Promise<void> {
    const { flags } = await this.parse(Upgrade);
    // What is wrong with it is told before anything is asked or written.
    const maxFailures = maxFailuresOf(flags['max-failures']);
    refuseFlags(flags, this.onLine);
    await probeOutputs(flags);
    const context = await this.context(flags);
    const selection = selectionOf(flags, namespaceOf(flags, context));
    const keeping = new KeptErrors(context.emit);
    const target = await context.platform();
    const deps = { context, session: this.session, url: target.url };
    const request = await requestOf(flags, { selection, maxFailures }, deps);
    const { previous } = request;
    if (previous !== undefined) this.terminal.tell(resumeText(previous, flags['only-failed'], this.terminal.stderr));
    else if (flags.resume) this.terminal.tell('note: nothing to resume: this is a new upgrade');
    const other = previous && otherPlatformText(previous.run, target.version);
    for (const message of [request.newer, other])
      if (message !== undefined) context.emit({ type: 'warning', code: 'UPGRADE', message });
    // Of a run that goes on: as it was begun.
    const { namespace, engine } = request.selection;
    if (engine === 'server' && !target.capabilities.upgradeCall)
      throw new CliError('INCOMPATIBLE', `platform ${target.version} does not support --engine server`, {
        hints: ['remove --engine server'],
      });
    const result = await runUpgrade({
      session: this.session,
      context,
      target,
      namespace,
      command: 'upgrade',
      engine,
      keeping,
      request,
      isWhole: flags.verbose,
    });
    const { view, lines, error } = await endUpgrade(result, { session: this.session, keeping, flags });
    if (view !== undefined) await this.show(view, result);
    for (const line of lines) this.terminal.tell(line);
    if (error !== undefined) throw error;
  }
}

/** Refuses flags that contradict each other. */
function refuseFlags(flags: UpgradeFlags, onLine: ReadonlySet<string>): void {
  const usage = (message: string): never => {
    throw new CliError('USAGE', message);
  };
  const looks = flags.diff || flags['dry-run'] !== undefined || flags['plan-out'] !== undefined;
  if (onLine.has('detailed-exitcode') && !looks) usage('--detailed-exitcode needs --dry-run, --diff or --plan-out');
  if (flags.dir !== undefined && flags['dry-run'] === undefined) usage('--dir needs --dry-run');
  if (flags.check && (flags.diff || flags['dry-run'] !== undefined))
    usage(`--check and --${flags.diff ? 'diff' : 'dry-run'} cannot be used together`);
  if (flags['all-namespaces'] && onLine.has('namespace'))
    usage('--all-namespaces and --namespace cannot be used together');
  if (flags.journal !== undefined && !flags.resume && !flags['only-failed'])
    usage('--journal needs --resume or --only-failed');
  if (flags.engine === 'server' && (flags.to !== undefined || flags.plugin !== undefined))
    usage('with --engine server the platform chooses the versions: remove --to and --plugin');
}
