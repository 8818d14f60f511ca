import * as z from 'zod/mini';
import { listOf } from '../core/collections.js';
import { path } from '../http/path.js';
import { endpoint, json, jsonBody, text } from './endpoint.js';

const Schedule = z.looseObject({
  name: z.string(),
  status: z.optional(z.string()),
  trigger: z.optional(z.looseObject({ cronExpression: z.optional(z.string()) })),
});

/**
 * A schedule of an application with all members that the platform told, so that it can be sent back. `status` is
 * SCHEDULED or SUSPENDED.
 */
export type Schedule = z.infer<typeof Schedule>;

/** One schedule of an application. */
export interface SchedulePlace {
  readonly namespace: string;
  readonly application: string;
  readonly schedule: string;
}

/** All schedules of an application; 404 when the application is absent (docs/platform.md 8.4). */
export const listSchedules = endpoint({
  method: 'GET',
  path: (place: Omit<SchedulePlace, 'schedule'>) =>
    path`/v3/namespaces/${place.namespace}/apps/${place.application}/schedules`,
  answer: json(listOf(Schedule), 'the list of schedules'),
});

/** Whether a schedule is SCHEDULED or SUSPENDED; 404 when it is absent. */
export const getScheduleStatus = endpoint({
  method: 'GET',
  path: (place: SchedulePlace) =>
    path`/v3/namespaces/${place.namespace}/apps/${place.application}/schedules/${place.schedule}/status`,
  answer: json(z.looseObject({ status: z.string() }), 'the status of the schedule'),
});

/** Makes a schedule active; 409 when it is already. */
export const resumeSchedule = endpoint({
  method: 'POST',
  path: (place: SchedulePlace) =>
    path`/v3/namespaces/${place.namespace}/apps/${place.application}/schedules/${place.schedule}/resume`,
  answer: text,
});

/** Suspends a schedule; 409 when it is already. */
export const suspendSchedule = endpoint({
  method: 'POST',
  path: (place: SchedulePlace) =>
    path`/v3/namespaces/${place.namespace}/apps/${place.application}/schedules/${place.schedule}/suspend`,
  answer: text,
});

/**
 * Adds a schedule, suspended, from its detail as a list shows it. 409 when there is one of that name (docs/platform.md
 * 8.4). Never sent twice blindly.
 */
export const putSchedule = endpoint({
  method: 'PUT',
  path: ({ namespace, application, detail }: Omit<SchedulePlace, 'schedule'> & { readonly detail: Schedule }) =>
    path`/v3/namespaces/${namespace}/apps/${application}/schedules/${detail.name}`,
  body: ({ detail }) => jsonBody(detail),
  answer: text,
});
