import { closeSync, constants, fsync, linkSync, lstatSync, openSync, renameSync, rmSync, writeSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { CliError } from '../core/errors.js';
import { errnoOf, existsError, linkError, localError } from '../core/files/local-error.js';
import { removeLeftovers, temporaryName } from './temporary.js';

const NEW_FILE = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;
const NO_HARD_LINKS = ['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK'];
const FOLDER_CANNOT_SYNC = ['EACCES', 'EPERM', 'EISDIR', 'EINVAL', 'ENOTSUP', 'ENOSYS'];

/** Waits until an open file is on the disk. */
export const flush = (file: number): Promise<void> =>
  new Promise((resolve, reject) => {
    fsync(file, (error) => {
      if (error) reject(error);
      else resolve();
    });
  });

/** How a file is put in its place. */
export interface WriteOptions {
  /** Permission bits of the new file before the umask; 0600 unless told. */
  readonly mode?: number;
  /** Replace a regular file that is there; without it EXISTS. */
  readonly overwrite?: boolean;
  /** Only this run needs the file, so nobody waits until it is on the disk. */
  readonly passing?: boolean;
  /** Temporary files of dead runs stay; for many files in one folder, which was cleared before. */
  readonly keepLeftovers?: boolean;
  /** Its place is looked at only when the file is put there; for thousands of small ones. */
  readonly late?: boolean;
}

/** A file that is being written beside its place and has no final name yet. */
export interface StagedFile {
  /** Where the bytes are until `commit`: the temporary file. */
  readonly path: string;
  /** Writes at once (the disk sets the pace); a failure removes the temporary file. */
  write(chunk: string | Uint8Array): void;
  /** Makes the bytes durable and gives them the final name, in one step: whole or not at all. */
  commit(): Promise<void>;
  /** Removes the temporary file; does nothing after `commit`, so it may stand in a `finally`. */
  abort(): Promise<void>;
}

function checkTarget(path: string, overwrite: boolean): void {
  const stat = lstatSync(path, { throwIfNoEntry: false });
  if (stat === undefined) return;
  if (stat.isSymbolicLink()) throw linkError(path);
  if (stat.isDirectory())
    throw new CliError('LOCAL_IO', `cannot write ${path}: it is a folder`, { target: { file: path } });
  if (!stat.isFile())
    throw new CliError('LOCAL_IO', `cannot write ${path}: it is not a regular file`, { target: { file: path } });
  if (!overwrite) throw existsError(path);
}

function place(temporary: string, path: string, overwrite: boolean): void {
  checkTarget(path, overwrite);
  if (!overwrite) {
    try {
      // Unlike a rename, a link never replaces what appeared since the check.
      linkSync(temporary, path);
      rmSync(temporary, { force: true });
      return;
    } catch (error) {
      if (!NO_HARD_LINKS.includes(errnoOf(error) ?? '')) throw error;
    }
  }
  renameSync(temporary, path);
}

/**
 * Rejects a link where a file of ours belongs.
 * @throws SYMLINK
 */
export function refuseLink(path: string): void {
  if (lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true) throw linkError(path);
}

/**
 * Gives a whole file of ours its final name beside it, durably.
 * @throws SYMLINK, LOCAL_IO
 */
export async function placeFile(from: string, path: string): Promise<void> {
  try {
    place(from, path, true);
    await syncFolder(dirname(path));
  } catch (error) {
    throw localError(error, 'write', path);
  }
}

/** Makes names in a folder durable; silent where folders cannot be synchronised. */
export async function syncFolder(folder: string): Promise<void> {
  try {
    const file = openSync(folder, constants.O_RDONLY);
    try {
      await flush(file);
    } finally {
      closeSync(file);
    }
  } catch (error) {
    if (!FOLDER_CANNOT_SYNC.includes(errnoOf(error) ?? '')) throw error;
  }
}

function writeAll(file: number, chunk: string | Uint8Array): void {
  const bytes = typeof chunk === 'string' ? Buffer.from(chunk, 'utf8') : chunk;
  let written = 0;
  while (written < bytes.length) written += writeSync(file, bytes, written);
}

/** The staged file of `createStaged`, for what builds upon it. */
export class Staged implements StagedFile {
  path: string;
  protected readonly target: string;
  readonly #overwrite: boolean;
  readonly #passing: boolean;
  #isPlaced = false;
  protected file: number | undefined;

  constructor(target: string, options: WriteOptions) {
    const folder = dirname(target);
    this.path = join(folder, temporaryName());
    this.target = target;
    this.#overwrite = options.overwrite ?? false;
    this.#passing = options.passing ?? false;
    try {
      if (options.late !== true) checkTarget(target, this.#overwrite);
      if (options.keepLeftovers !== true) removeLeftovers(folder);
      this.file = openSync(this.path, NEW_FILE, options.mode ?? 0o600);
    } catch (error) {
      throw localError(error, 'write', target);
    }
  }

  write(chunk: string | Uint8Array): void {
    this.guarded(() => {
      writeAll(this.opened(), chunk);
    });
  }

  async commit(): Promise<void> {
    try {
      if (!this.#passing) await flush(this.opened());
      this.close();
      place(this.path, this.target, this.#overwrite);
      this.#isPlaced = true;
      if (!this.#passing) await syncFolder(dirname(this.target));
    } catch (error) {
      this.drop();
      throw localError(error, 'write', this.target);
    }
  }

  async abort(): Promise<void> {
    this.drop();
  }

  protected opened(): number {
    if (this.file === undefined) throw new CliError('INTERNAL', `${this.target} is written after it was closed`);
    return this.file;
  }

  protected close(): void {
    if (this.file !== undefined) closeSync(this.file);
    this.file = undefined;
  }

  protected drop(): void {
    this.close();
    if (!this.#isPlaced) rmSync(this.path, { force: true });
  }

  protected guarded(work: () => void): void {
    try {
      work();
    } catch (error) {
      this.drop();
      throw localError(error, 'write', this.target);
    }
  }
}

/**
 * Opens a temporary file beside `path` for a result that comes in pieces. Temporary files of dead runs in the same
 * folder are removed.
 * @throws SYMLINK, EXISTS, DISK_FULL or LOCAL_IO, at once where they can be known
 */
export function createStaged(path: string, options: WriteOptions = {}): StagedFile {
  return new Staged(path, options);
}

/**
 * Writes a whole file or nothing: temporary file, fsync, final name, fsync of the folder. Errors as `createStaged`, and
 * those of the source.
 */
export async function writeAtomically(
  path: string,
  data: string | Uint8Array | AsyncIterable<string | Uint8Array>,
  options: WriteOptions = {},
): Promise<void> {
  const staged = createStaged(path, options);
  try {
    if (typeof data === 'string' || data instanceof Uint8Array) staged.write(data);
    else for await (const chunk of data) staged.write(chunk);
    await staged.commit();
  } finally {
    await staged.abort();
  }
}
