import * as z from 'zod/mini';
import type { SwitchOutcome } from '../../services/schedules/switch.js';
import type { FoundSchedule } from '../../services/schedules/find.js';
import type { NextStart } from '../../services/schedules/next.js';
import { visible } from '../escape.js';
import { itemView, view } from './view.js';
import { timeText } from '../writers/columns.js';

const place = { namespace: z.string(), pipeline: z.string(), schedule: z.string() };
const Status = z.enum(['active', 'suspended']);
const next = { nextRun: z.optional(z.number()), nextRunAt: z.optional(z.string()) };

const Listed = z.object({
  ...place,
  status: Status,
  cron: z.optional(z.string()),
  trigger: z.optional(z.string()),
  ...next,
});

type Place = Pick<FoundSchedule, 'namespace' | 'pipeline' | 'schedule'>;

const nameOf = ({ namespace, pipeline, schedule }: Place): string => `${namespace}/${pipeline}/${schedule}`;
const timeOf = (time: number | undefined): Date | undefined => (time === undefined ? undefined : new Date(time));
const whenOf = ({ cron, trigger }: Pick<FoundSchedule, 'cron' | 'trigger'>): string | undefined => cron ?? trigger;

/** Shows schedules. */
export const scheduleList = view<typeof Listed, FoundSchedule>({
  kind: 'ScheduleList',
  none: 'no schedules found',
  schema: Listed,
  name: nameOf,
  json: ({ namespace, pipeline, schedule, status, cron, trigger, nextRun, nextRunAt }) => ({
    ...{ namespace, pipeline, schedule, status },
    ...(cron !== undefined && { cron }),
    ...(trigger !== undefined && { trigger }),
    ...(nextRun !== undefined && { nextRun, nextRunAt }),
  }),
  columns: [
    { key: 'namespace', value: ({ namespace }) => namespace },
    { key: 'pipeline', value: ({ pipeline }) => pipeline, whole: true, naming: true },
    { key: 'schedule', value: ({ schedule }) => schedule, spare: 1 },
    { key: 'status', value: ({ status }) => status, telling: true },
    { key: 'cron', header: 'WHEN', value: whenOf },
    { key: 'nextRun', value: ({ nextRun }) => timeOf(nextRun) },
  ],
});

const Start = z.object({
  ...place,
  nextRun: z.number(),
  nextRunAt: z.string(),
  from: z.enum(['platform', 'cron']),
});

/** Shows the next starts of a pipeline. */
export const nextStartList = view<typeof Start, NextStart>({
  kind: 'NextStartList',
  none: 'no starts found',
  schema: Start,
  name: ({ nextRunAt }) => nextRunAt,
  columns: [
    { key: 'nextRun', value: ({ nextRun }) => timeOf(nextRun), whole: true },
    { key: 'schedule', value: ({ schedule }) => schedule },
    { key: 'pipeline', value: ({ pipeline }) => pipeline, wide: true },
    { key: 'namespace', value: ({ namespace }) => namespace, wide: true },
    { key: 'from', value: ({ from }) => from, wide: true },
  ],
});

const Change = z.object({
  ...place,
  before: Status,
  after: z.optional(Status),
  state: z.enum(['changed', 'unchanged', 'failed', 'not-run', 'planned', 'gone']),
  message: z.optional(z.string()),
  ...next,
});

/** What became of a schedule, or would. */
export interface ShownSwitch extends Omit<SwitchOutcome, 'state' | 'error'> {
  readonly state: SwitchOutcome['state'] | 'planned' | 'gone';
  readonly message?: string | undefined;
  readonly nextRun?: number | undefined;
  readonly nextRunAt?: string | undefined;
}

/** Shows which schedules were suspended or resumed. */
export const scheduleChanges = view<typeof Change, ShownSwitch>({
  kind: 'ScheduleChangeList',
  none: 'nothing to change',
  schema: Change,
  name: nameOf,
  columns: [
    { key: 'namespace', value: ({ namespace }) => namespace },
    { key: 'pipeline', value: ({ pipeline }) => pipeline, whole: true, naming: true },
    { key: 'schedule', value: ({ schedule }) => schedule, spare: 1 },
    { key: 'before', value: ({ before }) => before, telling: true },
    {
      key: 'after',
      value: ({ before, after, state }) => (after === before && state === 'unchanged' ? 'unchanged' : (after ?? state)),
      telling: true,
    },
    { key: 'nextRun', value: ({ nextRun }) => timeOf(nextRun) },
    { key: 'state', value: ({ state }) => state, wide: true },
    { key: 'message', value: ({ message }) => message, wide: true },
  ],
});

const Detail = z.object({
  namespace: z.string(),
  pipeline: z.string(),
  schedules: z.array(
    z.object({
      schedule: z.string(),
      description: z.optional(z.string()),
      status: Status,
      cron: z.optional(z.string()),
      trigger: z.optional(z.string()),
      program: z.optional(z.string()),
      maxConcurrentRuns: z.optional(z.number()),
      properties: z.record(z.string(), z.string()),
      lastUpdateTime: z.optional(z.number()),
      lastUpdateTimeAt: z.optional(z.string()),
      ...next,
    }),
  ),
});

/** The schedules of a pipeline with all that is known of them. */
export type ScheduleDetails = z.infer<typeof Detail>;

/** Shows the schedules of a pipeline in full. */
export const scheduleDetails = itemView<typeof Detail, ScheduleDetails>({
  kind: 'ScheduleDetails',
  schema: Detail,
  name: ({ namespace, pipeline }) => `${namespace}/${pipeline}`,
  columns: [
    { key: 'namespace', value: ({ namespace }) => namespace },
    { key: 'pipeline', value: ({ pipeline }) => pipeline },
    { key: 'schedules', value: ({ schedules }) => schedules.map(({ schedule }) => schedule) },
  ],
  *text({ namespace, pipeline, schedules }, look) {
    yield visible(`${namespace}/${pipeline}`);
    if (schedules.length === 0) yield '  no schedule';
    for (const one of schedules) {
      const { schedule, status, cron, trigger, program, maxConcurrentRuns, nextRun, lastUpdateTime, properties } = one;
      yield '';
      yield visible(`  ${schedule}  ${status}`);
      yield visible(`    when      ${cron ?? trigger ?? 'not known'}`);
      if (nextRun !== undefined) yield `    next run  ${timeText(new Date(nextRun), look)}`;
      if (program !== undefined) yield visible(`    starts    ${program}`);
      if (maxConcurrentRuns !== undefined) yield `    max runs  ${maxConcurrentRuns}`;
      if (lastUpdateTime !== undefined) yield `    changed   ${timeText(new Date(lastUpdateTime), look)}`;
      for (const [key, value] of Object.entries(properties)) yield visible(`    argument  ${key}=${value}`);
    }
  },
});
