import type { PeerCertificate } from 'node:tls';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { CliError } from '../../../src/core/errors.js';
import { codeOf, connectError } from '../../../src/http/connect-errors.js';
import { saidBy } from '../../support/errors.js';

const NOW = Date.UTC(2025, 5, 1, 12);
const HTTPS = new URL('https://cdap.example:8443/api');
const failure = (code: string, message = ''): Error => Object.assign(new Error(message), { code });

beforeEach(() => {
  vi.stubEnv('NODE_TLS_REJECT_UNAUTHORIZED', undefined);
});
afterEach(() => {
  vi.unstubAllEnvs();
});

describe('a connection that could not be made', () => {
  const reach = (code: string): string => `cdap.example:8443 cannot be reached (${code})`;
  it.each<[string, string, string, string]>([
    ['ENOTFOUND', '', 'NET_DNS', 'cannot resolve the host name cdap.example'],
    ['EAI_AGAIN', '', 'NET_DNS', 'cannot resolve the host name cdap.example'],
    ['ECONNREFUSED', '', 'NET_REFUSED', 'connection refused by cdap.example:8443'],
    ...['EHOSTUNREACH', 'ENETUNREACH', 'EADDRNOTAVAIL', 'EACCES', 'EHOSTDOWN', 'ENETDOWN'].map(
      (code): [string, string, string, string] => [code, '', 'NET_REFUSED', reach(code)],
    ),
    ['ETIMEDOUT', '', 'NET_TIMEOUT', 'the connection to cdap.example:8443 timed out'],
    ['ECONNRESET', 'read', 'NET_RESET', 'the connection to cdap.example:8443 failed during setup (ECONNRESET)'],
    ['XCERT_', '', 'NET_RESET', 'the connection to cdap.example:8443 failed during setup (XCERT_)'],
  ])('for %s', (code, message, expected, words) => {
    const error = failure(code, message);
    const whole = connectError(error, HTTPS, NOW);
    expect(saidBy(whole)).toEqual({ code: expected, message: words });
    expect(whole.details.cause).toBe(error);
  });

  it('is told without the brackets of an address', () => {
    expect(connectError(failure('ENOTFOUND'), new URL('http://[::1]:7/'), NOW).message).toBe(
      'cannot resolve the host name ::1',
    );
  });

  it('is told as it is where it is an error of ours', () => {
    const ours = new CliError('NET_REFUSED', 'no');
    expect(connectError(ours, HTTPS, NOW)).toBe(ours);
  });

  it.each(['wrong version number', 'packet length too long', 'http request', 'record layer failure'])(
    'because the server does not speak TLS: %s',
    (words) => {
      expect(saidBy(connectError(failure('EPROTO', `x:${words}`), HTTPS, NOW))).toEqual({
        code: 'NET_PROTO',
        message: 'cdap.example:8443 does not speak TLS',
        hints: ['if it uses http: http://cdap.example:8443'],
      });
    },
  );
});

const peer = (changes: object = {}): PeerCertificate =>
  ({
    subject: { CN: 'own.example' },
    issuer: { CN: 'Our "CA"' },
    valid_from: 'Jan 1 2025',
    valid_to: 'Jan 2 2025',
    ...changes,
  }) as unknown as PeerCertificate;

describe('a certificate that is not trusted', () => {
  const clock = 'the local clock shows Sun, 01 Jun 2025 12:00:00 GMT';
  const ca = [{ next: 'trust-authority' }];
  it.each<[string, Error, PeerCertificate | undefined, string, readonly object[]]>([
    [
      'of another name',
      failure('ERR_TLS_CERT_ALTNAME_INVALID'),
      peer(),
      'the certificate is for own.example, not for cdap.example',
      [],
    ],
    [
      'of other names',
      failure('ERR_TLS_CERT_ALTNAME_INVALID'),
      peer({ subjectaltname: 'DNS:a.example, IP Address:10.0.0.1' }),
      'the certificate is for a.example, 10.0.0.1, not for cdap.example',
      [],
    ],
    [
      'of no name',
      failure('ERR_TLS_CERT_ALTNAME_INVALID'),
      peer({ subject: {} }),
      'the certificate is for other names, not for cdap.example',
      [],
    ],
    [
      'of unknown names',
      failure('ERR_TLS_CERT_ALTNAME_INVALID'),
      undefined,
      'the certificate is for other names, not for cdap.example',
      [],
    ],
    [
      'of very many names',
      failure('ERR_TLS_CERT_ALTNAME_INVALID'),
      peer({ subjectaltname: 'x'.repeat(301) }),
      `the certificate is for ${'x'.repeat(300)}, not for cdap.example`,
      [],
    ],
    [
      'that has expired',
      failure('CERT_HAS_EXPIRED'),
      peer(),
      `the certificate has expired, valid from Jan 1 2025 to Jan 2 2025; ${clock}`,
      [],
    ],
    [
      'that is not valid yet',
      failure('CERT_NOT_YET_VALID'),
      undefined,
      `the certificate is not valid yet; ${clock}`,
      [],
    ],
    [
      'of its own',
      failure('DEPTH_ZERO_SELF_SIGNED_CERT'),
      peer(),
      'it is signed by "Our \\"CA\\"", which is not trusted',
      ca,
    ],
    [
      'of an unknown authority',
      failure('UNABLE_TO_VERIFY_LEAF_SIGNATURE'),
      undefined,
      'it is signed by an authority, which is not trusted',
      ca,
    ],
    [
      'with words of OpenSSL',
      failure('ERR_SSL_X', 'error:0A:SSL routines:tls_process:certificate unknown:../x.c'),
      undefined,
      'certificate unknown',
      [],
    ],
    ['with words of Node', failure('CERT_REVOKED', 'certificate revoked'), undefined, 'certificate revoked', []],
    [
      'where the server hung up',
      failure('ECONNRESET', 'disconnected before secure TLS  connection'),
      undefined,
      'disconnected before secure TLS connection',
      [],
    ],
  ])('%s', (_, error, shown, reason, hints) => {
    expect(saidBy(connectError(error, HTTPS, NOW, shown))).toEqual({
      code: 'TLS',
      message: `the certificate of cdap.example:8443 is not trusted: ${reason}`,
      hints,
    });
  });

  it('is none without TLS', () => {
    expect(connectError(failure('CERT_HAS_EXPIRED'), new URL('http://cdap.example/'), NOW).code).toBe('NET_RESET');
  });

  it.each([
    ['0', ['the setting NODE_TLS_REJECT_UNAUTHORIZED=0 is ignored']],
    ['1', []],
  ])('is not made trusted by NODE_TLS_REJECT_UNAUTHORIZED=%s', (value, hints) => {
    vi.stubEnv('NODE_TLS_REJECT_UNAUTHORIZED', value);
    expect(connectError(failure('CERT_REVOKED'), HTTPS, NOW).details.hints).toEqual(hints);
  });
});

describe('the code of an error', () => {
  it.each([
    [failure('EX'), 'EX'],
    [new Error('x'), ''],
    [Object.assign(new Error('x'), { code: 7 }), ''],
    [{ code: 'EX' }, ''],
    [undefined, ''],
  ])('%s: %j', (error, code) => {
    expect(codeOf(error)).toBe(code);
  });
});
