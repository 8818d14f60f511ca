// Checks the tool against a real platform: the contract suite, then installs by the real binary. `npm run test:platform`; see README.md.
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { performance } from 'node:perf_hooks';
import { fileURLToPath } from 'node:url';

const here = dirname(fileURLToPath(import.meta.url));
const project = resolve(here, '../..');
const cdap = join(here, 'cdap');
const vitest = join(project, 'node_modules/vitest/vitest.mjs');
const scratch = mkdtempSync(join(tmpdir(), 'cdapctl-platform-'));
const env = { ...process.env, CDAP_VERSION: '6.11.0' };
const counts = { passed: 0, failed: 0, skipped: 0 };
const times = [];

let child;
let interrupted = false;
for (const signal of ['SIGINT', 'SIGTERM']) {
  process.on(signal, () => {
    interrupted = true;
    child?.kill(signal);
  });
}

async function step(name, command, args, extra = {}) {
  const began = performance.now();
  console.log(`\n== ${name}`);
  const code = await new Promise((done) => {
    child = spawn(command, args, { cwd: project, env: { ...env, ...extra }, stdio: ['ignore', 'inherit', 'inherit'] });
    child.on('error', (error) => {
      console.error(error.message);
      done(127);
    });
    child.on('close', (status) => done(status ?? 1));
  });
  child = undefined;
  times.push([name, (performance.now() - began) / 1000, code]);
  return code === 0 && !interrupted;
}

/** Runs one vitest project and adds up its counts; a project that ran no case has failed. */
async function suite(name, url) {
  const report = join(scratch, `${name}.json`);
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`];
  const good = await step(name, process.execPath, [vitest, 'run', '--project', name, ...reporters], {
    CDAPCTL_CONTRACT_URL: url,
  });
  const found = existsSync(report) ? JSON.parse(readFileSync(report, 'utf8')) : undefined;
  const passed = found?.numPassedTests ?? 0;
  const failed = found?.numFailedTests ?? 0;
  counts.passed += passed;
  counts.skipped += (found?.numPendingTests ?? 0) + (found?.numTodoTests ?? 0);
  // A file that cannot be read, or a run that died, has no failed case of its own.
  counts.failed += failed > 0 || (good && passed > 0) ? failed : 1;
  return good && passed > 0;
}

function requirements() {
  if (process.getuid?.() !== 0 || !existsSync('/etc/debian_version')) {
    throw new Error(
      'a real platform can be started by root on Debian only; set CDAPCTL_CONTRACT_URL to use one that runs elsewhere',
    );
  }
}

let started = false;

/** The URL of the platform: the one that is given, one that runs already, or one that is started here. */
async function platform() {
  const given = process.env.CDAPCTL_CONTRACT_URL;
  if (given) return given;
  requirements();
  const status = () => spawnSync(cdap, ['status'], { env, encoding: 'utf8' });
  if (status().status !== 0) {
    started = true;
    if (!(await step('start the platform', cdap, ['start']))) throw new Error('the platform did not start');
  }
  return status()
    .stdout.trim()
    .replace(/^running /u, '');
}

let good = false;
try {
  const url = await platform();
  const contract = await suite('contract', url);
  good = !interrupted && (await suite('platform', url)) && contract;
} catch (error) {
  console.error(`test:platform: ${error.message}`);
  counts.failed += 1;
} finally {
  if (started) await step('stop the platform', cdap, ['stop']);
  rmSync(scratch, { recursive: true, force: true });
}
console.log('');
for (const [name, seconds, code] of times)
  console.log(`${seconds.toFixed(1).padStart(8)} s  ${name}${code === 0 ? '' : `  (exit ${code})`}`);
console.log(`platform: ${counts.passed} passed, ${counts.failed} failed, ${counts.skipped} skipped`);
process.exitCode = good ? 0 : 1;
