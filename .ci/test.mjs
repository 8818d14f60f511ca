// The project's test run: each step timed, the first failure stops, counts of tests summed up at the end. With --long what takes minutes: installs killed at every point, every fault in both forms of output, random input for every parser.
import { spawnSync } from 'node:child_process';
import { performance } from 'node:perf_hooks';
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from './build.mjs';

const REPORTS = join(ROOT, '.cache', 'reports');
const bin = (name) => join(ROOT, 'node_modules', ...name.split('/'));
const tests = (project, ...more) => ({ name: project, project, more });
const BUILD = { name: 'build', args: ['.ci/build.mjs'] };
// These tests wait for other processes more than they work, so more of them than there are processors run side by side.
const WAITING = '--poolOptions.forks.maxForks=4';
// What can do harm is tried at each change; `--long` has all faults.
const WRITES = [
  'install-answers',
  'install-refusals',
  'install-kill.fault',
  'install-kill-data',
  'load-data',
  'network-writes',
];
const STEPS = [
  { name: 'types', args: [bin('typescript/bin/tsc'), '--noEmit'] },
  { name: 'lint', args: [bin('eslint/bin/eslint.js'), '.'] },
  { name: 'format', args: [bin('prettier/bin/prettier.cjs'), '--check', '--log-level', 'warn', '.'] },
  { name: 'generated files', args: ['.ci/generate.mjs', '--check'] },
  tests('unit'),
  BUILD,
  tests('contract'),
  tests('e2e', WAITING),
  { ...tests('faults', WAITING, ...WRITES), name: 'faults of writes' },
];
const LONG_STEPS = [
  BUILD,
  { ...tests('faults', WAITING), env: { CDAPCTL_KILL_POINTS: 'all' } },
  { name: 'fuzz', args: ['test/fuzz/run.mjs'] },
];

function run({ name, args, project, more = [], env = {} }) {
  const started = performance.now();
  const report = join(REPORTS, `${name}.json`);
  const vitest = [
    bin('vitest/vitest.mjs'),
    'run',
    '--project',
    project,
    '--passWithNoTests',
    '--reporter=default',
    '--reporter=json',
    `--outputFile.json=${report}`,
    ...more,
  ];
  const { status } = spawnSync(process.execPath, args ?? vitest, {
    cwd: ROOT,
    stdio: 'inherit',
    env: { ...process.env, CDAPCTL_BUILT: '1', ...env },
  });
  const counts = project === undefined ? { passed: 0, failed: 0 } : countsOf(report, status);
  return { name, ok: status === 0, seconds: (performance.now() - started) / 1000, ...counts };
}

function countsOf(report, status) {
  if (!existsSync(report)) return { passed: 0, failed: status === 0 ? 0 : 1 };
  const { numPassedTests, numFailedTests } = JSON.parse(readFileSync(report, 'utf8'));
  return { passed: numPassedTests, failed: status === 0 ? 0 : Math.max(1, numFailedTests) };
}

rmSync(REPORTS, { recursive: true, force: true });
mkdirSync(REPORTS, { recursive: true });
const results = [];
for (const step of process.argv.includes('--long') ? LONG_STEPS : STEPS) {
  console.log(`\n== ${step.name}`);
  const result = run(step);
  results.push(result);
  if (!result.ok) break;
}
console.log('');
for (const { name, ok, seconds, passed } of results) {
  const count = passed > 0 ? `${passed} tests` : '';
  console.log(
    `${ok ? 'ok    ' : 'FAILED'}  ${name.padEnd(16)} ${seconds.toFixed(1).padStart(6)} s  ${count}`.trimEnd(),
  );
}
const sum = (member) => results.reduce((total, result) => total + result[member], 0);
const failed = results.every(({ ok }) => ok) ? 0 : Math.max(1, sum('failed'));
console.log(`${sum('passed')} passed, ${failed} failed`);
process.exitCode = failed === 0 ? 0 : 1;
