import * as Args from '@oclif/core/args';
import { BaseCommand } from '../../cli/base-command.js';
import { CliError } from '../../core/errors.js';
import { connectionFlags } from '../../flags/connection.js';
import { consentFlags } from '../../flags/consent.js';
import { patternsOf, resumeFlags, SWITCH_FAILURES } from '../../flags/schedule.js';
import { changeSchedules, resumeRecorded } from '../../flows/schedules/window.js';
import { chooseSchedules } from '../../flows/schedules/selection.js';
import { scheduleChanges } from '../../output/views/schedules.js';

export default class ScheduleResume extends BaseCommand {
  static override summary = 'Resume suspended schedules of pipelines';
  static override description =
    'With --from, resumes exactly the schedules that were active when cdapctl schedule suspend --record wrote the file, and marks the file as done. If the command fails or is interrupted, run it again to continue.';
  static override examples = [
    'cdapctl schedule resume etl/orders-hourly -y',
    "cdapctl schedule resume -n etl -p 'orders-*' -y --json",
    'cdapctl schedule resume --from window.json -y',
  ];
  static override failures = ['CONFLICT', 'CHANGED_MEANWHILE', ...SWITCH_FAILURES] as const;
  static override changes = 'platform' as const;
  static override seeAlso = ['cdapctl schedule suspend', 'cdapctl schedule next'];
  static override args = {
    pipeline: Args.string({ multiple: true, description: '[NAMESPACE/]NAME of a pipeline; repeatable' }),
  };
  static override flags = { ...resumeFlags, ...consentFlags, ...connectionFlags };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(ScheduleResume);
    const { session, signal, onLine } = this;
    const { from, 'all-namespaces': all } = flags;
    const pipelines = args.pipeline ?? [];
    const match = patternsOf(flags);
    const others = pipelines.length > 0 || match.length > 0 || onLine.has('all-namespaces') || onLine.has('namespace');
    if (from !== undefined && others)
      throw new CliError('USAGE', '--from selects the schedules: remove pipelines, -p, -A and -n');
    const context = await this.context(flags);
    const base = { session, context, wanted: 'active' as const, dryRun: flags['dry-run'] !== undefined };
    if (from !== undefined) {
      const run = { ...base, target: await context.platform() };
      await this.show(scheduleChanges, { items: await resumeRecorded(from, run) });
      return;
    }
    const chosen = await chooseSchedules({ pipelines, match, all }, context, onLine, signal);
    const run = { ...base, target: chosen.target };
    await this.show(scheduleChanges, { items: await changeSchedules(chosen, run) });
  }
}
