import * as Args from '@oclif/core/args';
import { BaseCommand } from '../../cli/base-command.js';
import { connectionFlags } from '../../flags/connection.js';
import { shownArguments } from '../../flows/schedules/show.js';
import { listedSchedules } from '../../flows/schedules/selection.js';
import { scheduleDetails } from '../../output/views/schedules.js';
import { secretFlags } from '../../flags/preferences.js';
import { parsePipelineName } from '../../services/metrics/pipeline.js';
import { scheduleFacts } from '../../services/schedules/details.js';
import { schedulesOfApp, withNextRuns } from '../../services/schedules/find.js';

export default class ScheduleShow extends BaseCommand {
  static override summary = 'Show the schedules of a pipeline in detail';
  static override description =
    'Shows when each schedule starts the pipeline, its status, the maximum number of concurrent runs, and the arguments of its runs.';
  static override examples = [
    'cdapctl schedule show etl/orders-hourly',
    'cdapctl schedule show etl/orders-hourly --json',
  ];
  static override failures = ['NOT_FOUND'] as const;
  static override seeAlso = ['cdapctl schedule next', 'cdapctl schedule list'];
  static override args = { pipeline: Args.string({ required: true, description: '[NAMESPACE/]NAME of a pipeline' }) };
  static override flags = { ...secretFlags, ...connectionFlags };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(ScheduleShow);
    const { signal } = this;
    const context = await this.context(flags);
    const { target } = await listedSchedules({ pipelines: [args.pipeline], match: [], all: false }, context, signal);
    const { platform } = target;
    const app = parsePipelineName(args.pipeline, target.namespace);
    const found = await withNextRuns(await schedulesOfApp(app, { platform, signal }), { platform, signal });
    const schedules = found.map(scheduleFacts).map((one) => shownArguments(one, flags['show-secrets']));
    await this.show(scheduleDetails, { namespace: app.namespace, pipeline: app.name, schedules });
  }
}
