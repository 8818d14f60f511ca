import type { CliError } from '../../core/errors.js';
import { readBytes } from '../../http/answers.js';
import { writtenPath } from '../../http/path.js';
import { shownHeaders } from '../../http/trace.js';
import type { HttpAnswer, HttpRequest, RequestBody } from '../../http/transport.js';
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
  /** Of an answer that is not a success. */
  readonly failure?: CliError | undefined;
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
    answer: async (answer) => ({ ...factsOf(answer), bytes: await readBytes(answer) }),
    refusal: async (answer, failure) => {
      const bytes = await wholeOrPart(answer);
      const body = (async function* () {
        yield bytes;
      })();
      return { ...factsOf(answer), bytes, failure: await failure({ ...answer, body }) };
    },
  });
}

const factsOf = ({ status, headers }: HttpAnswer) => ({
  ...{ status, headers: shownHeaders(headers) },
  contentType: headers['content-type'],
});

async function wholeOrPart({ body }: HttpAnswer): Promise<Buffer> {
  const pieces: Uint8Array[] = [];
  try {
    for await (const piece of body) pieces.push(piece);
  } catch {
    // The status is what counts; its words are a courtesy.
  }
  return Buffer.concat(pieces);
}
