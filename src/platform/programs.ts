import * as z from 'zod/mini';
import { path } from '../http/path.js';
import { endpoint, json, jsonBody } from './endpoint.js';

/** A program as the calls for several at once name it; `programType` in any case, as in `Workflow` (contract 8.2). */
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

/** Which of several programs are at work (STOPPED, STARTING, RUNNING, ...), in the order of the items; a read, although it is a POST and so not asked again by itself. */
export const getStatuses = endpoint({
  method: 'POST',
  path: ({ namespace }: { readonly namespace: string; readonly items: readonly ProgramItem[] }) =>
    path`/v3/namespaces/${namespace}/status`,
  body: ({ items }) => jsonBody(items),
  answer: json(z.array(ProgramStatus), 'the statuses of the programs'),
});
