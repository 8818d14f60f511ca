import { describe, expect, it } from 'vitest';
import { httpSource } from '../../../src/hub/http-source.js';
import { readAll } from '../../../src/hub/source.js';
import type { Transport } from '../../../src/http/transport.js';
import { fakeTransport, type Scripted } from './support/fake-transport.js';

const CATALOG = {
  body: '[{"name":"a","version":"1.0.0"}]',
  headers: { 'content-type': 'application/json', etag: '"one"' },
};
const SPEC = { name: 'a', version: '1.0.0', file: 'spec.json' };
const { signal } = new AbortController();
const failsAs = (code: string) => expect.objectContaining({ code }) as Error;

describe('the catalog over http', () => {
  it('is looked for below /v2 first', async () => {
    const hub = fakeTransport({ '/v2/packages.json': CATALOG });
    const answer = await httpSource(hub.transport, 'corp').catalog({}, signal);
    expect(answer).toMatchObject({
      etag: '"one"',
      notModified: false,
      synthesized: false,
      catalog: { entries: [{ name: 'a' }] },
    });
    expect(Buffer.from(answer.bytes).toString()).toBe(CATALOG.body);
    expect(hub.paths()).toEqual(['/v2/packages.json']);
  });

  it('has no members as they came where it is read lean', async () => {
    const read = async (lean: boolean) =>
      httpSource(fakeTransport({ '/v2/packages.json': CATALOG }).transport, 'corp').catalog({ lean }, signal);
    expect((await read(true)).catalog.entries).toMatchObject([{ name: 'a', raw: undefined }]);
    expect((await read(false)).catalog.entries).toMatchObject([{ name: 'a', raw: { name: 'a' } }]);
  });

  it.each([403, 404, 410])('is looked for without /v2 after a %i, which is remembered', async (status) => {
    const hub = fakeTransport({
      '/v2/packages.json': { status },
      '/packages.json': CATALOG,
      '/packages/a/1.0.0/spec.json': { body: '{}' },
    });
    const source = httpSource(hub.transport, 'corp');
    await source.catalog({}, signal);
    await source.catalog({}, signal);
    await (await source.open(SPEC, { maxBytes: 100 }, signal))?.discard();
    expect(hub.paths()).toEqual([
      '/v2/packages.json',
      '/packages.json',
      '/packages.json',
      '/packages/a/1.0.0/spec.json',
    ]);
    expect(hub.open.size).toBe(0);
  });

  it('is taken as the address says when that ends in a version', async () => {
    const hub = fakeTransport({ '/packages.json': CATALOG }, 'http://hub.example/some/v1');
    await httpSource(hub.transport, 'corp').catalog({}, signal);
    expect(hub.paths()).toEqual(['/packages.json']);
  });

  it('is HUB_NOT_FOUND when it is nowhere, naming both addresses', async () => {
    const hub = fakeTransport({});
    await expect(httpSource(hub.transport, 'corp').catalog({}, signal)).rejects.toMatchObject({
      code: 'HUB_NOT_FOUND',
      details: {
        lines: [
          'GET http://hub.example/v2/packages.json answered 404',
          'GET http://hub.example/packages.json answered 404',
        ],
      },
    });
    expect(hub.open.size).toBe(0);
  });

  it('is asked for with the etag of the stored copy, and may be unchanged', async () => {
    const hub = fakeTransport({ '/v2/packages.json': { status: 304, headers: { etag: '"one"' } } });
    const answer = await httpSource(hub.transport, 'corp').catalog({ etag: '"one"' }, signal);
    expect(hub.sent[0]?.headers).toEqual({ 'if-none-match': '"one"' });
    expect(answer).toMatchObject({ notModified: true, etag: '"one"', catalog: { entries: [] } });
  });

  it('is BAD_JSON with the content type when it is a page', async () => {
    const hub = fakeTransport({ '/v2/packages.json': { body: '<html>', headers: { 'content-type': 'text/html' } } });
    await expect(httpSource(hub.transport, 'corp').catalog({}, signal)).rejects.toMatchObject({
      code: 'BAD_JSON',
      message: expect.stringMatching(/its content type is text\/html$/u) as string,
    });
  });

  it.each([
    [401, 'FORBIDDEN'],
    [429, 'UNAVAILABLE'],
    [503, 'UNAVAILABLE'],
    [400, 'BAD_ANSWER'],
    [301, 'BAD_ANSWER'],
    [304, 'BAD_ANSWER'],
  ])('ends with the reason when it is answered with %i', async (status, code) => {
    const hub = fakeTransport({ '/v2/packages.json': { status } });
    await expect(httpSource(hub.transport, 'corp').catalog({}, signal)).rejects.toMatchObject({
      code,
      details: { request: { status } },
    });
    expect(hub.paths()).toHaveLength(1);
    expect(hub.open.size).toBe(0);
  });

  it('is FORBIDDEN when both places are', async () => {
    const hub = fakeTransport({ '/v2/packages.json': { status: 403 }, '/packages.json': { status: 403 } });
    await expect(httpSource(hub.transport, 'corp').catalog({}, signal)).rejects.toThrow(failsAs('FORBIDDEN'));
  });
});

