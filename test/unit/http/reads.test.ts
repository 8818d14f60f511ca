import { once } from 'node:events';
import { createServer } from 'node:net';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { onlyToken } from '../../../src/http/kept-token.js';
import type { CliError } from '../../../src/core/errors.js';
import type { TraceFact } from '../../../src/core/events.js';
import { readText } from '../../../src/http/answers.js';
import { path } from '../../../src/http/path.js';
import { rawAnswer } from '../../support/raw-server.js';
import { closing, collector, failure, get, hub, never, platform, serve, testClock, textOf } from './support.js';

describe('a read', () => {
  it('brings status, headers and body, and keeps the path of the base', async () => {
    const server = await serve((socket) => {
      socket.write(rawAnswer(200, 'hello', { 'X-One': '1', 'x-one': '2' }));
    });
    const transport = platform(`${server.url}/prefix/api/`);
    const answer = await transport.send(
      get({
        path: path`/v3/apps/${'a b'}`,
        query: [
          ['k', 'a&b c'],
          ['l', ''],
        ],
      }),
    );
    expect(answer).toMatchObject({
      status: 200,
      method: 'GET',
      attempts: 1,
      headers: { 'x-one': '1', 'content-length': '5' },
    });
    expect(await readText(answer)).toBe('hello');
    expect(transport.base).toBe(`${server.url}/prefix/api`);
    expect(server.requests[0]).toMatchObject({
      target: '/prefix/api/v3/apps/a%20b?k=a%26b%20c&l=',
      headers: { 'user-agent': 'test/1', 'accept-encoding': 'identity', host: `127.0.0.1:${server.port}` },
    });
  });

  it('uses connections again, and at most as many as it was given', async () => {
    const server = await serve((socket) => {
      socket.write(rawAnswer(200, 'x'));
    });
    const transport = hub(server.url, { connections: 3 });
    await Promise.all(Array.from({ length: 40 }, () => textOf(transport)));
    await textOf(transport);
    expect(server.requests).toHaveLength(41);
    expect(server.connections()).toBeLessThanOrEqual(3);
  });

  it('uses a connection again after a discarded answer, and cuts off a long one', async () => {
    const server = await serve((socket, { n }) => {
      const long = rawAnswer(200, 'y'.repeat(1000), { 'Content-Length': '9000000' });
      const short = rawAnswer(404, 'x'.repeat(5000));
      socket.write(n === 3 ? long : short.subarray(0, 1000));
      if (n !== 3) setImmediate(() => socket.write(short.subarray(1000)));
    });
    const transport = hub(server.url, { connections: 2 });
    for (let i = 0; i < 3; i++) await (await transport.send(get())).discard();
    expect(server.connections()).toBe(1);
    await textOf(transport);
    expect(server.connections()).toBeGreaterThan(1);
  });

  it('gives answers of every status to its caller', async () => {
    for (const status of [204, 304, 400, 401, 404, 500, 501, 599]) {
      const server = await serve((socket) => {
        socket.write(rawAnswer(status, '', status === 204 || status === 304 ? { 'x-no-length': '' } : {}));
      });
      expect((await hub(server.url).send(get())).status).toBe(status);
    }
  });

  it('waits with reading while its reader is busy, and loses nothing', async () => {
    const size = 60_000_000;
    let written = 0;
    const server = await serve((socket) => {
      socket.write(rawAnswer(200, '', { 'Content-Length': String(size) }));
      const more = (): void => {
        while (written < size) {
          written += 100_000;
          if (!socket.write(Buffer.alloc(100_000, 'a'))) return void socket.once('drain', more);
        }
      };
      more();
    });
    const answer = await hub(server.url).send(get({ maxBytes: size }));
    let total = 0;
    for await (const piece of answer.body) {
      if (total === 0) {
        for (let before = -1; before !== written;) {
          before = written;
          for (let turn = 0; turn < 50; turn++) await new Promise(setImmediate);
        }
        expect(written).toBeLessThan(size);
      }
      total += piece.length;
    }
    expect(total).toBe(size);
  });

  it('ends with the reason of its signal, before, during and after the headers', async () => {
    const silent = await serve(() => undefined);
    const halfway = await serve((socket) => {
      socket.write(rawAnswer(200, 'some', { 'Content-Length': '100' }));
    });
    const enough = new Error('enough');
    await expect(hub(silent.url).send(get({ signal: AbortSignal.abort(enough) }))).rejects.toBe(enough);
    const control = new AbortController();
    const waiting = hub(silent.url).send(get({ signal: control.signal }));
    setImmediate(() => {
      control.abort(enough);
    });
    await expect(waiting).rejects.toBe(enough);
    const second = new AbortController();
    const reading = await hub(halfway.url).send(get({ signal: second.signal }));
    const text = readText(reading);
    second.abort(enough);
    await expect(text).rejects.toBe(enough);
  });

  it('N01: names the host that does not resolve', async () => {
    const error = await failure(hub('http://no-such-host.invalid').send(get()), 'NET_DNS');
    expect(error.message).toContain('no-such-host.invalid');
    expect(error.details.request).toMatchObject({ method: 'GET', url: 'http://no-such-host.invalid/x' });
  });

  it('N02: tries a refused connection again before it gives up', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as { port: number };
    server.close();
    await once(server, 'close');
    const clock = testClock();
    const { events, emit } = collector();
    const error = await failure(
      hub(`http://127.0.0.1:${port}`, { clock, emit, retries: 3 }).send(get()),
      'NET_REFUSED',
    );
    expect(error.details.request?.attempts).toBe(3);
    expect(clock.slept).toEqual([250, 500]);
    expect(events).toMatchObject([{ type: 'retry', attempt: 2, milliseconds: 250 }, { attempt: 3 }]);
  });

  it('N03: gives up a connection that is not made in time', async () => {
    const server = await serve(() => undefined);
    // TCP succeeds, TLS never does: to the caller both are one connection that hangs.
    const error = await failure(
      hub(server.url.replace('http', 'https'), { connectTimeout: 60 }).send(get()),
      'NET_TIMEOUT',
    );
    expect(error.message).toContain('no connection to');
  });

  it('N04: gives up a server that never answers', async () => {
    const server = await serve(() => undefined);
    const error = await failure(hub(server.url, { headersTimeout: 60 }).send(get()), 'NET_TIMEOUT');
    expect(error.message).toContain('did not respond within 0.06 s');
    expect(server.requests).toHaveLength(1);
  });

  it('N04: takes the wait of one request over its own', async () => {
    const server = await serve(() => undefined);
    await failure(hub(server.url).send(get({ headersTimeout: 60 })), 'NET_TIMEOUT');
  });

  it('N05: gives up a body that stops, with the bytes so far', async () => {
    const server = await serve((socket) => {
      socket.write(rawAnswer(200, 'four', { 'Content-Length': '100' }));
    });
    const error = await failure(textOf(hub(server.url, { idleTimeout: 60 })), 'NET_TIMEOUT');
    expect(error.message).toContain('4 bytes so far');
    expect(error.details.request?.status).toBe(200);
  });

  it('N06: gives up a body that only drips', async () => {
    const server = await serve((socket) => {
      socket.write(rawAnswer(200, '', { 'Content-Length': '100000' }));
      const drip = (): void => {
        if (!socket.destroyed) socket.write('x', () => setImmediate(drip));
      };
      drip();
    });
    const error = await failure(textOf(hub(server.url, { clock: testClock(4_000) })), 'NET_SLOW');
    expect(error.message).toMatch(/bytes in 3[0-9] s/u);
  });

  it.each([
    { body: 'of unknown size', maxBytes: 320_000, headers: { 'Transfer-Encoding': 'chunked' } },
    { body: 'that is announced as smaller than allowed', maxBytes: 2e9, headers: { 'Content-Length': '320000' } },
  ])('gives up a body $body that keeps coming but is not whole in time', async ({ maxBytes, headers }) => {
    const piece = 'x'.repeat(3000);
    const chunk = 'Content-Length' in headers ? piece : `${piece.length.toString(16)}\r\n${piece}\r\n`;
    const server = await serve((socket) => {
      socket.write(rawAnswer(200, '', headers));
      const drip = (): void => {
        if (!socket.destroyed) socket.write(chunk, () => setImmediate(drip));
      };
      drip();
    });
    const sent = hub(server.url, { clock: testClock(2_000) }).send(get({ maxBytes }));
    const error = await failure(
      sent.then((answer) => readText(answer)),
      'NET_SLOW',
    );
    expect(error.message).toContain('incomplete after 80 s');
  });

  it('N07: asks again after a reset before any byte', async () => {
    const server = await serve((socket, { n }) => {
      if (n < 3) socket.resetAndDestroy();
      else socket.write(rawAnswer(200, 'third'));
    });
    const answer = await hub(server.url).send(get());
    expect(answer.attempts).toBe(3);
    expect(await readText(answer)).toBe('third');
  });

  it('N07: gives up after the fourth try', async () => {
    const server = await serve((socket) => {
      socket.end();
    });
    const clock = testClock();
    const error = await failure(hub(server.url, { clock, connectTimeout: 60 }).send(get()), 'NET_RESET');
    expect(error.details.request?.attempts).toBe(4);
    expect(server.requests).toHaveLength(4);
    expect(clock.slept).toEqual([250, 500, 1000]);
  });

  it('N08: says how far it came when a body is reset', async () => {
    const server = await serve((socket) => {
      socket.write(rawAnswer(200, 'four', { 'Content-Length': '100' }), () => {
        socket.resetAndDestroy();
      });
    });
    // Some systems show a reset after data as an end.
    const error = await textOf(hub(server.url)).catch((reason: unknown) => reason);
    expect((error as CliError).code).toMatch(/^NET_(?:RESET|SHORT)$/u);
    expect((error as Error).message).toContain('after 4 bytes');
  });

  /** A file of ten bytes of which each answer brings four and breaks off, until the last. */
  const breaking = (headers: (n: number) => Record<string, string>, whole: (n: number) => boolean) =>
    serve((socket, { n, headers: { range } }) => {
      const from = range === undefined || whole(n) ? 0 : Number(/\d+/u.exec(range)?.[0]);
      const rest = '0123456789'.slice(from);
      const partial = range !== undefined && !whole(n);
      const more = partial ? { 'Content-Range': `bytes ${from}-9/10` } : {};
      const head = { ...headers(n), ...more, 'Content-Length': String(rest.length) };
      if (rest.length <= 4 || n === 4) socket.end(rawAnswer(partial ? 206 : 200, rest, head));
      else socket.end(rawAnswer(partial ? 206 : 200, rest.slice(0, 4), head));
    });

  it.each([
    ['from where it broke off', { ETag: '"a"' }, (): boolean => false, ['bytes=4-', 'bytes=8-']],
    ['by its time, when it has no tag', { 'Last-Modified': 'then' }, (): boolean => false, ['bytes=4-', 'bytes=8-']],
    [
      'from the start, where parts are not known',
      { ETag: '"a"' },
      (): boolean => true,
      ['bytes=4-', 'bytes=4-', 'bytes=4-'],
    ],
  ] as const)('N08: asks for the rest of a body that breaks off, %s', async (_, headers, whole, ranges) => {
    const server = await breaking(() => headers, whole);
    const clock = testClock();
    const { events, emit } = collector();
    expect(await textOf(hub(server.url, { clock, emit }))).toBe('0123456789');
    expect(server.requests.slice(1).map(({ headers: { range } }) => range)).toEqual(ranges);
    expect(server.requests[1]?.headers['if-range']).toBe(Object.values(headers)[0]);
    expect(clock.slept).toEqual([250, 500, 1000].slice(0, ranges.length));
    expect(events[0]).toMatchObject({ type: 'retry', attempt: 2 });
  });

  it('N08: asks for the rest of a rest that breaks off', async () => {
    const server = await breaking(
      () => ({ ETag: '"a"' }),
      () => false,
    );
    const rest = get({ headers: { range: 'bytes=1-', 'if-range': '"a"' } });
    expect(await textOf(hub(server.url, { clock: testClock() }), rest)).toBe('123456789');
    expect(server.requests.map(({ headers: { range } }) => range)).toEqual(['bytes=1-', 'bytes=5-', 'bytes=9-']);
  });

  it.each([
    ['has changed meanwhile', (n: number) => ({ ETag: `"${n}"` }), () => true],
    ['has a weak tag only', () => ({ ETag: 'W/"a"' }), () => true],
    ['never comes whole', () => ({ ETag: '"a"' }), (n: number) => n !== 4],
  ] as const)('N08: puts no body together that %s', async (_, headers, whole) => {
    const server = await breaking(headers, whole);
    await failure(textOf(hub(server.url, { retries: 3 })), 'NET_SHORT');
    expect(server.requests.length).toBeLessThanOrEqual(3);
  });

  it.each([
    ['of another file', 'bytes 4-9/10', { ETag: '"b"' }],
    ['that stops before the end', 'bytes 4-6/10', { ETag: '"a"' }],
    ['of a file of another size', 'bytes 4-8/9', { ETag: '"a"' }],
    ['of a file whose size is not said', 'bytes 4-9/*', { ETag: '"a"' }],
    ['in another encoding', 'bytes 4-9/10', { ETag: '"a"', 'Content-Encoding': 'gzip' }],
  ])('N08: takes no rest %s', async (_, range, headers) => {
    const server = await serve((socket, { n }) => {
      const rest = range.startsWith('bytes 4-6') ? '456' : '456789';
      if (n === 1) socket.end(rawAnswer(200, '0123', { ETag: '"a"', 'Content-Length': '10' }));
      else socket.end(rawAnswer(206, rest, { ...headers, 'Content-Range': range, 'Content-Length': `${rest.length}` }));
    });
    await failure(textOf(hub(server.url, { clock: testClock() })), 'NET_SHORT');
  });

  it.each(['keep-alive', 'close'])(
    'N09: notices a body shorter than announced (connection: %s)',
    async (connection) => {
      const server = await serve((socket) => {
        socket.end(rawAnswer(200, 'four', { 'Content-Length': '100', Connection: connection }));
      });
      const error = await failure(textOf(hub(server.url)), 'NET_SHORT');
      expect(error.message).toContain('after 4 bytes');
    },
  );

  it.each(['keep-alive', 'close'])('N10: notices a body in chunks that is cut (connection: %s)', async (connection) => {
    const server = await serve((socket) => {
      socket.end(rawAnswer(200, '4\r\nfour\r\n4\r\nfi', { 'Transfer-Encoding': 'chunked', Connection: connection }));
    });
    await failure(textOf(hub(server.url)), 'NET_SHORT');
  });

  it('N11: takes a body that ends with its connection', async () => {
    const server = await serve((socket) => {
      socket.end(rawAnswer(200, 'all of it', { 'x-no-length': '' }));
    });
    expect(await textOf(hub(server.url))).toBe('all of it');
  });

  it.each(['keep-alive', 'close'])('N12: refuses more bytes than announced (connection: %s)', async (connection) => {
    const server = await serve((socket) => {
      socket.end(rawAnswer(200, 'four and more', { 'Content-Length': '4', Connection: connection }));
    });
    const error = await failure(textOf(hub(server.url)), 'NET_PROTO');
    expect(error.message).toContain('more bytes than it announced');
  });

  it('takes a body in chunks, and trailers, and answers in several packets', async () => {
    const server = await serve((socket) => {
      socket.write('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n', () => {
        socket.write('4\r\nfour\r\n', () => {
          socket.write('0\r\nX-Trailer: 1\r\n\r\n');
        });
      });
    });
    expect(await textOf(hub(server.url))).toBe('four');
  });

  it.each([
    ['N13: two lengths', 'HTTP/1.1 200 OK\r\nContent-Length: 4\r\nContent-Length: 5\r\n\r\nfour'],
    [
      'N14: a length and chunks',
      'HTTP/1.1 200 OK\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nfour\r\n0\r\n\r\n',
    ],
    ['N15: the greeting of an SSH server', 'SSH-2.0-OpenSSH_9.6\r\n'],
    ['N29: a header of 1 MB', `HTTP/1.1 200 OK\r\nX-Big: ${'a'.repeat(1_000_000)}\r\nContent-Length: 0\r\n\r\n`],
    ['N30: 5,000 headers', `HTTP/1.1 200 OK\r\n${'x-header: 1\r\n'.repeat(5000)}Content-Length: 0\r\n\r\n`],
    ['N32: status 000', 'HTTP/1.1 000 OK\r\nContent-Length: 0\r\n\r\n'],
    ['N32: status 099', 'HTTP/1.1 099 OK\r\nContent-Length: 0\r\n\r\n'],
    ['N32: status 600', 'HTTP/1.1 600 OK\r\nContent-Length: 0\r\n\r\n'],
    ['N32: status 999', 'HTTP/1.1 999 OK\r\nContent-Length: 0\r\n\r\n'],
    ['a switch of protocols', 'HTTP/1.1 101 Switching\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n'],
  ])('refuses %s, and does not ask again', async (_, bytes) => {
    const server = await serve((socket) => {
      socket.write(bytes);
    });
    const error = await failure(textOf(hub(server.url)), 'NET_PROTO');
    expect(error.details.request?.url).toBe(`${server.url}/x`);
    expect(server.requests).toHaveLength(1);
  });

  it('N15: says so when it is no HTTP server', async () => {
    const server = await serve(() => undefined, {
      onConnect: (socket) => {
        socket.write('SSH-2.0-OpenSSH_9.6\r\n');
      },
    });
    expect((await failure(hub(server.url).send(get()), 'NET_PROTO')).message).toContain('not an HTTP server');
  });

  it('N22: follows redirects of a read within the origin, five at most', async () => {
    const server = await serve((socket, { n }) => {
      socket.write(
        n <= 5
          ? rawAnswer([301, 302, 303, 307, 308][n - 1] ?? 0, 'moved', { Location: `/x${n}?a=1#part` })
          : rawAnswer(200, 'here'),
      );
    });
    const answer = await platform(server.url, { token: onlyToken('canary') }).send(get());
    expect(await readText(answer)).toBe('here');
    expect(answer.url).toBe(`${server.url}/x5?a=1`);
    expect(server.requests.every((request) => request.headers['authorization'] === 'Bearer canary')).toBe(true);
  });

  it('N24: stops a loop', async () => {
    const server = await serve((socket) => {
      socket.write(rawAnswer(302, '', { Location: '/x' }));
    });
    await failure(hub(server.url).send(get()), 'REDIRECT_LOOP');
    expect(server.requests).toHaveLength(6);
  });

  it.each(['file:///etc/passwd', 'data:text/plain,hi', 'ftp://host/x', 'http://user:canary@SELF/x', 'http://[broken'])(
    'N25: does not follow to %s',
    async (location) => {
      const server = await serve((socket) => {
        socket.write(rawAnswer(302, '', { Location: location.replace('SELF', `127.0.0.1:${server.port}`) }));
      });
      const error = await failure(hub(server.url).send(get()), 'REDIRECT_BAD');
      expect(JSON.stringify([error.message, error.details])).not.toContain('canary');
    },
  );

  it('keeps a platform, and its token, on its own origin (T19)', async () => {
    const other = await serve((socket) => {
      socket.write(rawAnswer(200, 'got it'));
    });
    for (const location of [other.url, `//127.0.0.1:${other.port}/`, 'https://example.com/x', `http://localhost:1/x`]) {
      const server = await serve((socket) => {
        socket.write(rawAnswer(307, '', { Location: location }));
      });
      await failure(platform(server.url, { token: onlyToken('canary') }).send(get()), 'REDIRECT_BAD');
    }
    expect(other.requests).toHaveLength(0);
  });

  it('N27: stops a gzip bomb at the cap', async () => {
    const bomb = gzipSync(Buffer.alloc(100_000_000));
    const server = await serve((socket) => {
      socket.write(rawAnswer(200, bomb, { 'Content-Encoding': 'gzip' }));
    });
    const answer = await hub(server.url).send(get({ maxBytes: 1_000_000 }));
    let total = 0;
    const read = async (): Promise<void> => {
      for await (const piece of answer.body) total += piece.length;
    };
    await failure(read(), 'TOO_LARGE');
    expect(total).toBe(1_000_000);
  });

  it('H36: decodes gzip, and refuses every other encoding', async () => {
    const encodings: readonly [string, Buffer][] = [
      ['gzip', gzipSync('text')],
      ['X-GZIP', gzipSync('text')],
      ['identity', Buffer.from('text')],
    ];
    for (const [encoding, body] of encodings) {
      const server = await serve((socket) => {
        socket.write(rawAnswer(200, body, { 'Content-Encoding': encoding }));
      });
      expect(await textOf(hub(server.url))).toBe('text');
    }
    for (const encoding of ['br', 'deflate', 'gzip, gzip', 'what']) {
      const server = await serve((socket) => {
        socket.write(rawAnswer(200, gzipSync('text'), { 'Content-Encoding': encoding }));
      });
      await failure(textOf(hub(server.url)), 'BAD_ENCODING');
    }
  });

  it.each([
    ['cut off', gzipSync('some text that is long enough').subarray(0, 20), 'NET_SHORT'],
    ['damaged', Buffer.from('this is not gzip'), 'BAD_ENCODING'],
  ] as const)('N28: notices gzip that is %s', async (_, body, code) => {
    const server = await serve((socket) => {
      socket.write(rawAnswer(200, body, { 'Content-Encoding': 'gzip' }));
    });
    await failure(textOf(hub(server.url)), code);
  });

  it('translates a connection that breaks within gzip', async () => {
    const server = await serve((socket) => {
      socket.end(rawAnswer(200, gzipSync('text'), { 'Content-Encoding': 'gzip', 'Content-Length': '5000' }));
    });
    await failure(textOf(hub(server.url)), 'NET_SHORT');
  });

  it('H13: stops an endless body at the cap, and one announced too long at once', async () => {
    let written = 0;
    const server = await serve((socket, { n }) => {
      if (n === 1) return void socket.write(rawAnswer(200, 'x', { 'Content-Length': '1000001' }));
      socket.write(rawAnswer(200, '', { 'x-no-length': '' }));
      const more = (): void => {
        if (socket.destroyed) return;
        written += 10_000;
        socket.write(Buffer.alloc(10_000), () => setImmediate(more));
      };
      more();
    });
    await failure(textOf(hub(server.url)), 'TOO_LARGE');
    await failure(textOf(hub(server.url)), 'TOO_LARGE');
    expect(written).toBeGreaterThanOrEqual(1_000_000);
  });

  it('takes a body of exactly the cap', async () => {
    const server = await serve((socket) => {
      socket.write(rawAnswer(200, 'x'.repeat(1000)));
    });
    expect(await textOf(hub(server.url), get({ maxBytes: 1000 }))).toHaveLength(1000);
  });

  it('N31: gives up endless 1xx answers', async () => {
    const server = await serve((socket) => {
      const more = (): void => {
        if (!socket.destroyed) socket.write('HTTP/1.1 103 Hints\r\nLink: x\r\n\r\n', () => setImmediate(more));
      };
      more();
    });
    await failure(hub(server.url, { headersTimeout: 80 }).send(get()), 'NET_TIMEOUT');
  });

  it('takes an answer after one 1xx answer', async () => {
    const server = await serve((socket) => {
      socket.write('HTTP/1.1 103 Hints\r\nLink: x\r\n\r\n');
      socket.write(rawAnswer(200, 'real'));
    });
    expect(await textOf(hub(server.url))).toBe('real');
  });

  it('N33: ignores the body of a 204 and drops the connection', async () => {
    const server = await serve((socket) => {
      socket.write('HTTP/1.1 204 No Content\r\n\r\nbut here is some');
    });
    const transport = hub(server.url, { connections: 1 });
    expect(await textOf(transport)).toBe('');
    expect(await textOf(transport)).toBe('');
    expect(server.connections()).toBe(2);
  });

  it('N34: waits as long as Retry-After says, and says so', async () => {
    const server = await serve((socket, { n }) => {
      socket.write(n === 1 ? rawAnswer(429, 'slow down', { 'Retry-After': '2' }) : rawAnswer(200, 'ok'));
    });
    const clock = testClock();
    const { events, emit } = collector();
    expect(await textOf(hub(server.url, { clock, emit }))).toBe('ok');
    expect(clock.slept).toEqual([2000]);
    expect(events).toMatchObject([{ type: 'retry', attempt: 2, milliseconds: 2000, reason: 'status 429' }]);
  });

  it('N35: does not wait a year', async () => {
    const server = await serve((socket) => {
      socket.write(rawAnswer(429, '', { 'Retry-After': 'Mon, 01 Jun 2026 12:00:00 GMT' }));
    });
    const clock = testClock();
    const error = await failure(hub(server.url, { clock }).send(get()), 'RATE_LIMIT');
    expect(error.message).toContain('2026-06-01T12:00:00.000Z');
    expect(clock.slept).toEqual([]);
  });

  it.each(['Sun, 01 Jun 2025 11:00:00 GMT', '-5', 'soon', ''])(
    'N36: waits its own time when Retry-After is %j',
    async (value) => {
      const server = await serve((socket, { n }) => {
        socket.write(n === 1 ? rawAnswer(503, '', { 'Retry-After': value }) : rawAnswer(200, 'ok'));
      });
      const clock = testClock();
      expect(await textOf(hub(server.url, { clock }))).toBe('ok');
      expect(clock.slept).toEqual([250]);
    },
  );

  it.each([429, 502, 503, 504])(
    'N37: asks again after %d, and returns the last answer when tries run out',
    async (status) => {
      const server = await serve((socket, { n }) => {
        socket.write(n === 3 || n > 7 ? rawAnswer(200, 'third') : rawAnswer(status, `answer ${n}`));
      });
      const transport = platform(server.url);
      const answer = await transport.send(get());
      expect([answer.status, answer.attempts, await readText(answer)]).toEqual([200, 3, 'third']);
      const last = await transport.send(get());
      expect([last.status, last.attempts, await readText(last)]).toEqual([status, 4, 'answer 7']);
    },
  );

  it('stops waiting for the next try when its signal is aborted', async () => {
    const server = await serve((socket) => {
      socket.write(rawAnswer(503));
    });
    const control = new AbortController();
    const clock = testClock();
    const emit = (): void => {
      control.abort(new Error('enough'));
    };
    await expect(hub(server.url, { clock, emit }).send(get({ signal: control.signal }))).rejects.toThrow('enough');
    expect(server.requests).toHaveLength(1);
  });

  it('N45: finds the live address of a host with a dead one', async () => {
    const server = await serve((socket) => {
      socket.write(rawAnswer(200, 'alive'));
    });
    expect(await textOf(hub(`http://localhost:${server.port}`))).toBe('alive');
  });

  it.each([
    ['http', 80],
    ['https', 443],
  ])('goes to the usual port of %s where the address names none', async (scheme, port) => {
    // No connection is ever made to the address for everybody in the network.
    const sent = hub(`${scheme}://255.255.255.255`, { retries: 1 }).send(get());
    const error: unknown = await sent.catch((reason: unknown) => reason);
    expect(error).toMatchObject({ details: { cause: { port } } });
  });

  it('reports an address that is none before anything is sent', () => {
    expect(() => hub('localhost:11011')).toThrow(/not an http/u);
  });

  it('traces requests and answers without secrets', async () => {
    const server = await serve((socket) => {
      socket.write(rawAnswer(200, 'x', { 'Set-Cookie': 'id=canary', 'X-Note': 'canary' }));
    });
    const facts: TraceFact[] = [];
    await textOf(platform(server.url, { token: onlyToken('canary-token'), trace: (fact) => facts.push(fact) }));
    expect(facts).toMatchObject([
      {
        type: 'request',
        method: 'GET',
        url: `${server.url}/x`,
        headers: { authorization: '***', 'accept-encoding': 'identity' },
      },
      { type: 'answer', status: 200, headers: { 'set-cookie': '***', 'x-note': '***', 'content-length': '1' } },
    ]);
    expect(JSON.stringify(facts)).not.toContain('canary');
  });

  it('traces requests without an answer', async () => {
    const server = await serve((socket) => {
      socket.destroy();
    });
    const facts: TraceFact[] = [];
    await failure(textOf(platform(server.url, { retries: 1, trace: (fact) => facts.push(fact) })), 'NET_RESET');
    expect(facts).toMatchObject([{ type: 'request' }, { type: 'failure', reason: 'NET_RESET' }]);
  });

  it('ends what is open when it is closed', async () => {
    const server = await serve(() => undefined);
    const transport = hub(server.url, { retries: 1, connectTimeout: 60 });
    const waiting = transport.send(get({ signal: never }));
    while (server.requests.length === 0) await new Promise(setImmediate);
    const rejected = failure(waiting, 'NET_RESET');
    await transport.close();
    await rejected;
    expect(closing(transport)).toBe(transport);
  });
});
