import * as Args from '@oclif/core/args';
import { BaseCommand } from '../../cli/base-command.js';
import { connectionFlags } from '../../flags/connection.js';
import { pipelineWhyFlags } from '../../flags/pipeline.js';
import { namedPipeline, namedRun } from '../../flows/named-pipeline.js';
import { explainRun, tellFailedRuns, tellNext } from '../../flows/pipelines/runs.js';
import { whyView } from '../../output/views/pipeline/why.js';

export default class PipelineWhy extends BaseCommand {
  static override summary = 'Show why a run of a pipeline failed';
  static override description =
    'Shows the failed node and stage, the cause, the first error of the log with the lines around it, the arguments of the run with where each came from, and what differs from the last run that is COMPLETED. Exits with 0 whatever became of the run. Values that look secret are masked unless --show-secrets is given.';
  static override examples = [
    'cdapctl pipeline why etl/orders-hourly',
    'cdapctl pipeline why etl/orders-hourly latest --json',
  ];
  static override failures = ['NOT_FOUND'] as const;
  static override seeAlso = ['cdapctl pipeline logs', 'cdapctl pipeline runs', 'cdapctl metrics top'];
  static override args = {
    pipeline: Args.string({ required: true, description: '[NAMESPACE/]NAME' }),
    run: Args.string({ description: 'run ID, its first 8 or more characters, or latest (default)' }),
  };
  static override flags = { ...pipelineWhyFlags, ...connectionFlags };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(PipelineWhy);
    const context = await this.context(flags);
    const found = await namedPipeline(args.pipeline, context, this.signal);
    const { pipeline, target } = found;
    const record = await namedRun(args.run ?? 'latest', found, this.session);
    const asking = { platform: target.platform, signal: this.signal, emit: context.emit };
    const why = await explainRun(record, pipeline, flags['show-secrets'], asking);
    await this.show(whyView, why);
    if (record.status === 'COMPLETED' && args.run === undefined) tellFailedRuns(pipeline, this.session);
    tellNext(record, pipeline, this.session, 'logs');
  }
}
