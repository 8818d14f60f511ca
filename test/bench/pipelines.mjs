// The rows of pipelines: a list of 10,000 beside a plain program with the same requests, and a log of a gigabyte to a file beside curl. Needs curl, and some 2 GB of disk in the temporary folder.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, rmSync } from 'node:fs';
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { compare } from './pairs.mjs';
import { startPlatform } from './upgrade.mjs';

const here = import.meta.dirname;

/** A side that tells its memory; the first run, which compiles the code for the others, does not count. */
async function withPeak(side, peaks) {
  await compare({ name: '', bar: 0, rounds: 0, ours: side, theirs: { command: 'true', args: [], env: side.env } });
  rmSync(peaks, { force: true });
  return { ...side, env: { ...side.env, NODE_OPTIONS: `--require=${join(here, 'peak.cjs')}`, PEAK_FILE: peaks } };
}

const memoryIn = (peaks) => Math.max(...readFileSync(peaks, 'utf8').trim().split('\n').map(Number));

/** Measures a list of so many pipelines of an emulated platform. */
async function measureList({ cdapctl, folder, count, rounds }) {
  const { child, url } = await startPlatform(cdapctl('emulator', 'start', '--pipelines', String(count)));
  const peaks = join(folder, 'peaks');
  try {
    const side = cdapctl('pipeline', 'list', '-n', 'default', '-u', url, '-o', 'csv');
    const theirs = { command: process.execPath, args: [join(here, 'plain.mjs'), 'pipelines', url], env: side.env };
    const name = `pipeline list of ${count} / its requests`;
    const result = await compare({ name, bar: 1.5, rounds, ours: await withPeak(side, peaks), theirs });
    return { ...result, memory: memoryIn(peaks), memoryBar: 150 };
  } finally {
    const ended = once(child, 'close');
    child.kill();
    await ended;
  }
}

/** Measures a log of so many megabytes; both files have to be the same. */
async function measureLog({ cdapctl, folder, megabytes, rounds }) {
  const server = fork(join(here, 'log-server.mjs'), [String(megabytes)]);
  const [{ url, log }] = await once(server, 'message');
  const [peaks, ours, theirs] = ['peaks', 'ours.log', 'theirs.log'].map((name) => join(folder, name));
  const side = cdapctl('pipeline', 'logs', 'default/big', 'latest', '-u', url);
  const quiet = { command: 'sh', args: ['-c', 'exec "$@" > "$OUT"', 'sh'] };
  try {
    const result = await compare({
      name: `log of ${megabytes} MB to a file / curl`,
      bar: 1.3,
      rounds,
      ours: await withPeak(
        { command: 'sh', args: [...quiet.args, side.command, ...side.args], env: { ...side.env, OUT: ours } },
        peaks,
      ),
      theirs: { command: 'sh', args: [...quiet.args, 'curl', '-sf', log], env: { ...side.env, OUT: theirs } },
    });
    execFileSync('cmp', [ours, theirs]);
    return { ...result, memory: memoryIn(peaks), memoryBar: 100 };
  } finally {
    server.kill();
    for (const file of [ours, theirs]) rmSync(file, { force: true });
  }
}

/** Measures both rows. */
export async function measurePipelines({ cdapctl, folder, quick, rounds }) {
  return [
    await measureList({ cdapctl, folder, count: quick ? 2000 : 10_000, rounds }),
    await measureLog({ cdapctl, folder, megabytes: quick ? 128 : 1024, rounds }),
  ];
}
