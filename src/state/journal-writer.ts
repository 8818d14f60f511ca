import { constants } from 'node:fs';
import { open, stat, type FileHandle } from 'node:fs/promises';
import { dirname } from 'node:path';
import { CliError } from '../core/errors.js';
import { syncFolder } from './atomic-write.js';
import { localError } from '../core/files/local-error.js';
import { privateFolder } from './private-folder.js';

interface PendingEntry<T> {
  readonly entry: T;
  readonly done: () => void;
  readonly failed: (error: unknown) => void;
}

/**
 * Adds lines to a file so that each is on the disk before its `append` returns. Lines that come while one is being
 * written share the next wait for the disk.
 */
export class JournalWriter<T = unknown> {
  readonly file: string;
  /** Where the last whole line ends; what stands behind it (a cut line) is dropped by the next append. */
  #length: number;
  /** How many whole lines there are. */
  #lines: number;
  /** Something may stand behind the last whole line. */
  #isUnclean = true;
  #handle: FileHandle | undefined;
  #waiting: PendingEntry<T>[] = [];
  #working: Promise<void> | undefined;

  /** The document of an entry as it is written in a line, of which the first has the number 1. */
  protected readonly written: (entry: T, line: number) => unknown = (entry) => entry;

  constructor(file: string, length: number, lines = 0) {
    this.file = file;
    this.#length = length;
    this.#lines = lines;
  }

  /**
   * Adds one document as a line. After DISK_FULL or LOCAL_IO the line does not count, and the next one takes its place.
   */
  append(entry: T): Promise<void> {
    return new Promise((done, failed) => {
      this.#waiting.push({ entry, done, failed });
      this.#working ??= this.#work();
    });
  }

  /** Waits for what is under way and closes the file. */
  async close(): Promise<void> {
    await this.#working;
    await this.#handle?.close();
    this.#handle = undefined;
  }

  async #work(): Promise<void> {
    while (this.#waiting.length > 0) {
      const group = this.#waiting;
      this.#waiting = [];
      try {
        const lines = group.map(({ entry }, at) => `${JSON.stringify(this.written(entry, this.#lines + at + 1))}\n`);
        await this.#write(Buffer.from(lines.join(''), 'utf8'));
        this.#lines += group.length;
        for (const { done } of group) done();
      } catch (error) {
        await this.#handle?.truncate(this.#length).catch(() => undefined);
        for (const { failed } of group) failed(localError(error, 'write', this.file));
      }
    }
    this.#working = undefined;
  }

  async #write(bytes: Buffer): Promise<void> {
    this.#handle ??= await this.#open();
    if (this.#isUnclean) await this.#handle.truncate(this.#length);
    this.#isUnclean = true;
    for (let at = 0; at < bytes.length;) {
      at += (await this.#handle.write(bytes, at, bytes.length - at, this.#length + at)).bytesWritten;
    }
    await this.#handle.sync();
    await this.#refuseGone(this.#handle);
    this.#length += bytes.length;
    this.#isUnclean = false;
  }

  /** Lines in a file that nobody finds any more are kept nowhere. */
  async #refuseGone(handle: FileHandle): Promise<void> {
    const [own, found] = await Promise.all([handle.stat({ bigint: true }), stat(this.file, { bigint: true })]);
    if (own.ino === found.ino && own.dev === found.dev) return;
    throw new CliError('LOCAL_IO', `the journal ${this.file} was replaced during the run`, {
      target: { file: this.file },
    });
  }

  async #open(): Promise<FileHandle> {
    const folder = await privateFolder(dirname(this.file));
    const handle = await open(this.file, constants.O_RDWR | constants.O_CREAT | constants.O_NOFOLLOW, 0o600);
    try {
      await syncFolder(folder);
      return handle;
    } catch (error) {
      await handle.close();
      throw error;
    }
  }
}
