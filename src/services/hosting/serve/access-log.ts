import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import { localError } from '../../../core/files/local-error.js';
import { accessLine, type Access } from './access-line.js';

/** Where the lines go. */
export interface LogSink {
  write(text: string): Promise<void>;
  close(): Promise<void>;
}

/** Characters that may wait to be written; further lines are lost, and counted. */
const MOST_WAITING = 1_000_000;
const FLAGS = constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT | constants.O_NONBLOCK;
/** Before the umask. Addresses of clients are nobody else's business. */
const MODE = 0o640;

/** Opens a file to which lines are appended. */
export async function logFile(path: string): Promise<LogSink> {
  try {
    const handle = await open(path, FLAGS, MODE);
    return { write: (text) => handle.appendFile(text), close: () => handle.close() };
  } catch (error) {
    throw localError(error, 'write', path);
  }
}

/** A log of requests. No request waits for it, and it takes a bounded amount of memory. */
export class AccessLog {
  #waiting: string[] = [];
  #size = 0;
  #lost = 0;
  /** The write that goes on right now, and all of them until nothing waits. */
  #write: Promise<void> = Promise.resolve();
  #work: Promise<void> | undefined;

  readonly #openSink: () => Promise<LogSink>;
  readonly #warn: (message: string) => void;
  #sink: LogSink;

  private constructor(openSink: () => Promise<LogSink>, warn: (message: string) => void, sink: LogSink) {
    this.#openSink = openSink;
    this.#warn = warn;
    this.#sink = sink;
  }

  /** Begins a log; `warn` is told that lines are lost, and how many they were. */
  static async open(openSink: () => Promise<LogSink>, warn: (message: string) => void): Promise<AccessLog> {
    return new AccessLog(openSink, warn, await openSink());
  }

  add(access: Access): void {
    const line = accessLine(access);
    if (this.#size + line.length > MOST_WAITING) {
      this.#lose(1);
      return;
    }
    this.#waiting.push(line);
    this.#size += line.length;
    this.#work ??= this.#drain();
  }

  /** Goes on in a newly opened sink. Rejects when there is none; then the log goes on in the old one. */
  async reopen(): Promise<void> {
    const fresh = await this.#openSink();
    const [old, last] = [this.#sink, this.#write];
    this.#sink = fresh;
    await last;
    await old.close();
  }

  /** Resolves when everything is written. */
  async close(): Promise<void> {
    await this.#work;
    await this.#sink.close();
  }

  async #drain(): Promise<void> {
    while (this.#waiting.length > 0) {
      const lines = this.#waiting;
      this.#waiting = [];
      this.#size = 0;
      this.#write = this.#put(lines);
      await this.#write;
    }
    this.#work = undefined;
  }

  async #put(lines: readonly string[]): Promise<void> {
    try {
      await this.#sink.write(lines.join(''));
    } catch {
      this.#lose(lines.length);
      return;
    }
    if (this.#lost > 0) this.#warn(`the access log is written again; lines lost: ${this.#lost}`);
    this.#lost = 0;
  }

  #lose(lines: number): void {
    if (this.#lost === 0) this.#warn('the access log cannot be written; lines are lost');
    this.#lost += lines;
  }
}
