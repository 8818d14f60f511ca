import type { PeerCertificate } from 'node:tls';
import { CliError } from '../core/errors.js';
import type { Hint } from '../core/next-step.js';

const REFUSED = ['ECONNREFUSED', 'EHOSTUNREACH', 'ENETUNREACH', 'EADDRNOTAVAIL', 'EACCES', 'EHOSTDOWN', 'ENETDOWN'];
const CERTIFICATE =
  /^(?:CERT_|ERR_TLS_|ERR_SSL_|UNABLE_TO_|DEPTH_ZERO_|SELF_SIGNED_|HOSTNAME_|INVALID_CA|INVALID_PURPOSE|PATH_LENGTH|OUT_OF_MEM|CRL_|ERROR_IN_)/u;
const NOT_TLS =
  /wrong version number|packet length too long|http request|WRONG_VERSION_NUMBER|PACKET_LENGTH_TOO_LONG|record layer failure/u;

/** The code that Node, OpenSSL or undici gave an error, or nothing. */
export function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';
}

/**
 * What went wrong while a connection was made, translated from the errors of Node. `peer` is the certificate that was
 * shown, if it got that far.
 */
export function connectError(error: unknown, url: URL, now: number, peer?: PeerCertificate): CliError {
  if (error instanceof CliError) return error;
  const code = codeOf(error);
  const message = error instanceof Error ? error.message : '';
  const host = url.hostname.replace(/^\[|\]$/gu, '');
  if (code === 'ENOTFOUND' || code.startsWith('EAI_'))
    return new CliError('NET_DNS', `cannot resolve the host name ${host}`, { cause: error });
  if (REFUSED.includes(code)) {
    const words =
      code === 'ECONNREFUSED' ? `connection refused by ${url.host}` : `${url.host} cannot be reached (${code})`;
    return new CliError('NET_REFUSED', words, { cause: error });
  }
  if (code === 'ETIMEDOUT')
    return new CliError('NET_TIMEOUT', `the connection to ${url.host} timed out`, { cause: error });
  if (NOT_TLS.test(message)) {
    const hints = [`if it uses http: http://${url.host}`];
    return new CliError('NET_PROTO', `${url.host} does not speak TLS`, { cause: error, hints });
  }
  if (
    url.protocol === 'https:' &&
    (CERTIFICATE.test(code) || /SSL routines|disconnected before secure/u.test(message))
  ) {
    return tlsError(error, url, now, peer);
  }
  return new CliError('NET_RESET', `the connection to ${url.host} failed during setup (${code})`, { cause: error });
}

function tlsError(error: unknown, url: URL, now: number, peer: PeerCertificate | undefined): CliError {
  const code = codeOf(error);
  const hints: Hint[] = [];
  let reason =
    error instanceof Error ? (/:SSL routines:[^:]*:([^:]+)/u.exec(error.message)?.[1] ?? error.message) : code;
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID') {
    reason = `the certificate is for ${names(peer) || 'other names'}, not for ${url.hostname}`;
  } else if (code === 'CERT_HAS_EXPIRED' || code === 'CERT_NOT_YET_VALID') {
    const dates = peer === undefined ? '' : `, valid from ${peer.valid_from} to ${peer.valid_to}`;
    reason = `the certificate ${code === 'CERT_HAS_EXPIRED' ? 'has expired' : 'is not valid yet'}${dates}; the local clock shows ${new Date(now).toUTCString()}`;
  } else if (/SELF_SIGNED|UNABLE_TO|DEPTH_ZERO/u.test(code)) {
    const issuer = peer?.issuer.CN;
    reason = `it is signed by ${issuer === undefined ? 'an authority' : JSON.stringify(String(issuer))}, which is not trusted`;
    hints.push({ next: 'trust-authority' });
  }
  if (process.env['NODE_TLS_REJECT_UNAUTHORIZED'] === '0')
    hints.push('the setting NODE_TLS_REJECT_UNAUTHORIZED=0 is ignored');
  return new CliError('TLS', `the certificate of ${url.host} is not trusted: ${reason}`.replace(/ +/gu, ' '), {
    cause: error,
    hints,
  });
}

function names(peer: PeerCertificate | undefined): string {
  const alternatives = peer?.subjectaltname?.replace(/(?:DNS|IP Address):/gu, '');
  const common = peer?.subject.CN;
  return (alternatives ?? (common === undefined ? '' : String(common))).slice(0, 300);
}
