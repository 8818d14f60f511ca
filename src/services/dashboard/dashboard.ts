import type { Clock } from '../../core/clock.js';
import { CliError } from '../../core/errors.js';
import { fitsPattern } from '../../core/pipeline-pattern.js';
import type { DashboardRecord } from '../../platform/dashboard.js';
import type { Platform } from '../../platform/client.js';
import { listNamespaces, noNamespace } from '../../platform/namespaces.js';
import { checkPipeline } from './applications.js';
import { isPipelineRun, itemOf, missedItem, SECTIONS, sectionOf, stateOf, type DashboardItem } from './item.js';
import { missedStarts, readSchedules, type MissedStart, type ReadSchedules } from './missed.js';
import { readDashboard } from './read.js';
import { activeSchedules } from './schedules.js';
import { countedOf, summaryOf, type Count, type Summary } from './summary.js';
import type { Window } from './window.js';

/** Longest time for which schedules need not be asked for again, in milliseconds. */
const FRESH = 300_000;
/** The words of `--status` that need schedules. */
const MISSED = 'missed';
const NO_SCHEDULES: ReadSchedules = { judged: [], from: 0, notJudged: 0 };

/** What is looked at. */
export interface DashboardRequest {
  readonly namespaces: readonly string[];
  /** The part of time, seen from now (milliseconds). */
  readonly window: (now: number) => Window;
  /** States of items; none: all. */
  readonly statuses: readonly string[];
  /** Types of programs as the platform writes them; none: runs of pipelines. */
  readonly types: readonly string[];
  /** Patterns `[NS/]GLOB` of pipelines; none: all. */
  readonly pipelines: readonly string[];
  /** What is decided by what is seen, as messages call it, so that nothing may pass for "none". Undefined: nothing. */
  readonly gate?: string | undefined;
}

/** What ran, runs and will run in a window, in display order: most urgent first. */
export interface Dashboard {
  /** When it was looked at, in epoch seconds. */
  readonly now: number;
  readonly window: Window;
  readonly namespaces: readonly string[];
  readonly items: readonly DashboardItem[];
  readonly summary: Summary;
  /** The counts that could be more than 0, where only some states were asked for. */
  readonly counted?: readonly Count[] | undefined;
  /**
   * How many active time schedules could not be judged: what they missed is not known. Undefined: none could, or none
   * was looked at.
   */
  readonly notJudged: number | undefined;
}

/** Looks again and again at the same platform; what changes seldom is not asked for each time. */
export type DashboardLook = (signal: AbortSignal) => Promise<Dashboard>;

/**
 * The namespaces to look at: those that were named, else all that can be seen.
 * @throws NOT_FOUND for one that is not there
 */
export async function dashboardNamespaces(
  named: readonly string[] | undefined,
  platform: Platform,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const all = (await platform.call(listNamespaces, {}, signal)).map(({ name }) => name).sort();
  if (named === undefined) return all;
  for (const namespace of named) {
    // Always there, never listed (docs/platform.md 9).
    if (namespace === 'system' || all.includes(namespace)) continue;
    throw noNamespace(namespace, all);
  }
  return [...new Set(named)].sort();
}

function isOfType({ types }: DashboardRequest, record: DashboardRecord): boolean {
  return types.length === 0 ? isPipelineRun(record) : types.includes(record.type);
}

/** Inside a section the youngest first, starts to come in the order of time. */
function inOrder(a: DashboardItem, b: DashboardItem): number {
  const [own, other] = [SECTIONS.indexOf(sectionOf(a)), SECTIONS.indexOf(sectionOf(b))];
  if (own !== other) return own - other;
  const late = a.scheduled ? a.start - b.start : b.start - a.start;
  if (late !== 0) return late;
  const [left, right] = [a, b].map(({ namespace, pipeline, run = '' }) => `${namespace}/${pipeline}/${run}`);
  return (left ?? '') < (right ?? '') ? -1 : 1;
}

