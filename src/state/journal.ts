import { dirname } from 'node:path';
import type * as z from 'zod/mini';
import { damagedJournal, refuseNewer, valueOfLine } from './journal-line.js';
import { JournalWriter } from './journal-writer.js';
import { checkPrivateFolder } from './private-folder.js';
import { readOwn } from './read-state-file.js';

const NEWLINE = 0x0a;

/** What has happened, in order and durable; one process at a time writes it (under its lock). */
export interface Journal<T> {
  readonly file: string;
  /** What is in the journal, also what this process has appended. */
  readonly entries: readonly T[];
  /**
   * Adds one entry; it is on the disk before this returns.
   * @throws DISK_FULL or LOCAL_IO leave the journal as it was
   */
  append(entry: T): Promise<void>;
  close(): Promise<void>;
}

function linesOf(bytes: Uint8Array): Uint8Array[] {
  const lines: Uint8Array[] = [];
  for (let start = 0, end = bytes.indexOf(NEWLINE); end !== -1; start = end + 1, end = bytes.indexOf(NEWLINE, start)) {
    lines.push(bytes.subarray(start, end));
  }
  return lines;
}

async function parse<T>(file: string, bytes: Uint8Array, schema: z.ZodMiniType<T>): Promise<T[]> {
  const values = linesOf(bytes).map(valueOfLine);
  for (const value of values) refuseNewer(file, value);
  const entries: T[] = [];
  for (const [index, value] of values.entries()) {
    const entry = schema.safeParse(value);
    if (!entry.success) throw await damagedJournal(file, index + 1);
    entries.push(entry.data);
  }
  return entries;
}

class JournalFile<T> implements Journal<T> {
  readonly entries: T[];
  readonly #writer: JournalWriter;

  constructor(file: string, entries: T[], length: number) {
    this.entries = entries;
    this.#writer = new JournalWriter(file, length);
  }

  get file(): string {
    return this.#writer.file;
  }

  async append(entry: T): Promise<void> {
    await this.#writer.append(entry);
    this.entries.push(entry);
  }

  close(): Promise<void> {
    return this.#writer.close();
  }
}

/**
 * Reads a journal of one JSON document per line, each with `v: 1`. No file is an empty journal, and none is made before
 * the first entry. A last line without its end (a kill in mid write) is dropped; other damage is JOURNAL and a copy is
 * kept (docs/faults.md L19); a higher `v` is JOURNAL_NEWER (docs/faults.md L20).
 */
export async function openJournal<T>(file: string, schema: z.ZodMiniType<T>): Promise<Journal<T>> {
  const bytes = checkPrivateFolder(dirname(file)) ? await readOwn(file) : undefined;
  if (bytes === undefined) return new JournalFile<T>(file, [], 0);
  return new JournalFile(file, await parse(file, bytes, schema), bytes.lastIndexOf(NEWLINE) + 1);
}
