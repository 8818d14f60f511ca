import * as Args from '@oclif/core/args';
import { BaseCommand } from '../../cli/base-command.js';
import { CliError } from '../../core/errors.js';
import { connectionFlags } from '../../flags/connection.js';
import { consentFlags } from '../../flags/consent.js';
import { pipelineStopFlags } from '../../flags/pipeline-run.js';
import { namedPipeline } from '../../flows/named-pipeline.js';
import type { Operation } from '../../flows/pipelines/operate.js';
import { stopRuns } from '../../flows/pipelines/stop.js';
import { isMachineFormat } from '../../output/format.js';
import { stoppedRuns } from '../../output/views/pipeline/started.js';

export default class PipelineStop extends BaseCommand {
  static override summary = 'Stop runs of a pipeline';
  static override description =
    'Stops the given runs, or the active run if there is only one; --all-runs stops every active run. Waits until they have ended. A run that has already ended is not an error.';
  static override examples = [
    'cdapctl pipeline stop etl/orders-hourly -y',
    'cdapctl pipeline stop etl/orders-hourly latest -y',
    'cdapctl pipeline stop etl/orders-hourly --all-runs --timeout 5m -y --json',
  ];
  static override failures = [
    'NOT_FOUND',
    'STILL_RUNNING',
    'REMOTE_FAILED',
    'PARTIAL',
    'CONSENT_MISSING',
    'DECLINED',
    'UNKNOWN_OUTCOME',
  ] as const;
  static override changes = 'platform' as const;
  static override seeAlso = ['cdapctl pipeline runs', 'cdapctl pipeline status'];
  static override args = {
    pipeline: Args.string({ required: true, description: '[NAMESPACE/]NAME' }),
    run: Args.string({ multiple: true, description: 'run IDs, their first 8 or more characters, or latest' }),
  };
  static override flags = { ...consentFlags, ...pipelineStopFlags, ...connectionFlags };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(PipelineStop);
    const { wait, timeout, 'all-runs': all } = flags;
    const runs = args.run ?? [];
    if (all && runs.length > 0) throw new CliError('USAGE', 'runs and --all-runs cannot be used together');
    if (!wait && timeout !== undefined) throw new CliError('USAGE', '--timeout and --no-wait cannot be used together');
    const context = await this.context(flags);
    const found = await namedPipeline(args.pipeline, context, this.signal);
    const operation: Operation = { ...found, session: this.session, context };
    const wish = { runs, all, wait, timeout, dryRun: flags['dry-run'] !== undefined };
    const { items, failure } = await stopRuns(wish, operation);
    const isShown = failure === undefined || (items.length > 1 && !isMachineFormat(this.renderOptions().format));
    if (isShown) await this.show(stoppedRuns, { items });
    if (failure !== undefined) throw failure;
  }
}
