import { CliError } from '../../core/errors.js';
import { warn } from '../../core/events.js';
import type { StepContext } from './action.js';
import { wasRefused } from '../writing/was-refused.js';
import { readStatuses, restoreStatuses, ScheduleStatuses, type DeployTarget } from '../writing/schedules.js';

const STATUSES = 'schedules';

function notedStatuses({ history }: StepContext): ScheduleStatuses {
  const noted = ScheduleStatuses.safeParse(history.facts.get(STATUSES));
  return noted.success ? noted.data : {};
}

/**
 * Restores what a deploy did to the statuses that the journal holds. Does nothing without any (docs/conventions.md
 * D12).
 */
export async function settleSchedules(deployTarget: DeployTarget, context: StepContext): Promise<void> {
  const before = notedStatuses(context);
  if (Object.keys(before).length > 0) await restoreStatuses(deployTarget, before, context);
}

/**
 * Restores the schedules after a failed deploy, then forgets their statuses. A later run must not undo what others
 * changed since.
 */
async function settleFailed(deployTarget: DeployTarget, error: unknown, context: StepContext): Promise<void> {
  if (error instanceof CliError && error.code === 'UNKNOWN_OUTCOME') return;
  try {
    if (!wasRefused(error)) await settleSchedules(deployTarget, context);
    await context.note(STATUSES, {});
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    warn(context, `the next run restores the schedules of ${deployTarget.kind} ${deployTarget.name}: ${why}`);
  }
}

/**
 * Deploys over an application and keeps the statuses of its schedules in the journal. A failure restores them here, a
 * success leaves that to `settleSchedules` (docs/conventions.md D12).
 */
export async function keepSchedules(
  deployTarget: DeployTarget,
  context: StepContext,
  deploy: () => Promise<void>,
): Promise<void> {
  // What an earlier attempt noted wins: its deploy may have suspended what is to be restored.
  await context.note(STATUSES, { ...(await readStatuses(deployTarget.name, context)), ...notedStatuses(context) });
  try {
    await deploy();
  } catch (error) {
    await settleFailed(deployTarget, error, context);
    throw error;
  }
}
