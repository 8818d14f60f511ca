// Checks the tool against real platforms of four generations, two at a time: the contract suite, then installs, upgrades and reports by the real binary. Meanwhile, hubs on other hosts. `npm run test:platform`; with --fetch only gets what they need. See README.md.
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { performance } from 'node:perf_hooks';
import { fileURLToPath } from 'node:url';
import { failuresIn, failuresTo } from '../../.ci/failures.mjs';

const here = dirname(fileURLToPath(import.meta.url));
const project = resolve(here, '../..');
const cdap = join(here, 'cdap');
const vitest = join(project, 'node_modules/vitest/vitest.mjs');
const scratch = mkdtempSync(join(tmpdir(), 'cdapctl-platform-'));
const port = Number(process.env.CDAP_PORT ?? 11015);
const ACCOUNT = 'alice:secret';
/** How long a token lives where one is asked for; the cases about anything else take an extended one. */
const TOKEN_MS = '15000';
/** The newest takes longest to start and has most to answer; the others run beside it, one after the other. */
const LANES = [
  [
    {
      version: '6.11.0',
      variable: 'CDAPCTL_CONTRACT_URL',
      port,
      suites: {
        contract: ['--exclude=**/streams.contract.ts', '--exclude=**/*-6.1.contract.ts'],
        platform: ['--exclude=**/hosts/**'],
      },
      // A second platform, which asks for a token; its auth server takes the port behind it.
      signIn: { port: port + 2, variable: 'CDAPCTL_SIGN_IN_URL' },
    },
  ],
  [
    {
      version: '4.3.5',
      variable: 'CDAPCTL_CONTRACT_URL_4_3',
      port: port + 4,
      suites: {
        contract: ['streams.contract.ts'],
        platform: ['streams.platform', 'apps.platform', 'drafts.platform', 'pack.platform'],
      },
    },
    {
      version: '6.1.1',
      variable: 'CDAPCTL_CONTRACT_URL_6_1',
      port: port + 6,
      suites: {
        contract: [
          'user-store.contract',
          'namespaces.contract',
          '6.1.contract',
          'dashboard.contract',
          'metrics.contract',
        ],
        platform: [
          'streams.platform',
          'apps.platform',
          'drafts.platform',
          'upgrade.platform',
          'dashboard.platform',
          'metrics.platform',
          'reports.platform',
          'pipelines.platform',
          'settings.platform',
          'credentials.platform',
        ],
      },
      signIn: { port: port + 10, variable: 'CDAPCTL_SIGN_IN_URL_6_1' },
      // Some of these cases hold for the newest platform, too, and ask for the address of that one.
      contractVariable: 'CDAPCTL_CONTRACT_URL',
    },
    {
      version: '6.4.1',
      variable: 'CDAPCTL_CONTRACT_URL_6_4',
      port: port + 8,
      suites: {
        // Its report service runs by a file; what happens without one is seen on the newest.
        contract: [
          '--exclude=**/streams.contract.ts',
          '--exclude=**/*-6.1.contract.ts',
          '--exclude=**/replay.contract.ts',
          '--exclude=**/reports.contract.ts',
        ],
        platform: ['apps.platform', 'drafts.platform', 'pack.platform', 'upgrade.platform', 'reports.platform'],
      },
      contractVariable: 'CDAPCTL_CONTRACT_URL',
      with: { CDAP_REPORTS: '1' },
    },
  ],
];
const GENERATIONS = LANES.flat();
const given = Object.fromEntries(GENERATIONS.map(({ variable }) => [variable, process.env[variable]]));
// Each suite sees the addresses that it is for.
const env = { ...process.env };
for (const { variable } of GENERATIONS) delete env[variable];
const counts = { passed: 0, failed: 0 };
/** Whether a case ran in some suite; a case for one generation is skipped in the suites of the others. */
const ran = new Map();
const times = [];
const failures = [];

const children = new Set();
let interrupted = false;
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'])
  process.on(signal, () => {
    // Once: the steps that stop platforms come behind.
    if (interrupted) return;
    interrupted = true;
    for (const { pid } of children) {
      try {
        process.kill(-pid, signal);
      } catch {
        // It has just ended.
      }
    }
  });

/** Runs a step; what steps side by side say is shown one after the other. */
async function step(name, command, args, extra = {}) {
  const began = performance.now();
  const said = [];
  const code = await new Promise((done) => {
    const child = spawn(command, args, {
      cwd: project,
      env: { ...env, ...extra },
      stdio: ['ignore', 'pipe', 'pipe'],
      // An interrupt of a terminal reaches all processes; what stops a platform has to outlive it.
      detached: true,
    });
    children.add(child);
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (bytes) => said.push(bytes));
    child.on('error', (error) => {
      said.push(error.message);
      done(127);
    });
    child.on('close', (status) => {
      children.delete(child);
      done(status ?? 1);
    });
  });
  const seconds = (performance.now() - began) / 1000;
  process.stdout.write(`\n== ${name}\n${said.join('')}`);
  times.push([name, seconds, code]);
  return code === 0 && !interrupted;
}

function count(found) {
  for (const { name, assertionResults } of found?.testResults ?? [])
    for (const { fullName, status } of assertionResults) {
      const id = `${name} ${fullName}`;
      ran.set(id, ran.get(id) === true || status === 'passed' || status === 'failed');
    }
}