describe('a file over http', () => {
  it('finds out first where the hub begins', async () => {
    const hub = fakeTransport({
      '/packages.json': CATALOG,
      '/packages/a/1.0.0/spec.json': { body: '{}', headers: { 'content-length': '2' } },
    });
    const file = await httpSource(hub.transport, 'corp').open(SPEC, { maxBytes: 77 }, signal);
    expect(file).toMatchObject({ bytes: 2, what: 'http://hub.example/packages/a/1.0.0/spec.json' });
    expect(hub.paths()).toEqual(['/v2/packages.json', '/packages.json', '/packages/a/1.0.0/spec.json']);
    expect(hub.sent.at(-1)?.maxBytes).toBe(77);
  });

  it('has no known size when it is encoded', async () => {
    const hub = fakeTransport(
      { '/index.json': { headers: { 'content-length': '2', 'content-encoding': 'gzip' } } },
      'http://hub.example/v2',
    );
    expect(
      (await httpSource(hub.transport, 'corp').open({ file: 'index.json' }, { maxBytes: 77 }, signal))?.bytes,
    ).toBeUndefined();
  });

  it.each([404, 410])('is undefined on %i', async (status) => {
    const hub = fakeTransport({ '/packages/a/1.0.0/spec.json': { status } }, 'http://hub.example/v2');
    expect(await httpSource(hub.transport, 'corp').open(SPEC, { maxBytes: 77 }, signal)).toBeUndefined();
    expect(hub.open.size).toBe(0);
  });

  it.each([
    [403, 'FORBIDDEN'],
    [500, 'UNAVAILABLE'],
    [204, 'BAD_ANSWER'],
  ])('ends with the reason on %i', async (status, code) => {
    const hub = fakeTransport({ '/packages/a/1.0.0/spec.json': { status } }, 'http://hub.example/v2');
    await expect(httpSource(hub.transport, 'corp').open(SPEC, { maxBytes: 77 }, signal)).rejects.toThrow(failsAs(code));
  });

  it('has an encoded path', async () => {
    const hub = fakeTransport({}, 'http://hub.example/v2');
    await httpSource(hub.transport, 'corp').open(
      { name: 'a b', version: '1+2', file: 'ü#.jar' },
      { maxBytes: 1 },
      signal,
    );
    expect(hub.paths()).toEqual(['/packages/a%20b/1%2B2/%C3%BC%23.jar']);
  });

  it.each([
    { file: '../x' },
    { file: 'a/b' },
    { file: '%2e%2e' },
    { file: 'a\\b' },
    { file: 'a\u0000' },
    { file: '' },
    { file: '.' },
    { file: 'x'.repeat(300) },
    { file: 'CON' },
    { file: 'nul.jar' },
    { file: 'a:b' },
    { file: 'a.' },
    { name: '..', file: 'spec.json' },
    { version: '%2e%2e', file: 'spec.json' },
    { version: 'a/b', file: 'spec.json' },
  ])('is never asked for under a name that could leave its folder: %j', async (place) => {
    const hub = fakeTransport({}, 'http://hub.example/v2');
    await expect(
      httpSource(hub.transport, 'corp').open({ name: 'a', version: '1', ...place }, { maxBytes: 1 }, signal),
    ).rejects.toThrow(failsAs('BAD_NAME'));
    expect(hub.sent).toEqual([]);
  });
});

