import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { request, type ClientRequest, type IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { makeJar } from '../../src/emulator/jar/make-jar.js';
import { startCli } from '../support/processes/running-cli.js';
import { ROOT, withTempDir } from '../support/processes/run-cli.js';

const UPLOADS = 100;
const MEGABYTES = 4;
const MOST_MEGABYTES = 300;
const TOO_LARGE = 65 * 1024 * 1024;
const MANIFEST = { 'Bundle-Version': '1.0.0' };

const put = (url: string, bytes: Buffer): Promise<number> =>
  new Promise((done, fail) => {
    request(url, { method: 'POST' }, (response) => {
      response.resume().once('end', () => {
        done(response.statusCode ?? 0);
      });
    })
      .once('error', fail)
      .end(bytes);
  });

/** Announces a body without sending it. */
function announce(url: string, bytes: number): ClientRequest {
  const begun = request(url, { method: 'POST', headers: { 'content-length': bytes } }).on('error', () => undefined);
  begun.flushHeaders();
  return begun;
}

it('V23: a hundred uploads at once, and larger ones than it takes, leave the emulator alive and small', async () => {
  const jar = makeJar({ manifest: MANIFEST, entries: [{ name: 'data', bytes: randomBytes(MEGABYTES * 1024 * 1024) }] });
  await withTempDir(async (home) => {
    const peaks = join(home, 'peak');
    writeFileSync(peaks, '');
    const env = { NODE_OPTIONS: `--require=${join(ROOT, 'test/bench/peak.cjs')}`, PEAK_FILE: peaks };
    const emulator = startCli(['emulator', 'start', '--port', '0', '--hub-port', '0'], { home, env });
    await emulator.see('to stop it');
    const url = /--url (http:\S+)/u.exec(emulator.said())?.[1] ?? '';
    const place = `${url}/v3/namespaces/default/artifacts`;
    const statuses = await Promise.all(Array.from({ length: UPLOADS }, (_, at) => put(`${place}/large-${at}`, jar)));
    expect(statuses.filter((status) => status !== 200)).toEqual([]);
    const huge = announce(`${place}/huge`, TOO_LARGE);
    const [refused] = (await once(huge, 'response')) as [IncomingMessage];
    expect(refused.statusCode).toBe(413);
    const stalled = announce(`${place}/stalled`, jar.length);
    expect(await put(`${place}/after-it`, jar)).toBe(200);
    stalled.destroy();
    expect((await fetch(`${url}/v3/version`)).status).toBe(200);
    emulator.kill('SIGTERM');
    expect((await emulator.ended).code).toBe(0);
    const [peak = 0] = readFileSync(peaks, 'utf8').split('\n').map(Number);
    expect(peak).toBeGreaterThan(50);
    expect(peak).toBeLessThan(MOST_MEGABYTES);
  });
});
