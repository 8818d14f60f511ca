import * as z from 'zod/mini';

const text = z.optional(z.string());
const number = z.optional(z.number());
/** A run, a start to come or a missed start as JSON has it. Members of the platform keep their names and units. */
export const DashboardItemSchema = z.looseObject({
  namespace: z.string(),
  pipeline: z.string(),
  application: z.looseObject({ name: z.string(), version: z.string() }),
  artifact: z.optional(z.looseObject({ name: z.string(), version: z.string(), scope: z.string() })),
  type: z.string(),
  program: z.string(),
  run: text,
  user: text,
  startMethod: z.string(),
  state: z.string(),
  status: text,
  scheduled: z.boolean(),
  missed: z.boolean(),
  schedule: text,
  start: z.number(),
  startAt: z.string(),
  running: number,
  runningAt: text,
  end: number,
  endAt: text,
  suspend: number,
  suspendAt: text,
  resume: number,
  resumeAt: text,
  waitedSeconds: number,
  durationSeconds: number,
});
