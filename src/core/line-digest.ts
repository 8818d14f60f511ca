import { createHash, hash, type Hash } from 'node:crypto';

const NEWLINE = 0x0a;
const RETURN = 0x0d;
const SUM_BITS = 128;

/**
 * A set of lines regardless of order: their count and the sum of their hashes. A hash is the first 128 bits of the
 * SHA-256 of a line; the sum is modulo 2^128.
 */
export interface LineBag {
  readonly lines: number;
  readonly sum: bigint;
}

/** An empty bag. */
export const NO_LINES: LineBag = { lines: 0, sum: 0n };

/** Whether two bags hold the same lines. */
export function sameLines(one: LineBag, other: LineBag): boolean {
  return one.lines === other.lines && one.sum === other.sum;
}

/** What was put into a bag since an earlier look at it. */
export function addedLines(before: LineBag, now: LineBag): LineBag {
  return { lines: now.lines - before.lines, sum: BigInt.asUintN(SUM_BITS, now.sum - before.sum) };
}

/** How a platform shows a byte of an event: what is not printable ASCII as `\xHH` (docs/platform.md 7). */
const SHOWN: readonly Buffer[] = Array.from({ length: 256 }, (_, byte) =>
  isPrintable(byte) ? Buffer.from([byte]) : Buffer.from(`\\x${byte.toString(16).toUpperCase().padStart(2, '0')}`),
);

function isPrintable(byte: number): boolean {
  return byte >= 0x20 && byte < 0x7f;
}

function shown(bytes: Uint8Array): Uint8Array {
  for (const byte of bytes)
    if (!isPrintable(byte)) return Buffer.concat(Array.from(bytes, (one) => SHOWN[one] ?? Buffer.of()));
  return bytes;
}

/** Fills a bag, in constant memory and whatever the length of a line. */
export class LineCounter {
  #lines = 0;
  #sum = 0n;
  /** Of a line whose end has not come yet. */
  #begun: Hash | undefined;

  /** Takes a piece of a file whose lines become events. Blank lines and line ends are not counted. */
  feed(piece: Uint8Array): void {
    let from = 0;
    for (let at = 0; at < piece.length; at += 1) {
      if (piece[at] !== NEWLINE && piece[at] !== RETURN) continue;
      if (at > from || this.#begun !== undefined) this.#end(shown(piece.subarray(from, at)));
      from = at + 1;
    }
    if (from < piece.length) this.#begun = (this.#begun ?? createHash('sha256')).update(shown(piece.subarray(from)));
  }

  /** Takes one event as a platform shows it. */
  event(body: string): void {
    this.#end(Buffer.from(body));
  }

  /** What is in the bag when all was taken. */
  bag(): LineBag {
    if (this.#begun !== undefined) this.#end(Buffer.of());
    return { lines: this.#lines, sum: this.#sum };
  }

  #end(rest: Uint8Array): void {
    const digest = this.#begun?.update(rest).digest() ?? hash('sha256', rest, 'buffer');
    this.#begun = undefined;
    this.#lines += 1;
    this.#sum = BigInt.asUintN(SUM_BITS, this.#sum + (digest.readBigUInt64BE(0) << 64n) + digest.readBigUInt64BE(8));
  }
}
