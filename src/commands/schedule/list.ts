import * as Args from '@oclif/core/args';
import { BaseCommand } from '../../cli/base-command.js';
import { connectionFlags } from '../../flags/connection.js';
import { patternsOf, scheduleListFlags } from '../../flags/schedule.js';
import { listedSchedules } from '../../flows/schedules/selection.js';
import { tellScope } from '../../flows/target-line.js';
import { scheduleList } from '../../output/views/schedules.js';
import { listWithNextRuns, type FoundSchedule } from '../../services/schedules/find.js';

export default class ScheduleList extends BaseCommand {
  static override summary = 'List schedules with their status and next run';
  static override description =
    'Lists the schedules of a pipeline, of the namespace, or of all namespaces, including those of other applications.';
  static override examples = [
    'cdapctl schedule list -n etl',
    'cdapctl schedule list -A --status active',
    'cdapctl schedule list etl/orders-hourly --json',
  ];
  static override failures = ['NOT_FOUND'] as const;
  static override seeAlso = ['cdapctl schedule show', 'cdapctl schedule next', 'cdapctl schedule suspend'];
  static override args = { pipeline: Args.string({ description: '[NAMESPACE/]NAME of a pipeline' }) };
  static override flags = { ...scheduleListFlags, ...connectionFlags };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(ScheduleList);
    const { status } = flags;
    const match = patternsOf(flags);
    const all = flags['all-namespaces'] && !this.onLine.has('namespace');
    const pipelines = args.pipeline === undefined ? [] : [args.pipeline];
    const context = await this.context(flags);
    const { target, selection } = await listedSchedules({ pipelines, match, all }, context, this.signal);
    const patterns = pipelines.length > 0 ? selection.patterns : match;
    tellScope({ onLine: this.onLine, flags, patterns }, selection.namespaces, this.session);
    const found = listWithNextRuns(selection, { platform: target.platform, signal: this.signal });
    await this.show(scheduleList, { items: status === undefined ? found : withStatus(found, status) });
  }
}

async function* withStatus(
  schedules: AsyncIterable<FoundSchedule>,
  status: FoundSchedule['status'],
): AsyncGenerator<FoundSchedule> {
  for await (const one of schedules) if (one.status === status) yield one;
}
