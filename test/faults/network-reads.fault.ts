import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import type { Site } from '../support/sites/install-site.js';
import { rawAnswer, type RawScript } from '../support/raw-server.js';
import { front, hubAt, hurried, platformAt, serve, toHub, toPlatform } from './front.js';
import { judge, type Fault } from './judge.js';

const JSON_TYPE = { 'Content-Type': 'application/json' };
const VERSION = '{"version":"6.11.0"}';
/** 300 MB of blanks. */
const bomb = gzipSync(Buffer.alloc(300_000_000, ' '));

const answering =
  (bytes: Buffer | string): RawScript =>
  (socket) =>
    void socket.write(bytes);
const ending =
  (bytes: Buffer | string): RawScript =>
  (socket) =>
    void socket.end(bytes);

const badPlatform = (script: RawScript) => platformAt(() => serve(script));
const badHub = (script: RawScript) => hubAt(() => serve(script));

const withFlags = (...flags: string[]): Fault['line'] => {
  return (site) => [...toPlatform.line(site), ...flags];
};

async function refusing(): Promise<{ url: string }> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  server.close();
  await once(server, 'close');
  return { url: `http://127.0.0.1:${port}` };
}

function drip(socket: Socket): void {
  socket.write(rawAnswer(200, '', { ...JSON_TYPE, 'Content-Length': '100000' }));
  const timer = setInterval(() => socket.write(' '), 20);
  socket.once('close', () => {
    clearInterval(timer);
  });
}

describe.concurrent('a platform that cannot be reached', () => {
  it('N01: its name does not resolve', async () => {
    await judge({
      ...toPlatform,
      fault: platformAt(async () => ({ url: 'https://no-such-host.invalid' })),
      exit: 7,
      code: 'NET_DNS',
      says: ['no-such-host.invalid'],
      holds: 'A',
    });
  });

  it('N02: it refuses connections, three times', async () => {
    await judge({
      ...toPlatform,
      line: withFlags('--retries', '2'),
      fault: platformAt(refusing),
      exit: 7,
      code: 'NET_REFUSED',
      holds: 'A',
      read: ({ stderr }) => {
        expect(stderr).toContain('(3 attempts)');
      },
    });
  });

  it('N03: a connection is never made', async () => {
    const connecting = async (): Promise<{ url: string }> => {
      // TCP succeeds, TLS never does: both are one connection that hangs.
      const { port } = await serve(() => undefined);
      return { url: `https://127.0.0.1:${port}` };
    };
    await judge({
      ...toPlatform,
      line: withFlags('--connect-timeout', '1s'),
      fault: platformAt(connecting),
      exit: 8,
      code: 'NET_TIMEOUT',
      says: ['no connection to'],
      holds: 'A',
    });
  });
});

describe.concurrent('a platform that is slow', () => {
  const impatient = withFlags('--request-timeout', '3s');

  it('N04: takes the request and never answers', async () => {
    await judge({
      ...toPlatform,
      line: impatient,
      fault: badPlatform(() => undefined),
      exit: 8,
      code: 'NET_TIMEOUT',
      says: ['did not respond within 3 s'],
      holds: 'A',
    });
  });

  it('N05: stops in the middle of an answer', async () => {
    await judge({
      ...toPlatform,
      options: hurried(30, 20_000),
      fault: badPlatform(answering(rawAnswer(200, '{"vers', { 'Content-Length': '20' }))),
      exit: 8,
      code: 'NET_TIMEOUT',
      says: ['no data for 30 s', '6 bytes so far'],
      holds: 'A',
    });
  });

  it('N06: sends a byte at a time', async () => {
    await judge({
      ...toPlatform,
      options: hurried(30),
      fault: badPlatform(drip),
      exit: 8,
      code: 'NET_SLOW',
      says: [/only \d+ bytes in 3\d s/u],
      holds: 'A',
    });
  });

  it('N31: sends 1xx answers without an end', async () => {
    const script: RawScript = (socket) => {
      const more = (): void => {
        if (!socket.destroyed) socket.write('HTTP/1.1 102 Processing\r\n\r\n', () => setImmediate(more));
      };
      more();
    };
    await judge({
      ...toPlatform,
      line: impatient,
      fault: badPlatform(script),
      exit: 8,
      code: 'NET_TIMEOUT',
      holds: 'A',
    });
  });
});

