import type { Clock } from '../core/clock.js';
import { CliError } from '../core/errors.js';
import { abortReason, detailsOf, exchangeError, type Stage } from './exchange-errors.js';

const FULL = 262_144;
const SPEED_WINDOW = 30_000;
const LEAST_PER_WINDOW = 30 * 1024;
/**
 * Milliseconds that any body may take, and the least speed beyond that in bytes per millisecond. See `docs/limits.md`.
 */
const GRACE = 60_000;
const LEAST_SPEED = 16;

/** The connection behind a body. */
export interface Flow {
  pause(): void;
  resume(): void;
  /** Ends the connection; nothing is wanted any more. */
  abort(): void;
}

/** Time limits of a body, and the clock that they are measured by. */
export interface BodyLimits {
  /** Milliseconds without a byte. */
  readonly idleTimeout: number;
  /** Milliseconds of waiting until the last byte. */
  readonly wholeTimeout: number;
  readonly clock: Clock;
  readonly stage: Stage;
}

/** Milliseconds in which a body must arrive. Based on the length in its headers, else on the largest accepted size. */
export function wholeTimeoutOf(maxBytes: number, headers: Readonly<Record<string, string>>): number {
  const announced = headers['content-length'] ?? '';
  const bytes = /^[0-9]{1,15}$/u.test(announced) ? Math.min(maxBytes, Number(announced)) : maxBytes;
  return GRACE + bytes / LEAST_SPEED;
}

/**
 * A body on its way from a socket to whoever reads it, with back-pressure. Time counts only while the reader waits, so
 * a slow reader is no slow server.
 */
export class BodyQueue implements AsyncIterable<Uint8Array> {
  readonly #flow: Flow;
  readonly #limits: BodyLimits;
  readonly #pieces: Uint8Array[] = [];
  #held = 0;
  #paused = false;
  #received = 0;
  #end: { readonly error?: unknown } | undefined;
  #wake: (() => void) | undefined;
  #timer: { readonly timeout: NodeJS.Timeout; readonly wait: number } | undefined;
  #waited = 0;
  #window = { waited: 0, received: 0 };

  constructor(flow: Flow, limits: BodyLimits) {
    this.#flow = flow;
    this.#limits = limits;
  }

  /** Whether the last byte has arrived, or none will. */
  get ended(): boolean {
    return this.#end !== undefined;
  }

  get received(): number {
    return this.#received;
  }

  push(piece: Uint8Array): void {
    this.#received += piece.length;
    this.#held += piece.length;
    this.#pieces.push(piece);
    if (this.#held >= FULL && !this.#paused) {
      this.#paused = true;
      this.#flow.pause();
    }
    this.#wake?.();
  }

  end(): void {
    this.#end ??= {};
    this.#wake?.();
  }

  /** The body ends in an error: a CliError or the reason of an abort as it is, anything else translated. */
  fail(error: unknown): void {
    this.#end ??= { error };
    this.#wake?.();
  }

  /** Nothing more of it is wanted. */
  cancel(): void {
    if (!this.ended) this.#flow.abort();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array, void, void> {
    try {
      for (;;) {
        const piece = this.#pieces.shift();
        if (piece !== undefined) {
          this.#release(piece.length);
          yield piece;
        } else if (this.#end !== undefined) {
          if ('error' in this.#end) throw this.#end.error;
          return;
        } else {
          await this.#arrival();
        }
      }
    } finally {
      clearTimeout(this.#timer?.timeout);
      this.cancel();
    }
  }

  #release(bytes: number): void {
    this.#held -= bytes;
    if (this.#paused && this.#held < FULL / 2) {
      this.#paused = false;
      this.#flow.resume();
    }
  }

  /** Ends a wait that is too long. One timer serves all waits of the same length: a log has thousands of pieces. */
  #watch(milliseconds: number): void {
    const wait = Math.max(0, milliseconds);
    if (this.#timer?.wait === wait) {
      this.#timer.timeout.refresh();
      return;
    }
    clearTimeout(this.#timer?.timeout);
    const timeout = setTimeout(() => {
      const { idleTimeout, wholeTimeout } = this.#limits;
      // It runs on while the reader does not wait.
      if (this.#wake === undefined) return;
      if (wholeTimeout - this.#waited < idleTimeout) this.#giveUpLate();
      else this.#giveUp('NET_TIMEOUT', `no data for ${idleTimeout / 1000} s`);
    }, wait);
    this.#timer = { timeout, wait };
  }

  async #arrival(): Promise<void> {
    const { idleTimeout, wholeTimeout, clock } = this.#limits;
    const before = { time: clock.monotonic(), received: this.#received };
    this.#watch(Math.min(idleTimeout, wholeTimeout - this.#waited));
    await new Promise<void>((resolve) => (this.#wake = resolve));
    this.#wake = undefined;
    const waited = clock.monotonic() - before.time;
    this.#waited += waited;
    this.#window.waited += waited;
    if (this.#waited >= wholeTimeout && !this.ended) this.#giveUpLate();
    this.#window.received += this.#received - before.received;
    if (this.#window.waited < SPEED_WINDOW) return;
    if (this.#window.received < LEAST_PER_WINDOW && !this.ended) {
      this.#giveUp('NET_SLOW', `only ${this.#window.received} bytes in ${Math.round(this.#window.waited / 1000)} s`);
    }
    this.#window = { waited: 0, received: 0 };
  }

  #giveUpLate(): void {
    this.#giveUp('NET_SLOW', `incomplete after ${Math.round(this.#limits.wholeTimeout / 1000)} s`);
  }

  #giveUp(code: 'NET_TIMEOUT' | 'NET_SLOW', why: string): void {
    const { facts } = this.#limits.stage;
    this.#pieces.length = 0;
    this.fail(
      new CliError(code, `${facts.url}: ${why} (${this.#received} bytes so far)`, detailsOf(this.#limits.stage)),
    );
    this.#flow.abort();
  }
}

/** Translates what broke a body off, with the bytes that had come. The reason of an abort stays as it is. */
export function bodyError(error: unknown, queue: BodyQueue, stage: Stage, signal: AbortSignal): unknown {
  return signal.aborted ? abortReason(signal) : exchangeError(error, { ...stage, received: queue.received });
}
