import * as z from 'zod/mini';
import { CliError, type ErrorCode, type RequestFacts } from '../core/errors.js';
import { describeIssues } from '../core/issues.js';
import { parseJson, type JsonOptions } from '../core/json/json.js';
import { wordsOf } from '../core/secrets/words.js';
import type { HttpAnswer, Peer } from './transport.js';

const MOST_ERROR_BYTES = 2048;
/** What is read of an error answer, so that a secret is whole when it is looked for. */
const MOST_ERROR_READ = 32_768;
/** The longest secret: what a header can carry. */
const LONGEST_SECRET = 8192;

/**
 * The whole body as text. What is not UTF-8 is replaced, because texts of a platform may be of any kind
 * (docs/platform.md 0.2).
 */
export async function readText(answer: HttpAnswer, signal?: AbortSignal): Promise<string> {
  return (await readBytes(answer, signal)).toString('utf8');
}

/** The whole body. */
export async function readBytes(answer: HttpAnswer, signal?: AbortSignal): Promise<Buffer> {
  const pieces: Uint8Array[] = [];
  for await (const piece of answer.body) {
    signal?.throwIfAborted();
    pieces.push(piece);
  }
  return Buffer.concat(pieces);
}

/**
 * The body as JSON of the given shape, whatever its content type says. A platform that breaks the contract is
 * BAD_ANSWER; a hub is BAD_JSON, BAD_FIELD and the like.
 */
export async function readJson<T>(
  answer: HttpAnswer,
  schema: z.core.$ZodType<T>,
  what: string,
  peer: Peer = 'platform',
  options: JsonOptions = {},
): Promise<T> {
  const bytes = await readBytes(answer);
  let value: unknown;
  try {
    value = parseJson(bytes, what, options);
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    refuseCut(error, answer);
    const type = answer.headers['content-type'];
    const named =
      type === undefined || bytes.length === 0
        ? ''
        : `, content type ${JSON.stringify(wordsOf(type, 80, answer.hide))}`;
    const message = `${error.message}${named}`;
    const code = peer === 'hub' || error.code === 'TOO_LARGE' ? error.code : 'BAD_ANSWER';
    throw new CliError(code, message, { cause: error, request: factsOf(answer) });
  }
  const result = z.safeParse(schema, value);
  if (result.success) return result.data;
  const lines = describeIssues(result.error);
  throw new CliError(peer === 'hub' ? 'BAD_FIELD' : 'BAD_ANSWER', `${what} is not valid: ${lines[0] ?? ''}`, {
    lines,
    request: factsOf(answer),
  });
}

/**
 * Throws NET_SHORT when a JSON body may have been cut by the connection. This is so if the JSON has no end and no
 * header tells its length (docs/faults.md N11).
 */
export function refuseCut(error: unknown, answer: HttpAnswer): void {
  const { headers, url } = answer;
  const framed = headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined;
  if (framed || !(error instanceof CliError) || error.details.cutShort !== true) return;
  throw new CliError('NET_SHORT', `the response of ${url} is incomplete: its JSON has no end`, {
    cause: error,
    request: factsOf(answer),
  });
}

/** The words of an error answer without secrets, at most 2 KB of them; the rest of the body is dropped. Never fails. */
export async function errorText(answer: HttpAnswer): Promise<string> {
  const pieces: Uint8Array[] = [];
  let total = 0;
  try {
    for await (const piece of answer.body) {
      pieces.push(piece);
      total += piece.length;
      if (total > MOST_ERROR_READ) break;
    }
  } catch {
    // The status is what counts; its words are a courtesy.
  }
  const read = Buffer.concat(pieces).subarray(0, MOST_ERROR_READ).toString('utf8');
  const hidden = answer.hide?.(read) ?? read;
  const words = Buffer.from((total > MOST_ERROR_READ ? withoutLastWord(hidden) : hidden).trim());
  const text = words
    .subarray(0, MOST_ERROR_BYTES)
    .toString('utf8')
    .replace(/\uFFFD+$/u, '')
    .trim();
  return words.length > MOST_ERROR_BYTES || total > MOST_ERROR_READ ? `${text}...` : text;
}

/** The end of what was read may cut a secret in two, which is not seen as one then. */
function withoutLastWord(text: string): string {
  const least = Math.max(0, text.length - LONGEST_SECRET);
  let end = text.length;
  while (end > least && !/[\s"'<>]/u.test(text.charAt(end - 1))) end -= 1;
  return text.slice(0, end);
}

/**
 * The error for an answer that is not a success, with the words of the server. Reads the body. See docs/conventions.md
 * D17.
 */
export async function failureOf(
  answer: HttpAnswer,
  options: { readonly notFound?: ErrorCode | undefined } = {},
): Promise<CliError> {
  const words = await errorText(answer);
  const { host, pathname } = new URL(answer.url);
  const code = answer.status === 404 ? (options.notFound ?? 'NOT_FOUND') : codeOfStatus(answer.status);
  const message = `${host} responded to ${answer.method} ${pathname} with status ${answer.status}`;
  return new CliError(code, answer.status === 401 ? `not logged in: ${message}` : message, {
    request: factsOf(answer),
    ...(words === '' || words === 'null' ? {} : { serverSaid: words }),
  });
}

function codeOfStatus(status: number): ErrorCode {
  switch (status) {
    case 401:
      return 'AUTH';
    case 403:
      return 'FORBIDDEN';
    case 409:
      return 'CONFLICT';
    case 429:
    case 502:
    case 503:
    case 504:
      return 'UNAVAILABLE';
    default:
      return 'REMOTE_FAILED';
  }
}

function factsOf(answer: HttpAnswer): RequestFacts {
  return { method: answer.method, url: answer.url, status: answer.status, attempts: answer.attempts };
}
