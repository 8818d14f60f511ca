// The rows of signing a hub: a file of a gigabyte against SHA-256 alone, the processor time of 6,000 files, the memory of 100,000 packages, and building and signing 2,000 packages again after one has been added, against the first time.
import {
  chmodSync,
  copyFileSync,
  cpSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { makeOddTree } from '../support/sites/odd-tree.mjs';
import { compare } from './pairs.mjs';

const here = import.meta.dirname;
const AGAIN = 0.15;
/** Names of keys, and their bars: of a gigabyte as a ratio, of 6,000 files in seconds. */
const GIGABYTE = [
  { kind: 'ed25519', bar: 1.3 },
  { kind: 'rsa3072', bar: 1.3 },
  { kind: 'nistp256', bar: 2.2 },
];
const SECONDS = [
  { kind: 'ed25519', bar: 3 },
  { kind: 'rsa3072', bar: 15 },
];

/** Measures the rows; `cdapctl` makes a side of a command line, `folder` is the home of its runs. */
export async function measureSigning({ cdapctl, folder, rounds, quick }) {
  const keyOf = (kind) => {
    const key = join(folder, `${kind}.key`);
    copyFileSync(join(here, `../fixtures/keys/signing/${kind}.secret.asc`), key);
    chmodSync(key, 0o600);
    return key;
  };
  const measured = (side, preload, variable) => {
    const file = join(folder, variable);
    writeFileSync(file, '');
    const env = { ...side.env, NODE_OPTIONS: `--require=${join(here, preload)}`, [variable]: file };
    return { side: { ...side, env }, values: () => readFileSync(file, 'utf8').trim().split('\n').map(Number) };
  };
  const given = { cdapctl, folder, rounds, quick, keyOf, measured };
  // First what makes thousands of files: ext4 takes its time for new ones after thousands were removed.
  return [...(await files(given)), ...(await gigabyte(given)), await packages(given), await again(given)];
}

/** Removes what signing wrote. */
function unsign(path) {
  const made = readdirSync(path, { recursive: true }).filter((name) => name.endsWith('.asc') || name === 'index.json');
  for (const name of made) rmSync(join(path, name));
}

async function gigabyte({ cdapctl, folder, rounds, quick, keyOf, measured }) {
  const path = join(folder, 'tree-gigabyte');
  mkdirSync(path);
  makeOddTree(path, 1, true);
  const jar = join(path, 'packages/package-0/1.0.0/large.jar');
  writeFileSync(jar, '');
  truncateSync(jar, quick ? 2 ** 28 : 2 ** 30);
  build(cdapctl, path);
  const theirs = {
    command: process.execPath,
    args: [join(here, 'plain.mjs'), 'sha256', jar],
    env: { PATH: process.env.PATH },
  };
  const results = [];
  for (const { kind, bar } of GIGABYTE) {
    const signed = { ...cdapctl('hub', 'sign', path, '--key', keyOf(kind)), before: () => unsign(path) };
    const { side: ours, values } = measured(signed, 'peak.cjs', 'PEAK_FILE');
    const result = await compare({ name: `hub sign, 1 GB, ${kind} / SHA-256`, bar, rounds, ours, theirs });
    results.push({ ...result, memory: Math.max(...values()), memoryBar: 150 });
  }
  rmSync(path, { recursive: true });
  return results;
}

/** The columns have seconds of processor time in place of ratios. */
async function files({ cdapctl, folder, quick, keyOf, measured }) {
  const [path, source, done] = ['tree-files', 'tree-unsigned', 'trees-signed'].map((name) => join(folder, name));
  for (const one of [source, done]) mkdirSync(one);
  makeOddTree(source, 1500);
  build(cdapctl, source);
  const results = [];
  for (const { kind, bar } of SECONDS) {
    const { side, values } = measured(
      cdapctl('hub', 'sign', path, '--key', keyOf(kind)),
      'processor.cjs',
      'PROCESSOR_FILE',
    );
    for (let round = 0; round < (quick ? 2 : 4); round += 1) {
      cpSync(source, path, { recursive: true });
      // A tree is on the disk long before it is signed; else the run would flush the copy as well.
      run({ command: 'sync', args: [] });
      run(side);
      renameSync(path, join(done, `${kind}-${round}`));
    }
    const [first, ...rest] = values();
    rest.sort((a, b) => a - b);
    const [least, median, most] = [rest[0], rest[Math.floor(rest.length / 2)], rest.at(-1)];
    results.push({ name: `hub sign, 6,000 files, ${kind}: seconds of processor`, bar, first, median, least, most });
  }
  return results;
}

/** First and again, against hashing alone, which an index without signatures does. */
async function packages({ cdapctl, folder, quick, keyOf, measured }) {
  const path = join(folder, 'tree-packages');
  mkdirSync(path);
  makeOddTree(path, quick ? 10_000 : 100_000, true);
  build(cdapctl, path);
  const { side: ours, values } = measured(
    cdapctl('hub', 'sign', path, '--key', keyOf('ed25519')),
    'peak.cjs',
    'PEAK_FILE',
  );
  const theirs = {
    command: process.execPath,
    args: [join(here, 'plain.mjs'), 'specifications', path],
    env: { PATH: process.env.PATH },
  };
  const result = await compare({ name: 'hub sign again, 100,000 / read and parse', bar: 4, rounds: 1, ours, theirs });
  return { ...result, memory: Math.max(...values()), memoryBar: 250 };
}

function run({ command, args, env }) {
  const { status, stderr } = spawnSync(command, args, { env });
  if (status !== 0) throw new Error(`${args.join(' ')} failed: ${stderr}`);
}

const build = (cdapctl, path) => run(cdapctl('hub', 'build', path));

async function again({ cdapctl, folder, quick, keyOf }) {
  const count = quick ? 1000 : 2000;
  const key = keyOf('rsa3072');
  const tree = (name) => {
    const path = join(folder, name);
    mkdirSync(path);
    makeOddTree(path, count);
    return path;
  };
  const side = (path, before) => {
    const lines = [cdapctl('hub', 'build', path), cdapctl('hub', 'sign', path, '--key', key)];
    const script = lines.map(({ command, args }) => [command, ...args].map((word) => `'${word}'`).join(' '));
    return { command: 'sh', args: ['-c', script.join(' && ')], env: lines[0].env, before };
  };
  const [again, first] = [tree('signed-again'), tree('signed-first')];
  let added = 0;
  const ours = side(again, () => {
    const place = join(again, 'packages/package-0', `9.9.${(added += 1)}`);
    mkdirSync(place);
    for (const file of ['spec.json', 'kind-0.json', 'kind-0.jar'])
      copyFileSync(join(again, 'packages/package-0/1.0.0', file), join(place, file));
  });
  const theirs = side(first, () => {
    const made = readdirSync(first, { recursive: true }).filter((name) => /\.asc$|^[a-z]+\.json$/u.test(name));
    for (const name of made) rmSync(join(first, name));
  });
  run(ours);
  const name = `hub build and sign, ${count}, again / first`;
  const result = await compare({ name, bar: AGAIN, rounds: 1, ours, theirs });
  for (const path of [again, first]) rmSync(path, { recursive: true, force: true });
  return result;
}
