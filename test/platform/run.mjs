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
const port = Number(process.env.CDAP_PORT ?? 11015);
// A second platform, which asks for a token; its auth server takes the port behind it.
const ACCOUNT = 'alice:secret';
const SIGN_IN = { CDAP_PORT: String(port + 2), CDAP_AUTH: ACCOUNT };
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
async function suite(name, extra) {
  const report = join(scratch, `${name}.json`);
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`];
  const good = await step(name, process.execPath, [vitest, 'run', '--project', name, ...reporters], extra);
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

const started = [];

/** The URL of a platform of this machine: the one that runs already at its port, or one that is started here and stopped at the end. */
async function ownPlatform(what, extra = {}) {
  const status = () => spawnSync(cdap, ['status'], { env: { ...env, ...extra }, encoding: 'utf8' });
  if (status().status !== 0) {
    started.push([what, extra]);
    if (!(await step(`start ${what}`, cdap, ['start'], extra))) throw new Error(`${what} did not start`);
  }
  return status()
    .stdout.trim()
    .replace(/^running /u, '');
}

/** Runs both suites; the cases about tokens are skipped when the platform runs elsewhere. */
async function suites() {
  const given = process.env.CDAPCTL_CONTRACT_URL;
  if (!given) requirements();
  const CDAPCTL_CONTRACT_URL = given || (await ownPlatform('the platform'));
  const contract = await suite('contract', { CDAPCTL_CONTRACT_URL });
  if (interrupted) return false;
  const signIn = given
    ? {}
    : {
        CDAPCTL_SIGN_IN_URL: await ownPlatform('a platform that asks for a token', SIGN_IN),
        CDAPCTL_SIGN_IN_ACCOUNT: ACCOUNT,
      };
  return !interrupted && (await suite('platform', { CDAPCTL_CONTRACT_URL, ...signIn })) && contract;
}

let good = false;
try {
  good = await suites();
} catch (error) {
  console.error(`test:platform: ${error.message}`);
  counts.failed += 1;
} finally {
  for (const [what, extra] of started) await step(`stop ${what}`, cdap, ['stop'], extra);
  rmSync(scratch, { recursive: true, force: true });
}
console.log('');
for (const [name, seconds, code] of times)
  console.log(`${seconds.toFixed(1).padStart(8)} s  ${name}${code === 0 ? '' : `  (exit ${code})`}`);
const skipped = counts.skipped === 0 ? '' : `, ${counts.skipped} skipped`;
console.log(`platform: ${counts.passed} passed, ${counts.failed} failed${skipped}`);
process.exitCode = good ? 0 : 1;
