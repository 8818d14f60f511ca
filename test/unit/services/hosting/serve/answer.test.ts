import { EventEmitter, once } from 'node:events';
import {
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { open } from 'node:fs/promises';
import { createServer as createHttpServer } from 'node:http';
import { connect, createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { connect as tlsConnect } from 'node:tls';
import { expect, it } from 'vitest';
import { errnoOf } from '../../../../../src/core/files/local-error.js';
import type { Access } from '../../../../../src/services/hosting/serve/access-line.js';
import { answer } from '../../../../../src/services/hosting/serve/answer.js';
import { fileAnswer } from '../../../../../src/services/hosting/serve/file-answer.js';
import { LargeFiles } from '../../../../../src/services/hosting/serve/large-files.js';
import { serveHub, type ServeOptions } from '../../../../../src/services/hosting/serve/listener.js';
import { openFile } from '../../../../../src/services/hosting/serve/open-file.js';
import { clockAt } from '../../../../support/clock.js';

const TLS = resolve(import.meta.dirname, '../../../../fixtures/tls');
const CHANGED = 1_700_000_000;

/** What a server answered: status and headers but its date, and the body. */
interface Answered {
  readonly head: readonly string[];
  readonly body: string;
}

/** A hub that is served, what it answers to the text of a request, and what it logged since the last time. */
async function serving(
  test: (ask: (text: string) => Promise<Answered>, logged: () => readonly unknown[], root: string) => Promise<void>,
  options: Partial<ServeOptions> = {},
): Promise<void> {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'cdapctl-serve-')));
  mkdirSync(join(root, 'packages/one/1.0.0'), { recursive: true });
  writeFileSync(join(root, 'packages/one/1.0.0/plug.jar'), Buffer.alloc(70_000, 'x'));
  for (const [name, text] of [
    ['packages.json', '["packages"]'],
    ['index.html', '<html>'],
    ['packages/one/1.0.0/index.html', '<html>'],
    ['hub.key', 'secret'],
  ] as const) {
    writeFileSync(join(root, name), text);
    utimesSync(join(root, name), CHANGED, CHANGED);
  }
  const log: Access[] = [];
  const hub = await serveHub({
    ...{ root, host: '127.0.0.1', port: 0, clock: clockAt(5000) },
    log: (access) => log.push(access),
    ...options,
  });
  try {
    await test(
      async (text) => {
        const socket = connect(hub.port, '127.0.0.1').setEncoding('latin1');
        let answer = '';
        socket.on('data', (piece) => (answer += String(piece)));
        socket.write(text);
        await once(socket, 'close');
        const [head = '', ...rest] = answer.split('\r\n\r\n');
        const isTold = (line: string): boolean => !/^(?:Date|Keep-Alive):/iu.test(line);
        return {
          head: head
            .replace(/etag: ".*"/u, 'etag: TAG')
            .split('\r\n')
            .filter(isTold),
          body: rest.join('\r\n\r\n'),
        };
      },
      () => log.splice(0),
      root,
    );
  } finally {
    await hub.close();
    rmSync(root, { recursive: true });
  }
}

const request = (line: string, ...headers: readonly string[]): string =>
  [`${line} HTTP/1.1`, 'host: x', 'connection: close', ...headers, '', ''].join('\r\n');
const logLine = (method: string, target: string, status: number, bytes: number) => ({
  ...{ address: '127.0.0.1', at: 5000, status, bytes },
  asked: { method, target, version: '1.1' },
});
const SAFE = 'x-content-type-options: nosniff';
const VALIDATORS = ['etag: TAG', 'last-modified: Tue, 14 Nov 2023 22:13:20 GMT', 'cache-control: no-cache'];
const headOf = (type: string, bytes: number) => [
  'HTTP/1.1 200 OK',
  SAFE,
  ...VALIDATORS,
  'accept-ranges: bytes',
  `content-type: ${type}`,
  `content-length: ${bytes}`,
  'Connection: close',
];

it('sends files and their heads, and pages only of the hub itself', () =>
  serving(async (ask, logged) => {
    const json = headOf('application/json; charset=utf-8', 12);
    expect(await ask(request('GET /v2/packages.json'))).toEqual({ head: json, body: '["packages"]' });
    expect(await ask(request('HEAD /packages.json', 'range: bytes=1-2'))).toEqual({ head: json, body: '' });
    const html = headOf('text/html; charset=utf-8', 6);
    expect(await ask(request('GET /'))).toEqual({ head: html, body: '<html>' });
    const file = headOf('application/octet-stream', 6);
    expect(await ask(request('GET /packages/one/1.0.0/index.html'))).toEqual({ head: file, body: '<html>' });
    expect(logged()).toEqual([
      logLine('GET', '/v2/packages.json', 200, 12),
      logLine('HEAD', '/packages.json', 200, 0),
      logLine('GET', '/', 200, 6),
      logLine('GET', '/packages/one/1.0.0/index.html', 200, 6),
    ]);
  }));

