import * as z from 'zod/mini';
import { mapConcurrent } from '../../core/concurrency.js';
import { fitsAny } from '../../core/pipeline-pattern.js';
import { formatTime } from '../../core/time.js';
import { applicationPages } from '../../platform/apps.js';
import type { Platform } from '../../platform/client.js';
import { listSchedules, type Schedule } from '../../platform/schedules.js';
import { getNextStarts, getWorkflowStarts } from '../../platform/time-schedules.js';

const CONCURRENCY = 8;
/** Applications whose schedules are read before their next starts are asked for. */
const AT_ONCE = 500;
/** Its pipelines have no schedules. */
const REALTIME = 'cdap-data-streams';
const ACTIVE = 'SCHEDULED';

const Program = z.looseObject({ program: z.looseObject({ programName: z.string() }) });

/** Which schedules: those of applications whose names fit one of the patterns `[NS/]GLOB`, or all. */
export interface ScheduleSelection {
  readonly namespaces: readonly string[];
  readonly patterns: readonly string[];
}

/** A schedule of a pipeline, or of another application. */
export interface FoundSchedule {
  readonly namespace: string;
  readonly pipeline: string;
  readonly schedule: string;
  readonly status: 'active' | 'suspended';
  /** Of one with a time trigger. */
  readonly cron?: string | undefined;
  /** The type of its trigger: `TIME`, `PROGRAM_STATUS`, ... */
  readonly trigger?: string | undefined;
  /** Milliseconds since the epoch; undefined for one that is suspended, or has no time trigger. */
  readonly nextRun?: number | undefined;
  readonly nextRunAt?: string | undefined;
  /** All that the platform tells of it. */
  readonly detail: Schedule;
}

/** A platform whose schedules are read. */
export interface ScheduleReader {
  readonly platform: Platform;
  readonly signal: AbortSignal;
}

interface App {
  readonly namespace: string;
  readonly name: string;
}

/** The workflow that a schedule starts. */
export const programOf = (detail: Schedule): string | undefined =>
  z.safeParse(Program, detail).data?.program.programName;

function foundSchedule({ namespace, name: pipeline }: App, detail: Schedule): FoundSchedule {
  const { name: schedule, status, trigger } = detail;
  const type = trigger?.['type'];
  return {
    ...{ namespace, pipeline, schedule, detail },
    status: status === ACTIVE ? 'active' : 'suspended',
    cron: trigger?.cronExpression,
    trigger: typeof type === 'string' ? type : undefined,
  };
}

async function* appsOf({ namespaces, patterns }: ScheduleSelection, deps: ScheduleReader): AsyncGenerator<App> {
  for (const namespace of namespaces) {
    // Up to 6.8 one application may be listed once for each of its versions.
    const names = new Set<string>();
    for await (const records of applicationPages({ namespace }, deps.platform, deps.signal))
      for (const { name, artifact } of records)
        if (artifact.name !== REALTIME && fitsAny(patterns, { namespace, name })) names.add(name);
    for (const name of [...names].sort()) yield { namespace, name };
  }
}

/** The schedules of one application, by name; none where it is gone. */
export async function schedulesOfApp(
  app: App,
  { platform, signal }: ScheduleReader,
): Promise<readonly FoundSchedule[]> {
  const { namespace, name: application } = app;
  const all = (await platform.find(listSchedules, { namespace, application }, signal)) ?? [];
  return all.map((detail) => foundSchedule(app, detail)).sort((one, other) => (one.schedule < other.schedule ? -1 : 1));
}

/** What tells a schedule apart from all others of a platform, in the order of namespaces and pipelines. */
export const scheduleKey = ({
  namespace,
  pipeline,
  schedule,
}: Pick<FoundSchedule, 'namespace' | 'pipeline' | 'schedule'>): string =>
  JSON.stringify([namespace, pipeline, schedule]);

type Starts = readonly ({ readonly id: string; readonly time: number } | undefined)[];

/** The next starts of active time schedules, by their keys; `id` ends with the name of the schedule. */
async function nextStarts(
  active: readonly FoundSchedule[],
  { platform, signal }: ScheduleReader,
): Promise<ReadonlyMap<string, number>> {
  const times = new Map<string, number>();
  const take = (namespace: string, pipeline: string, starts: Starts): void => {
    for (const start of starts)
      if (start !== undefined)
        times.set(
          scheduleKey({ namespace, pipeline, schedule: start.id.slice(start.id.lastIndexOf(':') + 1) }),
          start.time,
        );
  };
  const programs = new Map(
    active.flatMap((one) => {
      const program = programOf(one.detail);
      const { namespace, pipeline: application } = one;
      return program === undefined
        ? []
        : [[JSON.stringify([namespace, application, program]), { namespace, application, program }]];
    }),
  );
  for (const namespace of new Set(active.map((one) => one.namespace))) {
    const own = [...programs.values()].filter((one) => one.namespace === namespace);
    const items = own.map(({ application, program }) => ({
      ...{ appId: application, programType: 'Workflow', programId: program },
    }));
    const answers = items.length === 0 ? [] : await platform.find(getNextStarts, { namespace, items }, signal);
    for (const answer of answers ?? []) if (answer !== undefined) take(namespace, answer.appId, answer.schedules ?? []);
    if (answers !== undefined) continue;
    const ask = async (one: (typeof own)[number], stop: AbortSignal) => ({
      ...one,
      starts: (await platform.find(getWorkflowStarts, one, stop)) ?? [],
    });
    for await (const { application, starts } of mapConcurrent(own, CONCURRENCY, ask, signal))
      take(namespace, application, starts);
  }
  return times;
}

/** Adds to active schedules when they start next. */
export async function withNextRuns(
  schedules: readonly FoundSchedule[],
  deps: ScheduleReader,
): Promise<readonly FoundSchedule[]> {
  const active = schedules.filter(({ status, cron }) => status === 'active' && cron !== undefined);
  const times = await nextStarts(active, deps);
  return schedules.map((one) => {
    const nextRun = times.get(scheduleKey(one));
    return nextRun === undefined ? one : { ...one, nextRun, nextRunAt: formatTime(nextRun) };
  });
}

/** The schedules of a selection, by pipeline and name. */
export const findSchedules = (
  selection: ScheduleSelection,
  deps: ScheduleReader,
): AsyncGenerator<readonly FoundSchedule[]> => schedulesOfApps(appsOf(selection, deps), deps);

/** The schedules of each application, a few read at a time. */
export function schedulesOfApps(
  apps: Iterable<App> | AsyncIterable<App>,
  deps: ScheduleReader,
): AsyncGenerator<readonly FoundSchedule[]> {
  const read = (app: App, signal: AbortSignal) => schedulesOfApp(app, { ...deps, signal });
  return mapConcurrent(apps, CONCURRENCY, read, deps.signal);
}

/** The schedules of a selection with their next starts. */
export async function* listWithNextRuns(
  selection: ScheduleSelection,
  deps: ScheduleReader,
): AsyncGenerator<FoundSchedule> {
  let chunk: FoundSchedule[] = [];
  for await (const found of findSchedules(selection, deps)) {
    chunk.push(...found);
    if (chunk.length < AT_ONCE) continue;
    yield* await withNextRuns(chunk, deps);
    chunk = [];
  }
  yield* await withNextRuns(chunk, deps);
}
