import * as z from 'zod/mini';
import { CliError } from '../../core/errors.js';
import { warn, type Warnings } from '../../core/events.js';
import { listSchedules, resumeSchedule, suspendSchedule } from '../../platform/schedules.js';
import type { Platform } from '../../platform/client.js';

const ACTIVE = 'SCHEDULED';
/** A lost answer is worth a second try; both calls are harmless to repeat. */
const MOST_ATTEMPTS = 2;

/** Where schedules are read and set. */
export interface SchedulesContext extends Warnings {
  readonly platform: Platform;
  readonly namespace: string;
  readonly signal: AbortSignal;
  /** What restores them once more, for hints; undefined: the same command again. */
  readonly goOn?: string;
}

/** What is deployed over: a pipeline is an application, too, and called what people call it. */
export interface DeployTarget {
  readonly kind: 'application' | 'pipeline';
  readonly name: string;
}

/** The statuses of the schedules of an application by name, as the journal keeps them. */
export const ScheduleStatuses = z.record(z.string(), z.string());
/** The statuses of the schedules of an application by name. */
export type ScheduleStatuses = z.infer<typeof ScheduleStatuses>;

/** Reads the status of every schedule of an application. */
export async function readStatuses(application: string, context: SchedulesContext): Promise<ScheduleStatuses> {
  const schedules = await context.platform.call(
    listSchedules,
    { namespace: context.namespace, application },
    context.signal,
  );
  return Object.fromEntries(schedules.map(({ name, status }) => [name, status ?? 'SUSPENDED']));
}

/** Suspends or resumes a schedule; what went wrong is a value, because reading back decides. */
async function switchSchedule(
  application: string,
  schedule: string,
  active: boolean,
  context: SchedulesContext,
): Promise<CliError | undefined> {
  const place = { namespace: context.namespace, application, schedule };
  try {
    await context.platform.call(active ? resumeSchedule : suspendSchedule, place, context.signal);
    return undefined;
  } catch (error) {
    if (error instanceof CliError) return error;
    throw error;
  }
}

/** The hints for schedules that are not as before: a command to try again, and requests to repair them. */
export function mendingHints({ goOn = 'run the same command again' }: SchedulesContext, requests: readonly string[]) {
  return [goOn, 'or fix it manually:', ...requests];
}

function notRestored(
  { kind, name: application }: DeployTarget,
  wrong: readonly (readonly [name: string, before: string | undefined])[],
  cause: CliError | undefined,
  context: SchedulesContext,
): CliError {
  const requests = wrong.map(([schedule, before]) => {
    const endpoint = before === ACTIVE ? resumeSchedule : suspendSchedule;
    return `POST ${endpoint.path({ namespace: context.namespace, application, schedule })}`;
  });
  const names = wrong.map(([name]) => name);
  return new CliError(
    'REMOTE_FAILED',
    `schedules of ${kind} ${application} differ from before its deploy: ${names.join(', ')}`,
    {
      hints: mendingHints(context, requests),
      target: { [kind]: application, namespace: context.namespace },
      cause,
      ...(cause !== undefined && { request: cause.details.request, serverSaid: cause.details.serverSaid }),
    },
  );
}

/**
 * Restores the schedules of an application to their former statuses and checks it. See docs/conventions.md D12. Warns
 * of each that it switches, as someone else may have changed it on purpose, and of those that the new configuration no
 * longer has.
 * @throws REMOTE_FAILED names those that could not be restored
 */
export async function restoreStatuses(
  deployTarget: DeployTarget,
  before: ScheduleStatuses,
  context: SchedulesContext,
): Promise<void> {
  const { kind, name: application } = deployTarget;
  let now = await readStatuses(application, context);
  let cause: CliError | undefined;
  const wrong = (): readonly string[] =>
    Object.keys(before).filter((name) => name in now && now[name] !== before[name]);
  const switched = wrong().map((name) => `${name} (${before[name] === ACTIVE ? 'active' : 'suspended'})`);
  for (let attempt = 1; attempt <= MOST_ATTEMPTS && wrong().length > 0; attempt++) {
    for (const name of wrong()) cause = await switchSchedule(application, name, before[name] === ACTIVE, context);
    now = await readStatuses(application, context);
  }
  const left = wrong().map((name) => [name, before[name]] as const);
  if (left.length > 0) throw notRestored(deployTarget, left, cause, context);
  if (switched.length > 0)
    warn(
      context,
      `schedules of ${kind} ${application} are set back to their status before the deploy: ${switched.join(', ')}`,
    );
  const gone = Object.keys(before).filter((name) => !(name in now));
  if (gone.length > 0) warn(context, `${kind} ${application} no longer has these schedules: ${gone.join(', ')}`);
}
