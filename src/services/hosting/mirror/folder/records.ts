import { appendFileSync, closeSync, constants, openSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import * as z from 'zod/mini';
import { CliError } from '../../../../core/errors.js';
import { localError } from '../../../../core/files/local-error.js';
import { makeFolders } from '../../../../core/files/make-folders.js';
import { parseJson } from '../../../../core/json/json.js';
import { localFile } from './local-file.js';
import { readFrom } from '../../../../state/read-state-file.js';

const MOST = 4 * 1024 * 1024;
/** A record is written anew where it has so many lines for each one that counts. */
const STALE = 8;
const APPENDING = constants.O_WRONLY | constants.O_CREAT | constants.O_APPEND | constants.O_NOFOLLOW;
const Count = z.number().check(z.minimum(0));

const KeptFile = z.object({
  name: z.string(),
  size: Count,
  mtime: z.number(),
  stamp: z.optional(z.string()),
  sha256: z.string(),
  etag: z.optional(z.string()),
  changed: z.optional(z.number()),
  basis: z.optional(z.string()),
  by: z.optional(z.string()),
});
const AbsentFile = z.object({ name: z.string(), absent: z.literal(true), basis: z.optional(z.string()) });

/**
 * A verified file: size, time of change (milliseconds) and stamp on this disk, digest, tag of the hub.
 * `changed` is the time of change in the hub, where it has no tags, `basis` the digest of the index it had then,
 * and `by` that of the policy and keys which it was verified by.
 */
export type KeptFile = Readonly<z.infer<typeof KeptFile>>;

/** A signature that the hub does not have. */
export type AbsentFile = Readonly<z.infer<typeof AbsentFile>>;

/** What of a record counts. */
export interface RecordOptions {
  /** Only files that were verified by this policy and these keys. */
  readonly by?: string | undefined;
  /** No stamp, so that every file is read again. */
  readonly recheck?: boolean | undefined;
}

const Line = z.union([AbsentFile, KeptFile]);

/** What is known of the files of one package version since they were fetched. Losing it costs time only. */
export class VersionRecord {
  readonly #path: string;
  readonly #by: string | undefined;
  readonly #recheck: boolean;
  readonly #lines: Map<string, KeptFile | AbsentFile>;
  #isStale: boolean;

  private constructor(
    path: string,
    { by, recheck }: RecordOptions,
    lines: Map<string, KeptFile | AbsentFile>,
    isStale: boolean,
  ) {
    this.#path = path;
    this.#isStale = isStale;
    this.#by = by;
    this.#recheck = recheck === true;
    this.#lines = lines;
  }

  /**
   * Reads a record; one that cannot be read, or that others can change, is empty.
   */
  static async read(path: string, options: RecordOptions = {}): Promise<VersionRecord> {
    const lines = new Map<string, KeptFile | AbsentFile>();
    const bytes = await readFrom(path, {}, async (handle, size) => (size > MOST ? undefined : handle.readFile())).catch(
      (error: unknown) => {
        if (error instanceof CliError) return undefined;
        throw error;
      },
    );
    let count = 0;
    for (const text of bytes?.toString('utf8').split('\n') ?? []) {
      const line = lineIn(text);
      if (line !== undefined) lines.set(line.name, line);
      count += Number(line !== undefined);
    }
    return new VersionRecord(path, options, lines, bytes === undefined || count > STALE * lines.size);
  }

  /** What is known of a file that was verified. */
  kept(name: string): KeptFile | undefined {
    const line = this.#lines.get(name);
    if (line === undefined || 'absent' in line) return undefined;
    if (this.#by !== undefined && line.by !== this.#by) return undefined;
    return this.#recheck ? { ...line, stamp: undefined } : line;
  }

  /** What is known of a signature that the hub does not have. */
  absent(name: string): AbsentFile | undefined {
    const line = this.#lines.get(name);
    return line !== undefined && 'absent' in line ? line : undefined;
  }

  /** Keeps the stamp of a file that was moved to its place since it was noted. */
  placed(name: string, path: string): void {
    const [line, local] = [this.#lines.get(name), localFile(path)];
    if (line === undefined || 'absent' in line || line.size !== local?.size || line.mtime !== local.mtime) return;
    this.note({ ...line, ...local });
  }

  /** Keeps a line for the next run. */
  note(noted: KeptFile | AbsentFile): void {
    const line = 'absent' in noted || this.#by === undefined ? noted : { ...noted, by: this.#by };
    const text = JSON.stringify(line);
    if (JSON.stringify(this.#lines.get(line.name)) === text) return;
    this.#lines.set(line.name, line);
    try {
      makeFolders(dirname(this.#path));
      if (this.#isStale) this.#begin();
      // After a line that a kill cut, a new one must begin.
      else this.#append(`\n${text}\n`);
    } catch (error) {
      throw localError(error, 'write', this.#path);
    }
  }

  #append(text: string): void {
    const file = openSync(this.#path, APPENDING, 0o600);
    try {
      appendFileSync(file, text);
    } finally {
      closeSync(file);
    }
  }

  /** Writes what counts, in place of what each index of the hub has added, and of what cannot be read. */
  #begin(): void {
    const text = [...this.#lines.values()].map((line) => JSON.stringify(line)).join('\n');
    rmSync(`${this.#path}.new`, { force: true });
    writeFileSync(`${this.#path}.new`, `${text}\n`, { mode: 0o600, flag: 'wx' });
    renameSync(`${this.#path}.new`, this.#path);
    this.#isStale = false;
  }
}

function lineIn(text: string): KeptFile | AbsentFile | undefined {
  try {
    return z.safeParse(Line, parseJson(Buffer.from(text), 'a line')).data;
  } catch (error) {
    // A line that a kill cut.
    if (error instanceof CliError) return undefined;
    throw error;
  }
}
