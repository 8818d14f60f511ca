import { describe, expect, it } from 'vitest';
import type { EmulatorAnswer } from '../../../src/emulator/http/exchange.js';
import { hubRoutes } from '../../../src/emulator/hub/routes.js';

const BODY = Buffer.from('0123456789');
const files = new Map([
  ['packages.json', BODY],
  ['packages/a/1.0.0/x.jar', BODY],
  ['packages/a/1.0.0/spec.json.asc', BODY],
  ['packages/a/1.0.0/icon.png', BODY],
  ['packages/a/1.0.0/empty.txt', Buffer.alloc(0)],
]);
const routes = hubRoutes({ files });

async function ask(
  path: string,
  headers: Record<string, string> = {},
  method = 'GET',
  body = '',
): Promise<EmulatorAnswer> {
  return routes({ method, path, query: new URLSearchParams(), headers, body: Buffer.from(body) });
}

describe('the routes of the hub', () => {
  it.each([
    ['/packages.json', 'application/json'],
    ['/v2/packages.json', 'application/json'],
    ['/v2/packages/a/1.0.0/x.jar', 'application/octet-stream'],
    ['/packages/%61/1.0.0/spec.json.asc', 'text/plain; charset=utf-8'],
    ['/v2/packages/a/1.0.0/icon.png', 'image/png'],
  ])('serve %s as %s', async (path, type) => {
    const answer = await ask(path);
    expect(answer).toMatchObject({ status: 200, headers: { 'content-type': type }, body: BODY });
    expect(await ask(path, {}, 'HEAD')).toEqual(answer);
  });

  it.each([
    ['/', 404],
    ['/v2', 404],
    ['/v2/', 404],
    ['/v2/v2/packages.json', 404],
    ['/v1/packages.json', 404],
    ['/packages', 404],
    ['/packages/a/1.0.0/', 404],
    ['//packages.json', 404],
    ['/packages.json%00', 400],
    ['/packages/..%2fpackages.json', 400],
    ['/packages/../packages.json', 400],
    ['/%2e%2e/packages.json', 400],
    ['/./packages.json', 400],
    ['/packages\\a', 400],
    ['/packages%5ca', 400],
    ['/..;/packages.json', 404],
    ['/%zz', 400],
    ['http://127.0.0.1/packages.json', 400],
    ['*', 400],
    ['/__proto__', 404],
  ])('answer %s with %i', async (path, status) => {
    expect((await ask(path)).status).toBe(status);
  });

  it.each(['PUT', 'POST', 'DELETE', 'TRACE', 'OPTIONS', 'get'])('refuse %s', async (method) => {
    expect(await ask('/packages.json', {}, method)).toMatchObject({ status: 405, headers: { allow: 'GET, HEAD' } });
  });

  it('refuse a read with a body', async () => {
    expect((await ask('/packages.json', {}, 'GET', 'x')).status).toBe(400);
  });

  it.each([
    ['bytes=0-', '0123456789', 'bytes 0-9/10'],
    ['bytes=3-5', '345', 'bytes 3-5/10'],
    ['bytes=8-99', '89', 'bytes 8-9/10'],
    ['bytes=-5', '56789', 'bytes 5-9/10'],
    ['bytes=-50', '0123456789', 'bytes 0-9/10'],
  ])('answer the range %s with its part', async (range, part, contentRange) => {
    const answer = await ask('/packages.json', { range });
    expect(answer).toMatchObject({ status: 206, headers: { 'content-range': contentRange } });
    expect(answer.body.toString()).toBe(part);
  });

  it.each(['bytes=5-2', 'bytes=0-1,4-5', 'lines=1-2', 'bytes=-', 'bytes=a-b', ''])(
    'answer the range "%s" with the whole file',
    async (range) => {
      expect(await ask('/packages.json', { range })).toMatchObject({ status: 200, body: BODY });
    },
  );

  it.each(['bytes=10-', 'bytes=9999999-', 'bytes=-0', 'bytes=10-12'])('answer the range %s with 416', async (range) => {
    expect(await ask('/packages.json', { range })).toMatchObject({
      status: 416,
      headers: { 'content-range': 'bytes */10' },
    });
  });

  it('have no range in an empty file', async () => {
    expect((await ask('/packages/a/1.0.0/empty.txt', { range: 'bytes=0-' })).status).toBe(416);
    expect((await ask('/packages/a/1.0.0/empty.txt')).status).toBe(200);
  });

  it('answer a known tag with 304, also in a list, weak or as a star', async () => {
    const etag = (await ask('/packages.json')).headers['etag'] ?? '';
    expect(etag).toMatch(/^"[0-9a-f]{32}"$/u);
    for (const header of [etag, `"x", ${etag}`, `W/${etag}`, '*']) {
      expect(await ask('/packages.json', { 'if-none-match': header })).toMatchObject({
        status: 304,
        headers: { etag },
        body: '',
      });
    }
    expect((await ask('/packages.json', { 'if-none-match': '"x"' })).status).toBe(200);
  });

  it('answer a range of another version of the file with the whole file', async () => {
    const etag = (await ask('/packages.json')).headers['etag'] ?? '';
    expect((await ask('/packages.json', { range: 'bytes=1-', 'if-range': etag })).status).toBe(206);
    expect((await ask('/packages.json', { range: 'bytes=1-', 'if-range': '"x"' })).status).toBe(200);
  });
});
