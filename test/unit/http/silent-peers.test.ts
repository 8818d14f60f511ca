import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { connect } from 'node:net';
import { Worker } from 'node:worker_threads';
import { expect, it } from 'vitest';
import { inChild } from '../../support/child.js';
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

/** Opens 100 connections while garbage is collected all the time, and writes how each of them ended. */
const BODY = `
  const never = new AbortController();
  const open = connector({ timeout: data.limit, ca: undefined, insecure: false, now: () => 0, signal: never.signal,
    proxy: data.proxy && (() => ({ url: new URL(data.proxy), authorization: undefined, shown: data.proxy })) });
  const collector = setInterval(() => { globalThis.gc(); }, 10);
  const ends = await Promise.all(Array.from({ length: 100 }, () =>
    open(new URL(data.url)).then(() => 'open', (error) => error.code)));
  clearInterval(collector);
  console.log(JSON.stringify(ends));
  process.exit(0);`;

async function endsOf(url: string, proxy?: string): Promise<unknown> {
  const result = await inChild(`import { connector } from './src/http/connect.ts';`, BODY, {
    flags: ['--expose-gc'],
    data: { url, proxy, limit: LIMIT },
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
  expect(await endsOf(url(server.port), proxy?.(server.port))).toEqual(allLate);
});

it('gives up an address in time where nobody takes the connection', async () => {
  expect(await endsOf(`http://127.0.0.1:${await fullPort()}/`)).toEqual(allLate);
});
