import { CliError, ERRORS, type ErrorCode } from '../../core/errors.js';
import { warn, type Warnings } from '../../core/events.js';

/** Errors after which the next pipeline would only fail as well, like all faults of this machine. */
const ENDS_ALL: readonly ErrorCode[] = [
  'AUTH',
  'TOKEN_COMMAND',
  'NET_DNS',
  'NET_REFUSED',
  'TLS',
  'PROXY',
  'PROXY_AUTH',
];

/** Errors of a read that even a patient one met; a write that meets one says nothing about the next. */
const AWAY: readonly ErrorCode[] = ['UNAVAILABLE', 'NET_RESET', 'NET_SHORT', 'NET_TIMEOUT', 'NET_SLOW'];

/** So many writes of unknown outcome in a row mean the platform and not a pipeline. */
const MOST_UNKNOWN = 8;

/**
 * Whether an error is a fault of this machine: a full disk, a file that cannot be read or written. See
 * docs/conventions.md 2.4: 15.
 */
export const isLocal = ({ code }: CliError): boolean => ERRORS[code].exit === ERRORS.LOCAL_IO.exit;

/** Whether every further pipeline would fail too: such an error, or a platform that no read reached. */
function endsAll(error: CliError): boolean {
  const { code, details } = error;
  if (ENDS_ALL.includes(code) || isLocal(error)) return true;
  if (code === 'UNKNOWN_OUTCOME') return details.cause instanceof CliError && endsAll(details.cause);
  return AWAY.includes(code) && details.request?.method === 'GET';
}

/** How many failures are put up with: a count, or a share of those that are tried in percent. */
export interface MaxFailures {
  readonly number: number;
  readonly isShare: boolean;
}

/** The number of failures that are put up with where so many are tried; without a limit all of them. */
export function mostFailures(max: MaxFailures | undefined, tried: number): number {
  if (max === undefined) return Infinity;
  return max.isShare ? Math.floor((max.number * tried) / 100) : max.number;
}

interface Limits extends Warnings {
  readonly stop: AbortSignal;
  /** Most failures before nothing new is started. */
  readonly maxFailures: number;
}

/** Decides when to start nothing new: on a stop, too many failures, or an error that ends them all. */
export class FailureLimit {
  failed = 0;
  cause: CliError | undefined;
  #unknown = 0;
  readonly #limits: Limits;

  constructor(limits: Limits) {
    this.#limits = limits;
  }

  get isOn(): boolean {
    return this.#limits.stop.aborted || this.cause !== undefined || this.failed > this.#limits.maxFailures;
  }

  /** Takes how a pipeline ended; an error that planning met is old news and only counts. */
  see(error: CliError | undefined, isOfPlan = false): void {
    if (error === undefined) {
      this.#unknown = 0;
      return;
    }
    this.failed += 1;
    if (error.code === 'UNKNOWN_OUTCOME') this.#unknown += 1;
    const isLast = this.#unknown >= MOST_UNKNOWN || (!isOfPlan && endsAll(error));
    if (this.cause !== undefined || !isLast) return;
    this.cause = error;
    warn(this.#limits, `stopping: ${error.message}`, error.details.hints?.[0]);
  }
}
