import { formatTime } from '../../core/time.js';
import { PIPELINE_PROGRAMS, type DashboardRecord } from '../../platform/dashboard.js';

/**
 * Run statuses of the platform, and the states of starts to come and starts that did not happen. See docs/platform.md
 * 2.
 */
export const STATES = [
  'PENDING',
  'STARTING',
  'RUNNING',
  'SUSPENDED',
  'RESUMING',
  'STOPPING',
  'COMPLETED',
  'FAILED',
  'KILLED',
  'REJECTED',
  'scheduled',
  'missed',
] as const;

/** Where a state belongs in lists, in their order: what is most urgent first. */
export const SECTIONS = ['failed', 'missed', 'running', 'completed', 'killed', 'scheduled'] as const;

/** One of the parts of a list. */
export type Section = (typeof SECTIONS)[number];

const ENDED = ['COMPLETED', 'FAILED', 'KILLED', 'REJECTED'];

/** Whether a run in this status is over; one that never began has no end. */
export const isOver = (status: string | undefined): boolean => status !== undefined && ENDED.includes(status);

/** Whether a record is a run of a pipeline and not of a program inside one. */
export function isPipelineRun({ program }: Pick<DashboardRecord, 'program'>): boolean {
  return PIPELINE_PROGRAMS.includes(program);
}

/** A run, a start to come or a start that was missed. Members of the platform keep its names and epoch seconds. */
export interface DashboardItem extends DashboardRecord {
  /** Name of the application. */
  readonly pipeline: string;
  /** Status of the run; `scheduled` and `missed` are no runs. */
  readonly state: string;
  readonly scheduled: boolean;
  readonly missed: boolean;
  /** The schedule that a missed start belongs to. */
  readonly schedule?: string;
  readonly startAt: string;
  readonly runningAt?: string;
  readonly endAt?: string;
  readonly suspendAt?: string;
  readonly resumeAt?: string;
  /** From the start to the moment it ran. */
  readonly waitedSeconds?: number;
  /** From the start to the end, or until now. */
  readonly durationSeconds?: number;
}

const at = (seconds: number): string => formatTime(seconds * 1000);

/** The state of the item that a record is: a start to come is `scheduled`. */
export function stateOf({ run, status }: Pick<DashboardRecord, 'run' | 'status'>): string {
  return run === undefined && status === undefined ? 'scheduled' : (status ?? 'UNKNOWN');
}

/**
 * Turns a record into an item to show, as of `now` in epoch seconds. Changes and returns the same object, as copies of
 * a million of them take twice the memory.
 */
export function itemOf(record: DashboardRecord, now: number): DashboardItem {
  const { start, running, end, suspend, resume } = record;
  const state = stateOf(record);
  const isRun = state !== 'scheduled';
  const until = end ?? (isOver(state) ? undefined : now);
  return Object.assign(record, {
    pipeline: record.application.name,
    state,
    scheduled: !isRun,
    missed: false,
    startAt: at(start),
    ...(running !== undefined && { runningAt: at(running), waitedSeconds: Math.max(0, running - start) }),
    ...(end !== undefined && { endAt: at(end) }),
    ...(suspend !== undefined && { suspendAt: at(suspend) }),
    ...(resume !== undefined && { resumeAt: at(resume) }),
    ...(isRun && until !== undefined && { durationSeconds: Math.max(0, until - start) }),
  });
}

/** A start that a schedule should have made at `start` and did not. */
export function missedItem(
  record: Pick<DashboardRecord, 'namespace' | 'application' | 'type' | 'program'>,
  schedule: string,
  start: number,
): DashboardItem {
  const { namespace, application, type, program } = record;
  return {
    ...{ namespace, application, type, program, start, schedule },
    startMethod: 'SCHEDULED',
    pipeline: application.name,
    state: 'missed',
    scheduled: false,
    missed: true,
    startAt: at(start),
  };
}

/** Where an item is listed; a state that is not known counts as running while it has no end. */
export function sectionOf({ state, end }: Pick<DashboardItem, 'state' | 'end'>): Section {
  if (state === 'scheduled' || state === 'missed') return state;
  if (state === 'FAILED' || state === 'REJECTED') return 'failed';
  if (state === 'KILLED') return 'killed';
  return state === 'COMPLETED' || end !== undefined ? 'completed' : 'running';
}
