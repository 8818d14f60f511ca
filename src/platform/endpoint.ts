import type * as z from 'zod/mini';
import type { CliError, ErrorCode } from '../core/errors.js';
import type { JsonOptions } from '../core/json/json.js';
import { readJson, readText } from '../http/answers.js';
import type { UrlPath } from '../http/path.js';
import type { HttpAnswer, HttpRequest, RequestBody } from '../http/transport.js';

/** Most bytes of an answer (`docs/limits.md`). */
const LARGEST_ANSWER = 32 * 1024 * 1024;
/** Most bytes of an answer that names one small thing. */
export const SMALL_ANSWER = 1024 * 1024;

/** Reads the body of a 2xx answer into a value. */
export type AnswerReader<R> = (answer: HttpAnswer) => Promise<R>;

/** One call of the platform as data: `P` are its parameters, `R` is what it answers. */
export interface Endpoint<P, R> {
  readonly method: HttpRequest['method'];
  /** A POST that changes nothing: repeated like a GET. */
  readonly asks?: boolean;
  readonly path: (parameters: P) => UrlPath;
  readonly query?: (parameters: P) => readonly (readonly [string, string])[];
  readonly headers?: (parameters: P) => Readonly<Record<string, string>>;
  readonly body?: (parameters: P) => RequestBody;
  readonly answer: AnswerReader<R>;
  /** Reads an answer above 299 where its body is wanted; `failure` makes its error. */
  readonly refusal?: (answer: HttpAnswer, failure: (answer: HttpAnswer) => Promise<CliError>) => Promise<R>;
  /** Error codes where they differ from the common rule. */
  readonly statuses?: Readonly<Partial<Record<number, ErrorCode>>>;
  /** Milliseconds to the first byte of the answer; a deploy may take minutes (docs/faults.md P15). */
  readonly headersTimeout?: number;
  readonly maxBytes: number;
}

/** Declares an endpoint; the types of its parameters and answer are inferred. */
export function endpoint<P, R>(
  value: Omit<Endpoint<P, R>, 'maxBytes'> & { readonly maxBytes?: number },
): Endpoint<P, R> {
  const read: unknown = value.answer;
  return { maxBytes: read === text ? SMALL_ANSWER : LARGEST_ANSWER, ...value };
}

/** The answer is JSON of this shape, whatever its content type says (docs/platform.md 0.2). */
export function json<T>(schema: z.core.$ZodType<T>, what: string, options?: JsonOptions): AnswerReader<T> {
  return (answer) => readJson(answer, schema, what, 'platform', options);
}

/** The answer is text, or its body is not needed. */
export const text: AnswerReader<string> = (answer) => readText(answer);

/** The body of a request as JSON text. */
export function jsonBody(value: unknown): RequestBody {
  return { kind: 'text', text: JSON.stringify(value), contentType: 'application/json' };
}
