const NEWLINE = 0x0a;
const RETURN = 0x0d;
const SEEDS = [0x811c9dc5, 0x9747b28c] as const;
const FACTORS = [0x01000193, 0x5bd1e995] as const;

/** Lines without their order: how many, and two sums of 32 bits over what stands in them; two bags are equal when all three are. */
export interface LineBag {
  readonly lines: number;
  readonly sums: readonly [number, number];
}

/** An empty bag. */
export const NO_LINES: LineBag = { lines: 0, sums: [0, 0] };

/** Whether two bags hold the same lines. */
export function sameLines(one: LineBag, other: LineBag): boolean {
  return one.lines === other.lines && one.sums[0] === other.sums[0] && one.sums[1] === other.sums[1];
}

/** What was put into a bag since an earlier look at it. */
export function addedLines(before: LineBag, now: LineBag): LineBag {
  const sum = (at: 0 | 1): number => (now.sums[at] - before.sums[at]) >>> 0;
  return { lines: now.lines - before.lines, sums: [sum(0), sum(1)] };
}

/** Spreads a hash over its bits, so that sums of similar lines differ. */
function mixed(hash: number): number {
  const half = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  return half ^ (half >>> 13);
}

/** How a platform shows a byte of an event: what is not printable ASCII as `\xHH` (contract 7). */
const SHOWN: readonly (readonly number[])[] = Array.from({ length: 256 }, (_, byte) =>
  byte >= 0x20 && byte < 0x7f ? [byte] : [...Buffer.from(`\\x${byte.toString(16).toUpperCase().padStart(2, '0')}`)],
);

/** Fills a bag, in constant memory and whatever the length of a line. */
export class LineCounter {
  #lines = 0;
  #sums: readonly [number, number] = [0, 0];
  #hashes: [number, number] = [...SEEDS];
  #isEmpty = true;

  /** Takes a piece of a file whose lines become events: blank lines become none, ends of lines are of no event (contract 7). */
  feed(piece: Uint8Array): void {
    for (const byte of piece) {
      if (byte === NEWLINE || byte === RETURN) this.#end();
      else this.#take(SHOWN[byte] ?? []);
    }
  }

  /** Takes one event as a platform shows it. */
  event(shown: string): void {
    this.#take(Buffer.from(shown));
    this.#isEmpty = false;
    this.#end();
  }

  /** What is in the bag when all was taken. */
  bag(): LineBag {
    this.#end();
    return { lines: this.#lines, sums: this.#sums };
  }

  #take(bytes: Iterable<number>): void {
    this.#isEmpty = false;
    for (const byte of bytes) {
      this.#hashes[0] = Math.imul(this.#hashes[0] ^ byte, FACTORS[0]);
      this.#hashes[1] = Math.imul(this.#hashes[1] ^ byte, FACTORS[1]);
    }
  }

  #end(): void {
    if (this.#isEmpty) return;
    const [first, second] = this.#hashes;
    this.#sums = [(this.#sums[0] + mixed(first)) >>> 0, (this.#sums[1] + mixed(second)) >>> 0];
    this.#lines += 1;
    this.#hashes = [...SEEDS];
    this.#isEmpty = true;
  }
}
