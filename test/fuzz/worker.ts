import { parentPort, workerData } from 'node:worker_threads';
import { mutated, randomFrom, shrunk } from './mutate.js';
import { failureOf, openTargets, type Target } from './targets.js';

/** What the runner gives: when to end, and memory in which the input at work can be seen when nothing else answers any more. */
export interface FuzzOrder {
  readonly seed: number;
  readonly seconds: number;
  /** Numbers of targets that have failed before. */
  readonly skip: readonly number[];
  /** Turn, number of the target, length of the input. */
  readonly at: Int32Array;
  readonly input: Uint8Array;
}

const SLOW = 1000;
const order = workerData as FuzzOrder;

/** Shows an input to the runner, then judges it; slow is what takes more than a second three times. */
async function judged(target: Target, number: number, bytes: Buffer): Promise<string | undefined> {
  order.input.set(bytes);
  order.at[1] = number;
  order.at[2] = bytes.length;
  Atomics.add(order.at, 0, 1);
  let fastest = Infinity;
  for (let turn = 0; turn < 3; turn++) {
    const from = performance.now();
    const failure = await failureOf(target, bytes);
    if (failure !== undefined) return failure;
    fastest = Math.min(fastest, performance.now() - from);
    // Four readings at most.
    if (fastest < 4 * SLOW) return undefined;
  }
  return `slow: ${Math.round(fastest)} ms`;
}

const kindOf = (failure: string): string => failure.split(':')[0] ?? '';

async function fuzz(): Promise<void> {
  const { targets, close } = await openTargets();
  const random = randomFrom(order.seed);
  const turns = targets.flatMap((target, number) => Array.from({ length: target.share }, () => ({ target, number })));
  const failed = new Set(order.skip);
  const counts = targets.map(() => 0);
  const end = performance.now() + order.seconds * 1000;
  parentPort?.postMessage({ names: targets.map(({ name }) => name) });
  while (performance.now() < end)
    for (const { target, number } of turns) {
      if (failed.has(number)) continue;
      const bytes = mutated(
        target.seeds,
        target.words.map((word) => Buffer.from(word)),
        random,
      );
      counts[number] = (counts[number] ?? 0) + 1;
      const failure = await judged(target, number, bytes);
      if (failure === undefined) continue;
      failed.add(number);
      const again = async (smaller: Buffer): Promise<boolean> =>
        kindOf((await judged(target, number, smaller)) ?? '') === kindOf(failure);
      const smallest = await shrunk(bytes, again);
      parentPort?.postMessage({
        number,
        failure: (await judged(target, number, smallest)) ?? failure,
        bytes: smallest,
      });
    }
  close();
  parentPort?.postMessage({ counts });
}

await fuzz();
