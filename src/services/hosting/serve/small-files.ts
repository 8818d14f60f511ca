import { lstatSync } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from '../../../core/clock.js';
import { CliError } from '../../../core/errors.js';
import { isGone } from '../../../hub/folder-files.js';
import type { FileFacts } from './file-answer.js';
import { openFile } from './open-file.js';

/** Bytes of the largest file that is read as a whole. */
const SMALL = 64 * 1024;
/** Bytes that are kept in memory, and what a file counts besides its own. */
const MOST_KEPT = 16 * 1024 * 1024;
const BESIDES = 1024;
/** Milliseconds after which a file is opened again even if it seems to be the same. */
const KEPT_FOR = 1000;

/** A file of a hub: its bytes when it is small, else open. Who gets it open closes it. */
export type FoundFile = { readonly facts: FileFacts } & ({ readonly bytes: Buffer } | { readonly handle: FileHandle });

interface Kept {
  readonly facts: FileFacts;
  readonly bytes: Buffer;
  readonly since: number;
}

/**
 * The files of a hub, of which small ones are kept for a second. One that has another inode, size or time than before
 * is opened anew, with all checks; so is one that a link leads to.
 */
export class SmallFiles {
  readonly #root: string;
  readonly #clock: Pick<Clock, 'monotonic'>;
  /** The one that was used last stands last. */
  readonly #kept = new Map<string, Kept>();
  #size = 0;

  constructor(root: string, clock: Pick<Clock, 'monotonic'>) {
    this.#root = root;
    this.#clock = clock;
  }

  /** Finds a file by the names on the way to it; undefined when there is none. */
  async find(names: readonly string[]): Promise<FoundFile | undefined> {
    const path = join(this.#root, ...names);
    const kept = this.#kept.get(path);
    if (kept !== undefined) {
      if (this.#clock.monotonic() - kept.since < KEPT_FOR && isStill(path, kept.facts)) return kept;
      this.#forget(path, kept);
    }
    const file = await openFile(this.#root, names);
    if (file === undefined || file.facts.size > SMALL) return file;
    const since = this.#clock.monotonic();
    const { facts, handle } = file;
    try {
      const bytes = Buffer.allocUnsafeSlow(facts.size);
      const { bytesRead } = await handle.read(bytes, 0, bytes.length, 0);
      // A file that became shorter cannot be sent as announced.
      if (bytesRead !== bytes.length) throw new CliError('CHANGED_MEANWHILE', `${path} was truncated`);
      this.#keep(path, { facts, bytes, since });
      return { facts, bytes };
    } finally {
      await handle.close();
    }
  }

  #keep(path: string, file: Kept): void {
    const other = this.#kept.get(path);
    if (other !== undefined) this.#forget(path, other);
    this.#kept.set(path, file);
    this.#size += file.bytes.length + BESIDES;
    for (const [oldest, { bytes }] of this.#kept) {
      if (this.#size <= MOST_KEPT) break;
      this.#kept.delete(oldest);
      this.#size -= bytes.length + BESIDES;
    }
  }

  #forget(path: string, file: Kept): void {
    if (this.#kept.get(path) !== file) return;
    this.#kept.delete(path);
    this.#size -= file.bytes.length + BESIDES;
  }
}

/**
 * Whether the same file is still there. In place of a thread of its own it asks at once, which takes a tenth of the
 * time: of what was asked a moment ago, the system knows the answer without the disk.
 */
function isStill(path: string, { inode, size, changed }: FileFacts): boolean {
  try {
    const now = lstatSync(path, { bigint: true, throwIfNoEntry: false });
    return now?.ino === inode && now.size === BigInt(size) && now.mtimeNs === changed;
  } catch (error) {
    if (isGone(error)) return false;
    throw error;
  }
}
