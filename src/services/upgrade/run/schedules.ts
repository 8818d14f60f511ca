import { CliError } from '../../../core/errors.js';
import { warn } from '../../../core/events.js';
import { listSchedules, putSchedule, type Schedule } from '../../../platform/schedules.js';
import { mendingHints, restoreStatuses, type SchedulesContext } from '../../writing/schedules.js';

const statusOf = ({ status }: Schedule): string => status ?? 'SUSPENDED';

/** Reads all schedules of a pipeline with all that the platform tells of them. */
export function readSchedules(
  pipeline: string,
  { platform, namespace, signal }: SchedulesContext,
): Promise<Schedule[]> {
  return platform.call(listSchedules, { namespace, application: pipeline }, signal);
}

/** How schedules can differ, with the request that repairs one: its detail in the journal is the body. */
const DIFFERENCES = {
  gone: { what: 'are gone', request: (path: string) => `PUT ${path}` },
  other: { what: 'have changed', request: (path: string) => `POST ${path}/update` },
} as const;

function notRestored(
  pipeline: string,
  schedules: readonly Schedule[],
  difference: keyof typeof DIFFERENCES,
  context: SchedulesContext,
): CliError {
  const { namespace } = context;
  const { what, request } = DIFFERENCES[difference];
  const names = schedules.map(({ name }) => name);
  const requests = schedules.map((detail) => request(putSchedule.path({ namespace, application: pipeline, detail })));
  return new CliError(
    'REMOTE_FAILED',
    `pipeline ${pipeline} is deployed, but its schedules ${what}: ${names.join(', ')}`,
    {
      hints: mendingHints(context, requests),
      target: { pipeline, namespace },
    },
  );
}

/** When a schedule fires: what a deploy may not change. */
const definition = ({ trigger, program }: Schedule): string => JSON.stringify([trigger, program]);

async function putBack(pipeline: string, missing: readonly Schedule[], context: SchedulesContext): Promise<void> {
  const { platform, namespace, signal } = context;
  for (const detail of missing) {
    try {
      await platform.call(putSchedule, { namespace, application: pipeline, detail }, signal);
      warn(context, `schedule ${detail.name} of pipeline ${pipeline} was missing after the deploy and was restored`);
    } catch (error) {
      // Reading back decides; what went wrong is told there.
      if (!(error instanceof CliError)) throw error;
    }
  }
}

/**
 * Checks that the schedules of a pipeline are as before its deploy, and restores what is not. Restores statuses, and
 * schedules that are gone (docs/conventions.md D12).
 * @throws REMOTE_FAILED names those that could not be restored
 */
export async function restoreSchedules(
  pipeline: string,
  before: readonly Schedule[],
  context: SchedulesContext,
): Promise<void> {
  if (before.length === 0) return;
  let now = await readSchedules(pipeline, context);
  const found = (wanted: Schedule): Schedule | undefined => now.find(({ name }) => name === wanted.name);
  const missing = (): readonly Schedule[] => before.filter((schedule) => found(schedule) === undefined);
  const isSame = (schedule: Schedule): boolean => {
    const present = found(schedule);
    return present !== undefined && statusOf(present) === statusOf(schedule);
  };
  if (!before.every(isSame)) {
    await putBack(pipeline, missing(), context);
    const statuses = Object.fromEntries(before.map((schedule) => [schedule.name, statusOf(schedule)]));
    await restoreStatuses({ kind: 'pipeline', name: pipeline }, statuses, context);
    now = await readSchedules(pipeline, context);
  }
  if (missing().length > 0) throw notRestored(pipeline, missing(), 'gone', context);
  const other = before.filter((schedule) => definition(found(schedule) ?? schedule) !== definition(schedule));
  if (other.length > 0) throw notRestored(pipeline, other, 'other', context);
}
