import { mapConcurrent } from '../../core/concurrency.js';
import { CliError } from '../../core/errors.js';
import { smallestOf } from '../../core/collections.js';
import { fitsAny } from '../../core/pipeline-pattern.js';
import type { Platform } from '../../platform/client.js';
import { getNextStarts, listActiveTimeSchedules, type TimeSchedule } from '../../platform/time-schedules.js';
import { applicationsOf } from './applications.js';

const PROGRAM = 'DataPipelineWorkflow';
const ARTIFACT = 'cdap-data-pipeline';
const AT_ONCE = 500;
const CONCURRENCY = 8;

/**
 * An active schedule with a cron entry and nothing but its own earlier runs that could hold it back. Times in epoch
 * seconds.
 */
export interface ActiveSchedule {
  readonly namespace: string;
  readonly application: string;
  readonly program: string;
  readonly name: string;
  readonly cron: string;
  /** Since when it is active and unchanged. */
  readonly since: number;
  /** When the platform will start it next, and when it was asked for that. */
  readonly next: number;
  readonly askedAt: number;
  readonly maxConcurrency: number | undefined;
}

/** What was learned of the schedules of a platform. */
export interface SeenSchedules {
  readonly active: readonly ActiveSchedule[];
  /**
   * How many active time schedules cannot be judged. Undefined: none of them can, the platform does not tell enough.
   */
  readonly notJudged: number | undefined;
}

/** Names of the batch pipelines of a namespace. */
async function pipelinesOf(namespace: string, platform: Platform, signal: AbortSignal): Promise<readonly string[]> {
  const names = new Set<string>();
  for await (const { name, artifact } of applicationsOf(namespace, [ARTIFACT], platform, signal))
    if (artifact.name === ARTIFACT) names.add(name);
  return [...names];
}

/**
 * The next starts of pipelines by the name of the schedule, of those alone that have any. Undefined where the platform
 * does not know the call.
 */
async function nextStartsOf(
  namespace: string,
  applications: readonly string[],
  platform: Platform,
  signal: AbortSignal,
): Promise<ReadonlyMap<string, ReadonlyMap<string, number>> | undefined> {
  const starts = new Map<string, ReadonlyMap<string, number>>();
  for (let at = 0; at < applications.length; at += AT_ONCE) {
    const items = applications
      .slice(at, at + AT_ONCE)
      .map((appId) => ({ appId, programType: 'Workflow', programId: PROGRAM }));
    const answers = await platform.find(getNextStarts, { namespace, items }, signal);
    if (answers === undefined) return undefined;
    for (const [index, answer] of answers.entries()) {
      const appId = answer?.appId ?? items[index]?.appId;
      // What cannot be read may have a schedule; its list of schedules tells.
      const schedules = answer === undefined ? [undefined] : (answer.schedules ?? []);
      if (appId !== undefined && schedules.length > 0)
        starts.set(appId, new Map(schedules.flatMap((next) => (next === undefined ? [] : [namedStart(next)]))));
    }
  }
  return starts;
}

function namedStart({ id, time }: { readonly id: string; readonly time: number }): readonly [string, number] {
  return [id.slice(id.lastIndexOf(':') + 1), time];
}

interface Seen {
  readonly namespace: string;
  readonly application: string;
  readonly next: ReadonlyMap<string, number>;
  readonly askedAt: number;
}

/** Constraints that are not about earlier runs may move a start or forbid it at will. */
function activeSchedule(
  { namespace, application, next, askedAt }: Seen,
  { name, program, trigger, constraints = [], status, lastUpdateTime }: TimeSchedule,
): ActiveSchedule | undefined {
  const time = next.get(name);
  const { cronExpression: cron } = trigger;
  const isPlain = constraints.every(({ type }) => type === 'CONCURRENCY') && status === 'SCHEDULED';
  if (time === undefined || cron === undefined || lastUpdateTime === undefined || !isPlain) return undefined;
  const limits = constraints.flatMap(({ maxConcurrency }) => maxConcurrency ?? []);
  return {
    ...{ namespace, application, name, cron, askedAt },
    program: program.programName,
    since: Math.ceil(lastUpdateTime / 1000),
    next: Math.floor(time / 1000),
    maxConcurrency: limits.length === 0 ? undefined : smallestOf(limits),
  };
}

/**
 * The active time schedules of batch pipelines whose name fits, and when each fires next. `now` is in epoch seconds.
 */
export async function activeSchedules(
  namespaces: readonly string[],
  patterns: readonly string[],
  platform: Platform,
  now: () => number,
  signal: AbortSignal,
): Promise<SeenSchedules> {
  const seen: Seen[] = [];
  let isKnown = true;
  const look = async (namespace: string, stop: AbortSignal) => {
    const names = await pipelinesOf(namespace, platform, stop);
    const wanted = names.filter((name) => fitsAny(patterns, { namespace, name }));
    const askedAt = now();
    return { namespace, askedAt, starts: await nextStartsOf(namespace, wanted, platform, stop) };
  };
  for await (const { namespace, askedAt, starts } of mapConcurrent(namespaces, CONCURRENCY, look, signal)) {
    if (starts === undefined) isKnown = false;
    for (const [application, next] of starts ?? []) seen.push({ namespace, application, next, askedAt });
  }
  const active: ActiveSchedule[] = [];
  let notJudged = 0;
  const read = async (one: Seen, stop: AbortSignal) => {
    const { namespace, application } = one;
    try {
      const found = await platform.find(listActiveTimeSchedules, { namespace, application }, stop);
      return (found ?? []).map((schedule) => schedule && activeSchedule(one, schedule));
    } catch (error) {
      if (!(error instanceof CliError) || error.code !== 'BAD_ANSWER') throw error;
      return [undefined];
    }
  };
  for await (const found of mapConcurrent(seen, CONCURRENCY, read, signal))
    for (const schedule of found)
      if (schedule === undefined) notJudged += 1;
      else active.push(schedule);
  return { active, notJudged: isKnown ? notJudged : undefined };
}
