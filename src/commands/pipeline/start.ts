import * as Args from '@oclif/core/args';
import { BaseCommand } from '../../cli/base-command.js';
import { CliError } from '../../core/errors.js';
import { connectionFlags } from '../../flags/connection.js';
import { consentFlags } from '../../flags/consent.js';
import { pipelineStartFlags } from '../../flags/pipeline-run.js';
import { namedPipeline } from '../../flows/named-pipeline.js';
import {
  awaitRun,
  ownedRun,
  ownerOf,
  runFailure,
  runPatience,
  waitCommand,
  type Operation,
} from '../../flows/pipelines/operate.js';
import { hideSecretsOf, tellErrors } from '../../flows/pipelines/logs.js';
import { runArguments, withProfile } from '../../flows/preferences/input.js';
import { startRun } from '../../flows/pipelines/start.js';
import { pipelineRunView, pipelineStartView } from '../../output/views/pipeline/started.js';
import { shownArguments } from '../../services/pipelines/run-record.js';

/** Formats that show the id as soon as there is one; the others are one document at the end. */
const AT_ONCE = ['table', 'wide', 'name'];

export default class PipelineStart extends BaseCommand {
  static override summary = 'Start a pipeline and print the ID of the run';
  static override description =
    'Arguments given here apply to this run only and override the stored ones. If a macro has no value, starts nothing and exits with 2. With --wait, exits with 0 if the run completes, with 11 if it ends in any other way, and with 8 on timeout, while the run continues. If a realtime pipeline is already running, exits with 6. If the started run cannot be determined, exits with 16.';
  static override examples = [
    'cdapctl pipeline start etl/orders-hourly -y',
    'cdapctl pipeline start etl/orders-hourly --set date=2024-05-02 --wait --timeout 30m -y',
    'cdapctl pipeline start etl/orders-hourly --wait --logs-on-failure -y',
    'cdapctl pipeline start etl/orders-hourly --like latest -y --json',
  ];
  static override failures = [
    'NOT_FOUND',
    'MACRO_MISSING',
    'RUNNING',
    'CONFLICT',
    'RUN_FAILED',
    'STILL_RUNNING',
    'REMOTE_FAILED',
    'CONSENT_MISSING',
    'DECLINED',
    'UNKNOWN_OUTCOME',
  ] as const;
  static override changes = 'platform' as const;
  static override seeAlso = ['cdapctl pipeline wait', 'cdapctl pipeline why', 'cdapctl args explain'];
  static override args = { pipeline: Args.string({ required: true, description: '[NAMESPACE/]NAME' }) };
  static override flags = { ...consentFlags, ...pipelineStartFlags, ...connectionFlags };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(PipelineStart);
    const { wait, timeout, interval, outage } = flags;
    if (wait === undefined && [timeout, interval, outage].some((value) => value !== undefined))
      throw new CliError('USAGE', '--timeout, --interval and --outage need --wait');
    if (wait === undefined && flags['logs-on-failure']) throw new CliError('USAGE', '--logs-on-failure needs --wait');
    const given = withProfile(await runArguments(flags, this.signal), flags.profile);
    const context = await this.context(flags);
    const found = await namedPipeline(args.pipeline, context, this.signal);
    const operation: Operation = { ...found, session: this.session, context };
    const { 'show-secrets': showSecrets, 'if-not-running': ifNotRunning, 'no-check': noCheck, like } = flags;
    const dryRun = flags['dry-run'] !== undefined;
    const start = await startRun({ given, like, ifNotRunning, noCheck, showSecrets, dryRun }, operation);
    const { format } = this.renderOptions();
    const isAtOnce = AT_ONCE.includes(format) && flags.fields === undefined;
    const what = { ...ownerOf(found.pipeline), runtimeArgs: shownArguments(start.arguments, showSecrets) };
    if (start.run === undefined) {
      await this.show(pipelineStartView, { ...what, state: 'planned' });
      return;
    }
    const { runid, status } = start.run;
    const isEnd = wait === undefined || dryRun;
    if (isEnd || isAtOnce) await this.show(pipelineRunView, { ...what, runid, status });
    if (isEnd) {
      this.terminal.tell(`next: ${waitCommand(runid, found.pipeline, this.session)}`);
      return;
    }
    const run = await awaitRun(runid, runPatience(flags, wait), operation);
    const shown = ownedRun(run, found.pipeline, showSecrets);
    const failure = runFailure(run, operation, shown);
    if (failure !== undefined) {
      if (!showSecrets) hideSecretsOf(run, this.terminal);
      if (flags['logs-on-failure']) await tellErrors(run.runid, operation);
      throw failure;
    }
    if (!isAtOnce) await this.show(pipelineRunView, shown);
  }
}
