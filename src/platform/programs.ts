import * as z from 'zod/mini';
import { listOf } from '../core/collections.js';
import { path } from '../http/path.js';
import { endpoint, json, jsonBody, text } from './endpoint.js';
import { RunRecord, type ProgramPlace } from './runs.js';

/**
 * A program as the calls for several at once name it. `programType` in any case, as in `Workflow` (docs/platform.md
 * 8.2).
 */
export interface ProgramItem {
  readonly appId: string;
  readonly programType: string;
  readonly programId: string;
}

const ProgramStatus = z.looseObject({
  appId: z.string(),
  programType: z.string(),
  programId: z.string(),
  statusCode: z.number(),
  status: z.optional(z.string()),
  error: z.optional(z.string()),
});

/** The status of a program, or with `statusCode` 404 that it is absent. */
export type ProgramStatus = z.infer<typeof ProgramStatus>;

/** Which of several programs are at work (STOPPED, STARTING, RUNNING, ...), in the order of the items. */
export const getStatuses = endpoint({
  method: 'POST',
  asks: true,
  path: ({ namespace }: { readonly namespace: string; readonly items: readonly ProgramItem[] }) =>
    path`/v3/namespaces/${namespace}/status`,
  body: ({ items }) => jsonBody(items),
  answer: json(listOf(ProgramStatus), 'the statuses of the programs'),
});

const LatestRun = z.looseObject({
  appId: z.string(),
  runs: z.optional(listOf(RunRecord)),
});

/** The newest run of each of several programs, none where it has not run or is absent. */
export const getLatestRuns = endpoint({
  method: 'POST',
  asks: true,
  path: ({ namespace }: { readonly namespace: string; readonly items: readonly ProgramItem[] }) =>
    path`/v3/namespaces/${namespace}/runs`,
  body: ({ items }) => jsonBody(items),
  answer: json(listOf(LatestRun), 'the runs of the programs'),
});

/** One program of an application; `type` is the word of paths: `workflows`, `spark`. */
interface RunnableProgram {
  readonly namespace: string;
  readonly application: string;
  readonly type: string;
  readonly program: string;
}

/**
 * Starts a program. A Spark program that runs already is started a second time, so its status is asked before
 * (docs/platform.md 8.1). Never sent twice blindly.
 */
export const startProgram = endpoint({
  method: 'POST',
  path: ({ namespace, application, type, program }: RunnableProgram) =>
    path`/v3/namespaces/${namespace}/apps/${application}/${type}/${program}/start`,
  answer: text,
});

/** Asks all runs of a program to stop, which takes seconds; 400 when none runs. */
export const stopProgram = endpoint({
  method: 'POST',
  path: ({ namespace, application, type, program }: RunnableProgram) =>
    path`/v3/namespaces/${namespace}/apps/${application}/${type}/${program}/stop`,
  answer: text,
});

const Started = z.looseObject({
  statusCode: z.number(),
  runId: z.optional(z.string()),
  error: z.optional(z.string()),
});

/** A program to start, with the arguments of that run alone. */
export interface StartItem extends ProgramItem {
  readonly runtimeargs: Readonly<Record<string, string>>;
}

/**
 * Starts one program and tells the run, which `startProgram` does not. One a call: an unknown application among several
 * loses the ids of those before it (docs/platform.md 8.2). Never sent twice blindly.
 */
export const startRun = endpoint({
  method: 'POST',
  path: ({ namespace }: { readonly namespace: string; readonly item: StartItem }) =>
    path`/v3/namespaces/${namespace}/start`,
  body: ({ item }) => jsonBody([item]),
  answer: json(listOf(Started), 'the run that was started'),
});

/** Asks one run to stop, which takes seconds; 400 when it is unknown or over (docs/platform.md 8.1). */
export const stopRun = endpoint({
  method: 'POST',
  path: ({ namespace, app, type, program, run }: ProgramPlace & { readonly run: string }) =>
    path`/v3/namespaces/${namespace}/apps/${app}/${type}/${program}/runs/${run}/stop`,
  answer: text,
});

/** Whether the service inside a program answers. 503 while it does not run or warms up (docs/platform.md 1.1). */
export const getHealth = endpoint({
  method: 'GET',
  path: ({ namespace, application, type, program }: RunnableProgram) =>
    path`/v3/namespaces/${namespace}/apps/${application}/${type}/${program}/methods/health`,
  answer: text,
});