describe('readAll', () => {
  const fileOf = (bytes: number | undefined, ...chunks: string[]) => {
    let given = 0;
    let dropped = false;
    const body = (async function* () {
      for (const chunk of chunks) {
        given++;
        yield Buffer.from(chunk);
      }
    })();
    const file = { what: 'x', bytes, body, discard: async () => void (dropped = true) };
    return { file, given: () => given, dropped: () => dropped };
  };

  it.each([4, 3, 5, undefined])('joins the chunks when the size is told as %s', async (bytes) => {
    expect(Buffer.from(await readAll(fileOf(bytes, 'a', 'bc', '', 'd').file, 6)).toString()).toBe('abcd');
  });

  it('does not begin a file that is known to be too large', async () => {
    const { file, given, dropped } = fileOf(5, 'abcde');
    await expect(readAll(file, 4)).rejects.toThrow(failsAs('TOO_LARGE'));
    expect([given(), dropped()]).toEqual([0, true]);
  });

  it('stops as soon as a file turns out too large', async () => {
    const { file, given, dropped } = fileOf(undefined, 'abc', 'def', 'ghi');
    await expect(readAll(file, 4)).rejects.toThrow(failsAs('TOO_LARGE'));
    expect([given(), dropped()]).toEqual([2, true]);
  });
});

describe('the rest of a file over http', () => {
  const rest = { from: 4, etag: '"one"' };
  const span = { 'content-range': 'bytes 4-9/10', 'content-length': '6', etag: '"one"' };
  const WHOLE = { body: '0123456789', headers: { etag: '"two"', 'content-length': '10' } };

  /** Opens a file of which a range is answered in one way, the whole in another. */
  async function openRest(ranged: Scripted, maxBytes = 10) {
    const [one, other] = [ranged, WHOLE].map((answer) =>
      fakeTransport({ '/big.jar': answer }, 'http://hub.example/v2'),
    );
    if (one === undefined || other === undefined) throw new Error('two transports were made');
    const send: Transport<'hub'>['send'] = (request) =>
      (request.headers?.['range'] === undefined ? other : one).transport.send(request);
    const opened = httpSource({ ...one.transport, send }, 'corp').open({ file: 'big.jar' }, { maxBytes, rest }, signal);
    const file = await opened.catch((error: unknown) => error as Error);
    return { file, sent: [...one.sent, ...other.sent].map(({ headers }) => headers), unread: one.open.size };
  }

  it('is asked for under the tag of the whole', async () => {
    const { file, sent } = await openRest({ status: 206, body: '456789', headers: span });
    expect(file).toMatchObject({ from: 4, bytes: 10, etag: '"one"' });
    expect(sent).toEqual([{ range: 'bytes=4-', 'if-range': '"one"' }]);
  });

  it('is the whole when the hub has another file, or knows no ranges', async () => {
    const { file, sent } = await openRest(WHOLE);
    expect(file).toMatchObject({ bytes: 10, etag: '"two"' });
    expect(file).not.toHaveProperty('from');
    expect(sent).toHaveLength(1);
  });

  it.each([
    ['no such range', { status: 416 }],
    ['another range', { status: 206, headers: { ...span, 'content-range': 'bytes 5-9/10' } }],
    ['less than the rest', { status: 206, headers: { ...span, 'content-range': 'bytes 4-8/10' } }],
    ['a range of an unknown whole', { status: 206, headers: { ...span, 'content-range': 'bytes 4-9/*' } }],
    ['no word of which range', { status: 206, headers: { etag: '"one"' } }],
    ['the range of another file', { status: 206, headers: { ...span, etag: '"two"' } }],
    ['an encoded range', { status: 206, headers: { ...span, 'content-encoding': 'gzip' } }],
  ])('is not taken where the answer is %s: the whole is asked for', async (_, ranged) => {
    const { file, sent, unread } = await openRest(ranged);
    expect(file).toMatchObject({ bytes: 10, etag: '"two"' });
    expect(file).not.toHaveProperty('from');
    expect(sent.at(-1)).toEqual({});
    expect(unread).toBe(0);
  });

  it('is TOO_LARGE together with what is there', async () => {
    const { file, unread } = await openRest({ status: 206, headers: span }, 9);
    expect(file).toMatchObject({ code: 'TOO_LARGE' });
    expect(unread).toBe(0);
  });

  it.each(['W/"weak"', 'bare', '"tab\there"', '""'])('is never asked for by the tag %j', async (etag) => {
    const hub = fakeTransport({ '/big.jar': { body: 'x', headers: { etag } } }, 'http://hub.example/v2');
    const file = await httpSource(hub.transport, 'corp').open({ file: 'big.jar' }, { maxBytes: 9 }, signal);
    expect(file?.etag).toBeUndefined();
  });
});
