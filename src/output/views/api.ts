import * as z from 'zod/mini';
import { visibleLines } from '../escape.js';
import { itemView } from './view.js';

const Answer = z.object({
  method: z.string(),
  path: z.string(),
  status: z.number(),
  contentType: z.optional(z.string()),
  headers: z.optional(z.record(z.string(), z.string())),
  /** JSON as it is, anything else as text. */
  body: z.unknown(),
});

/** What the platform answered to a request that was written by hand; `text` is its body as it is shown. */
export interface ApiAnswer {
  readonly method: string;
  readonly path: string;
  readonly status: number;
  readonly contentType?: string | undefined;
  /** Undefined unless they are asked for. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly body: unknown;
  readonly text: string;
}

/** Status and headers as HTTP writes them, with the empty line behind. Nothing unless they were asked for. */
export const headOf = ({ status, headers }: Pick<ApiAnswer, 'status' | 'headers'>): readonly string[] =>
  headers === undefined
    ? []
    : [`HTTP/1.1 ${status}`, ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`), ''];

/** An answer as programs get it. */
export const answerJson = ({ method, path, status, contentType, headers, body }: ApiAnswer) => ({
  ...{ method, path, status },
  ...(contentType !== undefined && { contentType }),
  ...(headers !== undefined && { headers }),
  body,
});

/** Shows the body of an answer; programs get its status, too. */
export const apiView = itemView<typeof Answer, ApiAnswer>({
  kind: 'ApiResponse',
  schema: Answer,
  name: ({ path }) => path,
  json: answerJson,
  columns: [
    { key: 'method', value: ({ method }) => method },
    { key: 'path', value: ({ path }) => path },
    { key: 'status', value: ({ status }) => status },
    { key: 'body', value: ({ text }) => text },
  ],
  text: (answer, look) => {
    const text = [...headOf(answer), ...(answer.text === '' ? [] : [answer.text])].join('\n');
    return text === '' ? [] : [look.terminal ? visibleLines(text) : text];
  },
});
