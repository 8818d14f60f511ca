import type { PeerCertificate } from 'node:tls';
import { CliError, type ErrorCode, type ErrorDetails, type RequestFacts } from '../core/errors.js';

const REFUSED = ['ECONNREFUSED', 'EHOSTUNREACH', 'ENETUNREACH', 'EADDRNOTAVAIL', 'EACCES', 'EHOSTDOWN', 'ENETDOWN'];
const CERTIFICATE =
  /^(?:CERT_|ERR_TLS_|ERR_SSL_|UNABLE_TO_|DEPTH_ZERO_|SELF_SIGNED_|HOSTNAME_|INVALID_CA|INVALID_PURPOSE|PATH_LENGTH|OUT_OF_MEM|CRL_|ERROR_IN_)/u;
const NOT_TLS =
  /wrong version number|packet length too long|http request|WRONG_VERSION_NUMBER|PACKET_LENGTH_TOO_LONG|record layer failure/u;

/** The code that Node, OpenSSL or undici gave an error, or nothing. */
export function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';
}

/** What went wrong while a connection was made, translated from the errors of Node; `peer` is the certificate that was shown, if it got that far. */
export function connectError(error: unknown, url: URL, now: number, peer?: PeerCertificate): CliError {
  if (error instanceof CliError) return error;
  const code = codeOf(error);
  const message = error instanceof Error ? error.message : '';
  const host = url.hostname.replace(/^\[|\]$/gu, '');
  if (code === 'ENOTFOUND' || code.startsWith('EAI_'))
    return new CliError('NET_DNS', `the host name ${host} does not resolve`, { cause: error });
  if (REFUSED.includes(code)) {
    return new CliError('NET_REFUSED', `nothing can be reached at ${url.host} (${code})`, { cause: error });
  }
  if (code === 'ETIMEDOUT')
    return new CliError('NET_TIMEOUT', `no connection to ${url.host} in time`, { cause: error });
  if (NOT_TLS.test(message)) {
    const hints = [`does it speak http? Then give it as http://${url.host}`];
    return new CliError('NET_PROTO', `${url.host} does not speak TLS`, { cause: error, hints });
  }
  if (
    url.protocol === 'https:' &&
    (CERTIFICATE.test(code) || /SSL routines|disconnected before secure/u.test(message))
  ) {
    return tlsError(error, url, now, peer);
  }
  return new CliError('NET_RESET', `the connection to ${url.host} broke while it was made (${code})`, { cause: error });
}

function tlsError(error: unknown, url: URL, now: number, peer: PeerCertificate | undefined): CliError {
  const code = codeOf(error);
  const hints: string[] = [];
  let reason =
    error instanceof Error ? (/:SSL routines:[^:]*:([^:]+)/u.exec(error.message)?.[1] ?? error.message) : code;
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID') {
    reason = `the certificate is for ${names(peer) || 'other names'}, not for ${url.hostname}`;
  } else if (code === 'CERT_HAS_EXPIRED' || code === 'CERT_NOT_YET_VALID') {
    const dates = peer === undefined ? '' : `, valid from ${peer.valid_from} to ${peer.valid_to}`;
    reason = `the certificate ${code === 'CERT_HAS_EXPIRED' ? 'has expired' : 'is not valid yet'}${dates}; the clock here says ${new Date(now).toUTCString()}`;
  } else if (/SELF_SIGNED|UNABLE_TO|DEPTH_ZERO/u.test(code)) {
    const issuer = peer?.issuer.CN;
    reason = `it is signed by ${issuer === undefined ? 'an authority' : JSON.stringify(String(issuer))} that is not trusted here`;
    hints.push('give the certificate of that authority with --ca-file <file>');
  }
  if (process.env['NODE_TLS_REJECT_UNAUTHORIZED'] === '0')
    hints.push('the setting NODE_TLS_REJECT_UNAUTHORIZED=0 is ignored');
  return new CliError('TLS', `the certificate of ${url.host} is not accepted: ${reason}`.replace(/ +/gu, ' '), {
    cause: error,
    hints,
  });
}

