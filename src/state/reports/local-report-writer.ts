import { renameSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { localError } from '../../core/files/local-error.js';
import { createStaged, syncFolder, writeAtomically, type StagedFile } from '../atomic-write.js';
import { SortedLines } from './sorted-lines.js';
import { temporaryFolder } from '../temporary.js';

/** How many records a page of the index spans. */
export const PAGE_RECORDS = 1000;
/** The two files of a report in its folder. */
export const REPORT_FILES = { detail: 'report.json', records: 'records.ndjson' } as const;

const PIECE = 256 * 1024;
const FOUND = 'found.ndjson';

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

  /** Takes a line with its end. */
  add(line: string): void {
    const length = Buffer.byteLength(line);
    if (this.records++ % PAGE_RECORDS === 0) this.pages.push(this.bytes);
    this.bytes += length;
    this.#pending.push(line);
    this.#size += length;
    if (this.#size >= PIECE) this.#flush();
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

/**
 * A report that is being made: nothing of it is visible before `commit`. What a killed process leaves is removed by the
 * next one.
 */
export class LocalReportWriter {
  readonly #target: string;
  readonly #folder: string;
  readonly #found: SortedLines;

  private constructor(target: string, folder: string) {
    this.#target = target;
    this.#folder = folder;
    this.#found = new SortedLines(join(folder, FOUND));
  }

  /** Begins a report that will be the folder `target`. */
  static async open(target: string): Promise<LocalReportWriter> {
    return new LocalReportWriter(target, await temporaryFolder(dirname(target)));
  }

  /** Takes a record as JSON text; `key` is what it is sorted by, a text without tabs and ends of lines. */
  add(key: string, record: string): void {
    this.#found.add(`${key}\t${record}`);
  }

  /** Gives the report its place, whole or not at all; `detail` is kept beside the records. */
  async commit(detail: unknown, signal: AbortSignal): Promise<void> {
    const { records, bytes, pages } = await this.#inOrder(signal);
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

  async #inOrder(signal: AbortSignal): Promise<Lines> {
    const path = join(this.#folder, REPORT_FILES.records);
    const lines = new Lines(path);
    try {
      for await (const sorted of this.#found.sorted(signal))
        for (const line of sorted) lines.add(`${line.slice(line.indexOf('\t') + 1)}\n`);
      await lines.commit();
    } catch (error) {
      throw localError(error, 'write', path);
    }
    return lines;
  }
}
