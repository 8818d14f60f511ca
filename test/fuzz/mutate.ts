/** Numbers from 0 up to but not with 1, the same for the same seed. */
export type Random = () => number;

/** A small generator (mulberry32) for inputs that can be made again. */
export function randomFrom(seed: number): Random {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

const EDGES = [0, 1, 0x7f, 0x80, 0xbf, 0xc0, 0xfe, 0xff];
const LARGEST = 256 * 1024;

type Change = (bytes: Buffer, random: Random, others: readonly Buffer[], words: readonly Buffer[]) => Buffer;

const below = (random: Random, limit: number): number => Math.floor(random() * limit);
const pick = <T>(random: Random, list: readonly T[]): T | undefined => list[below(random, list.length)];
const splice = (bytes: Buffer, at: number, gone: number, more: Buffer): Buffer =>
  Buffer.concat([bytes.subarray(0, at), more, bytes.subarray(at + gone)]);

/** Mostly short, sometimes all that is there. */
function span(bytes: Buffer, random: Random): [number, number] {
  const at = below(random, bytes.length + 1);
  const longest = random() < 0.8 ? 16 : bytes.length;
  return [at, below(random, Math.min(longest, bytes.length - at) + 1)];
}

const CHANGES: readonly Change[] = [
  (bytes, random) => {
    const copy = Buffer.from(bytes);
    if (copy.length > 0) {
      const at = below(random, copy.length);
      copy.writeUInt8(copy.readUInt8(at) ^ (1 << below(random, 8)), at);
    }
    return copy;
  },
  (bytes, random) => {
    const copy = Buffer.from(bytes);
    if (copy.length > 0) copy.writeUInt8(pick(random, EDGES) ?? 0, below(random, copy.length));
    return copy;
  },
  (bytes, random) => {
    const copy = Buffer.from(bytes);
    const wide = random() < 0.5 ? 2 : 4;
    if (copy.length < wide) return copy;
    const value =
      (pick(random, [0, 1, 2 ** (wide * 8) - 1, 2 ** (wide * 8 - 1), copy.length, copy.length + 1]) ?? 0) %
      2 ** (wide * 8);
    const at = below(random, copy.length - wide + 1);
    if (random() < 0.5) copy.writeUIntBE(value, at, wide);
    else copy.writeUIntLE(value, at, wide);
    return copy;
  },
  (bytes, random) => {
    const [at, length] = span(bytes, random);
    return splice(bytes, at, length, Buffer.alloc(0));
  },
  (bytes, random) => {
    const [at, length] = span(bytes, random);
    const times = random() < 0.9 ? 1 : below(random, 200);
    return splice(bytes, at, 0, Buffer.concat(Array.from({ length: times }, () => bytes.subarray(at, at + length))));
  },
  (bytes, random) => {
    const [at, length] = span(bytes, random);
    return splice(bytes, below(random, bytes.length + 1), 0, bytes.subarray(at, at + length));
  },
  (bytes, random, others) => {
    const other = pick(random, others) ?? bytes;
    const [at, length] = span(other, random);
    const [place, gone] = span(bytes, random);
    return splice(bytes, place, gone, other.subarray(at, at + length));
  },
  (bytes, random, _, words) =>
    splice(bytes, below(random, bytes.length + 1), 0, pick(random, words) ?? Buffer.alloc(0)),
  (bytes, random, _, words) => {
    const [at, length] = span(bytes, random);
    return splice(bytes, at, length, pick(random, words) ?? Buffer.alloc(0));
  },
  (bytes, random) => bytes.subarray(0, below(random, bytes.length + 1)),
  (bytes, random) => splice(bytes, below(random, bytes.length + 1), 0, Buffer.from([below(random, 256)])),
];

/** One of the seeds with one to eight changes. */
export function mutated(seeds: readonly Buffer[], words: readonly Buffer[], random: Random): Buffer {
  let bytes = pick(random, seeds) ?? Buffer.alloc(0);
  for (let left = 1 + below(random, 8); left > 0; left--)
    bytes = (pick(random, CHANGES) ?? ((same): Buffer => same))(bytes, random, seeds, words);
  return Buffer.from(bytes.subarray(0, LARGEST));
}

/** The smallest input found by leaving parts out that still fails; ends when `tries` are used up. */
export async function shrunk(
  bytes: Buffer,
  fails: (smaller: Buffer) => Promise<boolean>,
  tries = 2000,
): Promise<Buffer> {
  let [best, left] = [bytes, tries];
  for (let part = Math.ceil(best.length / 2); part >= 1; part = part === 1 ? 0 : Math.ceil(part / 2))
    for (let at = 0; at < best.length && left > 0; left--) {
      const smaller = splice(best, at, part, Buffer.alloc(0));
      if (smaller.length < best.length && (await fails(smaller))) best = smaller;
      else at += part;
    }
  return best;
}
