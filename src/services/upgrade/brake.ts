import { CliError, type ErrorCode } from '../../core/errors.js';

/** Errors after which the next pipeline would only fail as well. */
const ENDS_ALL: readonly ErrorCode[] = [
  'AUTH',
  'NET_DNS',
  'NET_REFUSED',
  'TLS',
  'PROXY',
  'PROXY_AUTH',
  'UNAVAILABLE',
  'DISK_FULL',
  'LOCAL_IO',
];

/** Errors of a read that even a patient one met. */
const AWAY: readonly ErrorCode[] = ['NET_RESET', 'NET_SHORT', 'NET_TIMEOUT', 'NET_SLOW'];

/** Whether the next pipeline would only fail as well: such an error, or a platform that no read reached any more. */
function endsAll({ code, details }: CliError): boolean {
  if (ENDS_ALL.includes(code)) return true;
  if (code === 'UNKNOWN_OUTCOME') return details.cause instanceof CliError && endsAll(details.cause);
  return AWAY.includes(code) && details.request?.method === 'GET';
}

interface Limits {
  readonly stop: AbortSignal;
  /** Most failures before nothing new is started. */
  readonly maxFailures: number;
  readonly warn: (message: string) => void;
}

/** Decides when nothing new is to be started: asked to stop, too many failures, or an error that every next pipeline would meet. */
export class Brake {
  failed = 0;
  cause: CliError | undefined;
  readonly #limits: Limits;

  constructor(limits: Limits) {
    this.#limits = limits;
  }

  get isOn(): boolean {
    return this.#limits.stop.aborted || this.cause !== undefined || this.failed > this.#limits.maxFailures;
  }

  see(error: CliError | undefined): void {
    if (error === undefined) return;
    this.failed += 1;
    if (this.cause !== undefined || !endsAll(error)) return;
    this.cause = error;
    const [hint] = error.details.hints ?? [];
    this.#limits.warn(`no more pipelines are tried: ${error.message}${hint === undefined ? '' : ` (${hint})`}`);
  }
}