describe.concurrent('a connection that breaks', () => {
  it('N07: twice before an answer, is made again', async () => {
    await judge({
      ...toPlatform,
      fault: platformAt((site) =>
        front(site.url, ({ n, socket }) => {
          if (n > 2) return undefined;
          socket.resetAndDestroy();
          return 'handled';
        }),
      ),
      exit: 0,
    });
  });

  /** Breaks off the first answer for a JAR half way. */
  const breaking = (end: (socket: Socket, bytes: Buffer) => void, ranges: (string | undefined)[]) =>
    hubAt((site) =>
      front(site.hub, async ({ path, headers, socket, effect }) => {
        if (!path.endsWith('.jar')) return undefined;
        ranges.push(headers.range);
        if (ranges.length > 1) return undefined;
        const { body, headers: given } = await effect();
        const half = body.subarray(0, Math.floor(body.length / 2));
        const etag = String(given.etag);
        end(socket, rawAnswer(200, half, { ETag: etag, 'Content-Length': String(body.length) }));
        return 'handled';
      }),
    );

  it.for([
    [
      'reset',
      (socket: Socket, bytes: Buffer) => socket.write(bytes, () => setImmediate(() => socket.resetAndDestroy())),
    ],
    ['closed', (socket: Socket, bytes: Buffer) => socket.end(bytes)],
  ] as const)('N08: in the middle of a file (%s), which is then resumed and verified as a whole', async ([, end]) => {
    let ranges: (string | undefined)[] = [];
    await judge({
      ...toHub,
      line: (site) => ['hub', 'verify', 'example-trim-fields@1.10.0', '--policy', 'warn', ...toHub.line(site).slice(2)],
      fault: async (site) => {
        ranges = [];
        await breaking((socket, bytes) => void end(socket, bytes), ranges)(site);
      },
      exit: 0,
      look: () => {
        expect(ranges).toEqual([undefined, expect.stringMatching(/^bytes=\d{3,}-$/u)]);
      },
    });
  });

  it.for([
    ['N09: before the announced length', rawAnswer(200, VERSION, { 'Content-Length': '1000' })],
    ['N10: in the middle of chunks', rawAnswer(200, '14\r\n{"version"', { 'Transfer-Encoding': 'chunked' })],
    ['N11: where nothing else says that the body ends, too early', rawAnswer(200, '{"version"', { 'x-no-length': '' })],
  ] as const)('%s', async ([, bytes]) => {
    await judge({ ...toPlatform, fault: badPlatform(ending(bytes)), exit: 7, code: 'NET_SHORT', holds: 'A' });
  });

  it('N11: of a hub, where nothing else says that the body ends: whole or too early', async () => {
    const closing = (cut: number) =>
      hubAt((site) =>
        front(site.hub, async ({ socket, effect }): Promise<'handled'> => {
          const { status, body } = await effect();
          socket.end(rawAnswer(status, body.subarray(0, body.length - cut), { ...JSON_TYPE, 'x-no-length': '' }));
          return 'handled';
        }),
      );
    await judge({ ...toHub, fault: closing(0), exit: 0 });
    await judge({ ...toHub, fault: closing(100), exit: 7, code: 'NET_SHORT' });
  });
});

