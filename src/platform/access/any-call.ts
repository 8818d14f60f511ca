import { readBytes } from '../../http/answers.js';
import { writtenPath } from '../../http/path.js';
import { shownHeaders } from '../../http/trace.js';
import type { HttpRequest, RequestBody } from '../../http/transport.js';
import { endpoint, type Endpoint } from '../endpoint.js';

/** A request that a person wrote; the path may have a query. */
export interface WrittenCall {
  readonly method: HttpRequest['method'];
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: RequestBody | undefined;
}

/** What came back. Values of headers that may be secret are hidden. */
export interface AnyAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly contentType: string | undefined;
  readonly bytes: Buffer;
}

/** Milliseconds to the first byte: what is written may be anything (docs/faults.md P15). */
const PATIENCE = 900_000;

/**
 * The endpoint of a request that a person wrote.
 * @throws USAGE for a path that is none
 */
export function anyCall({ method, path, headers, body }: WrittenCall): Endpoint<object, AnyAnswer> {
  const checked = writtenPath(path);
  return endpoint<object, AnyAnswer>({
    method,
    path: () => checked,
    headers: () => headers,
    ...(body && { body: () => body }),
    ...(method !== 'GET' && { headersTimeout: PATIENCE }),
    answer: async (answer) => ({
      status: answer.status,
      headers: shownHeaders(answer.headers),
      contentType: answer.headers['content-type'],
      bytes: await readBytes(answer),
    }),
  });
}
