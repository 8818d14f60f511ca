import * as Args from '@oclif/core/args';
import { BaseCommand } from '../../cli/base-command.js';
import { connectionFlags } from '../../flags/connection.js';
import { nextStartFlags } from '../../flags/schedule.js';
import { listedSchedules } from '../../flows/schedules/selection.js';
import { visible } from '../../output/escape.js';
import { nextStartList } from '../../output/views/schedules.js';
import { parsePipelineName } from '../../services/metrics/pipeline.js';
import { schedulesOfApp, withNextRuns } from '../../services/schedules/find.js';
import { nextStartsOf } from '../../services/schedules/next.js';

export default class ScheduleNext extends BaseCommand {
  static override summary = 'Show the next scheduled starts of a pipeline';
  static override description =
    'The first start is reported by the platform. Later starts are calculated from the cron expression, unless they depend on the time zone of the platform, which it does not report. A suspended schedule has no next start.';
  static override examples = [
    'cdapctl schedule next etl/orders-hourly',
    'cdapctl schedule next etl/orders-hourly --count 10 --utc --json',
  ];
  static override failures = ['NOT_FOUND'] as const;
  static override seeAlso = ['cdapctl schedule list', 'cdapctl schedule show'];
  static override args = { pipeline: Args.string({ required: true, description: '[NAMESPACE/]NAME of a pipeline' }) };
  static override flags = { ...nextStartFlags, ...connectionFlags };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(ScheduleNext);
    const { signal, terminal } = this;
    const context = await this.context(flags);
    const { target } = await listedSchedules({ pipelines: [args.pipeline], match: [], all: false }, context, signal);
    const { platform } = target;
    const app = parsePipelineName(args.pipeline, target.namespace);
    const found = await withNextRuns(await schedulesOfApp(app, { platform, signal }), { platform, signal });
    const items = nextStartsOf(found, flags.count);
    const none =
      found.length === 0 ? `pipeline ${app.name} has no schedule` : `pipeline ${app.name} has no active time schedule`;
    await this.show(nextStartList, { items }, visible(none));
    if (items.length > 0 && items.length < flags.count)
      terminal.tell('later starts depend on the time zone of the platform');
  }
}
