import * as z from 'zod/mini';
import { path } from '../http/path.js';
import { endpoint, json, text } from './endpoint.js';

const Schedule = z.looseObject({
  name: z.string(),
  status: z.optional(z.string()),
  trigger: z.optional(z.looseObject({ cronExpression: z.optional(z.string()) })),
});

/** A schedule of an application; `status` is SCHEDULED or SUSPENDED. */
export type Schedule = z.infer<typeof Schedule>;

interface SchedulePlace {
  readonly namespace: string;
  readonly application: string;
  readonly schedule: string;
}

/** All schedules of an application; 404 when the application is absent (contract 8.4). */
export const listSchedules = endpoint({
  method: 'GET',
  path: (place: Omit<SchedulePlace, 'schedule'>) =>
    path`/v3/namespaces/${place.namespace}/apps/${place.application}/schedules`,
  answer: json(z.array(Schedule), 'the list of schedules'),
});

/** Makes a schedule active; 409 when it is already (contract 8.4). */
export const resumeSchedule = endpoint({
  method: 'POST',
  path: (place: SchedulePlace) =>
    path`/v3/namespaces/${place.namespace}/apps/${place.application}/schedules/${place.schedule}/resume`,
  answer: text,
});

/** Suspends a schedule; 409 when it is already (contract 8.4). */
export const suspendSchedule = endpoint({
  method: 'POST',
  path: (place: SchedulePlace) =>
    path`/v3/namespaces/${place.namespace}/apps/${place.application}/schedules/${place.schedule}/suspend`,
  answer: text,
});
