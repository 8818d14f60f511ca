import { once } from 'node:events';
import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { mapConcurrent } from '../../../src/core/concurrency.js';
import { NEVER } from '../../support/clock.js';
import { startCli } from '../../support/processes/running-cli.js';
import { withTempDir } from '../../support/processes/run-cli.js';

const REQUESTS = 10_000;
const CONNECTIONS = 200;
const SLOW = 40;
const IDLE = 1000;
const MOST_MEGABYTES = 150;
const SECRET = 'SECRET OUTSIDE OF THE HUB';

/** What is asked, and what must be answered; without a method it is sent as it is. */
type Ask = readonly [method: string | undefined, target: string, status: number];

const ASKS: readonly Ask[] = [
  ['GET', '/v2/packages.json', 200],
  ['GET', '/packages/a/1.0.0/small.json', 200],
  ['GET', '/packages/a/1.0.0/large.jar', 200],
  ['HEAD', '/packages/a/1.0.0/large.jar', 200],
  ['GET', '/packages/a/1.0.0/link.txt', 404],
  ['GET', '/packages/out/1.0.0/secret.txt', 404],
  ['GET', '/v2/../secret.txt', 404],
  ['GET', '/packages/..%2f..%2fsecret.txt', 404],
  ['GET', '/packages/%2e%2e/%2e%2e/secret.txt', 404],
  ['GET', '/packages/..;/..;/secret.txt', 404],
  ['GET', '/packages\\..\\..\\secret.txt', 404],
  ['GET', '/packages/%252e%252e/secret.txt', 404],
  ['GET', '/packages/a%00.json', 404],
  ['GET', '/packages/%', 400],
  ['GET', '/packages/.cdapctl-1-2.tmp', 404],
  ['GET', '/hub.key', 404],
  ['GET', '/packages/', 404],
  ['GET', `/packages/${'a/'.repeat(3000)}`, 404],
  ['PUT', '/packages.json', 405],
  ['TRACE', '/packages.json', 405],
  [undefined, 'GET http://x/packages.json HTTP/1.1\r\nhost: x\r\n\r\n', 400],
  [undefined, `GET /${'x'.repeat(20_000)} HTTP/1.1\r\nhost: x\r\n\r\n`, 431],
  [undefined, 'GET /packages.json HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n', 400],
  [undefined, '\u0016\u0003\u0001\u0002', 400],
];

function makeHub(home: string): void {
  const folder = join(home, 'hub/packages/a/1.0.0');
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(home, 'hub/packages.json'), '[]');
  writeFileSync(join(folder, 'small.json'), 'x'.repeat(2000));
  writeFileSync(join(folder, 'large.jar'), Buffer.alloc(400_000, 'x'));
  writeFileSync(join(folder, 'huge.jar'), Buffer.alloc(64_000_000, 'x'));
  for (const path of ['secret.txt', 'hub/hub.key', 'hub/packages/.cdapctl-1-2.tmp'])
    writeFileSync(join(home, path), SECRET);
  symlinkSync(join(home, 'secret.txt'), join(folder, 'link.txt'));
  mkdirSync(join(home, '1.0.0'));
  writeFileSync(join(home, '1.0.0/secret.txt'), SECRET);
  symlinkSync(home, join(home, 'hub/packages/out'));
}

/** Sends bytes and reads what comes back until the server closes. */
async function raw(port: number, text: string): Promise<Buffer> {
  const socket = connect(port, '127.0.0.1').on('error', () => undefined);
  const pieces: Buffer[] = [];
  socket.on('data', (piece) => pieces.push(piece));
  socket.write(text, 'latin1');
  await new Promise((done) => socket.once('close', done));
  return Buffer.concat(pieces);
}

/** Asks by one of the connections; the status and all that came. */
async function ask([method, target]: Ask, port: number, agent: Agent): Promise<readonly [number, Buffer]> {
  if (method === undefined) {
    const answer = await raw(port, target);
    return [Number(answer.toString('latin1', 9, 12)), answer];
  }
  const sent = request({ agent, port, host: '127.0.0.1', method, path: target }).end();
  const [answer] = (await once(sent, 'response')) as [AsyncIterable<Buffer> & { readonly statusCode: number }];
  const pieces: Buffer[] = [];
  for await (const piece of answer) pieces.push(piece);
  return [answer.statusCode, Buffer.concat(pieces)];
}

