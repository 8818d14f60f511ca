// The row of upgrades: 10,000 pipelines of an emulated platform that takes 20 ms for each answer, 16 at a time, with the journal.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';

const LATENCY = 20;
const AT_ONCE = 16;

/** Starts the emulator of the program and waits for its address. */
export async function startPlatform({ command, args, env }) {
  const child = spawn(command, args, { env, stdio: ['ignore', 'pipe', 'inherit'] });
  let told = '';
  for await (const text of child.stdout.setEncoding('utf8').iterator({ destroyOnReturn: false })) {
    told += text;
    const [, url] = /\burl (\S+)/u.exec(told) ?? [];
    if (url !== undefined) return { child, url };
  }
  throw new Error(`the emulator did not start: ${told}`);
}

/** Runs the upgrade; answers milliseconds and its document. */
async function upgrade({ command, args, env }) {
  const started = process.hrtime.bigint();
  const child = spawn(command, args, { env, stdio: ['ignore', 'pipe', 'ignore'] });
  const texts = [];
  child.stdout.setEncoding('utf8').on('data', (text) => texts.push(text));
  const code = await new Promise((resolve, reject) => child.on('error', reject).on('close', resolve));
  if (code !== 0) throw new Error(`the upgrade ended with ${code}`);
  return { milliseconds: Number(process.hrtime.bigint() - started) / 1e6, ...JSON.parse(texts.join('')) };
}

/** Measures an upgrade of so many pipelines: the time over what the answers alone take, the most memory, and the requests for a pipeline. */
export async function measureUpgrade({ cdapctl, folder, count }) {
  const { child, url } = await startPlatform(
    cdapctl('emulator', 'start', '--pipelines', String(count), '--latency', String(LATENCY)),
  );
  const peaks = join(folder, 'peaks');
  rmSync(peaks, { force: true });
  try {
    const side = cdapctl('upgrade', '-u', url, '--concurrency', String(AT_ONCE), '--json');
    const env = {
      ...side.env,
      NODE_OPTIONS: `--require=${join(import.meta.dirname, 'peak.cjs')}`,
      PEAK_FILE: peaks,
    };
    const { milliseconds, item } = await upgrade({ ...side, env });
    const log = await (await globalThis.fetch(`${url}/emulator/requests`)).text();
    const requests = log.split('\n').length - 1;
    const each = requests / item.summary.upgraded;
    const ratio = milliseconds / ((requests * LATENCY) / AT_ONCE);
    const [memory] = readFileSync(peaks, 'utf8').split('\n').map(Number);
    return [
      { name: `upgrade of ${count} / its answers`, bar: 1.25, median: ratio, memory, memoryBar: 250 },
      { name: 'requests for a pipeline', bar: 8, median: each },
    ].map((row) => ({ ...row, first: row.median, least: row.median, most: row.median }));
  } finally {
    const ended = once(child, 'close');
    child.kill();
    await ended;
  }
}
