import { setMaxListeners } from 'node:events';
import type { Clock } from '../core/clock.js';
import { CliError, type ErrorCode } from '../core/errors.js';
import { abortReason, detailsOf, exchangeError, type Stage } from './exchange-errors.js';
import { BodyQueue, bodyError, wholeTimeoutOf, type Flow } from './body-queue.js';
import type { PieceEnds } from './surplus-bytes.js';

/** One request as it goes on the wire. */
export interface WireRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  readonly url: URL;
  /** What the request line says: path and query, or the whole address before a proxy. */
  readonly line: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly headersTimeout: number;
  readonly idleTimeout: number;
  /** Most bytes of the answer that are read. */
  readonly maxBytes: number;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/** One answer as it came from the wire: the body raw. */
export interface WireAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: BodyQueue;
}

/**
 * Sends one request without a body of a file through undici, once. Rejects with a CliError, or the reason of the
 * signal.
 */
export function exchange(
  dispatcher: Dispatcher,
  request: WireRequest,
  content: string | Uint8Array | undefined,
  ends: PieceEnds,
): Promise<WireAnswer> {
  return new Promise((resolve, reject) => {
    const receiver = new Receiver(request, ends, resolve, reject);
    const { method, line, headers } = request;
    // Undici's own timers are off: they start over with every 1xx answer (docs/faults.md N31) and count a slow reader as a slow server.
    dispatcher.dispatch(
      { method, path: line, headers: { ...headers }, body: content ?? null, headersTimeout: 0, bodyTimeout: 0 },
      receiver,
    );
  });
}

class Receiver implements DispatchHandler {
  readonly #request: WireRequest;
  readonly #ends: PieceEnds;
  readonly #resolve: (answer: WireAnswer) => void;
  readonly #reject: (error: unknown) => void;
  #controller: DispatchController | undefined;
  #body: BodyQueue | undefined;
  #stage: Stage;
  #length: string | string[] | undefined;
  #surplus = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(
    request: WireRequest,
    ends: PieceEnds,
    resolve: (answer: WireAnswer) => void,
    reject: (error: unknown) => void,
  ) {
    this.#request = request;
    this.#ends = ends;
    this.#resolve = resolve;
    this.#reject = reject;
    this.#stage = { facts: { method: request.method, url: request.url.href }, sent: false };
    // One signal serves many requests at a time.
    setMaxListeners(0, request.signal);
    request.signal.addEventListener('abort', this.#abort);
  }

  onRequestStart(controller: DispatchController): void {
    this.#controller = controller;
    this.#stage = { ...this.#stage, sent: true };
    const { url, headersTimeout, signal } = this.#request;
    if (signal.aborted) this.#abort();
    this.#timer = setTimeout(() => {
      this.#stop('NET_TIMEOUT', `${url.host} did not respond within ${headersTimeout / 1000} s`);
    }, headersTimeout);
  }

  onResponseStart(
    controller: DispatchController,
    status: number,
    headers: Record<string, string | string[] | undefined>,
  ): void {
    if (status >= 100 && status < 200) return;
    clearTimeout(this.#timer);
    if (status < 100 || status > 599) {
      this.#stop('NET_PROTO', `${this.#request.url.host} responded with the invalid status ${status}`);
      return;
    }
    this.#stage = { ...this.#stage, facts: { ...this.#stage.facts, status } };
    this.#length = headers['content-length'];
    const first = firstValues(headers);
    const wholeTimeout = wholeTimeoutOf(this.#request.maxBytes, first);
    this.#body = new BodyQueue(flowOf(controller), { ...this.#request, wholeTimeout, stage: this.#stage });
    this.#resolve({ status, headers: first, body: this.#body });
  }

  onResponseData(_: DispatchController, piece: Buffer): void {
    this.#surplus = this.#ends.bytesAfter(piece);
    this.#body?.push(piece);
  }

  onResponseEnd(): void {
    this.#finish();
    // What stands behind a body in chunks is its own closing chunk.
    if (this.#surplus > 0 && this.#length !== undefined) {
      const message = `${this.#request.url.host} sent more bytes than it announced`;
      this.#body?.fail(new CliError('NET_PROTO', message, detailsOf(this.#stage)));
    }
    // Undici takes this connection for busy until it had its turn; a next request before that would open another one.
    queueMicrotask(() =>
      setImmediate(() => {
        this.#body?.end();
      }),
    );
  }

  onResponseError(_: DispatchController, error: Error): void {
    this.#finish();
    const { signal } = this.#request;
    if (this.#body !== undefined) this.#body.fail(bodyError(error, this.#body, this.#stage, signal));
    else this.#reject(signal.aborted ? abortReason(signal) : exchangeError(error, this.#stage));
  }

  readonly #abort = (): void => {
    this.#reject(abortReason(this.#request.signal));
    this.#controller?.abort(new Error('aborted'));
  };

  #stop(code: ErrorCode, message: string): void {
    this.#controller?.abort(new CliError(code, message, detailsOf(this.#stage)));
  }

  #finish(): void {
    clearTimeout(this.#timer);
    this.#request.signal.removeEventListener('abort', this.#abort);
  }
}

function flowOf(controller: DispatchController): Flow {
  return {
    pause: () => {
      controller.pause();
    },
    resume: () => {
      controller.resume();
    },
    abort: () => {
      controller.abort(new Error('not wanted'));
    },
  };
}

/** Header names as they are, each with the first of its values. */
export function firstValues(headers: Readonly<Record<string, string | string[] | undefined>>): Record<string, string> {
  const entries = Object.entries(headers).map(
    ([name, value]) => [name.toLowerCase(), [value].flat()[0] ?? ''] as const,
  );
  return Object.fromEntries(entries);
}

/** What sends requests in undici: a pool or a client. */
export type Dispatcher = import('undici').Dispatcher;

/** What undici tells about one exchange. */
export type DispatchHandler = import('undici').Dispatcher.DispatchHandler;

/** How an exchange is paused and aborted in undici. */
export type DispatchController = import('undici').Dispatcher.DispatchController;
