// Feeds every parser with changed samples (`npm run fuzz`): 60 seconds, or CDAPCTL_FUZZ_SECONDS; CDAPCTL_FUZZ_SEED repeats a run. A failure is
// made small and saved in `cases`, from where `test/unit/fuzz.test.ts` reads it for ever.
import { createHash } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { performance } from 'node:perf_hooks';
import { clearInterval, setInterval } from 'node:timers';
import { Worker } from 'node:worker_threads';
import { build } from 'esbuild';

const HERE = dirname(fileURLToPath(import.meta.url));
const BUNDLE = join(HERE, '../../.cache/fuzz/worker.mjs');
const LARGEST = 8 * 1024 * 1024;
/** One input is read up to a dozen times, on a machine that has other work, too. */
const HANGS = 15_000;

const seconds = Number(process.env.CDAPCTL_FUZZ_SECONDS ?? 60);
const seed = Number(process.env.CDAPCTL_FUZZ_SEED ?? Date.now() % 2 ** 31);
if (!(seconds > 0) || !Number.isInteger(seed))
  throw new Error('CDAPCTL_FUZZ_SECONDS and CDAPCTL_FUZZ_SEED are numbers');

await build({
  entryPoints: [join(HERE, 'worker.ts')],
  outfile: BUNDLE,
  bundle: true,
  platform: 'node',
  format: 'esm',
  target: 'node20',
  packages: 'external',
  logLevel: 'error',
});

const at = new Int32Array(new SharedArrayBuffer(12));
const input = new Uint8Array(new SharedArrayBuffer(LARGEST));
let names = [];
let counts;
const failed = new Set();
const skip = new Set();

function report(number, failure, bytes) {
  const name = names[number] ?? 'unknown';
  const digest = createHash('sha256').update(bytes).digest('hex').slice(0, 8);
  const file = join(HERE, 'cases', `${name}-${digest}`);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, bytes);
  failed.add(name);
  skip.add(number);
  console.log(`${name} ${failure}`);
  console.log(
    `  input   ${JSON.stringify(Buffer.from(bytes).toString('latin1').slice(0, 300))} (${bytes.length} bytes)`,
  );
  console.log(`  saved   ${file}`);
  console.log(`  repeat  CDAPCTL_FUZZ_SEED=${seed} CDAPCTL_FUZZ_SECONDS=${seconds} npm run fuzz`);
}

const current = () => Buffer.from(input.slice(0, at[2]));

/** Works until the time is over or an input ends the worker. */
async function work(until) {
  const order = { seed: seed + failed.size, skip: [...skip], seconds: (until - performance.now()) / 1000, at, input };
  const worker = new Worker(pathToFileURL(BUNDLE), {
    workerData: order,
    resourceLimits: { maxOldGenerationSizeMb: 512 },
  });
  let [turn, since] = [-1, performance.now()];
  const watch = setInterval(() => {
    if (at[0] !== turn) [turn, since] = [at[0], performance.now()];
    else if (names.length > 0 && performance.now() - since > HANGS) {
      report(at[1], 'hangs', current());
      void worker.terminate();
    }
  }, 200);
  worker.on('message', (message) => {
    if (message.names !== undefined) names = message.names;
    else if (message.counts !== undefined) counts = message.counts;
    else report(message.number, message.failure, message.bytes);
  });
  worker.on('error', (error) => report(at[1], `ends the process: ${error.message}`, current()));
  await new Promise((ended) => worker.once('exit', ended));
  clearInterval(watch);
}

console.log(`seed ${seed}, ${seconds} s`);
const until = performance.now() + seconds * 1000;
do await work(until);
while (counts === undefined && skip.size > 0 && performance.now() < until);
names.forEach((name, number) => console.log(`${String(counts?.[number] ?? 0).padStart(9)}  ${name}`));
const good = names.filter((name) => !failed.has(name)).length;
console.log(`${good} passed, ${counts === undefined && failed.size === 0 ? 1 : failed.size} failed`);
process.exit(failed.size === 0 && counts !== undefined ? 0 : 1);
