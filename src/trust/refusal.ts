import type { Reason } from './verdict.js';

/**
 * Why a signature or key is refused. Thrown by the readers of this room and turned into a verdict or a CliError before
 * it leaves.
 */
export class Refusal extends Error {
  readonly reason: Reason;

  constructor(reason: Reason, detail: string) {
    super(detail);
    this.name = 'Refusal';
    this.reason = reason;
  }
}
