import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startEmulator, type RunningEmulator } from '../../../src/emulator/start.js';
import { environmentOf, runCli, STARTER, withTempDir, type RunResult } from '../../support/processes/run-cli.js';
import { olderPipeline, oneStep, stepArtifacts } from '../../support/sites/upgrade-seed.js';
import { front, hurried } from '../front.js';

const PIPELINE = 'etl/orders-hourly';
const WORKFLOW = '/v3/namespaces/etl/apps/orders-hourly/workflows/DataPipelineWorkflow';
const HEAD = 'HTTP/1.1 200 OK\r\ncontent-type: text/plain; charset=utf-8\r\ntransfer-encoding: chunked\r\n\r\n';

let emulator: RunningEmulator;
let text: string;

beforeAll(async () => {
  const applications = [olderPipeline('6.11.0', 'etl', 'orders-hourly', oneStep('Copy'))];
  const seed = { namespaces: ['etl'], artifacts: stepArtifacts('6.11.0'), applications };
  emulator = await startEmulator({ port: 0, hubPort: 0, platform: '6.11.0', seed });
  const run = (await pipeline(emulator.url, ['start', PIPELINE, '-y', '--wait'])).stdout.trim();
  text = await (await fetch(`${emulator.url}${WORKFLOW}/runs/${run}/logs?escape=false`)).text();
});

afterAll(async () => {
  await emulator.close();
});

const pipeline = (
  url: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<RunResult> => runCli(['pipeline', ...args], { timeout: 60_000, env: { CDAPCTL_URL: url, ...env } });
const isLog = (path: string): boolean => /\/logs(?:\?|\/next)/u.test(path);

describe('the log of a run', () => {
  it('N10: that breaks off is shown as far as it came, and ends with 7', async () => {
    const half = text.slice(0, Math.floor(text.length / 2));
    const { url } = await front(emulator.url, ({ path, socket }) => {
      if (!isLog(path)) return undefined;
      socket.end(`${HEAD}${Buffer.byteLength(half).toString(16)}\r\n${half}\r\n`);
      return 'handled';
    });
    const { code, stdout, stderr } = await pipeline(url, ['logs', PIPELINE]);
    expect([code, stdout, stderr]).toEqual([7, half, expect.stringContaining('[NET_SHORT]')]);
  });

  it('N10: that is followed goes on where it broke off, with every line once', async () => {
    let asked = 0;
    const { url } = await front(emulator.url, async ({ path, socket, effect }) => {
      if (!isLog(path) || ++asked % 2 === 0) return undefined;
      const { body } = await effect();
      socket.end(`${HEAD}${body.length.toString(16)}\r\n${body.subarray(0, 40).toString()}`);
      return 'handled';
    });
    const env = { ...hurried(50).env, CDAPCTL_RETRIES: '0' };
    const { code, stdout } = await pipeline(url, ['logs', PIPELINE, '--follow'], env);
    expect([code, stdout]).toEqual([0, text]);
    expect(asked).toBeGreaterThan(2);
  });

  it('L29: ends quietly when its reader has left, and so does the answer of the platform', async () => {
    const line = `${'2026-11-21 05:06:49,314 - INFO  [main:i.c.X@1] - '.padEnd(1023, 'x')}\n`;
    let left: () => void = () => undefined;
    const gone = new Promise<void>((resolve) => (left = resolve));
    const { url } = await front(emulator.url, ({ path, socket }) => {
      if (!isLog(path)) return undefined;
      const chunk = `400\r\n${line}\r\n`;
      const more = (): void => {
        while (socket.writable && socket.write(chunk));
      };
      socket.once('close', left);
      socket.write(HEAD);
      socket.on('drain', more);
      more();
      return 'handled';
    });
    await withTempDir(async (home) => {
      const command = `${process.execPath} ${STARTER} pipeline logs ${PIPELINE} | head -1; exit \${PIPESTATUS[0]}`;
      const child = spawn('bash', ['-c', command], { cwd: home, env: environmentOf(home, { CDAPCTL_URL: url }) });
      let output = '';
      for (const stream of [child.stdout, child.stderr])
        stream.on('data', (some: Buffer) => (output += some.toString()));
      const [code] = (await once(child, 'close')) as [number];
      await gone;
      expect([code, output]).toEqual([0, line]);
    });
  });
});
