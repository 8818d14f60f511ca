// The project's test run: each step timed, the first failure stops, counts of tests summed up at the end. With --long what takes minutes: format, all faults at points that a seed draws, random input for every parser, changes of the sources that a test must notice. With --full the same at every point.
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { performance } from 'node:perf_hooks';
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from './build.mjs';
import { failuresIn, failuresTo } from './failures.mjs';

const REPORTS = join(ROOT, '.cache', 'reports');
const bin = (name) => join(ROOT, 'node_modules', ...name.split('/'));
const tests = (project, ...more) => ({ name: project, project, more });
const BUILD = { name: 'build', args: ['.ci/build.mjs'] };
// These tests wait for other processes more than they work, so more of them than there are processors run side by side.
const WAITING = '--maxWorkers=4';
// Most of its files wait for seconds on end, as the tool does for a platform that shows a change late.
const IDLE = '--maxWorkers=7';
// No module has state of its own, so the files of a worker may share what they load: half the time.
const SHARING = '--no-isolate';
// Where somebody waits, another one works.
const TWO = '--maxWorkers=2';
// What can do harm is tried at each change; `--long` and `--full` have all faults.
const WRITES = ['install-answers', '/install-kill.fault', 'install-kill-data', 'upgrade-kill'];
/** Each example of each help page as printed: many processes that one change of one command seldom concerns. */
const EXAMPLES = 'help-examples';
const BUILT = ['test/contract/', 'test/e2e/', ...WRITES, `--exclude=**/${EXAMPLES}-*`];
/** Each line is a turn; what stands in one turn runs side by side, a list one after the other. */
const TURNS = [
  [
    [
      { name: 'types and lint', args: [bin('oxlint/bin/oxlint')] },
      { name: 'generated files', args: ['.ci/generate.mjs', '--check'] },
    ],
    [tests('unit', SHARING, TWO, '--coverage')],
  ],
  [
    [
      BUILD,
      // In one run, so that none waits for the last file of the others.
      { ...tests('tool', SHARING, IDLE, ...BUILT), name: 'the whole tool' },
    ],
  ],
];
/** Other points for each commit, the same ones for the same. */
function seedOfCommit() {
  try {
    return execFileSync('git', ['rev-parse', 'HEAD'], {
      cwd: ROOT,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    }).trim();
  } catch {
    return `${Date.now()}`; // no repository
  }
}

const long = (depth, seed) => [
  [
    [
      { name: 'format', args: [bin('prettier/bin/prettier.cjs'), '--check', '--log-level', 'warn', '.'] },
      BUILD,
      depth === 'all'
        ? { ...tests('e2e', WAITING), env: { CDAPCTL_PROCESSES: '1' } }
        : { ...tests('e2e', WAITING, EXAMPLES), name: 'examples of help' },
      { ...tests('faults', WAITING), env: { CDAPCTL_DEPTH: depth, CDAPCTL_SEED: seed } },
      { name: 'fuzz', args: ['test/fuzz/run.mjs'] },
      {
        name: 'mutants',
        args: ['test/mutation/run.mjs'],
        env: { CDAPCTL_SEED: seed, ...(depth === 'all' && { CDAPCTL_MUTANTS: '400' }) },
      },
    ],
  ],
];
const running = new Set();
let isStopped = false;

async function run({ name, args, project, more = [], env = {} }, isAlone) {
  const started = performance.now();
  const report = join(REPORTS, `${name}.json`);
  const failures = join(REPORTS, `${name}.failures.json`);
  const told = failuresTo(failures);
  const vitest = [
    bin('vitest/vitest.mjs'),
    'run',
    '--project',
    project,
    '--passWithNoTests',
    '--reporter=default',
    '--reporter=json',
    `--outputFile.json=${report}`,
    ...told.args,
    ...more,
  ];
  const output = [];
  if (isAlone) console.log(`\n== ${name}`);
  const child = spawn(process.execPath, args ?? vitest, {
    cwd: ROOT,
    stdio: isAlone ? 'inherit' : ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, CDAPCTL_BUILT: '1', ...told.env, ...env },
  });
  running.add(child);
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (bytes) => output.push(bytes));
  const [status] = await once(child, 'close');
  running.delete(child);
  // What runs side by side is shown one after the other.
  if (!isAlone && !isStopped) process.stdout.write(`\n== ${name}\n${Buffer.concat(output)}`);
  return {
    name,
    ok: status === 0,
    seconds: (performance.now() - started) / 1000,
    ...countsOf(report, status),
    failures: failuresIn(failures),
  };
}

function countsOf(report, status) {
  if (!existsSync(report)) return { passed: 0, failed: status === 0 ? 0 : 1 };
  const found = JSON.parse(readFileSync(report, 'utf8'));
  const failed = status === 0 ? 0 : Math.max(1, found.numFailedTests);
  return { passed: found.numPassedTests, failed };
}

rmSync(REPORTS, { recursive: true, force: true });
mkdirSync(REPORTS, { recursive: true });
const results = [];

async function runLane(steps, isAlone) {
  for (const step of steps) {
    if (isStopped) return;
    const result = await run(step, isAlone);
    // What was stopped because of another one says nothing.
    if (isStopped) return;
    results.push(result);
    if (result.ok) continue;
    isStopped = true;
    for (const child of running) child.kill();
  }
}

function turns() {
  if (process.argv.includes('--full')) return long('all', 'all');
  if (!process.argv.includes('--long')) return TURNS;
  const seed = process.env.CDAPCTL_SEED || seedOfCommit();
  console.log(`seed ${seed}; to repeat this run: CDAPCTL_SEED=${seed} npm run test:long`);
  return long('drawn', seed);
}

for (const lanes of turns()) await Promise.all(lanes.map((steps) => runLane(steps, lanes.length === 1)));
console.log('');
for (const { name, ok, seconds, passed } of results) {
  const count = passed > 0 ? `${passed} ${name === 'mutants' ? 'noticed' : 'tests'}` : '';
  console.log(
    `${ok ? 'ok    ' : 'FAILED'}  ${name.padEnd(16)} ${seconds.toFixed(1).padStart(6)} s  ${count}`.trimEnd(),
  );
}
for (const line of results.flatMap(({ failures }) => failures)) console.log(`FAILED  ${line}`);
const sum = (member) => results.reduce((total, result) => total + result[member], 0);
const failed = results.every(({ ok }) => ok) ? 0 : Math.max(1, sum('failed'));
console.log(`${sum('passed')} passed, ${failed} failed`);
process.exitCode = failed === 0 ? 0 : 1;
