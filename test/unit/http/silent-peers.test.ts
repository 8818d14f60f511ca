import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { connect } from 'node:net';
import { Worker } from 'node:worker_threads';
import { expect, it } from 'vitest';
import { inChild } from '../../support/processes/child.js';
import { rawAnswer } from '../../support/raw-server.js';
import { closing, serve } from './support.js';

const LIMIT = 250;

/** A port whose queue of connections is full, so that the next one is answered by nobody, as behind a firewall that drops. */
async function fullPort(): Promise<number> {
  const worker = new Worker(
    `const { parentPort } = require('node:worker_threads');
     const server = require('node:net').createServer().listen({ port: 0, host: '127.0.0.1', backlog: 1 }, () => {
       parentPort.postMessage(server.address());
       setImmediate(() => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0));
     });`,
    { eval: true },
  );
  const [{ port }] = (await once(worker, 'message')) as [AddressInfo];
  const fillers = Array.from({ length: 4 }, () => connect({ port, host: '127.0.0.1' }).on('error', () => undefined));
  closing({
    async close() {
      for (const filler of fillers) filler.destroy();
      await worker.terminate();
    },
  });
  return port;
}

const IMPORTS = `import { connector } from './src/http/undici/connect.ts';
  import { hubTransport } from './src/http/undici/undici-transport.ts';
  import { path } from './src/http/path.ts';
  import { readText } from './src/http/answers.ts';`;

/** Opens 100 connections, or reads 100 times, while garbage is collected all the time, and writes how each of them ended. */
const BODY = `
  const { signal } = new AbortController();
  const open = connector({ timeout: data.limit, ca: undefined, insecure: false, now: () => 0, signal,
    proxy: data.proxy && (() => ({ url: new URL(data.proxy), authorization: undefined, shown: data.proxy })) });
  const transport = hubTransport({ base: data.url, clock: { now: () => 0, monotonic: () => performance.now() },
    userAgent: 'test', connections: 100, retries: 1, headersTimeout: data.limit, idleTimeout: data.limit });
  const read = () => transport.send({ method: 'GET', path: path\`/x\`, maxBytes: 1000, signal }).then(readText);
  const collector = setInterval(() => { globalThis.gc(); }, 10);
  const ends = await Promise.all(Array.from({ length: 100 }, () =>
    (data.isRead ? read() : open(new URL(data.url))).then(() => 'open', (error) => error.code)));
  clearInterval(collector);
  console.log(JSON.stringify(ends));
  process.exit(0);`;

async function endsOf(url: string, more: { readonly proxy?: string; readonly isRead?: true } = {}): Promise<unknown> {
  const result = await inChild(IMPORTS, BODY, {
    flags: ['--expose-gc'],
    data: { url, ...more, limit: LIMIT },
    timeout: 8000,
  });
  expect(result.signal, 'killed, as connections did not end').toBeNull();
  return JSON.parse(result.stdout);
}

const allLate = Array<string>(100).fill('NET_TIMEOUT');

it.each([
  { peer: 'takes the connection and says nothing to TLS', url: (port: number) => `https://127.0.0.1:${port}/` },
  {
    peer: 'is a proxy that never answers CONNECT',
    url: () => 'https://hub.invalid/',
    proxy: (port: number) => `http://127.0.0.1:${port}`,
  },
  {
    peer: 'is a proxy that begins an answer to CONNECT',
    url: () => 'https://hub.invalid/',
    proxy: (port: number) => `http://127.0.0.1:${port}`,
    words: 'HTTP/1.1 200 Conn',
  },
  {
    peer: 'is a proxy behind which nothing speaks TLS',
    url: () => 'https://hub.invalid/',
    proxy: (port: number) => `http://127.0.0.1:${port}`,
    words: 'HTTP/1.1 200 Connected\r\n\r\n',
  },
])('gives up a peer in time that $peer, whatever the collector does', async ({ url, proxy, words }) => {
  const server = await serve((socket) => void socket.write(words ?? ''));
  expect(await endsOf(url(server.port), proxy && { proxy: proxy(server.port) })).toEqual(allLate);
});

it.each([
  ['N04', 'takes the request and answers nothing', ''],
  ['N05', 'stops in the middle of its answer', rawAnswer(200, 'four', { 'Content-Length': '100' })],
])('%s: gives up a server in time that %s, whatever the collector does', async (_, __, words) => {
  const server = await serve((socket) => void socket.write(words));
  expect(await endsOf(server.url, { isRead: true })).toEqual(allLate);
  expect(server.requests).toHaveLength(100);
});

it('gives up an address in time where nobody takes the connection', async () => {
  expect(await endsOf(`http://127.0.0.1:${await fullPort()}/`)).toEqual(allLate);
});
