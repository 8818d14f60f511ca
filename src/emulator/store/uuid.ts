import { randomInt } from 'node:crypto';

const EPOCH_OFFSET = 122_192_928_000_000_000n;
const NODE = 'acde48001122';

/** Makes time-based ids, as the platform uses for versions and runs; each is later than the one before. */
export function timeBasedIds(now: () => number): () => string {
  const clockSequence = (0x8000 | randomInt(0x4000)).toString(16);
  let last = 0n;
  return () => {
    const wanted = BigInt(now()) * 10_000n + EPOCH_OFFSET;
    last = wanted > last ? wanted : last + 1n;
    const time = last.toString(16).padStart(15, '0');
    return `${time.slice(7)}-${time.slice(3, 7)}-1${time.slice(0, 3)}-${clockSequence}-${NODE}`;
  };
}

/** Whether a text is a UUID. */
export function isUuid(text: string): boolean {
  return /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/iu.test(text);
}
