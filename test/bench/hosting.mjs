// The rows of hosting a hub: 2,000 packages built against reading and parsing their specifications, and the memory of 100,000.
import { appendFileSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { makeOddTree } from '../support/sites/odd-tree.mjs';
import { compare } from './pairs.mjs';

const PACKAGES = 2000;
const MOST = 100_000;
const here = import.meta.dirname;

/** Measures all rows; `cdapctl` makes a side of a command line, `folder` is the home of its runs. */
export async function measureHosting({ cdapctl, folder, rounds, quick }) {
  const peaks = join(folder, 'peaks');
  const tree = (count) => {
    const path = join(folder, `tree-${count}`);
    mkdirSync(path);
    makeOddTree(path, count, true);
    return path;
  };
  const build = (path) => {
    const side = cdapctl('hub', 'build', path);
    const env = { ...side.env, NODE_OPTIONS: `--require=${join(here, 'peak.cjs')}`, PEAK_FILE: peaks };
    const before = () => rmSync(join(path, 'packages.json'), { force: true });
    return { ...side, env, before };
  };
  const read = (path) => ({
    command: process.execPath,
    args: [join(here, 'plain.mjs'), 'specifications', path],
    env: { PATH: process.env.PATH },
  });
  const counts = [
    { count: PACKAGES, rounds },
    { count: quick ? MOST / 10 : MOST, rounds: 1 },
  ];
  const results = [];
  for (const { count, rounds: times } of counts) {
    const path = tree(count);
    rmSync(peaks, { force: true });
    appendFileSync(peaks, '');
    const name = `hub build, ${count} / read and parse`;
    const result = await compare({ name, bar: 3, rounds: times, ours: build(path), theirs: read(path) });
    const memory = Math.max(...readFileSync(peaks, 'utf8').split('\n').map(Number));
    results.push({ ...result, memory, memoryBar: 250 });
    rmSync(path, { recursive: true, force: true });
  }
  return results;
}
