import * as z from 'zod/mini';
import { listOf } from '../core/collections.js';
import { path } from '../http/path.js';
import { endpoint, json } from './endpoint.js';
import { PIPELINE_KINDS } from './pipeline-kinds.js';

const seconds = z.optional(z.number());

const DashboardRecord = z.looseObject({
  namespace: z.string(),
  artifact: z.optional(z.looseObject({ name: z.string(), version: z.string(), scope: z.string() })),
  application: z.looseObject({ name: z.string(), version: z.string() }),
  type: z.string(),
  program: z.string(),
  run: z.optional(z.string()),
  user: z.optional(z.string()),
  startMethod: z.string(),
  start: z.number(),
  running: seconds,
  end: seconds,
  suspend: seconds,
  resume: seconds,
  status: z.optional(z.string()),
});

/**
 * A run, or a start to come, which has neither `run` nor `status`. Times in epoch seconds, `start` is when the run was
 * asked for (docs/platform.md 2).
 */
export type DashboardRecord = z.infer<typeof DashboardRecord>;

/**
 * The programs whose runs are the runs of a pipeline. The workflow of a batch pipeline, the Spark program of a realtime
 * one. Programs inside of these have their own records.
 */
export const PIPELINE_PROGRAMS: readonly string[] = PIPELINE_KINDS.map(({ program }) => program);

/** A window in epoch seconds; `duration` is a 32-bit number. */
export interface DashboardWindow {
  readonly namespaces: readonly string[];
  readonly start: number;
  readonly duration: number;
}

/**
 * Gets every run in the window and every start that active schedules will make in it. Both ends are included; there is
 * no order. Unknown namespaces have no records.
 */
export const getDashboard = endpoint({
  method: 'GET',
  path: () => path`/v3/dashboard`,
  query: ({ namespaces, start, duration }: DashboardWindow) => [
    ['start', String(start)],
    ['duration', String(duration)],
    ...namespaces.map((namespace): [string, string] => ['namespace', namespace]),
  ],
  answer: json(listOf(DashboardRecord), 'the dashboard'),
});

/** Characters of namespaces in one request: the router refuses addresses of more than 4096. */
const LONGEST_QUERY = 3000;

/**
 * Namespaces in groups that one request has room for. Names hold no character that an address writes in another way.
 */
export function namespaceGroups(namespaces: readonly string[]): readonly (readonly string[])[] {
  const groups: string[][] = [];
  let length = Infinity;
  for (const namespace of namespaces) {
    const own = '&namespace='.length + namespace.length;
    length += own;
    if (length > LONGEST_QUERY) {
      groups.push([]);
      length = own;
    }
    groups.at(-1)?.push(namespace);
  }
  return groups;
}