/** Runs one vitest project on one platform and adds up its counts; a run without a case has failed. */
async function suite(name, version, choice, extra) {
  const report = join(scratch, `${name}-${version}.json`);
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`];
  const failed = join(scratch, `${name}-${version}.failures.json`);
  const told = failuresTo(failed);
  const args = [vitest, 'run', '--project', name, ...choice, ...reporters, ...told.args];
  const good = await step(`${name} on ${version}`, process.execPath, args, { ...extra, ...told.env });
  const found = existsSync(report) ? JSON.parse(readFileSync(report, 'utf8')) : undefined;
  const passed = found?.numPassedTests ?? 0;
  count(found);
  const lines = failuresIn(failed).map((line) => `${version}: ${line}`);
  failures.push(...lines);
  counts.passed += passed;
  // A run that died has told of nothing.
  counts.failed += good && passed > 0 ? 0 : Math.max(1, lines.length);
  return good && passed > 0;
}

function requirements() {
  if (process.getuid?.() !== 0 || !existsSync('/etc/debian_version')) {
    throw new Error(
      'a real platform can be started by root on Debian only; set CDAPCTL_CONTRACT_URL to use one that runs elsewhere',
    );
  }
}

/** The address of a platform of this machine: the one that runs already at its port, or one that is started here and noted in `started`. */
async function ownPlatform(version, at, started, more = {}) {
  const extra = { CDAP_VERSION: version, CDAP_PORT: String(at), ...more };
  const what = `${version}${more.CDAP_AUTH ? ', which asks for a token' : ''}`;
  const status = () => spawnSync(cdap, ['status'], { env: { ...env, ...extra }, encoding: 'utf8' });
  if (interrupted) throw new Error('interrupted');
  if (status().status !== 0) {
    started.push([what, extra]);
    // What an earlier run left behind, such as a report service, is not what the cases expect.
    spawnSync(cdap, ['reset'], { env: { ...env, ...extra } });
    if (!(await step(`start ${what}`, cdap, ['start'], extra))) throw new Error(`${what} did not start`);
  }
  return status()
    .stdout.trim()
    .replace(/^running /u, '');
}

/** Runs the suites of one generation; the cases about tokens are skipped when the platform runs elsewhere. */
async function generation({ version, variable, contractVariable = variable, port: at, suites, signIn, with: more }) {
  const started = [];
  let secured;
  try {
    const url = given[variable] || (await ownPlatform(version, at, started, more));
    const addresses = { contract: { [contractVariable]: url, [variable]: url }, platform: { [variable]: url } };
    // The one that asks for a token comes up while the first suite is at work.
    if (signIn !== undefined && !given[variable]) {
      secured = ownPlatform(version, signIn.port, started, { CDAP_AUTH: ACCOUNT, CDAP_TOKEN_MS: TOKEN_MS });
      secured.catch(() => undefined);
    }
    let good = true;
    for (const [name, choice] of Object.entries(suites)) {
      if (interrupted) return false;
      if (name === 'platform' && secured !== undefined) {
        addresses.platform[signIn.variable] = await secured;
        addresses.platform.CDAPCTL_SIGN_IN_ACCOUNT = ACCOUNT;
      }
      good = (await suite(name, version, choice, addresses[name])) && good;
    }
    return good;
  } catch (error) {
    console.error(`test:platform: ${error.message}`);
    counts.failed += 1;
    return false;
  } finally {
    await secured?.catch(() => undefined);
    for (const [what, extra] of started) await step(`stop ${what}`, cdap, ['stop'], extra);
  }
}

/** One generation after the other. */
async function lane(generations) {
  let good = true;
  for (const one of generations) if (!interrupted) good = (await generation(one)) && good;
  return good;
}

/** Servers of hubs that are not ours; none of them needs a platform. */
const prepareHosts = () => step('fetch hosts', join(here, 'hosts/prepare'), []);
const hosts = () => suite('platform', 'hosts', ['platform/hosts/', '--maxWorkers=3'], {});

/** Gets all that is started here and leaves it: Java, the platforms, the JARs of packages, the servers of hubs. */
async function fetchAll() {
  let good = await prepareHosts();
  for (const { version } of GENERATIONS)
    if (!interrupted) good = (await step(`fetch ${version}`, cdap, ['prepare'], { CDAP_VERSION: version })) && good;
  return good;
}

let good = true;
try {
  // Whoever names a platform gets the suites of that one; else all are started here.
  const named = GENERATIONS.filter(({ variable }) => given[variable]);
  if (named.length === 0) requirements();
  if (process.argv.includes('--fetch')) good = named.length > 0 || (await fetchAll());
  else {
    // Before the others, which install from Debian as well.
    const isPrepared = named.length > 0 || (await prepareHosts());
    const lanes = named.length > 0 ? [lane(named)] : [...LANES.map(lane), hosts()];
    good = (await Promise.all(lanes)).every((one) => one) && isPrepared;
  }
} catch (error) {
  console.error(`test:platform: ${error.message}`);
  counts.failed += 1;
  good = false;
} finally {
  rmSync(scratch, { recursive: true, force: true });
}
console.log('');
for (const [name, seconds, code] of times)
  console.log(`${seconds.toFixed(1).padStart(8)} s  ${name}${code === 0 ? '' : `  (exit ${code})`}`);
for (const line of failures) console.log(`FAILED  ${line}`);
const left = [...ran.values()].filter((done) => !done).length;
const skipped = left === 0 ? '' : `, ${left} skipped`;
console.log(`platform: ${counts.passed} passed, ${counts.failed} failed${skipped}`);
process.exitCode = good && !interrupted ? 0 : 1;
