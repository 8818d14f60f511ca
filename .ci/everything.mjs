// Runs the commands that `.ci/run` names, one after the other until one fails, while real platforms are fetched in the background. The last line counts the tests of all steps. An interrupt ends all that was started.
import { spawn } from 'node:child_process';
import { setPriority } from 'node:os';
import { dirname, resolve } from 'node:path';
import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

const ROOT = resolve(dirname(fileURLToPath(import.meta.url)), '..');
const PLATFORMS = 'test/platform/run.mjs';
/** How long the last step waits for a fetch that began with the first one. */
const LONGEST_FETCH = 600_000;
const STEPS = process.argv.slice(2);

const running = new Set();
const times = [];
const total = { passed: 0, failed: 0 };
let isInterrupted = false;

/** Starts a group of processes of its own, so that an interrupt reaches all of it. */
function start([command, ...args]) {
  const child = spawn(command, args, { cwd: ROOT, stdio: ['ignore', 'pipe', 'pipe'], detached: true });
  running.add(child);
  child.on('error', (error) => console.error(error.message));
  child.on('close', () => running.delete(child));
  return child;
}

/** The exit code, also of a program that could not be started. */
const ended = (child) => new Promise((done) => child.once('close', done));

function end() {
  for (const { pid } of running) {
    try {
      process.kill(-pid, 'SIGTERM');
    } catch {
      // It has just ended.
    }
  }
}
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'])
  process.on(signal, () => {
    isInterrupted = true;
    end();
  });

async function step(name) {
  const began = performance.now();
  const child = start(name.split(' '));
  let tail = '';
  for (const from of ['stdout', 'stderr'])
    child[from].on('data', (bytes) => {
      process[from].write(bytes);
      tail = (tail + bytes.toString('utf8')).slice(-20_000);
    });
  const status = await ended(child);
  const [, passed, failed] = [...tail.matchAll(/(\d+) passed, (\d+) failed/gu)].pop() ?? [name, 0, 0];
  total.passed += Number(passed);
  total.failed += status === 0 ? Number(failed) : Math.max(1, Number(failed));
  times.push(
    `${((performance.now() - began) / 60_000).toFixed(1).padStart(6)} min  ${name}${status === 0 ? '' : '  FAILED'}`,
  );
  return status === 0 && !isInterrupted;
}

/** Fetches what the last step needs while the others are at work, with what processor time they leave; what goes wrong, or is not there in time, is told by that step, which tries again. */
async function fetchPlatforms() {
  const child = start([process.execPath, PLATFORMS, '--fetch']);
  for (const stream of [child.stdout, child.stderr]) stream.resume();
  if (child.pid !== undefined) setPriority(child.pid, 19);
  await ended(child);
}

let fetched = Promise.resolve();
for (const [at, one] of STEPS.entries()) {
  if (at === 1) fetched = fetchPlatforms();
  if (at === STEPS.length - 1) {
    await Promise.race([fetched, sleep(LONGEST_FETCH, undefined, { ref: false })]);
    end(); // a fetch that hangs
  }
  if (isInterrupted || !(await step(one))) break;
}
end(); // what is left of the fetch, where a step has failed
await fetched;
console.log(`\n${times.join('\n')}`);
const isGood = times.length === STEPS.length && total.failed === 0 && !isInterrupted;
console.log(`${total.passed} passed, ${isGood ? 0 : Math.max(1, total.failed)} failed`);
process.exitCode = isGood ? 0 : 1;