describe.concurrent('an answer that is no HTTP', () => {
  const twoLengths = 'HTTP/1.1 200 OK\r\nContent-Length: 20\r\nContent-Length: 21\r\n\r\n';
  const manyHeaders = Object.fromEntries(Array.from({ length: 5000 }, (_, n) => [`X-${n}`, 'x']));

  it.for([
    ['N12: more bytes than announced', rawAnswer(200, `${VERSION} `, { 'Content-Length': '20' }), 'more bytes'],
    ['N13: two lengths', `${twoLengths}${VERSION}`, 'more than one length'],
    [
      'N14: a length and chunks',
      rawAnswer(200, VERSION, { 'Content-Length': '20', 'Transfer-Encoding': 'chunked' }),
      '',
    ],
    ['N15: the greeting of an SSH server', 'SSH-2.0-OpenSSH_9.9\r\n', 'not an HTTP server'],
    ['N29: a header of 1 MB', rawAnswer(200, VERSION, { 'X-Large': 'x'.repeat(1_000_000) }), 'headers'],
    ['N30: 5,000 headers', rawAnswer(200, VERSION, manyHeaders), 'headers'],
    ['N32: the status 000', `HTTP/1.1 000 No\r\nContent-Length: 20\r\n\r\n${VERSION}`, 'status'],
    ['N32: the status 099', `HTTP/1.1 099 No\r\nContent-Length: 20\r\n\r\n${VERSION}`, 'status'],
    ['N32: the status 999', `HTTP/1.1 999 No\r\nContent-Length: 20\r\n\r\n${VERSION}`, 'status'],
  ] as const)('%s', async ([, bytes, words]) => {
    let [runs, asked] = [0, 0];
    const fault = badPlatform((socket) => {
      asked += 1;
      socket.end(bytes);
    });
    await judge({
      ...toPlatform,
      ...(words === 'status' && ({ mend: false } as const)),
      fault: (site) => {
        runs += 1;
        return fault(site);
      },
      exit: 7,
      code: 'NET_PROTO',
      says: [words],
      holds: 'A',
    });
    expect(asked, 'it is asked again').toBe(runs);
  });

  it('N28: gzip inside gzip', async () => {
    const twice = rawAnswer(200, gzipSync(gzipSync('[]')), { ...JSON_TYPE, 'Content-Encoding': 'gzip, gzip' });
    await judge({ ...toHub, fault: badHub(answering(twice)), exit: 12, code: 'BAD_ENCODING' });
  });

  it('N27: gzip that becomes 300 MB', async () => {
    expect(bomb.length).toBeLessThan(400_000);
    const bytes = rawAnswer(200, bomb, { ...JSON_TYPE, 'Content-Encoding': 'gzip' });
    await judge({ ...toHub, fault: badHub(answering(bytes)), exit: 12, code: 'TOO_LARGE' });
  });
});

describe.concurrent('a redirect of a read', () => {
  const to = (location: (n: number, url: string) => string, most = Infinity) =>
    hubAt(async (site) => {
      const moving = await front(site.hub, ({ n, socket, headers }) => {
        if (n > most) return undefined;
        const address = location(n, `http://${headers.host ?? ''}`);
        socket.end(rawAnswer(302, '', { Location: address, Connection: 'close' }));
        return 'handled';
      });
      return { url: `${moving.url}/v2` };
    });

  it('N22: within the origin is followed five times', async () => {
    await judge({ ...toHub, fault: to((n, url) => `${url}/v2/packages.json?${n}`, 5), exit: 0 });
  });

  it('N24: that leads to itself is not followed for ever', async () => {
    await judge({ ...toHub, fault: to((_, url) => `${url}/v2/packages.json`), exit: 7, code: 'REDIRECT_LOOP' });
  });

  it.for(['file:///etc/passwd', 'data:application/json,[]', 'ftp://127.0.0.1/x', 'http://user:secret@127.0.0.1/x'])(
    'N25: to %s is not followed',
    async (location) => {
      await judge({
        ...toHub,
        mend: false,
        fault: to(() => location),
        exit: 7,
        code: 'REDIRECT_BAD',
        read: ({ stderr }) => {
          expect(stderr).not.toContain('secret');
        },
      });
    },
  );
});

describe.concurrent('a platform that has no time', () => {
  /** Answers the first requests with a status and a `Retry-After`. */
  const busy = (status: number, times: number, after?: string): Fault['fault'] =>
    platformAt((site: Site) =>
      front(site.url, ({ n, socket }) => {
        if (n > times) return undefined;
        const headers = after === undefined ? {} : { 'Retry-After': after };
        socket.end(rawAnswer(status, 'busy', { ...headers, Connection: 'close' }));
        return 'handled';
      }),
    );

  it('N34: is asked again after the 2 seconds that it wants, and that is said', async () => {
    await judge({
      ...toPlatform,
      fault: busy(429, 1, '2'),
      exit: 0,
      read: ({ stderr }) => {
        expect(stderr).toMatch(/try 2 in 2\.0 s \(status 429\)/u);
      },
    });
  });

  it('N35: is not waited for when it wants a year', async () => {
    await judge({
      ...toPlatform,
      fault: busy(429, 1, '31536000'),
      exit: 7,
      code: 'RATE_LIMIT',
      says: [/asks to retry at 20\d\d-\d\d-\d\dT/u, 'the maximum wait is 60 s'],
      holds: 'A',
    });
  });

  it.for(['Sat, 01 Jan 2000 00:00:00 GMT', 'soon', '-5'])('N36: and says "%s" is asked again', async (after) => {
    await judge({ ...toPlatform, mend: false, fault: busy(429, 1, after), exit: 0 });
  });

  it('N37: twice is asked a third time', async () => {
    await judge({ ...toPlatform, fault: busy(503, 2), exit: 0 });
  });
});
