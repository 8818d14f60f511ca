// npm run bench: every bar of the design that is measured so far; --quick for fewer rounds; `npm run bench -- large` for large things, `npm run bench -- upgrade` for an upgrade of 10,000 pipelines; `npm run bench -- report` for a report of a million records; `npm run bench -- pipelines` for a list of 10,000 and a log of a gigabyte; `npm run bench -- hosting` for building and signing a hub, `npm run bench -- serving` for its server. Keep other work off the machine.
import { fork } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { build } from '../../.ci/build.mjs';
import { measureHosting } from './hosting.mjs';
import { measureSigning } from './signing.mjs';
import { machineLine } from './machine.mjs';
import { measureLarge } from './large.mjs';
import { measureNamespaces } from './namespaces.mjs';
import { compare, report } from './pairs.mjs';
import { measurePipelines } from './pipelines.mjs';
import { measureReport } from './report.mjs';
import { measureServing } from './serving.mjs';
import { measureUpgrade } from './upgrade.mjs';

const ROOT = resolve(import.meta.dirname, '../..');
const large = process.argv.includes('large');
const upgrades = process.argv.includes('upgrade');
const reports = process.argv.includes('report');
const pipelines = process.argv.includes('pipelines');
const hosting = process.argv.includes('hosting');
const serving = process.argv.includes('serving');
const quick = process.argv.includes('--quick');
const rounds = upgrades ? 1 : reports ? (quick ? 1 : 3) : quick || large || pipelines || hosting || serving ? 5 : 15;
const home = mkdtempSync(join(tmpdir(), 'cdapctl-bench-'));
const program = join(home, 'program');
for (const name of ['bin', 'package.json', 'oclif.manifest.json'])
  cpSync(join(ROOT, name), join(program, name), { recursive: true });
symlinkSync(join(ROOT, 'node_modules'), join(program, 'node_modules'), 'junction');
await build(join(program, 'dist'));
const env = { PATH: process.env.PATH, HOME: home, LANG: 'C.UTF-8' };
const cdapctl = (...args) => ({ command: process.execPath, args: [join(program, 'bin/run.js'), ...args], env });
const nothing = { command: process.execPath, args: ['-e', '0'], env };

async function measureStart() {
  const hub = fork(join(import.meta.dirname, 'loopback-hub.mjs'), ['421']);
  const { url } = await new Promise((done) => hub.once('message', done));
  const rows = [
    { name: '--version', bar: 2.5, ours: cdapctl('--version') },
    { name: 'version --json', bar: 2.5, ours: cdapctl('version', '--json') },
    { name: 'hub list, 421 packages', bar: 4, ours: cdapctl('hub', 'list', '--hub', url) },
  ];
  const results = [];
  try {
    for (const row of rows) results.push(await compare({ ...row, rounds, theirs: nothing }));
  } finally {
    hub.kill();
  }
  return results;
}

try {
  const base =
    large || upgrades || reports || pipelines || hosting || serving ? 'what stands behind the stroke' : '"node -e 0"';
  console.log(`ratios to ${base}, ${rounds} rounds, load ${loadavg()[0].toFixed(1)}\n${machineLine(nothing)}\n`);
  const results = upgrades
    ? await measureUpgrade({ cdapctl, folder: home, count: quick ? 1000 : 10_000 })
    : reports
      ? await measureReport({ cdapctl, folder: home, count: quick ? 100_000 : 1_000_000, rounds })
      : pipelines
        ? await measurePipelines({ cdapctl, folder: home, quick, rounds })
        : hosting || serving
          ? [
              ...(hosting ? await measureSigning({ cdapctl, folder: home, rounds, quick }) : []),
              ...(hosting ? await measureHosting({ cdapctl, folder: home, rounds, quick }) : []),
              ...(await measureServing({ cdapctl, folder: home, rounds })),
            ]
          : large
            ? [
                ...(await measureNamespaces({ cdapctl, folder: home, rounds })),
                ...(await measureLarge({ cdapctl, folder: home, rounds })),
              ]
            : await measureStart();
  process.exitCode = report(results) ? 0 : 1;
} finally {
  rmSync(home, { recursive: true, force: true });
}
