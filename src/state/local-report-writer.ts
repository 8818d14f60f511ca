import { closeSync, openSync, readSync, renameSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { localError } from '../core/files/local-error.js';
import { createStaged, syncFolder, writeAtomically, type StagedFile } from './atomic-write.js';
import { temporaryFolder } from './temporary.js';

/** How many records a page of the index spans. */
export const PAGE_RECORDS = 1000;
/** The two files of a report in its folder. */
export const REPORT_FILES = { detail: 'report.json', records: 'records.ndjson' } as const;

const PIECE = 256 * 1024;
const FOUND = 'found.ndjson';

/** How the records of a report are put in order: by a number that comes with each, ties as they were added. */
export type RecordOrder = 'ASCENDING' | 'DESCENDING' | undefined;

/** Numbers, 8 bytes each, as many as come. */
class Numbers {
  #values = new Float64Array(1024);
  length = 0;

  push(value: number): void {
    if (this.length === this.#values.length) {
      const grown = new Float64Array(this.length * 2);
      grown.set(this.#values);
      this.#values = grown;
    }
    this.#values[this.length++] = value;
  }

  at(index: number): number {
    return this.#values[index] ?? 0;
  }
}

/** A file of lines that knows where every thousandth begins. */
class Lines {
  readonly pages: number[] = [];
  bytes = 0;
  records = 0;
  readonly #file: StagedFile;
  #pending: string[] = [];
  #size = 0;

  constructor(path: string) {
    this.#file = createStaged(path);
  }

  /** Takes a line with its end; returns its length in bytes. */
  add(line: string): number {
    const length = Buffer.byteLength(line);
    if (this.records++ % PAGE_RECORDS === 0) this.pages.push(this.bytes);
    this.bytes += length;
    this.#pending.push(line);
    this.#size += length;
    if (this.#size >= PIECE) this.#flush();
    return length;
  }

  async commit(): Promise<void> {
    this.#flush();
    await this.#file.commit();
  }

  #flush(): void {
    this.#file.write(this.#pending.join(''));
    this.#pending = [];
    this.#size = 0;
  }
}

/** A report that is being made: nothing of it is seen before `commit`, and what a killed process leaves is removed by the next one. Sorting needs some 50 bytes of memory for a record, and at the end about a second for a million, in which nothing stops it. */
export class LocalReportWriter {
  readonly #target: string;
  readonly #folder: string;
  readonly #order: RecordOrder;
  readonly #keys = new Numbers();
  readonly #ends = new Numbers();
  #lines: Lines;
  #inOrder = true;

  private constructor(target: string, folder: string, order: RecordOrder) {
    this.#target = target;
    this.#folder = folder;
    this.#order = order;
    this.#lines = new Lines(join(folder, order === undefined ? REPORT_FILES.records : FOUND));
  }

  /** Begins a report that will be the folder `target`. */
  static async open(target: string, order: RecordOrder): Promise<LocalReportWriter> {
    return new LocalReportWriter(target, await temporaryFolder(dirname(target)), order);
  }

  /** Takes a record as JSON text; `key` is what it is sorted by, -Infinity for none. */
  add(record: string, key: number): void {
    const length = this.#lines.add(`${record}\n`);
    if (this.#order === undefined) return;
    const before = this.#keys.at(this.#keys.length - 1);
    if (this.#keys.length > 0 && (this.#order === 'ASCENDING' ? key < before : key > before)) this.#inOrder = false;
    this.#keys.push(key);
    this.#ends.push((this.#ends.length === 0 ? 0 : this.#ends.at(this.#ends.length - 1)) + length);
  }

  /** Gives the report its place, whole or not at all; `detail` is kept beside the records. */
  async commit(detail: unknown, signal: AbortSignal): Promise<void> {
    await this.#lines.commit();
    if (this.#order !== undefined) await this.#sort(signal);
    const { records, bytes, pages } = this.#lines;
    const kept = { v: 1, detail, records, bytes, pages };
    await writeAtomically(join(this.#folder, REPORT_FILES.detail), `${JSON.stringify(kept)}\n`);
    try {
      renameSync(this.#folder, this.#target);
      await syncFolder(dirname(this.#target));
    } catch (error) {
      throw localError(error, 'write', this.#target);
    }
  }

  /** Removes what was written; does nothing after `commit`. */
  abort(): void {
    rmSync(this.#folder, { recursive: true, force: true });
  }

  async #sort(signal: AbortSignal): Promise<void> {
    const found = join(this.#folder, FOUND);
    const records = join(this.#folder, REPORT_FILES.records);
    try {
      if (this.#inOrder) renameSync(found, records);
      else {
        const sorted = new Lines(records);
        await this.#copy(found, sorted, signal);
        await sorted.commit();
        this.#lines = sorted;
        rmSync(found);
      }
    } catch (error) {
      throw localError(error, 'write', records);
    }
  }

  async #copy(found: string, sorted: Lines, signal: AbortSignal): Promise<void> {
    const file = openSync(found, 'r');
    try {
      let line = Buffer.alloc(64 * 1024);
      for (const [at, index] of this.#sorted().entries()) {
        if (at % PAGE_RECORDS === 0) {
          await setImmediate();
          signal.throwIfAborted();
        }
        const start = index === 0 ? 0 : this.#ends.at(index - 1);
        const length = this.#ends.at(index) - start;
        if (length > line.length) line = Buffer.alloc(length * 2);
        for (let read = 0; read < length;) {
          const more = readSync(file, line, read, length - read, start + read);
          if (more === 0) throw new Error('the records end too early');
          read += more;
        }
        sorted.add(line.toString('utf8', 0, length));
      }
    } finally {
      closeSync(file);
    }
  }

  #sorted(): Uint32Array {
    const sign = this.#order === 'DESCENDING' ? -1 : 1;
    const keys = this.#keys;
    // Two that have no key differ by NaN, which is a tie, too.
    return Uint32Array.from({ length: keys.length }, (_, at) => at).sort(
      (a, b) => sign * (keys.at(a) - keys.at(b)) || a - b,
    );
  }
}
