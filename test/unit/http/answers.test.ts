import * as z from 'zod/mini';
import { describe, expect, it } from 'vitest';
import type { CliError } from '../../../src/core/errors.js';
import { redactor } from '../../../src/core/secrets/redact.js';
import { errorText, failureOf, readJson, readText } from '../../../src/http/answers.js';
import type { HttpAnswer } from '../../../src/http/transport.js';
import { failure } from './support.js';

interface Given {
  readonly status?: number;
  readonly type?: string;
  readonly length?: string;
  readonly broken?: boolean;
}

/** An answer whose body comes in pieces of 700 bytes. */
function answer(
  body: string | Uint8Array,
  { status = 200, type, length, broken = false }: Given = {},
): HttpAnswer & { readonly read: number } {
  const bytes = Buffer.from(body);
  const progress = { at: 0 };
  return {
    status,
    headers: { ...(type && { 'content-type': type }), ...(length && { 'content-length': length }) },
    url: 'http://host:11015/v3/x?q=1',
    method: 'GET',
    attempts: 2,
    get read() {
      return progress.at;
    },
    body: (async function* () {
      for (let at = 0; at < bytes.length; at += 700) {
        progress.at = at;
        yield bytes.subarray(at, at + 700);
      }
      if (broken) throw new Error('broken');
    })(),
    discard: async () => undefined,
  };
}

const schema = z.looseObject({ name: z.string() });

describe('readJson', () => {
  it('gives the value whatever the content type says, and keeps what the schema does not know', async () => {
    const value = await readJson(answer('{"name":"a","more":[1]}', { type: 'text/plain' }), schema, 'the list');
    expect(value).toEqual({ name: 'a', more: [1] });
  });

  it.each([
    ['an empty body', '', 'BAD_JSON'],
    ['a sentence', 'Problem accessing', 'BAD_JSON'],
    ['bytes that are no text', Uint8Array.of(0x22, 0xff, 0x22), 'BAD_UTF8'],
    ['depth', '['.repeat(1000), 'TOO_DEEP'],
    ['a wrong shape', '{"name":5}', 'BAD_FIELD'],
  ] as const)('blames a platform with BAD_ANSWER and a hub with its own word for %s', async (_, body, code) => {
    const error = await failure(readJson(answer(body), schema, 'the list'), 'BAD_ANSWER');
    expect(error.message).toContain('the list');
    expect(error.details.request).toEqual({
      method: 'GET',
      url: 'http://host:11015/v3/x?q=1',
      status: 200,
      attempts: 2,
    });
    await failure(readJson(answer(body), schema, 'the catalog', 'hub'), code);
  });

  it('H02: tells the content type of what is not JSON', async () => {
    const error = await failure(
      readJson(answer('<html>', { type: 'text/html' }), schema, 'the catalog', 'hub'),
      'BAD_JSON',
    );
    expect(error.message).toContain('"text/html"');
  });

  it.each([
    ['{"name"', {}, 'NET_SHORT'],
    ['{"name"', { type: 'application/json' }, 'NET_SHORT'],
    ['{"name"', { length: '7' }, 'BAD_ANSWER'],
    ['{"name":?', {}, 'BAD_ANSWER'],
    ['', {}, 'BAD_ANSWER'],
  ] as const)('N11: takes for cut short what has no end, where nothing says how long it is: %s %j', async (...of) => {
    const [body, given, code] = of;
    await failure(readJson(answer(body, given), schema, 'it ends too early, at byte 1'), code);
  });

  it('lists what is wrong with the shape', async () => {
    const error = await failure(readJson(answer('[]'), schema, 'the list'), 'BAD_ANSWER');
    expect(error.details.lines).toEqual(['the document must be an object']);
  });
});

describe('readText', () => {
  it('puts pieces together, characters across their ends as well', async () => {
    expect(await readText(answer('ä'.repeat(1001)))).toBe('ä'.repeat(1001));
  });

  it('stops with its signal', async () => {
    await expect(readText(answer('x'), AbortSignal.abort(new Error('enough')))).rejects.toThrow('enough');
  });
});

describe('errorText', () => {
  it('keeps what is no UTF-8 within it, and drops a character that is cut at its end', async () => {
    expect(await errorText(answer('a\uFFFDb'))).toBe('a\uFFFDb');
    expect(await errorText(answer(`\uFFFD${'x'.repeat(2044)}é`))).toBe(`\uFFFD${'x'.repeat(2044)}...`);
  });

  it('takes the first 2 KB and reads little further', async () => {
    const long = answer('é'.repeat(50_000));
    const text = await errorText(long);
    expect(text).toBe(`${'é'.repeat(1024)}...`);
    expect(long.read).toBeLessThan(34_000);
  });

  it.each([2030, 2040, 2047, 32_750, 32_767])('shows no part of a secret that begins at byte %d', async (at) => {
    const secret = 'Pl4nted/Secret+Text==';
    const said = `${'words '.repeat(6000).slice(0, at)}${secret} and more`;
    const hide = redactor([secret]);
    const text = await errorText({ ...answer(said.padEnd(60_000, '.')), hide });
    expect(text).not.toContain('Pl4nt');
    const only = await errorText({ ...answer(secret.repeat(4000)), hide });
    expect(only.replaceAll('*', '')).toBe('...');
  });

  it('takes what it got of a body that breaks', async () => {
    expect(await errorText(answer('some words\n', { broken: true }))).toBe('some words');
  });
});

describe('failureOf', () => {
  it.each([
    [400, 'REMOTE_FAILED', 11],
    [401, 'AUTH', 3],
    [403, 'FORBIDDEN', 4],
    [404, 'NOT_FOUND', 5],
    [405, 'REMOTE_FAILED', 11],
    [409, 'CONFLICT', 6],
    [413, 'REMOTE_FAILED', 11],
    [429, 'UNAVAILABLE', 7],
    [500, 'REMOTE_FAILED', 11],
    [501, 'REMOTE_FAILED', 11],
    [502, 'UNAVAILABLE', 7],
    [503, 'UNAVAILABLE', 7],
    [504, 'UNAVAILABLE', 7],
  ])('makes of status %d the error %s', async (status, code, exit) => {
    const error: CliError = await failureOf(answer("'app' was not found.", { status }));
    expect([error.code, error.exitCode]).toEqual([code, exit]);
    const said = `host:11015 responded to GET /v3/x with status ${status}`;
    expect(error.message).toBe(status === 401 ? `not logged in: ${said}` : said);
    expect(error.details).toEqual({
      request: { method: 'GET', url: 'http://host:11015/v3/x?q=1', status, attempts: 2 },
      serverSaid: "'app' was not found.",
    });
  });

  it('takes another code for what is not found, and no words for none', async () => {
    const error = await failureOf(answer('null', { status: 404 }), { notFound: 'HUB_NOT_FOUND' });
    expect(error.code).toBe('HUB_NOT_FOUND');
    expect(error.details.serverSaid).toBeUndefined();
    expect((await failureOf(answer('', { status: 400 }), { notFound: 'HUB_NOT_FOUND' })).code).toBe('REMOTE_FAILED');
  });
});
