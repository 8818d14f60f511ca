import * as Args from '@oclif/core/args';
import { BaseCommand } from '../../cli/base-command.js';
import { connectionFlags } from '../../flags/connection.js';
import { scheduleListFlags } from '../../flags/schedule.js';
import { refuseBoth } from '../../flows/pipelines/inputs.js';
import { listedSchedules } from '../../flows/schedules/selection.js';
import { scheduleList } from '../../output/views/schedules.js';
import { listWithNextRuns, type FoundSchedule } from '../../services/schedules/find.js';

export default class ScheduleList extends BaseCommand {
  static override summary = 'List schedules with their status and next run';
  static override description =
    'Lists the schedules of a pipeline, of the namespace, or of all namespaces, those of other applications included.';
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
    refuseBoth(this.onLine, 'all-namespaces', 'namespace');
    const { status, 'all-namespaces': all } = flags;
    const context = await this.context(flags);
    const { target, selection } = await listedSchedules(args.pipeline, all, context, this.signal);
    const found = listWithNextRuns(selection, { platform: target.platform, signal: this.signal });
    await this.show(scheduleList, { items: withStatus(found, status) });
  }
}

async function* withStatus(
  schedules: AsyncIterable<FoundSchedule>,
  status: FoundSchedule['status'] | undefined,
): AsyncGenerator<FoundSchedule> {
  for await (const schedule of schedules) if (status === undefined || schedule.status === status) yield schedule;
}
