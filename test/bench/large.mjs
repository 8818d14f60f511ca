// The rows of large things: a resource of a gigabyte (docs/faults.md L36), a catalog of 100,000 entries. Needs gpg, gpgv and curl, and some 4 GB of disk in the temporary folder.
import { execFileSync, fork } from 'node:child_process';
import { appendFileSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { makeBigHub } from './big-package.mjs';
import { compare } from './pairs.mjs';

const MEGABYTES = 1024;
const ENTRIES = 100_000;
const here = import.meta.dirname;

async function started(file, ...args) {
  const child = fork(join(here, file), args);
  const addresses = await new Promise((resolve) => child.once('message', resolve));
  return { child, ...addresses };
}

/** Downloads, verifies and uploads as a careful person does with three programs. */
const THREE_PROGRAMS = `cd "$WORK"
curl -sf -o big.jar "$HUB/packages/big/1.0.0/big.jar"
curl -sf -o big.jar.asc "$HUB/packages/big/1.0.0/big.jar.asc"
gpgv -q --keyring "$KEYRING" big.jar.asc big.jar 2>gpgv.log
curl -sf -X POST -T big.jar "$PLATFORM/v3/namespaces/default/artifacts/big"
rm big.jar`;

/** Measures all rows; `cdapctl` makes a side of a command line, `folder` is the home of its runs. */
export async function measureLarge({ cdapctl, folder, rounds }) {
  const work = join(folder, 'work');
  const peaks = join(folder, 'peaks');
  mkdirSync(work);
  const big = makeBigHub(folder, MEGABYTES);
  const servers = await started('large-servers.mjs', big.hub);
  const catalog = await started('loopback-hub.mjs', String(ENTRIES));
  const env = { PATH: process.env.PATH, HOME: folder, LANG: 'C.UTF-8' };
  const node = (...args) => ({ command: process.execPath, args: [join(here, 'plain.mjs'), ...args], env });
  const ours = (...args) => {
    const side = cdapctl(...args);
    return { ...side, env: { ...side.env, NODE_OPTIONS: `--require=${join(here, 'peak.cjs')}`, PEAK_FILE: peaks } };
  };
  const pin = ours('hub', 'key', 'add', big.key, '--hub', servers.hub, '--fingerprint', big.fingerprint, '-y');
  execFileSync(pin.command, pin.args, { env: pin.env, stdio: 'ignore' });
  const forget = async () => {
    await globalThis.fetch(servers.platform, { method: 'DELETE' });
    rmSync(join(folder, '.local/state/cdapctl/installs'), { recursive: true, force: true });
  };
  const parse = node('parse', `${catalog.url}/packages.json`);
  const rows = [
    {
      name: 'verify 1 GB / SHA-256',
      bar: 1.2,
      most: 150,
      ours: ours('hub', 'verify', 'big', '--hub', big.hub, '--keyring', big.key),
      theirs: node('sha256', big.jar),
    },
    {
      name: 'install 1 GB / curl, gpgv, curl',
      bar: 1,
      most: 150,
      ours: { ...ours('install', 'big', '--hub', servers.hub, '-u', servers.platform, '-y'), before: forget },
      theirs: {
        command: 'sh',
        args: ['-e', '-c', THREE_PROGRAMS],
        env: { ...env, WORK: work, HUB: servers.hub, KEYRING: big.keyring, PLATFORM: servers.platform },
      },
    },
    ...[
      ['list', []],
      ['search', ['kind 77']],
    ].map(([command, args]) => ({
      name: `hub ${command}, ${ENTRIES} / parse`,
      bar: 2,
      most: 250,
      ours: ours('hub', command, ...args, '--hub', catalog.url),
      theirs: parse,
    })),
  ];
  const results = [];
  try {
    for (const { most, ...row } of rows) {
      rmSync(peaks, { force: true });
      appendFileSync(peaks, '');
      const result = await compare({ ...row, rounds });
      const memory = Math.max(...readFileSync(peaks, 'utf8').split('\n').map(Number));
      results.push({ ...result, memory, memoryBar: most });
    }
  } finally {
    servers.child.kill();
    catalog.child.kill();
  }
  return results;
}
