import * as z from 'zod/mini';
import { listOf } from '../core/collections.js';
import { path } from '../http/path.js';
import { endpoint, json, jsonBody } from './endpoint.js';
import type { ProgramItem } from './programs.js';

const TimeSchedule = z.looseObject({
  name: z.string(),
  program: z.looseObject({ programName: z.string() }),
  trigger: z.looseObject({ cronExpression: z.optional(z.string()) }),
  constraints: z.optional(
    listOf(z.looseObject({ type: z.optional(z.string()), maxConcurrency: z.optional(z.number()) })),
  ),
  status: z.optional(z.string()),
  lastUpdateTime: z.optional(z.number()),
});

/**
 * A schedule with a time trigger. `lastUpdateTime` (milliseconds, absent on 6.1.1) is also that of the last resume
 * (docs/platform.md 8.4).
 */
export type TimeSchedule = z.infer<typeof TimeSchedule>;

/**
 * Lists the active schedules of an application that have a time trigger. Undefined for one that cannot be read. 404
 * when the application is absent.
 */
export const listActiveTimeSchedules = endpoint({
  method: 'GET',
  path: ({ namespace, application }: { readonly namespace: string; readonly application: string }) =>
    path`/v3/namespaces/${namespace}/apps/${application}/schedules`,
  query: () => [
    ['trigger-type', 'time'],
    ['schedule-status', 'SCHEDULED'],
  ],
  answer: json(listOf(z.catch(z.optional(TimeSchedule), undefined)), 'the list of schedules'),
});

const NextStart = z.looseObject({ id: z.string(), time: z.number() });
const NextStarts = z.looseObject({
  appId: z.string(),
  programId: z.string(),
  schedules: z.optional(listOf(z.catch(z.optional(NextStart), undefined))),
});

/**
 * The next starts of a program by its active time schedules. Times are in milliseconds, undefined where unreadable.
 * `id` ends with the name of the schedule.
 */
export type NextStarts = z.infer<typeof NextStarts>;

/**
 * The next starts of a workflow by its active time schedules, times in milliseconds. Everywhere, also where the call
 * for several is not (docs/platform.md 8.2).
 */
export const getWorkflowStarts = endpoint({
  method: 'GET',
  path: (place: { readonly namespace: string; readonly application: string; readonly program: string }) =>
    path`/v3/namespaces/${place.namespace}/apps/${place.application}/workflows/${place.program}/nextruntime`,
  answer: json(listOf(z.catch(z.optional(NextStart), undefined)), 'the next starts of the program'),
});

/**
 * Asks when programs will start next, in the order of the items. Undefined for one that cannot be read. 404 on 6.1.1
 * (docs/platform.md 8.2).
 */
export const getNextStarts = endpoint({
  method: 'POST',
  asks: true,
  path: ({ namespace }: { readonly namespace: string; readonly items: readonly ProgramItem[] }) =>
    path`/v3/namespaces/${namespace}/nextruntime`,
  body: ({ items }) => jsonBody(items),
  answer: json(listOf(z.catch(z.optional(NextStarts), undefined)), 'the next starts of the programs'),
});
