import * as z from 'zod/mini';
import { CliError } from '../../core/errors.js';
import { listSchedules, resumeSchedule, suspendSchedule } from '../../platform/schedules.js';
import type { StepContext } from './action.js';
import { answerLost } from './send.js';

const ACTIVE = 'SCHEDULED';

/** The statuses of the schedules of a pipeline by name, as the journal keeps them. */
export const ScheduleStatuses = z.record(z.string(), z.string());
/** The statuses of the schedules of a pipeline by name. */
export type ScheduleStatuses = z.infer<typeof ScheduleStatuses>;

/** Reads the status of every schedule of a pipeline. */
export async function readStatuses(application: string, context: StepContext): Promise<ScheduleStatuses> {
  const schedules = await context.platform.call(
    listSchedules,
    { namespace: context.namespace, application },
    context.signal,
  );
  return Object.fromEntries(schedules.map(({ name, status }) => [name, status ?? 'SUSPENDED']));
}

async function switchSchedule(
  application: string,
  schedule: string,
  active: boolean,
  context: StepContext,
): Promise<void> {
  const place = { namespace: context.namespace, application, schedule };
  try {
    await context.platform.call(active ? resumeSchedule : suspendSchedule, place, context.signal);
  } catch (error) {
    // 409 says that it is so already; the read-back below proves it either way.
    if (!(error instanceof CliError && error.code === 'CONFLICT') && !answerLost(error)) throw error;
  }
}

function notRestored(application: string, names: readonly string[], context: StepContext): CliError {
  const where = (name: string): string =>
    `/v3/namespaces/${context.namespace}/apps/${application}/schedules/${name}/resume`;
  return new CliError(
    'REMOTE_FAILED',
    `pipeline ${application} was deployed, but its schedules are not as they were: ${names.join(', ')}`,
    {
      hints: ['run the same command again, or mend it by hand:', ...names.map((name) => `POST ${where(name)}`)],
      target: { pipeline: application, namespace: context.namespace },
    },
  );
}

/** Brings the schedules of a pipeline back to their former statuses and proves it (decision 12); REMOTE_FAILED names those that could not be restored. */
export async function restoreStatuses(
  application: string,
  before: ScheduleStatuses,
  context: StepContext,
): Promise<void> {
  const now = await readStatuses(application, context);
  const changed = Object.entries(before).filter(([name, status]) => now[name] !== undefined && now[name] !== status);
  for (const [name, status] of changed) await switchSchedule(application, name, status === ACTIVE, context);
  const after = changed.length === 0 ? now : await readStatuses(application, context);
  const wrong = Object.keys(before).filter((name) => after[name] !== before[name]);
  if (wrong.length > 0) throw notRestored(application, wrong, context);
}