const memory = (pid: number, what: 'VmRSS' | 'VmHWM'): number =>
  Number(new RegExp(`^${what}:\\s+(\\d+)`, 'mu').exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024;

/** Clients that ask for a huge file and take nothing of it. */
function slowReaders(port: number): readonly Socket[] {
  return Array.from({ length: SLOW }, () => {
    const socket = connect(port, '127.0.0.1').on('error', () => undefined);
    socket.pause();
    socket.write('GET /packages/a/1.0.0/huge.jar HTTP/1.1\r\nhost: x\r\n\r\n');
    return socket;
  });
}

it.runIf(process.platform === 'linux')(
  'V16 V17 V18 V21: 10,000 requests at 200 connections, most of them hostile, take bounded memory and get no other file',
  () =>
    withTempDir(async (home) => {
      makeHub(home);
      const line = ['hub', 'serve', './hub', '--port', '0', '--access-log', './access.log'];
      const running = startCli(line, { home, env: {}, timeout: 55_000 });
      await running.see('to stop it');
      const port = Number(/:(\d+)\/v2/u.exec(running.said())?.[1]);
      const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS });
      const openFiles = (): number => readdirSync(`/proc/${running.pid}/fd`).length;
      const open = openFiles();
      const slow = slowReaders(port);
      const wrong: string[] = [];
      const work = async (at: number): Promise<number> => {
        const one = ASKS[at % ASKS.length] ?? ASKS[0];
        if (one === undefined) return at;
        const [status, bytes] = await ask(one, port, agent);
        if (status !== one[2] || bytes.includes(SECRET)) wrong.push(`${status} ${one.join(' ').slice(0, 80)}`);
        return at;
      };
      const batch = async (from: number): Promise<number> => {
        const all = Array.from({ length: REQUESTS / 4 }, (_, at) => from + at);
        for await (const at of mapConcurrent(all, CONNECTIONS, work, NEVER)) expect(at).toBeGreaterThanOrEqual(from);
        return memory(running.pid, 'VmRSS');
      };
      const sizes: number[] = [];
      for (let from = 0; from < REQUESTS; from += REQUESTS / 4) sizes.push(await batch(from));
      const peak = memory(running.pid, 'VmHWM');
      agent.destroy();
      for (const socket of slow) socket.destroy();
      // A file that stays open would keep this from its end.
      while (openFiles() > open + 2)
        await raw(port, 'GET /packages.json HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n');
      expect([...new Set(wrong)]).toEqual([]);
      expect(peak).toBeLessThan(MOST_MEGABYTES);
      expect((sizes[3] ?? 0) - (sizes[1] ?? 0)).toBeLessThan(25);
      running.kill('SIGTERM');
      expect(await running.ended).toMatchObject({ code: 0 });
      const lines = readFileSync(join(home, 'access.log'), 'utf8').trimEnd().split('\n');
      expect(lines.length).toBeGreaterThanOrEqual(REQUESTS);
    }),
);

it.runIf(process.platform === 'linux')(
  'V17: 1,000 connections that send nothing are closed, and others are served meanwhile',
  () =>
    withTempDir(async (home) => {
      makeHub(home);
      const running = startCli(['hub', 'serve', './hub', '--port', '0'], { home, env: {}, timeout: 55_000 });
      await running.see('to stop it');
      const port = Number(/:(\d+)\/v2/u.exec(running.said())?.[1]);
      const idle = Array.from({ length: IDLE }, () => connect(port, '127.0.0.1').on('error', () => undefined));
      await Promise.all(idle.map((socket) => once(socket, 'connect')));
      const closed = Promise.all(idle.map((socket) => once(socket.resume(), 'close')));
      const answer = await raw(port, 'GET /packages.json HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n');
      expect(answer.toString('latin1', 9, 12)).toBe('200');
      expect(idle.filter((socket) => socket.closed)).toEqual([]);
      await closed;
      expect(memory(running.pid, 'VmHWM')).toBeLessThan(MOST_MEGABYTES);
      running.kill('SIGTERM');
      expect(await running.ended).toMatchObject({ code: 0 });
    }),
);
