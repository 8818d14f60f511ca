// The rows of platforms with many namespaces: a dashboard and a report of 2,000 of them, beside a plain program that asks for the same, eight at a time.
import { once } from 'node:events';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { compare } from './pairs.mjs';
import { startPlatform } from './upgrade.mjs';

const COUNT = 2000;
const here = import.meta.dirname;

/** Measures both rows on an emulated platform of its own. */
export async function measureNamespaces({ cdapctl, folder, rounds }) {
  const [seed, peaks, asked] = ['seed.json', 'peaks', 'asked'].map((name) => join(folder, name));
  const namespaces = Array.from({ length: COUNT }, (_, at) => `analysts_of_team_${at}`);
  writeFileSync(seed, JSON.stringify({ namespaces, runs: { count: 100_000 } }));
  const { child, url } = await startPlatform(cdapctl('emulator', 'start', '--seed', seed));
  const measured = async (name, bar, ...args) => {
    rmSync(peaks, { force: true });
    const side = cdapctl(...args, '-u', url, '--json');
    const env = { ...side.env, NODE_OPTIONS: `--require=${join(here, 'peak.cjs')}`, PEAK_FILE: peaks };
    const before = () => globalThis.fetch(`${url}/emulator/requests`, { method: 'DELETE' });
    await compare({ name, bar, rounds: 1, ours: { ...side, env, before }, theirs: { command: 'true', args: [], env } });
    const log = await (await globalThis.fetch(`${url}/emulator/requests`)).text();
    const lines = log
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    const paths = lines.filter(({ method }) => method === 'GET').map(({ path }) => path);
    writeFileSync(asked, paths.join('\n'));
    const theirs = { command: process.execPath, args: [join(here, 'plain.mjs'), 'ask', url, asked], env: side.env };
    const result = await compare({ name, bar, rounds, ours: { ...side, env }, theirs });
    const memory = Math.max(...readFileSync(peaks, 'utf8').split('\n').map(Number));
    return { ...result, memory, memoryBar: 250 };
  };
  try {
    const last = ['--last', '1d'];
    return [
      await measured(`dashboard, ${COUNT} namespaces / asking`, 2, 'dashboard', '-A', ...last),
      await measured(`report, ${COUNT} namespaces / asking`, 4, 'report', 'run', '-A', ...last),
    ];
  } finally {
    const ended = once(child, 'close');
    child.kill();
    await ended;
  }
}
