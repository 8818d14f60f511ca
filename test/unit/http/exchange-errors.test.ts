import { describe, expect, it } from 'vitest';
import { CliError } from '../../../src/core/errors.js';
import { abortReason, detailsOf, exchangeError } from '../../../src/http/exchange-errors.js';
import { saidBy } from '../../support/errors.js';

const url = 'http://cdap:11015/v3/x';
const facts = { method: 'GET', url };

describe('whether a write was sent', () => {
  it.each([
    [true, 'unknown', {}],
    [false, 'no', {}],
    [false, 'no', { target: { file: 'ca.pem' } }],
    [true, 'unknown', { target: { sent: 'no' }, sent: 'no' }],
  ] as const)('is what the exchange knows, whatever the error below it says: %s', (sent, expected, details) => {
    const below = new CliError('TLS', 'no', { hints: ['look'], ...details });
    const error = exchangeError(below, { facts: { method: 'PUT', url }, sent });
    expect(error.details).toEqual({ hints: ['look'], ...details, request: { method: 'PUT', url }, sent: expected });
  });

  it('is not said of a read', () => {
    const error = exchangeError(new Error('aborted'), { facts, sent: true });
    expect([error.code, 'sent' in error.details]).toEqual(['NET_RESET', false]);
  });

  it('goes with the request and the cause into the details of an error', () => {
    const cause = new Error('x');
    expect(detailsOf({ facts, sent: true })).toEqual({ request: facts });
    expect(detailsOf({ facts: { method: 'POST', url }, sent: false }, cause)).toEqual({
      request: { method: 'POST', url },
      sent: 'no',
      cause,
    });
  });

  it('keeps the request that an error below knows', () => {
    const request = { method: 'GET', url: 'http://other/', status: 500 };
    expect(exchangeError(new CliError('TLS', 'no', { request }), { facts, sent: false }).details).toEqual({ request });
  });
});

/** An error with a code, as undici and Node make them. */
const failure = (code: string, message = '', more: object = {}): Error =>
  Object.assign(new Error(message), { ...(code !== '' && { code }), ...more });
const syntax = (message: string, more: object = {}): Error => failure('HPE_INVALID_CONSTANT', message, more);

