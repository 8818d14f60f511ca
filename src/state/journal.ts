import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { open, type FileHandle } from 'node:fs/promises';
import { dirname } from 'node:path';
import { TextDecoder } from 'node:util';
import * as z from 'zod/mini';
import { CliError } from '../core/errors.js';
import { syncFolder, writeAtomically } from './atomic-write.js';
import { localError } from './local-error.js';
import { checkPrivateFolder, privateFolder } from './private-folder.js';
import { readOwn } from './read-own.js';

const VERSION = 1;
const NEWLINE = 0x0a;
const Versioned = z.looseObject({ v: z.number() });

/** What has happened, in order and durable; one process at a time writes it (under its lock). */
export interface Journal<T> {
  readonly file: string;
  /** What is in the journal, also what this process has appended. */
  readonly entries: readonly T[];
  /** Adds one entry; it is on the disk before this returns. DISK_FULL or LOCAL_IO leave the journal as it was. */
  append(entry: T): Promise<void>;
  close(): Promise<void>;
}

function valueOf(line: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(line));
  } catch {
    return undefined;
  }
}

function linesOf(bytes: Uint8Array): Uint8Array[] {
  const lines: Uint8Array[] = [];
  for (let start = 0, end = bytes.indexOf(NEWLINE); end >= 0; start = end + 1, end = bytes.indexOf(NEWLINE, start)) {
    lines.push(bytes.subarray(start, end));
  }
  return lines;
}

async function damaged(file: string, bytes: Uint8Array, line: number): Promise<CliError> {
  const copy = `${file}.damaged-${createHash('sha256').update(bytes).digest('hex').slice(0, 8)}`;
  await writeAtomically(copy, bytes, { overwrite: true });
  return new CliError('JOURNAL', `the journal ${file} is damaged in line ${line}`, {
    hints: [
      `a copy is in ${copy}`,
      `remove ${file} to start anew: what is already on the platform is found by reading it back`,
    ],
    target: { file, copy, line: String(line) },
  });
}

async function parse<T>(file: string, bytes: Uint8Array, schema: z.ZodMiniType<T>): Promise<T[]> {
  const values = linesOf(bytes).map(valueOf);
  if (values.some((value) => (Versioned.safeParse(value).data?.v ?? 0) > VERSION)) {
    throw new CliError('JOURNAL_NEWER', `the journal ${file} was written by a newer version of this tool`, {
      hints: ['use that version, or finish its work there first'],
      target: { file },
    });
  }
  const entries: T[] = [];
  for (const [index, value] of values.entries()) {
    const entry = schema.safeParse(value);
    if (!entry.success) throw await damaged(file, bytes, index + 1);
    entries.push(entry.data);
  }
  return entries;
}

class JournalFile<T> implements Journal<T> {
  readonly file: string;
  readonly entries: T[];
  /** Where the last whole entry ends; what stands behind it (a cut line) is dropped by the next append. */
  #length: number;
  #handle: FileHandle | undefined;
  #last: Promise<void> = Promise.resolve();

  constructor(file: string, entries: T[], length: number) {
    this.file = file;
    this.entries = entries;
    this.#length = length;
  }

  append(entry: T): Promise<void> {
    const next = this.#last.then(() => this.#write(entry));
    this.#last = next.catch(() => undefined);
    return next;
  }

  async close(): Promise<void> {
    await this.#last;
    await this.#handle?.close();
    this.#handle = undefined;
  }

  async #write(entry: T): Promise<void> {
    const bytes = Buffer.from(`${JSON.stringify(entry)}\n`, 'utf8');
    try {
      this.#handle ??= await this.#open();
      // Also drops what an earlier append could not finish.
      await this.#handle.truncate(this.#length);
      for (let at = 0; at < bytes.length;) {
        at += (await this.#handle.write(bytes, at, bytes.length - at, this.#length + at)).bytesWritten;
      }
      await this.#handle.sync();
    } catch (error) {
      throw localError(error, 'write', this.file);
    }
    this.#length += bytes.length;
    this.entries.push(entry);
  }

  async #open(): Promise<FileHandle> {
    const folder = await privateFolder(dirname(this.file));
    const handle = await open(this.file, constants.O_RDWR | constants.O_CREAT | constants.O_NOFOLLOW, 0o600);
    await syncFolder(folder);
    return handle;
  }
}

/**
 * Reads a journal of one JSON document per line, each with `v: 1`; no file is an empty journal, and none is made before the first entry.
 * A last line without its end (a kill in mid write) is dropped; other damage is JOURNAL and a copy is kept (L19); a higher `v` is
 * JOURNAL_NEWER (L20).
 */
export async function openJournal<T>(file: string, schema: z.ZodMiniType<T>): Promise<Journal<T>> {
  const bytes = checkPrivateFolder(dirname(file)) ? await readOwn(file) : undefined;
  if (bytes === undefined) return new JournalFile<T>(file, [], 0);
  return new JournalFile(file, await parse(file, bytes, schema), bytes.lastIndexOf(NEWLINE) + 1);
}