it('sends parts of large and small files, and no file again that is known', () =>
  serving(async (ask, logged, root) => {
    const jar = await ask(request('GET /packages/one/1.0.0/plug.jar', 'range: bytes=10-69998'));
    expect([jar.head[0], jar.body]).toEqual(['HTTP/1.1 206 Partial Content', 'x'.repeat(69_989)]);
    const part = await ask(request('GET /packages.json', 'range: bytes=2-9'));
    expect([part.head[0], part.body]).toEqual(['HTTP/1.1 206 Partial Content', 'packages']);
    const none = await ask(request('GET /packages.json', 'range: bytes=99-'));
    expect(none).toEqual({
      head: [
        'HTTP/1.1 416 Range Not Satisfiable',
        SAFE,
        'content-range: bytes */12',
        'content-length: 0',
        'Connection: close',
      ],
      body: '',
    });
    const known = await ask(request('GET /packages.json', 'if-none-match: *'));
    expect(known).toEqual({ head: ['HTTP/1.1 304 Not Modified', SAFE, ...VALIDATORS, 'Connection: close'], body: '' });
    const other = await ask(request('GET /packages.json', 'range: bytes=2-9', 'if-range: "x"'));
    expect([other.head[0], other.body]).toEqual(['HTTP/1.1 200 OK', '["packages"]']);
    const file = await openFile(root, ['packages.json']);
    await file?.handle.close();
    const etag = file && String(fileAnswer(file.facts, {}).headers['etag']);
    const same = await ask(request('GET /packages.json', 'range: bytes=2-9', `if-range: ${etag ?? ''}`));
    expect([same.head[0], same.body]).toEqual(['HTTP/1.1 206 Partial Content', 'packages']);
    expect(logged()).toEqual([
      logLine('GET', '/packages/one/1.0.0/plug.jar', 206, 69_989),
      logLine('GET', '/packages.json', 206, 8),
      logLine('GET', '/packages.json', 416, 0),
      logLine('GET', '/packages.json', 304, 0),
      logLine('GET', '/packages.json', 200, 12),
      logLine('GET', '/packages.json', 206, 8),
    ]);
  }));

it('answers with the name of the hub in place of metadata.json, where it has one', async () => {
  await serving(
    async (ask, logged) => {
      const head = [
        'HTTP/1.1 200 OK',
        SAFE,
        'content-type: application/json; charset=utf-8',
        'content-length: 24',
        'Connection: close',
      ];
      expect(await ask(request('GET /v2/metadata.json'))).toEqual({
        head,
        body: Buffer.from('{"marketName":"Größe"}').toString('latin1'),
      });
      expect(await ask(request('HEAD /metadata.json'))).toEqual({ head, body: '' });
      expect(logged()).toEqual([
        logLine('GET', '/v2/metadata.json', 200, 24),
        logLine('HEAD', '/metadata.json', 200, 0),
      ]);
    },
    { name: 'Größe' },
  );
  await serving(async (ask) => {
    expect((await ask(request('GET /metadata.json'))).head[0]).toBe('HTTP/1.1 404 Not Found');
  });
});

it.each([
  ['another method', 405, 'Method Not Allowed', ['allow: GET, HEAD'], request('POST /packages.json')],
  ['a body', 400, 'Bad Request', [], `${request('GET /packages.json', 'content-length: 1')}x`],
  ['chunks', 400, 'Bad Request', [], `${request('GET /packages.json', 'transfer-encoding: chunked')}0\r\n\r\n`],
  ['a path that cannot be read', 400, 'Bad Request', [], request('GET /packages/%')],
])('refuses %s with %i, and closes the connection', (_, status, words, more, text) =>
  serving(async (ask, logged) => {
    const refused = await ask(text.replace('connection: close\r\n', ''));
    const head = [`HTTP/1.1 ${status} ${words}`, SAFE, ...more, 'connection: close', 'content-length: 0'];
    expect(refused).toEqual({ head, body: '' });
    expect(logged()).toEqual([expect.objectContaining({ status, bytes: 0 })]);
  }),
);

