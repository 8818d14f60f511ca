import * as Args from '@oclif/core/args';
import { BaseCommand } from '../../cli/base-command.js';
import { CliError } from '../../core/errors.js';
import { parseTime } from '../../core/time.js';
import { connectionFlags } from '../../flags/connection.js';
import { pipelineRunsFlags } from '../../flags/pipeline.js';
import { namedPipeline } from '../../flows/named-pipeline.js';
import { pipelineRuns } from '../../output/views/pipeline/run.js';
import { pipelineRun } from '../../services/pipelines/run-record.js';
import { pipelineRunRecords } from '../../services/pipelines/list-runs.js';

const USUAL = 20;

export default class PipelineRuns extends BaseCommand {
  static override summary = 'List the runs of a pipeline, newest first';
  static override description =
    'Lists the newest 20 runs with the arguments given to each; --limit and --all-pages list more. Values that look secret are masked unless --show-secrets is given.';
  static override examples = [
    'cdapctl pipeline runs etl/orders-hourly',
    'cdapctl pipeline runs etl/orders-hourly --status FAILED --start yesterday',
    'cdapctl pipeline runs etl/orders-hourly --all-pages -o csv',
  ];
  static override failures = ['NOT_FOUND'] as const;
  static override seeAlso = ['cdapctl pipeline logs', 'cdapctl help times'];
  static override args = { pipeline: Args.string({ required: true, description: '[NAMESPACE/]NAME' }) };
  static override flags = { ...pipelineRunsFlags, ...connectionFlags };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(PipelineRuns);
    const now = this.session.clock.now();
    const time = (text: string | undefined): number | undefined =>
      text === undefined ? undefined : Math.floor(parseTime(text, now, this.terminal.stdout.utc) / 1000);
    const [start, end] = [time(flags.start), time(flags.end)];
    if (start !== undefined && end !== undefined && end <= start)
      throw new CliError('USAGE', '--end must be after --start');
    const { pipeline, target } = await namedPipeline(args.pipeline, await this.context(flags), this.signal);
    const limit = flags['all-pages'] ? undefined : (flags.limit ?? USUAL);
    const wanted = { start, end, statuses: flags.status ?? [], limit };
    const records = pipelineRunRecords(pipeline.place, wanted, target.platform, this.signal);
    const items = (async function* () {
      for await (const record of records) yield pipelineRun(record, flags['show-secrets']);
    })();
    await this.show(pipelineRuns, { items });
  }
}