function missedItems(starts: readonly MissedStart[]): readonly DashboardItem[] {
  return starts.map(({ at, schedule: { namespace, application, program, name } }) =>
    missedItem(
      { namespace, application: { name: application, version: '-SNAPSHOT' }, type: 'WORKFLOW', program },
      name,
      at,
    ),
  );
}

/** Whether programs of these types are started by schedules. */
const mayMiss = (types: readonly string[]): boolean => types.length === 0 || types.includes('WORKFLOW');

/** Whether there is a schedule that can be judged, or none to judge. */
const isJudging = ({ judged, notJudged }: ReadSchedules): boolean => judged.length > 0 || notJudged === 0;

/** Whether what schedules missed belongs to what was asked for. */
function wantsMissed({ statuses, types }: DashboardRequest): boolean {
  return (statuses.length === 0 || statuses.includes(MISSED)) && mayMiss(types);
}

/** What is known of schedules at a look; asked for again when it is old. */
function scheduleReader(request: DashboardRequest, platform: Platform, clock: Clock) {
  const { namespaces, pipelines } = request;
  const seconds = (): number => Math.floor(clock.now() / 1000);
  let schedules: { readonly read: ReadSchedules; readonly at: number } | undefined;
  return async (window: Window, signal: AbortSignal): Promise<ReadSchedules> => {
    if (!wantsMissed(request) || window.start >= seconds()) return NO_SCHEDULES;
    if (schedules === undefined || clock.monotonic() - schedules.at > FRESH) {
      const at = clock.monotonic();
      const seen = await activeSchedules(namespaces, pipelines, platform, seconds, signal);
      schedules = { read: readSchedules(seen, window.start), at };
    }
    return schedules.read;
  };
}

/**
 * A way to look at what `request` names, as often as wanted. The first look refuses a pipeline that is not there:
 * NOT_FOUND.
 */
export function openDashboard(request: DashboardRequest, platform: Platform, clock: Clock): DashboardLook {
  const { namespaces, pipelines, statuses, gate } = request;
  const seconds = (): number => Math.floor(clock.now() / 1000);
  const schedulesFor = scheduleReader(request, platform, clock);
  const unseen = new Set(pipelines);
  return async (signal) => {
    if (gate !== undefined && namespaces.length === 0)
      throw new CliError('NOT_FOUND', `${gate}: there is no namespace you can see`);
    const at = clock.now();
    const window = request.window(at);
    // Schedules first: a run that one of them starts in between is seen then.
    const read = await schedulesFor(window, signal);
    // Whether a start was missed is seen from all runs; nothing else needs more than what is shown.
    const isShown = ({ state }: Pick<DashboardItem, 'state'>): boolean =>
      statuses.length === 0 || statuses.includes(state);
    const wanted = (record: DashboardRecord): boolean => {
      const place = { namespace: record.namespace, name: record.application.name };
      const fitting = pipelines.filter((pattern) => fitsPattern(pattern, place));
      if (pipelines.length > 0 && fitting.length === 0) return false;
      for (const pattern of fitting) unseen.delete(pattern);
      return isOfType(request, record) && (read.judged.length > 0 || isShown({ state: stateOf(record) }));
    };
    const looked = { ...window, now: Math.floor(at / 1000) };
    const records = await readDashboard(namespaces, looked, wanted, platform, signal);
    for (const pipeline of unseen)
      await checkPipeline({ pipeline, mustSee: gate !== undefined }, namespaces, platform, signal);
    unseen.clear();
    const now = seconds();
    const all = Array.from(records, (record) => itemOf(record, now));
    const missed = missedItems(missedStarts(read, all, window));
    const items = [...all, ...missed].filter(isShown).sort(inOrder);
    return {
      now,
      window,
      namespaces,
      items,
      summary: summaryOf(items),
      counted: countedOf(statuses),
      notJudged: mayMiss(request.types) && isJudging(read) ? read.notJudged : undefined,
    };
  };
}
