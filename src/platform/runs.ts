import * as z from 'zod/mini';
import { listOf, recordOf } from '../core/collections.js';
import { CliError } from '../core/errors.js';
import { parseJson } from '../core/json/json.js';
import { path } from '../http/path.js';
import { endpoint, json } from './endpoint.js';

const seconds = z.optional(z.number());

/** The schema of a run, for calls that answer with several. */
export const RunRecord = z.looseObject({
  runid: z.string(),
  starting: seconds,
  start: seconds,
  end: seconds,
  status: z.string(),
  properties: z.catch(z.record(z.string(), z.unknown()), {}),
  version: z.optional(z.string()),
});

/**
 * A run as its program's list has it: `starting` is when it was asked for, `start` when it ran.
 * `properties.runtimeArgs` is JSON text, and a workflow names the runs inside it there (docs/platform.md 8.1).
 */
export type RunRecord = z.infer<typeof RunRecord>;

/** One program of an application; `type` is the word of paths: `workflows`, `spark`, `mapreduce`. */
export interface ProgramPlace {
  readonly namespace: string;
  readonly app: string;
  readonly type: string;
  readonly program: string;
}

/** Selects runs of a program: those requested in `[start, end)`, epoch seconds, at most `limit`. */
export interface RunSelection extends ProgramPlace {
  readonly start?: number | undefined;
  readonly end?: number | undefined;
  /** One of the statuses, or `ALL`. */
  readonly status?: string | undefined;
  readonly limit: number;
}

/** The runs of a program, newest first, without order inside a second. */
export const listRuns = endpoint({
  method: 'GET',
  path: ({ namespace, app, type, program }: RunSelection) =>
    path`/v3/namespaces/${namespace}/apps/${app}/${type}/${program}/runs`,
  query: ({ start, end, status, limit }) => [
    ['limit', String(limit)],
    ...(status === undefined ? [] : [['status', status] as const]),
    ...(start === undefined ? [] : [['start', String(start)] as const]),
    ...(end === undefined ? [] : [['end', String(end)] as const]),
  ],
  answer: json(listOf(RunRecord), 'the runs of the program'),
});

/** One run; 404 when the program has no such run. */
export const getRun = endpoint({
  method: 'GET',
  path: ({ namespace, app, type, program, run }: ProgramPlace & { readonly run: string }) =>
    path`/v3/namespaces/${namespace}/apps/${app}/${type}/${program}/runs/${run}`,
  answer: json(RunRecord, 'the run'),
});

const Arguments = z.record(z.string(), z.string());

/** The arguments of a run, which are JSON inside a string (docs/platform.md 8.1). Undefined when they are not. */
export function argumentsOf({
  properties,
}: Pick<RunRecord, 'properties'>): Readonly<Record<string, string>> | undefined {
  const text = properties['runtimeArgs'];
  if (typeof text !== 'string') return undefined;
  try {
    return z.safeParse(Arguments, parseJson(Buffer.from(text), 'the runtime arguments')).data;
  } catch (error) {
    if (error instanceof CliError) return undefined;
    throw error;
  }
}

/**
 * What the nodes of a workflow's run have put into its token, by key, in their order. 404 for an unknown run; there is
 * none for other programs (docs/platform.md 11).
 */
export const getWorkflowToken = endpoint({
  method: 'GET',
  path: ({ namespace, app, program, run }: Omit<ProgramPlace, 'type'> & { readonly run: string }) =>
    path`/v3/namespaces/${namespace}/apps/${app}/workflows/${program}/runs/${run}/token`,
  answer: json(recordOf(listOf(z.looseObject({ node: z.string(), value: z.string() }))), 'the workflow token'),
});

/** Why a node failed, with what lies behind it. */
export interface NodeCause {
  readonly className?: string | null | undefined;
  readonly message?: string | null | undefined;
  readonly cause?: NodeCause | null | undefined;
}

const NodeCause: z.ZodMiniType<NodeCause> = z.object({
  className: z.optional(z.nullable(z.string())),
  message: z.optional(z.nullable(z.string())),
  cause: z.optional(z.nullable(z.lazy(() => NodeCause))),
});

const NodeState = z.looseObject({
  nodeStatus: z.optional(z.string()),
  failureCause: z.optional(z.nullable(NodeCause)),
});

/** The nodes of a run of a workflow by their names (docs/platform.md 11). 404 when there is no such run. */
export const getNodeStates = endpoint({
  method: 'GET',
  path: ({ namespace, app, program, run }: ProgramPlace & { readonly run: string }) =>
    path`/v3/namespaces/${namespace}/apps/${app}/workflows/${program}/runs/${run}/nodes/state`,
  answer: json(recordOf(NodeState), 'the nodes of the run'),
});
