import * as Args from '@oclif/core/args';
import { BaseCommand } from '../../cli/base-command.js';
import { connectionFlags } from '../../flags/connection.js';
import { consentFlags } from '../../flags/consent.js';
import { patternsOf, suspendFlags, SWITCH_FAILURES } from '../../flags/schedule.js';
import { changeSchedules } from '../../flows/schedules/window.js';
import { chooseSchedules } from '../../flows/schedules/selection.js';
import { scheduleChanges } from '../../output/views/schedules.js';

export default class ScheduleSuspend extends BaseCommand {
  static override summary = 'Suspend schedules of pipelines';
  static override description =
    'For a maintenance window, use --record: it writes the active schedules to a file before anything is changed, and cdapctl schedule resume --from FILE resumes exactly those. If the command fails or is interrupted, run it again to continue. Active runs continue.';
  static override examples = [
    'cdapctl schedule suspend etl/orders-hourly -y',
    "cdapctl schedule suspend -n etl -p 'orders-*' --dry-run",
    'cdapctl schedule suspend -A -n etl --record window.json --reason upgrade -y --json',
  ];
  static override failures = ['EXISTS', ...SWITCH_FAILURES] as const;
  static override changes = 'platform' as const;
  static override seeAlso = ['cdapctl schedule resume', 'cdapctl schedule list'];
  static override args = {
    pipeline: Args.string({ multiple: true, description: '[NAMESPACE/]NAME of a pipeline; repeatable' }),
  };
  static override flags = { ...suspendFlags, ...consentFlags, ...connectionFlags };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(ScheduleSuspend);
    const { session, signal, onLine } = this;
    const { record: file, reason, clobber, 'all-namespaces': all } = flags;
    const pipelines = args.pipeline ?? [];
    const match = patternsOf(flags);
    const context = await this.context(flags);
    const chosen = await chooseSchedules({ pipelines, match, all }, context, onLine, signal);
    const run = {
      ...{ session, context, target: chosen.target, wanted: 'suspended' as const },
      dryRun: flags['dry-run'] !== undefined,
    };
    const items = await changeSchedules(chosen, run, file === undefined ? undefined : { file, reason, clobber });
    await this.show(scheduleChanges, { items });
  }
}
