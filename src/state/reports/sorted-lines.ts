import { closeSync, openSync, readSync, rmSync } from 'node:fs';
import { setImmediate } from 'node:timers/promises';
import { createStaged, type StagedFile } from '../atomic-write.js';

/** Characters of the lines that are sorted in memory at a time. */
const PART = 1024 * 1024;
/** Bytes to read ahead while parts are merged: of all together, and of one at least and at most. */
const READ_AHEAD = 2 * 1024 * 1024;
const [LEAST_READ, LONGEST_READ] = [4 * 1024, 64 * 1024];
const BATCH = 1000;

interface Part {
  readonly from: number;
  readonly to: number;
}

interface Head {
  readonly line: string;
  readonly rest: Iterator<string, void, void>;
}

/** Sorts lines in bounded memory: parts are sorted, kept in one file, and merged at the end. */
export class SortedLines {
  readonly #path: string;
  readonly #most: number;
  readonly #parts: Part[] = [];
  #file: StagedFile | undefined;
  #pending: string[] = [];
  #size = 0;

  /** `path` is a file of its own for the parts; `most` are the characters of one. */
  constructor(path: string, most = PART) {
    this.#path = path;
    this.#most = most;
  }

  /** Takes a line without its end. */
  add(line: string): void {
    this.#pending.push(line);
    this.#size += line.length;
    if (this.#size >= this.#most) this.#keep();
  }

  /** All lines in the order of their UTF-16 units, some at a time; the file is gone afterwards. */
  async *sorted(signal: AbortSignal): AsyncGenerator<readonly string[], void, void> {
    if (this.#file === undefined) {
      yield this.#pending.sort();
      return;
    }
    this.#keep();
    await this.#file.commit();
    const file = openSync(this.#path, 'r');
    try {
      const bytes = Math.max(LEAST_READ, Math.min(LONGEST_READ, Math.ceil(READ_AHEAD / this.#parts.length)));
      const parts = this.#parts.map((part) => linesOf(file, part, bytes));
      let batch: string[] = [];
      for (const line of merged(parts)) {
        if (batch.push(line) < BATCH) continue;
        yield batch;
        batch = [];
        await setImmediate();
        signal.throwIfAborted();
      }
      yield batch;
    } finally {
      closeSync(file);
      rmSync(this.#path, { force: true });
    }
  }

  #keep(): void {
    if (this.#pending.length === 0) return;
    this.#file ??= createStaged(this.#path, { passing: true });
    const bytes = Buffer.from(`${this.#pending.sort().join('\n')}\n`);
    const from = this.#parts.at(-1)?.to ?? 0;
    this.#file.write(bytes);
    this.#parts.push({ from, to: from + bytes.length });
    this.#pending = [];
    this.#size = 0;
  }
}

function* linesOf(file: number, { from, to }: Part, bytes: number): Generator<string, void, void> {
  let rest = Buffer.alloc(0);
  for (let at = from; at < to;) {
    // A line that is longer than all that was read of it is read in steps that grow with it.
    const piece = Buffer.allocUnsafe(Math.min(Math.max(bytes, rest.length), to - at));
    const read = readSync(file, piece, 0, piece.length, at);
    if (read === 0) throw new Error('the file ends too early');
    at += read;
    const known = Buffer.concat([rest, piece.subarray(0, read)]);
    const end = known.lastIndexOf('\n') + 1;
    rest = known.subarray(end);
    yield* known.toString('utf8', 0, end).split('\n').slice(0, -1);
  }
}

/** The lines of all parts, each of them sorted, in one order. */
function* merged(parts: readonly Iterator<string, void, void>[]): Generator<string, void, void> {
  const heads: Head[] = [];
  const take = (rest: Head['rest']): void => {
    const next = rest.next();
    if (next.done !== true) heads.splice(placeOf(next.value, heads), 0, { line: next.value, rest });
  };
  for (const part of parts) take(part);
  for (let head = heads.pop(); head !== undefined; head = heads.pop()) {
    yield head.line;
    take(head.rest);
  }
}

/** Where a line stands among heads that are sorted with the first one last. */
function placeOf(line: string, heads: readonly Head[]): number {
  let [low, high] = [0, heads.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((heads[middle]?.line ?? '') > line) low = middle + 1;
    else high = middle;
  }
  return low;
}
