import * as Args from '@oclif/core/args';
import { BaseCommand } from '../../cli/base-command.js';
import { connectionFlags } from '../../flags/connection.js';
import { pipelineWaitFlags } from '../../flags/pipeline-run.js';
import { namedPipeline } from '../../flows/named-pipeline.js';
import { runIdOf } from '../../flows/pipelines/inputs.js';
import { awaitRun, ownedRun, runFailure, runPatience, type Operation } from '../../flows/pipelines/operate.js';
import { pipelineRunView } from '../../output/views/pipeline/started.js';

export default class PipelineWait extends BaseCommand {
  static override summary = 'Wait until a pipeline run has ended';
  static override description =
    'Exits with 0 if the run completes, with 11 if it ends in any other way, and with 8 on timeout, while the run continues. Retries during outages of the platform. A new run can take a few seconds to appear.';
  static override examples = [
    'cdapctl pipeline wait etl/orders-hourly',
    'cdapctl pipeline wait etl/orders-hourly latest --timeout 2h --interval 30s',
    'cdapctl pipeline wait etl/orders-hourly latest --for running --json',
  ];
  static override failures = ['NOT_FOUND', 'RUN_FAILED', 'STILL_RUNNING'] as const;
  static override seeAlso = ['cdapctl pipeline start', 'cdapctl pipeline logs'];
  static override args = {
    pipeline: Args.string({ required: true, description: '[NAMESPACE/]NAME' }),
    run: Args.string({ description: 'run ID, its first 8 or more characters, or latest (default)' }),
  };
  static override flags = { ...pipelineWaitFlags, ...connectionFlags };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(PipelineWait);
    const context = await this.context(flags);
    const found = await namedPipeline(args.pipeline, context, this.signal);
    const operation: Operation = { ...found, session: this.session, context };
    const runid = await runIdOf(args.run ?? 'latest', operation);
    const patience = { ...runPatience(flags, flags.for ?? 'done'), mayBeInner: true };
    const run = await awaitRun(runid, patience, operation);
    const shown = ownedRun(run, found.pipeline, flags['show-secrets']);
    const failure = runFailure(run, operation, shown);
    if (failure !== undefined) throw failure;
    await this.show(pipelineRunView, shown);
  }
}