function names(peer: PeerCertificate | undefined): string {
  const alternatives = peer?.subjectaltname?.replace(/(?:DNS|IP Address):/gu, '');
  const common = peer?.subject.CN;
  return (alternatives ?? (common === undefined ? '' : String(common))).slice(0, 300);
}

/** Where an exchange was when it failed. */
export interface Stage {
  readonly facts: RequestFacts;
  /** Whether bytes of the request may have reached the server. */
  readonly sent: boolean;
  /** Bytes of the body that had come when it failed in the body; undefined before that. */
  readonly received?: number | undefined;
}

/** What went wrong after a connection was there, translated from the errors of undici and Node. */
export function exchangeError(error: unknown, stage: Stage): CliError {
  const details = detailsOf(stage, error);
  const { url } = stage.facts;
  const fail = (code: ErrorCode, message: string, hints: readonly string[] = []): CliError =>
    new CliError(code, message, { ...details, hints });
  if (error instanceof CliError)
    return new CliError(error.code, error.message, {
      ...details,
      ...error.details,
      target: { ...details.target, ...error.details.target },
    });
  const code = codeOf(error);
  const message = error instanceof Error ? error.message : '';
  const ended =
    code === 'UND_ERR_SOCKET' || code === 'HPE_INVALID_EOF_STATE' || code === 'UND_ERR_RES_CONTENT_LENGTH_MISMATCH';
  if (stage.received !== undefined && (ended || message === 'aborted')) {
    return fail('NET_SHORT', `the answer of ${url} ended too early, after ${stage.received} bytes`);
  }
  if (code === 'UND_ERR_HEADERS_OVERFLOW' || code === 'HPE_HEADER_OVERFLOW')
    return fail('NET_PROTO', `the headers of the answer of ${url} are too large`);
  if (code === 'HPE_INVALID_CONSTANT' || code === 'HPE_INVALID_VERSION') return notHttp(error, url, fail);
  if (code.startsWith('HPE_') || code === 'ERR_ASSERTION' || /^bad (?:response|upgrade)$/u.test(message)) {
    return fail(
      'NET_PROTO',
      `the answer of ${url} is not proper HTTP (${code.startsWith('HPE_') ? code : 'bad status'})`,
    );
  }
  if (code === 'UND_ERR_INVALID_ARG') return fail('INTERNAL', `a request to ${url} could not be built`);
  const where = stage.received === undefined ? 'before it answered' : `after ${stage.received} bytes of the answer`;
  return fail(
    'NET_RESET',
    `the connection to ${url} broke ${where}${code === '' || code.startsWith('UND_') ? '' : ` (${code})`}`,
  );
}

/** Facts for the details of an error; for a write also whether the server may have got it, `sent`: no or unknown. */
export function detailsOf(stage: Stage, cause?: unknown): ErrorDetails {
  const target = stage.facts.method === 'GET' ? {} : { target: { sent: stage.sent ? 'unknown' : 'no' } };
  return { request: stage.facts, ...target, ...(cause === undefined ? {} : { cause }) };
}

function notHttp(
  error: unknown,
  url: string,
  fail: (code: ErrorCode, message: string, hints: readonly string[]) => CliError,
): CliError {
  const start = firstByte(error);
  const isTls = start === 0x15 || start === 0x16;
  const hints = isTls ? [`it speaks TLS: give the address with https://`] : [];
  return fail(
    'NET_PROTO',
    isTls ? `${url} is answered by a server of https` : `what answers at ${url} is not an HTTP server`,
    hints,
  );
}

function firstByte(error: unknown): number | undefined {
  const bytes: unknown =
    error instanceof Error && 'data' in error
      ? error.data
      : error instanceof Error && 'rawPacket' in error
        ? error.rawPacket
        : undefined;
  if (typeof bytes === 'string') return bytes.charCodeAt(0);
  return bytes instanceof Uint8Array ? bytes[0] : undefined;
}
