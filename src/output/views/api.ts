import * as z from 'zod/mini';
import { visibleLines } from '../escape.js';
import { itemView } from './view.js';

const Answer = z.object({
  method: z.string(),
  path: z.string(),
  status: z.number(),
  contentType: z.optional(z.string()),
  /** JSON as it is, anything else as text. */
  body: z.unknown(),
});

/** What the platform answered to a request that was written by hand; `text` is its body as it is shown. */
export interface ApiAnswer {
  readonly method: string;
  readonly path: string;
  readonly status: number;
  readonly contentType?: string | undefined;
  readonly body: unknown;
  readonly text: string;
}

/** Shows the body of an answer; programs get its status, too. */
export const apiView = itemView<typeof Answer, ApiAnswer>({
  kind: 'ApiResponse',
  schema: Answer,
  name: ({ path }) => path,
  json: ({ method, path, status, contentType, body }) => ({
    method,
    path,
    status,
    ...(contentType !== undefined && { contentType }),
    body,
  }),
  columns: [
    { key: 'method', value: ({ method }) => method },
    { key: 'path', value: ({ path }) => path },
    { key: 'status', value: ({ status }) => status },
    { key: 'body', value: ({ text }) => text },
  ],
  text: ({ text }, look) => (text === '' ? [] : [look.terminal ? visibleLines(text) : text]),
});
