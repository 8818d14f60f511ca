import { CliError, type ErrorCode, type ErrorDetails, type RequestFacts } from '../core/errors.js';
import { codeOf } from './connect-errors.js';

const TLS_RECORDS = [0x15, 0x16];

/** Where an exchange was when it failed. */
export interface Stage {
  readonly facts: RequestFacts;
  /** Whether bytes of the request may have reached the server. */
  readonly sent: boolean;
  /** Bytes of the body that had come when it failed in the body; undefined before that. */
  readonly received?: number | undefined;
}

/** Facts for the details of an error; for a write also whether the server may have got it. */
export function detailsOf(stage: Stage, cause?: unknown): ErrorDetails {
  return { request: stage.facts, ...sentOf(stage), ...(cause === undefined ? {} : { cause }) };
}

function sentOf({ facts, sent }: Stage): Pick<ErrorDetails, 'sent'> {
  return facts.method === 'GET' ? {} : { sent: sent ? 'unknown' : 'no' };
}

/**
 * What went wrong after a connection was there, translated from the errors of undici and Node. One of ours only gets
 * the facts.
 */
export function exchangeError(error: unknown, stage: Stage): CliError {
  if (error instanceof CliError) {
    return new CliError(error.code, error.message, { request: stage.facts, ...error.details, ...sentOf(stage) });
  }
  const { code, message, hints } = translate(error, stage);
  return new CliError(code, message, { ...detailsOf(stage, error), ...(hints === undefined ? {} : { hints }) });
}

interface Translation {
  readonly code: ErrorCode;
  readonly message: string;
  readonly hints?: readonly string[];
}

function translate(error: unknown, { facts: { url }, received }: Stage): Translation {
  const code = codeOf(error);
  const words = error instanceof Error ? error.message : '';
  const isSyntax = code.startsWith('HPE_') || (error instanceof Error && error.name === 'HTTPParserError');
  const hasEnded = code === 'UND_ERR_SOCKET' || code === 'UND_ERR_RES_CONTENT_LENGTH_MISMATCH' || words === 'aborted';
  if (received !== undefined && (hasEnded || (isSyntax && words.includes('EOF')))) {
    return { code: 'NET_SHORT', message: `the response of ${url} is incomplete: it ended after ${received} bytes` };
  }
  if (code === 'UND_ERR_HEADERS_OVERFLOW' || code === 'HPE_HEADER_OVERFLOW') {
    return { code: 'NET_PROTO', message: `the response headers of ${url} are too large` };
  }
  if (code === 'UND_ERR_RES_CONTENT_LENGTH_MISMATCH') {
    return { code: 'NET_PROTO', message: `the response of ${url} has more than one length` };
  }
  if (isSyntax) return badSyntax(error, url, words);
  if (code === 'ERR_ASSERTION' || /^bad (?:response|upgrade)$/u.test(words)) {
    return { code: 'NET_PROTO', message: `the response of ${url} has an invalid or unexpected status` };
  }
  if (code === 'UND_ERR_INVALID_ARG') return { code: 'INTERNAL', message: `a request to ${url} could not be built` };
  const where = received === undefined ? 'before it answered' : `after ${received} bytes of the response`;
  const reason = code === '' || code.startsWith('UND_') ? '' : ` (${code})`;
  return { code: 'NET_RESET', message: `the connection to ${url} broke ${where}${reason}` };
}

function badSyntax(error: unknown, url: string, words: string): Translation {
  const start = firstByte(error);
  if (start !== undefined && TLS_RECORDS.includes(start)) {
    const hints = [`use ${url.replace(/^http:/u, 'https:')}`];
    return { code: 'NET_PROTO', message: `the server at ${url} requires https`, hints };
  }
  if (/Expected HTTP\/|Expected space after version/u.test(words)) {
    return { code: 'NET_PROTO', message: `the server at ${url} is not an HTTP server` };
  }
  const reason = /\(([\w ,/'-]{1,80})\)$/u.exec(words)?.[1] ?? codeOf(error);
  return { code: 'NET_PROTO', message: `the response of ${url} is not valid HTTP (${reason})` };
}

function firstByte(error: unknown): number | undefined {
  if (!(error instanceof Error)) return undefined;
  const bytes: unknown = 'data' in error ? error.data : 'rawPacket' in error ? error.rawPacket : undefined;
  if (typeof bytes === 'string') return bytes.charCodeAt(0);
  return bytes instanceof Uint8Array ? bytes[0] : undefined;
}

/** Why a signal was aborted, as an error that can be thrown as it is. */
export function abortReason(signal: AbortSignal): Error {
  const reason: unknown = signal.reason;
  return reason instanceof Error ? reason : new Error('aborted', { cause: reason });
}