it('keeps a connection after a file that it does not have', () =>
  serving(async (ask) => {
    const two = request('GET /hub.key').replace('connection: close\r\n', '') + request('GET /packages.json');
    const { head, body } = await ask(two);
    expect(head).toEqual(['HTTP/1.1 404 Not Found', SAFE, 'content-length: 0', 'Connection: keep-alive']);
    expect(body).toMatch(/^HTTP\/1\.1 200 OK\r\n[^]*\["packages"\]$/u);
  }));

it('answers 500 for what cannot be read, and tells the reason', () => {
  const told: unknown[] = [];
  const failed = (error: unknown, target: string): void => void told.push([errnoOf(error), target]);
  return serving(
    async (ask, logged, root) => {
      const socket = createServer().listen(join(root, 'packages/one/1.0.0/socket'));
      await once(socket, 'listening');
      expect((await ask(request('GET /packages/one/1.0.0/socket'))).head[0]).toBe('HTTP/1.1 500 Internal Server Error');
      socket.close();
      expect((await ask(request('GET /packages/one/1.0.0/socket'))).head[0]).toBe('HTTP/1.1 404 Not Found');
      expect(told).toEqual([['ENXIO', '/packages/one/1.0.0/socket']]);
      expect(logged()).toMatchObject([{ status: 500 }, { status: 404 }]);
    },
    { failed },
  );
});

it('tells why a large file ends in the middle, unless its client went away', async () => {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'cdapctl-serve-')));
  mkdirSync(join(root, 'folder'));
  writeFileSync(join(root, 'large'), '');
  truncateSync(join(root, 'large'), 200_000_000);
  const facts = { name: 'large', size: 200_000_000, inode: 1n, modified: new Date(CHANGED), changed: 1n };
  // A folder can be opened, and not read.
  const find = async ([, , , name = '']: readonly string[]) => ({ facts, handle: await open(join(root, name)) });
  const told: unknown[] = [];
  const failed = (error: unknown): void => void told.push(errnoOf(error));
  const answers = new EventEmitter();
  const server = createHttpServer((asked, response) => {
    void answer({ files: { find }, large: new LargeFiles(), failed }, asked, response).then(() => answers.emit('end'));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  for (const [name, codes] of [
    ['large', []],
    ['folder', ['EISDIR']],
  ] as const) {
    const ended = once(answers, 'end');
    const socket = connect(port, '127.0.0.1');
    socket.once('data', () => socket.destroy()).write(request(`GET /packages/one/1.0.0/${name}`));
    await ended;
    expect([name, told]).toEqual([name, codes]);
  }
  server.close();
  rmSync(root, { recursive: true });
});

it('refuses what is no request, a head that is too large, and a head that does not end', () =>
  serving(
    async (ask, logged) => {
      const headOnly = (words: string) => ({ head: [`HTTP/1.1 ${words}`, 'Connection: close'], body: '' });
      expect(await ask('no http\r\n\r\n')).toEqual(headOnly('400 Bad Request'));
      expect(await ask(request('GET /', `x: ${'x'.repeat(20_000)}`))).toEqual(
        headOnly('431 Request Header Fields Too Large'),
      );
      expect(await ask('GET / HTTP/1.1\r\nhost:')).toEqual(headOnly('408 Request Timeout'));
      expect(logged()).toEqual([400, 431, 408].map((status) => ({ address: '127.0.0.1', at: 5000, status, bytes: 0 })));
    },
    { patience: 50 },
  ));

it('takes another certificate for new connections', async () => {
  const pairOf = (name: string) => ({
    cert: readFileSync(join(TLS, `${name}.pem`)),
    key: readFileSync(join(TLS, `${name}.key`)),
  });
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'cdapctl-serve-')));
  const hub = await serveHub({ root, host: '127.0.0.1', port: 0, tls: pairOf('good'), clock: clockAt(0) });
  const seen = async (): Promise<string> => {
    const socket = tlsConnect({ port: hub.port, host: '127.0.0.1', rejectUnauthorized: false });
    await once(socket, 'secureConnect');
    const { valid_to: end } = socket.getPeerCertificate();
    socket.destroy();
    return end;
  };
  expect(await seen()).toBe('Jan  1 00:00:00 2120 GMT');
  hub.replaceTls(pairOf('expired'));
  expect(await seen()).toBe('Jan  1 00:00:00 2002 GMT');
  await hub.close();
  rmSync(root, { recursive: true });
});
