import { asError, type CliError } from '../../../core/errors.js';
import type { Emit } from '../../../core/events.js';

/**
 * Collects the failures to keep files on this machine during a run: each is a warning. The result is not affected, but
 * the exit code is that of a local fault (15).
 */
export class KeptErrors {
  /** The first thing that could not be kept. */
  error: CliError | undefined;
  readonly #halt = new AbortController();
  readonly #emit: Emit;

  constructor(emit: Emit) {
    this.#emit = emit;
  }

  /** Ends when nothing more may be sent, as what becomes of it could not be kept (docs/faults.md L03). */
  get halted(): AbortSignal {
    return this.#halt.signal;
  }

  /** Writes something down of requests that are done. */
  async attempt(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (cause) {
      this.#take(asError(cause));
    }
  }

  /** Stops a run that cannot keep what it has to. */
  halt(error: CliError): void {
    this.#take(error);
    this.#halt.abort(error);
  }

  /** Takes note of a fault of which the user knows. */
  blame(error: CliError): void {
    this.error ??= error;
  }

  #take(error: CliError): void {
    this.blame(error);
    this.#emit({ type: 'warning', code: 'UPGRADE', message: error.message });
  }
}
