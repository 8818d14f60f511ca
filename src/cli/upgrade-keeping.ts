import { asError } from '../core/as-error.js';
import type { CliError } from '../core/errors.js';
import type { Emit } from '../core/events.js';

/** Writes down on this machine what became of a run whose requests are done: what cannot be kept is a warning, and the result stays. */
export class Keeping {
  /** The first thing that could not be kept. */
  error: CliError | undefined;
  readonly #emit: Emit;

  constructor(emit: Emit) {
    this.#emit = emit;
  }

  async attempt(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (cause) {
      const error = asError(cause);
      this.error ??= error;
      this.#emit({ type: 'warning', code: 'UPGRADE', message: error.message });
    }
  }
}