describe('an exchange that failed', () => {
  const incomplete = `the response of ${url} is incomplete: it ended after 7 bytes`;
  const broken = `the connection to ${url} broke`;
  const notHttp = `the response of ${url} is not valid HTTP`;
  it.each<[string, unknown, number | undefined, string, string]>([
    ['a socket that closed in the body', failure('UND_ERR_SOCKET'), 7, 'NET_SHORT', incomplete],
    ['a body that is too short', failure('UND_ERR_RES_CONTENT_LENGTH_MISMATCH'), 7, 'NET_SHORT', incomplete],
    ['an upload that was cut off in the body', failure('', 'aborted'), 7, 'NET_SHORT', incomplete],
    ['a body that ends in the middle of a piece', syntax('Invalid EOF state'), 7, 'NET_SHORT', incomplete],
    ['an empty body that is cut off', failure('UND_ERR_SOCKET'), 0, 'NET_SHORT', incomplete.replace('7', '0')],
    [
      'a piece that is no piece',
      syntax('Invalid character in chunk size'),
      7,
      'NET_PROTO',
      `${notHttp} (HPE_INVALID_CONSTANT)`,
    ],
    ['a socket that closed before', failure('UND_ERR_SOCKET'), undefined, 'NET_RESET', `${broken} before it answered`],
    [
      'a response that ended before its headers',
      syntax('Invalid EOF state'),
      undefined,
      'NET_PROTO',
      `${notHttp} (HPE_INVALID_CONSTANT)`,
    ],
    [
      'a socket that was reset',
      failure('ECONNRESET'),
      undefined,
      'NET_RESET',
      `${broken} before it answered (ECONNRESET)`,
    ],
    [
      'a socket that was reset in the body',
      failure('ECONNRESET'),
      7,
      'NET_RESET',
      `${broken} after 7 bytes of the response (ECONNRESET)`,
    ],
    ['something else', 'odd', undefined, 'NET_RESET', `${broken} before it answered`],
    [
      'headers that are too large, read by undici',
      failure('UND_ERR_HEADERS_OVERFLOW'),
      undefined,
      'NET_PROTO',
      `the response headers of ${url} are too large`,
    ],
    [
      'headers that are too large, read by Node',
      failure('HPE_HEADER_OVERFLOW'),
      undefined,
      'NET_PROTO',
      `the response headers of ${url} are too large`,
    ],
    [
      'two lengths',
      failure('UND_ERR_RES_CONTENT_LENGTH_MISMATCH'),
      undefined,
      'NET_PROTO',
      `the response of ${url} has more than one length`,
    ],
    [
      'an odd status',
      failure('ERR_ASSERTION'),
      undefined,
      'NET_PROTO',
      `the response of ${url} has an invalid or unexpected status`,
    ],
    [
      'an odd response',
      failure('', 'bad response'),
      undefined,
      'NET_PROTO',
      `the response of ${url} has an invalid or unexpected status`,
    ],
    [
      'an odd upgrade',
      failure('', 'bad upgrade'),
      undefined,
      'NET_PROTO',
      `the response of ${url} has an invalid or unexpected status`,
    ],
    [
      'words around those of an odd response',
      failure('', 'a bad response x'),
      undefined,
      'NET_RESET',
      `${broken} before it answered`,
    ],
    [
      'a request that cannot be built',
      failure('UND_ERR_INVALID_ARG'),
      undefined,
      'INTERNAL',
      `a request to ${url} could not be built`,
    ],
    [
      'a server of another kind',
      syntax('Expected HTTP/'),
      undefined,
      'NET_PROTO',
      `the server at ${url} is not an HTTP server`,
    ],
    [
      'a server that only looks like one',
      syntax('Expected space after version'),
      undefined,
      'NET_PROTO',
      `the server at ${url} is not an HTTP server`,
    ],
    [
      'a reason in brackets',
      syntax('Parse Error (Missing expected CR after header value)'),
      undefined,
      'NET_PROTO',
      `${notHttp} (Missing expected CR after header value)`,
    ],
    [
      'a reason that is too long',
      syntax(`Parse Error (${'x'.repeat(81)})`),
      undefined,
      'NET_PROTO',
      `${notHttp} (HPE_INVALID_CONSTANT)`,
    ],
    [
      'a reason of odd characters',
      syntax('Parse Error (a<b)'),
      undefined,
      'NET_PROTO',
      `${notHttp} (HPE_INVALID_CONSTANT)`,
    ],
    [
      'a parser that names itself',
      failure('', 'Invalid header (no token)', { name: 'HTTPParserError' }),
      undefined,
      'NET_PROTO',
      `${notHttp} (no token)`,
    ],
  ])('by %s', (_, error, received, code, message) => {
    const cause = { cause: error };
    const whole = exchangeError(error, { facts, sent: true, received });
    expect(saidBy(whole)).toEqual({ code, message, request: facts });
    expect(whole.details).toMatchObject(cause);
  });

  it.each<[string, object, boolean]>([
    ['an alert of TLS', { data: '\u0015\u0003' }, true],
    ['a handshake of TLS', { rawPacket: Buffer.of(0x16, 3) }, true],
    ['letters', { data: 'SSH-2.0' }, false],
    ['bytes', { rawPacket: Buffer.of(0x17) }, false],
    ['nothing', { rawPacket: Buffer.of() }, false],
    ['neither text nor bytes', { data: 7 }, false],
  ])('because of %s at a place of plain HTTP', (_, packet, isTls) => {
    const { code, message, hints } = saidBy(exchangeError(syntax('Expected HTTP/', packet), { facts, sent: true })) as {
      code: string;
      message: string;
      hints?: unknown;
    };
    expect([code, message, hints]).toEqual(
      isTls
        ? ['NET_PROTO', `the server at ${url} requires https`, ['use https://cdap:11015/v3/x']]
        : ['NET_PROTO', `the server at ${url} is not an HTTP server`, undefined],
    );
  });
});

describe('the reason of an abort', () => {
  it('is the error, or an error about it', () => {
    const error = new Error('stop');
    expect(abortReason(AbortSignal.abort(error))).toBe(error);
    const odd = abortReason(AbortSignal.abort('why'));
    expect([odd.message, odd.cause]).toEqual(['aborted', 'why']);
  });
});
