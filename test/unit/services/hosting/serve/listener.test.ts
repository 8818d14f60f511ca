import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { clockAt } from '../../../../support/clock.js';
import { serveHub } from '../../../../../src/services/hosting/serve/listener.js';

const TLS = resolve(import.meta.dirname, '../../../../fixtures/tls');

/** Only Linux says which files a process has open. */
const saysOpenFiles = process.platform === 'linux';

/** What this process has open. */
function openFiles(): readonly string[] {
  return readdirSync('/proc/self/fd').flatMap((fd) => {
    try {
      return [readlinkSync(`/proc/self/fd/${fd}`)];
    } catch {
      return []; // closed since the folder was read
    }
  });
}

describe('the listener of a hub', () => {
  it('V17: closes idle connections and slow heads, and serves others meanwhile', async () => {
    const root = realpathSync(mkdtempSync(join(tmpdir(), 'cdapctl-serve-')));
    writeFileSync(join(root, 'packages.json'), '[]');
    const hub = await serveHub({ root, host: '127.0.0.1', port: 0, patience: 300, clock: clockAt(0) });
    try {
      const closed = Array.from({ length: 100 }, async (_, at) => {
        const socket = connect(hub.port, '127.0.0.1').on('error', () => undefined);
        if (at % 2 === 1) socket.write('GET /packages.json HTTP/1.1\r\nhost:');
        socket.resume();
        await new Promise((done) => socket.once('close', done));
        return at;
      });
      const answer = await fetch(`http://127.0.0.1:${hub.port}/packages.json`);
      expect([answer.status, await answer.text()]).toEqual([200, '[]']);
      expect(await Promise.all(closed)).toHaveLength(100);
    } finally {
      await hub.close();
      rmSync(root, { recursive: true });
    }
  });

  it('V17: answers the requests of a connection one after the other, and closes one with hundreds at once', async () => {
    const root = realpathSync(mkdtempSync(join(tmpdir(), 'cdapctl-serve-')));
    mkdirSync(join(root, 'packages/a/1.0.0'), { recursive: true });
    writeFileSync(join(root, 'packages.json'), '[]');
    writeFileSync(join(root, 'packages/a/1.0.0/large'), Buffer.alloc(8_000_000, 'x'));
    const hub = await serveHub({ root, host: '127.0.0.1', port: 0, clock: clockAt(0) });
    const large = join(root, 'packages/a/1.0.0/large');
    const open = (): number => openFiles().filter((path) => path === large).length;
    const get = (target: string): string => `GET ${target} HTTP/1.1\r\nhost: x\r\n\r\n`;
    const pipelined = async (count: number): Promise<number> => {
      const socket = connect(hub.port, '127.0.0.1').on('error', () => undefined);
      let bytes = 0;
      let most = 0;
      socket.on('data', (piece) => {
        bytes += piece.length;
        if (saysOpenFiles) most = Math.max(most, open());
        if (bytes > count * 8_000_000) socket.end();
      });
      socket.write(get('/packages/a/1.0.0/large').repeat(count));
      await new Promise((done) => socket.once('close', done));
      if (saysOpenFiles) expect(most).toBeLessThan(4);
      return bytes;
    };
    try {
      expect(await pipelined(10)).toBeGreaterThan(80_000_000);
      expect(await pipelined(500)).toBeLessThan(80_000_000);
      expect((await fetch(`http://127.0.0.1:${hub.port}/packages.json`)).status).toBe(200);
    } finally {
      await hub.close();
      rmSync(root, { recursive: true });
    }
  });

  it('V17: closes connections that never come to an encrypted request, and ends while there are such', async () => {
    const root = realpathSync(mkdtempSync(join(tmpdir(), 'cdapctl-serve-')));
    writeFileSync(join(root, 'packages.json'), '[]');
    const tls = { cert: readFileSync(join(TLS, 'good.pem')), key: readFileSync(join(TLS, 'good.key')) };
    const begin = () => serveHub({ root, host: '127.0.0.1', port: 0, patience: 300, tls, clock: clockAt(0) });
    const silent = async (port: number) => {
      const socket = connect(port, '127.0.0.1').on('error', () => undefined);
      await new Promise((done) => socket.once('connect', done));
      return new Promise((done) => socket.once('close', done).resume());
    };
    const hub = await begin();
    await Promise.all(Array.from({ length: 20 }, () => silent(hub.port)));
    const plain = connect(hub.port, '127.0.0.1').on('error', () => undefined);
    plain.write('GET /packages.json HTTP/1.1\r\nhost: x\r\n\r\n');
    const pieces: Buffer[] = [];
    await new Promise((done) => plain.on('data', (piece) => pieces.push(piece)).once('close', done));
    expect(Buffer.concat(pieces).toString()).not.toContain('[]');
    const last = connect(hub.port, '127.0.0.1').on('error', () => undefined);
    await new Promise((done) => last.once('connect', done));
    await hub.close();
    rmSync(root, { recursive: true });
  });
});
