import { createHash } from 'node:crypto';
import { getEventListeners, once } from 'node:events';
import { mkdirSync, statSync, truncateSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import type { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, expectTypeOf, it } from 'vitest';
import { onlyToken, type TokenSource } from '../../../src/http/kept-token.js';
import { readText } from '../../../src/http/answers.js';
import { path } from '../../../src/http/path.js';
import type { HttpRequest } from '../../../src/http/transport.js';
import {
  hubTransport,
  type HubTransportOptions,
  type PlatformTransportOptions,
} from '../../../src/http/undici/undici-transport.js';
import { ours, saidBy } from '../../support/errors.js';
import { rawAnswer, type RawServer } from '../../support/raw-server.js';
import { failure, get, hub, platform, serve, testClock, textOf } from './support.js';

const post = (text = '{"a":"ä"}', overrides: Partial<HttpRequest> = {}): HttpRequest =>
  get({ method: 'POST', body: { kind: 'text', text, contentType: 'application/json' }, ...overrides });

describe('a write', () => {
  it('brings its body, on a fresh connection that is then closed', async () => {
    const server = await serve((socket) => {
      socket.write(rawAnswer(200, 'done'));
    });
    const transport = platform(server.url);
    await textOf(transport);
    expect(await textOf(transport, post())).toBe('done');
    expect(await textOf(transport, get({ method: 'DELETE' }))).toBe('done');
    expect(await textOf(transport, get({ method: 'PUT' }))).toBe('done');
    await textOf(transport);
    expect(server.requests.map(({ method, connection }) => [method, connection])).toEqual([
      ['GET', 1],
      ['POST', 2],
      ['DELETE', 3],
      ['PUT', 4],
      ['GET', 1],
    ]);
    expect(server.requests[1]).toMatchObject({
      headers: { 'content-type': 'application/json', 'content-length': '10' },
    });
    expect(server.requests[1]?.body.toString()).toBe('{"a":"ä"}');
    expect(server.requests[3]?.headers['content-length']).toBe('0');
  });

  it('brings bytes as they are', async () => {
    const server = await serve((socket) => {
      socket.write(rawAnswer(200, 'done'));
    });
    const content = new Uint8Array([0, 0xff, 0x7b, 0xc3]);
    const body = { kind: 'bytes', content, contentType: 'application/octet-stream' } as const;
    expect(await textOf(platform(server.url), get({ method: 'PUT', body }))).toBe('done');
    expect(server.requests[0]?.body).toEqual(Buffer.from(content));
    expect(server.requests[0]?.headers).toMatchObject({ 'content-type': body.contentType, 'content-length': '4' });
  });

  it('is sent again when it only asks', async () => {
    const server = await serve((socket, { n }) => {
      socket.write(n < 3 ? rawAnswer(503, 'not yet') : rawAnswer(200, 'told'));
    });
    const answer = await platform(server.url).send(post('{"a":1}', { asks: true }));
    expect([answer.status, answer.attempts, await readText(answer)]).toEqual([200, 3, 'told']);
    expect(server.requests.map(({ method, body }) => [method, body.toString()])).toEqual(
      Array.from({ length: 3 }, () => ['POST', '{"a":1}']),
    );
  });

  it.each([429, 503, 500, 413, 409])('is not sent again after %d', async (status) => {
    const server = await serve((socket) => {
      socket.write(rawAnswer(status, 'words', { 'Retry-After': '31536000' }));
    });
    const clock = testClock();
    const answer = await platform(server.url, { clock }).send(post());
    expect([answer.status, await readText(answer)]).toEqual([status, 'words']);
    expect(server.requests).toHaveLength(1);
    expect(clock.slept).toEqual([]);
  });

  it.each([
    ['N38, N39: is reset', 'NET_RESET', (socket: Socket): unknown => socket.resetAndDestroy()],
    ['N38, N39: is closed', 'NET_RESET', (socket: Socket): unknown => socket.end()],
    ['stays out', 'NET_TIMEOUT', () => undefined],
    ['is cut', 'NET_SHORT', (socket: Socket): unknown => socket.end(rawAnswer(200, 'x', { 'Content-Length': '9' }))],
    ['is nonsense', 'NET_PROTO', (socket: Socket): unknown => socket.end('nonsense\r\n\r\n')],
  ] as const)('whose answer %s is sent once, and may have been applied', async (_, code, script) => {
    const server = await serve((socket) => void script(socket));
    const error = await failure(textOf(platform(server.url, { headersTimeout: 60 }), post()), code);
    expect(error.details.sent).toBe('unknown');
    expect(server.requests).toHaveLength(1);
  });

  it('that met no server was certainly not applied', async () => {
    const server = await serve(() => undefined);
    await server.close().catch(() => undefined);
    const error = await failure(platform(server.url).send(post()), 'NET_REFUSED');
    expect(error.details.sent).toBe('no');
  });

  it('does not say so of a read', async () => {
    const server = await serve((socket) => {
      socket.write('nonsense\r\n\r\n');
    });
    expect((await failure(platform(server.url).send(get()), 'NET_PROTO')).details.sent).toBeUndefined();
  });

  it.each([301, 302, 303, 307, 308])('N26: does not follow %d, and names the new address', async (status) => {
    const server = await serve((socket) => {
      socket.write(rawAnswer(status, 'moved', { Location: 'https://user:canary@new.example.com/v3' }));
    });
    for (const method of ['POST', 'PUT', 'DELETE'] as const) {
      const error = await failure(platform(server.url).send(get({ method })), 'REDIRECT_WRITE');
      expect(error.message).toContain('new.example.com/v3');
      expect(error.message).not.toContain('canary');
    }
    expect(server.requests).toHaveLength(3);
  });

  it('ends with the reason of its signal', async () => {
    const server = await serve(() => undefined);
    const control = new AbortController();
    const sending = platform(server.url).send(post('x', { signal: control.signal }));
    while (server.requests.length === 0) await new Promise(setImmediate);
    control.abort(new Error('enough'));
    await expect(sending).rejects.toThrow('enough');
  });
});

describe('a token', () => {
  it('goes with every request to the platform', async () => {
    const server = await serve((socket) => {
      socket.write(rawAnswer(200));
    });
    let n = 0;
    const transport = platform(server.url, { token: { ...onlyToken(''), current: async () => `token-${++n}` } });
    await textOf(transport);
    await textOf(transport, post());
    expect(server.requests.map(({ headers }) => headers['authorization'])).toEqual([
      'Bearer token-1',
      'Bearer token-2',
    ]);
  });

  it.each(['canary\nx', 'can ary', 'canary\u0000', 'canaryä', ''])(
    'that no header can carry is refused and not shown (%j)',
    async (token) => {
      const server = await serve(() => undefined);
      const error = await failure(platform(server.url, { token: onlyToken(token) }).send(get()), 'TOKEN_BAD');
      expect(JSON.stringify([error.message, error.details, error.stack])).not.toContain('canary');
      expect(server.connections()).toBe(0);
    },
  );

  it('cannot be given to a hub', () => {
    expectTypeOf<PlatformTransportOptions>().not.toExtend<HubTransportOptions>();
    expectTypeOf(hubTransport).parameter(0).not.toExtend<{ token: TokenSource }>();
    expectTypeOf<Omit<PlatformTransportOptions, 'token'>>().toExtend<HubTransportOptions>();
  });
});

describe('headers', () => {
  it('that the router would drop in silence are refused before anything is sent', async () => {
    const server = await serve((socket) => {
      socket.write(rawAnswer(200));
    });
    const long = { 'Artifact-Plugins': 'x'.repeat(7950) };
    const error = await failure(platform(server.url).send(get({ headers: long })), 'BAD_FIELD');
    expect(error.message).toContain('artifact-plugins');
    await failure(platform(server.url, { token: onlyToken('x'.repeat(8000)) }).send(get()), 'BAD_FIELD');
    await failure(platform(server.url).send(get({ query: [['a', 'x'.repeat(4095)]] })), 'BAD_FIELD');
    expect(server.connections()).toBe(0);
    await textOf(hub(server.url), get({ headers: long }));
    await textOf(platform(server.url), get({ headers: { 'Artifact-Plugins': 'x'.repeat(7000) } }));
    const lines = Object.entries(server.requests[1]?.headers ?? {});
    expect(lines.reduce((sum, [name, value]) => sum + name.length + 2 + value.length, 0)).toBeLessThan(8000);
  });

  it('are counted with those that every request has', async () => {
    const server = await serve((socket) => {
      socket.write(rawAnswer(200, 'ok'));
    });
    const transport = platform(server.url);
    await textOf(transport);
    const known = Object.entries(server.requests[0]?.headers ?? {}).map(([name, value]) => name.length + value.length);
    const left = 8000 - known.reduce((sum, length) => sum + length + 2, 0) - 'x-long'.length - 2;
    const withLong = (length: number) => get({ headers: { 'X-Long': 'x'.repeat(length) } });
    expect(await textOf(transport, withLong(left))).toBe('ok');
    const error = await failure(transport.send(withLong(left + 1)), 'BAD_FIELD');
    expect(error.message).toContain('the request headers have 8001 bytes');
  });

  it.each(['a\nb', 'ä', '\u0000'])('that cannot be carried are refused and not shown (%j)', async (value) => {
    const error = await failure(
      platform('http://127.0.0.1:1').send(get({ headers: { 'X-Config': `canary${value}` } })),
      'BAD_FIELD',
    );
    expect(error.message).toContain('x-config');
    expect(error.message).not.toContain('canary');
  });
});

describe('an upload', () => {
  let folder = '';
  let file = '';
  const bytes = 6_000_000;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'upload-'));
    file = join(folder, 'x.jar');
    await writeFile(file, Buffer.alloc(bytes, 'j'));
  });
  afterAll(async () => {
    await rm(folder, { recursive: true });
  });
  const put = (overrides: Partial<HttpRequest> = {}): HttpRequest =>
    get({
      method: 'POST',
      path: path`/v3/x`,
      body: { kind: 'file', file, bytes, contentType: 'application/octet-stream' },
      ...overrides,
    });

  /** Counts what comes and calls back when the whole file is there. */
  async function taker(
    leave: boolean,
    done: (socket: Socket) => void,
  ): Promise<RawServer & { readonly taken: () => number }> {
    let taken = 0;
    const server = await serve(
      (socket) => {
        if (leave) socket.write('HTTP/1.1 100 Continue\r\n\r\n');
      },
      {
        onConnect: (socket) => {
          let head = '';
          socket.on('data', (piece: Buffer) => {
            const old = head.length;
            if (!head.includes('\r\n\r\n')) head += piece.toString('latin1');
            taken +=
              old === head.length
                ? piece.length
                : Math.max(0, head.length - Math.max(old, head.indexOf('\r\n\r\n') + 4));
            if (taken >= bytes) done(socket);
          });
        },
      },
    );
    return { ...server, taken: () => taken };
  }

  it.each([
    ['with the leave of the server', true],
    ['after a while without it', false],
  ])('is streamed from disk %s', async (_, leave) => {
    const server = await taker(leave, (socket) => void socket.write(rawAnswer(200, 'stored')));
    const transport = platform(server.url, { continueTimeout: leave ? 20_000 : 50, token: onlyToken('tok') });
    const answer = await transport.send(put({ headers: { 'Artifact-Version': '1.0' } }));
    expect(await readText(answer)).toBe('stored');
    expect(server.taken()).toBe(bytes);
    expect(server.requests[0]).toMatchObject({
      method: 'POST',
      target: '/v3/x',
      headers: {
        'content-length': String(bytes),
        'content-type': 'application/octet-stream',
        expect: '100-continue',
        authorization: 'Bearer tok',
        'artifact-version': '1.0',
      },
    });
    expect(server.requests[0]?.headers['transfer-encoding']).toBeUndefined();
  });

  it.each([401, 413])('that is refused with %d sends nothing and shows the answer, each time', async (status) => {
    let taken = 0;
    const server = await serve((socket) => {
      socket.on('data', (piece: Buffer) => (taken += piece.length));
      socket.end(rawAnswer(status, 'no', { Connection: 'close' }));
    });
    for (let round = 0; round < 20; round++) {
      const answer = await platform(server.url).send(put());
      expect([answer.status, await readText(answer)]).toEqual([status, 'no']);
    }
    expect(taken).toBe(0);
  });

  it('N42: that is refused while it runs shows the answer, not a broken pipe', async () => {
    let shown = 0;
    for (let round = 0; round < 20; round++) {
      const server = await serve((socket) => {
        socket.write('HTTP/1.1 100 Continue\r\n\r\n');
        socket.once('data', () => {
          socket.pause();
          socket.end(rawAnswer(413, 'too large', { Connection: 'close' }), () => {
            socket.destroy();
          });
        });
      });
      const answer = await platform(server.url).send(put());
      expect(answer.status).toBe(413);
      shown += (await readText(answer).catch(() => '')) === 'too large' ? 1 : 0;
    }
    expect(shown).toBeGreaterThan(15);
  });

  it('that breaks may have been applied', async () => {
    const server = await serve((socket) => {
      socket.write('HTTP/1.1 100 Continue\r\n\r\n');
      socket.once('data', () => void socket.resetAndDestroy());
    });
    const error = await failure(platform(server.url).send(put()), 'NET_RESET');
    expect(error.details.sent).toBe('unknown');
    expect(server.requests).toHaveLength(1);
  });

  it('that meets no server was not applied', async () => {
    const server = await serve(() => undefined);
    await server.close();
    expect((await failure(platform(server.url).send(put()), 'NET_REFUSED')).details.sent).toBe('no');
  });

  it('whose answer never comes is given up', async () => {
    const server = await taker(true, () => undefined);
    const error = await failure(platform(server.url).send(put({ headersTimeout: 80 })), 'NET_TIMEOUT');
    expect(error.message).toContain('did not answer');
    expect(error.details.sent).toBe('unknown');
  });

  it('whose answer never comes is given up sooner when told for all requests', async () => {
    const server = await taker(true, () => undefined);
    const impatient = platform(server.url, { headersTimeout: 80 });
    const error = await failure(impatient.send(put({ headersTimeout: 900_000 })), 'NET_TIMEOUT');
    expect(error.message).toContain('within 0.08 s');
  });

  it('that the server stops taking is given up', async () => {
    const big = join(folder, 'big.jar');
    await writeFile(big, Buffer.alloc(60_000_000));
    const server = await serve((socket) => {
      socket.pause();
      socket.write('HTTP/1.1 100 Continue\r\n\r\n');
    });
    const body = { kind: 'file', file: big, bytes: 60_000_000, contentType: 'x/y' } as const;
    const error = await failure(platform(server.url, { idleTimeout: 150 }).send(put({ body })), 'NET_TIMEOUT');
    expect(error.message).toContain('stopped accepting');
  });

  it('of a file that is gone or changed is not begun', async () => {
    const server = await serve(() => undefined);
    const gone = { kind: 'file', file: join(folder, 'gone'), bytes: 5, contentType: 'x/y' } as const;
    for (const body of [gone, { ...gone, file }]) {
      const error = await failure(platform(server.url).send(put({ body })), 'LOCAL_IO');
      expect(error.details).toMatchObject({ target: { file: body.file }, sent: 'no' });
    }
    expect(server.connections()).toBe(0);
  });

  const digestOf = (size: number, fill: string): string =>
    createHash('sha256').update(Buffer.alloc(size, fill)).digest('hex');

  it.each([1000, 262_144, 262_145, bytes])(
    'of a file of %i bytes that was changed since it was checked lacks its end',
    async (size) => {
      const changed = join(folder, 'changed.jar');
      await writeFile(changed, Buffer.alloc(size, 'j'));
      let received = 0;
      const closed: Promise<unknown>[] = [];
      const server = await serve((socket) => {
        closed.push(once(socket, 'close'));
        socket.on('data', (piece: Buffer) => (received += piece.length));
        socket.write('HTTP/1.1 100 Continue\r\n\r\n');
      });
      const sha256 = digestOf(size, 'k');
      const body = { kind: 'file', file: changed, bytes: size, sha256, contentType: 'x/y' } as const;
      const error = await failure(platform(server.url).send(put({ body })), 'LOCAL_IO');
      expect(error.message).toBe(`${changed} was changed after it was checked; it was not sent whole`);
      expect(await Promise.all(closed)).toHaveLength(1);
      expect(received).toBeLessThan(size);
    },
  );

  it('of a file that is as it was checked is whole', async () => {
    const server = await taker(true, (socket) => void socket.write(rawAnswer(200, 'stored')));
    const body = { kind: 'file', file, bytes, sha256: digestOf(bytes, 'j'), contentType: 'x/y' } as const;
    expect(await readText(await platform(server.url).send(put({ body })))).toBe('stored');
    expect(server.taken()).toBe(bytes);
  });

  it.each([
    ['becomes shorter', 'became shorter while it was sent'],
    ['can no longer be read', 'cannot be read (EISDIR)'],
  ])('of a file that %s is broken off, and the connection is closed', async (what, message) => {
    const failing = what === 'becomes shorter' ? join(folder, 'shrinking.jar') : join(folder, 'folder');
    if (what === 'becomes shorter') await writeFile(failing, Buffer.alloc(bytes));
    else mkdirSync(failing);
    const { size } = statSync(failing);
    const closed: Promise<unknown>[] = [];
    const server = await serve((socket) => {
      closed.push(once(socket, 'close'));
      if (what === 'becomes shorter') truncateSync(failing, 1000);
      socket.write('HTTP/1.1 100 Continue\r\n\r\n');
    });
    const { signal } = new AbortController();
    const body = { kind: 'file', file: failing, bytes: size, contentType: 'x/y' } as const;
    expect(saidBy(await failure(platform(server.url).send(put({ body, signal })), 'LOCAL_IO'))).toEqual({
      code: 'LOCAL_IO',
      message: `${failing} ${message}`,
      request: { method: 'POST', url: `${server.url}/v3/x` },
      target: { file: failing },
      sent: 'unknown',
    });
    expect(await Promise.all(closed)).toHaveLength(1);
    expect(getEventListeners(signal, 'abort')).toEqual([]);
  });

  it('ends with the reason of its signal', async () => {
    const control = new AbortController();
    const server = await serve((socket) => {
      socket.once('data', () => {
        control.abort(new Error('enough'));
      });
      socket.write('HTTP/1.1 100 Continue\r\n\r\n');
    });
    await expect(platform(server.url).send(put({ signal: control.signal }))).rejects.toThrow('enough');
  });

  it.each([
    [599, 'an answer'],
    [600, 'the invalid status 600'],
  ])('that is answered with %d has %s', async (status, expected) => {
    const server = await serve((socket) => {
      socket.write(rawAnswer(status, 'an answer'));
    });
    const told = await textOf(platform(server.url), put()).catch((error: unknown) => saidBy(ours(error)));
    expect(told).toEqual(
      status === 599
        ? expected
        : {
            code: 'NET_PROTO',
            message: `127.0.0.1:${server.port} responded with ${expected}`,
            request: { method: 'POST', url: `${server.url}/v3/x` },
            sent: 'unknown',
          },
    );
  });

  it('whose long answer is discarded is cut off', async () => {
    const closed: Promise<unknown>[] = [];
    const server = await serve((socket) => {
      closed.push(once(socket, 'close'));
      socket.write(rawAnswer(200, 'x', { 'Content-Length': '9000000' }));
    });
    await (await platform(server.url).send(put({ maxBytes: 1e7 }))).discard();
    expect(await Promise.all(closed)).toHaveLength(1);
  });

  it('is not redirected', async () => {
    const server = await serve((socket) => {
      socket.write(rawAnswer(307, '', { Location: '/y' }));
    });
    await failure(platform(server.url).send(put()), 'REDIRECT_WRITE');
  });

  it('of an empty file works', async () => {
    const empty = join(folder, 'empty');
    await writeFile(empty, '');
    const server = await serve((socket) => {
      socket.write(rawAnswer(200, 'ok'));
    });
    expect(
      await textOf(platform(server.url), put({ body: { kind: 'file', file: empty, bytes: 0, contentType: 'x/y' } })),
    ).toBe('ok');
  });
});
