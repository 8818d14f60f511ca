import { createHash } from 'node:crypto';

/** The two ports of the emulator. */
export type PortName = 'platform' | 'hub';

/**
 * One request as `GET /emulator/requests` shows it. `status` 0 = no answer (yet), `applied` = the platform took it and
 * it had its effect, whatever became of the answer.
 */
export interface LoggedRequest {
  readonly n: number;
  readonly port: PortName;
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  bodySha256: string;
  bytes: number;
  status: number;
  applied: boolean;
}

/** What is known of a request when its first line and headers are read. */
export type RequestHead = Pick<LoggedRequest, 'port' | 'method' | 'path' | 'headers'>;

const NO_BODY = createHash('sha256').digest('hex');

/** The requests of both ports in the order of their arrival. */
export class RequestLog {
  #entries: LoggedRequest[] = [];
  #count = 0;

  /** Adds a request; what becomes of it is written into the entry. */
  open(head: RequestHead): LoggedRequest {
    this.#count += 1;
    const headers = 'authorization' in head.headers ? { ...head.headers, authorization: '***' } : head.headers;
    const entry = { n: this.#count, ...head, headers, bodySha256: NO_BODY, bytes: 0, status: 0, applied: false };
    this.#entries.push(entry);
    return entry;
  }

  /** One JSON document a line. */
  text(): string {
    return this.#entries.map((entry) => `${JSON.stringify(entry)}\n`).join('');
  }

  clear(): void {
    this.#entries = [];
    this.#count = 0;
  }
}
