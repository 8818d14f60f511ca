import { createHash } from 'node:crypto';
import { setMaxListeners } from 'node:events';
import { open, type FileHandle } from 'node:fs/promises';
import { request as sendRequest, type ClientRequest, type IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import { CliError } from '../core/errors.js';
import { abortReason, detailsOf, exchangeError, type Stage } from './exchange-errors.js';
import { BodyQueue, bodyError, wholeTimeoutOf } from './body-queue.js';
import { firstValues, type WireAnswer, type WireRequest } from './exchange.js';
import { codeOf } from './connect-errors.js';
import type { RequestBody } from './transport.js';

const PIECE = 262_144;

/** The body of an upload, and how long to wait for the server's leave to send it, in milliseconds. */
export interface UploadBody {
  readonly body: Extract<RequestBody, { kind: 'file' }>;
  readonly continueTimeout: number;
}

/**
 * Uploads a file, once, on a connection of its own. Sends `Expect: 100-continue`, which undici cannot, to see a refusal
 * instead of a broken pipe (docs/platform.md 10.1). A server that does not support it gets the file after
 * `continueTimeout`.
 */
export async function upload(
  connect: () => Promise<Socket>,
  request: WireRequest,
  { body, continueTimeout }: UploadBody,
): Promise<WireAnswer> {
  const facts = { method: request.method, url: request.url.href };
  const file = await openFile(body);
  try {
    await checkSize(file, body);
    const socket = await connect().catch((error: unknown) => {
      throw request.signal.aborted ? abortReason(request.signal) : exchangeError(error, { facts, sent: false });
    });
    return await new Upload(request, socket, { facts, sent: true }).run(file, body, continueTimeout);
  } finally {
    await file.close();
  }
}

const unreadable = ({ file }: UploadBody['body'], cause: unknown): CliError =>
  new CliError('LOCAL_IO', `${file} cannot be read (${codeOf(cause)})`, { target: { file }, sent: 'no', cause });

async function openFile(body: UploadBody['body']): Promise<FileHandle> {
  return open(body.file).catch((cause: unknown) => {
    throw unreadable(body, cause);
  });
}

async function checkSize(opened: FileHandle, body: UploadBody['body']): Promise<void> {
  const { file, bytes } = body;
  const { size } = await opened.stat().catch((cause: unknown) => {
    throw unreadable(body, cause);
  });
  if (size === bytes) return;
  const details = { target: { file }, sent: 'no' } as const;
  throw new CliError('LOCAL_IO', `${file} was changed: it has ${size} bytes instead of ${bytes}`, details);
}

/** Reads a file from its beginning, and compares its digest before it gives the last bytes. */
class CheckedFile {
  readonly #opened: FileHandle;
  readonly #body: UploadBody['body'];
  readonly #piece = Buffer.allocUnsafe(PIECE);
  readonly #hash = createHash('sha256');
  #read = 0;

  constructor(opened: FileHandle, body: UploadBody['body']) {
    this.#opened = opened;
    this.#body = body;
  }

  /** The next bytes, in the memory of those before. None at the end, an error where they must not be sent. */
  async next(): Promise<Buffer | CliError> {
    const { file, bytes, sha256 } = this.#body;
    const length = Math.min(PIECE, bytes - this.#read);
    if (length === 0) return this.#piece.subarray(0, 0);
    try {
      const { bytesRead } = await this.#opened.read(this.#piece, 0, length, this.#read);
      if (bytesRead === 0)
        return new CliError('LOCAL_IO', `${file} became shorter while it was sent`, { target: { file } });
      const piece = this.#piece.subarray(0, bytesRead);
      this.#read += bytesRead;
      if (sha256 === undefined) return piece;
      this.#hash.update(piece);
      return this.#read < bytes || this.#hash.digest('hex') === sha256 ? piece : changed(file);
    } catch (cause) {
      return unreadable(this.#body, cause);
    }
  }
}

// A body without its end is nothing that a server may act on.
const changed = (file: string): CliError =>
  new CliError('LOCAL_IO', `${file} was changed after it was checked; it was not sent whole`, {
    hints: ['start again with a file that stays as it is'],
    target: { file },
  });

class Upload {
  readonly #request: WireRequest;
  readonly #stage: Stage;
  readonly #http: ClientRequest;
  readonly #answered: Promise<WireAnswer>;
  readonly #stop = new AbortController();
  #timer: NodeJS.Timeout | undefined;

  constructor(request: WireRequest, socket: Socket, stage: Stage) {
    this.#request = request;
    this.#stage = stage;
    const { method, line, headers } = request;
    this.#http = sendRequest({
      method,
      path: line,
      headers: { ...headers, expect: '100-continue', connection: 'close' },
      createConnection: () => socket,
      maxHeaderSize: 16_384,
      insecureHTTPParser: false,
    });
    this.#answered = new Promise((resolve, reject) => {
      this.#http.once('response', (message) => {
        this.#stop.abort();
        clearTimeout(this.#timer);
        resolve(this.#receive(message));
      });
      this.#http.on('error', (error) => {
        this.#stop.abort();
        reject(request.signal.aborted ? abortReason(request.signal) : exchangeError(error, stage));
      });
    });
    this.#answered.catch(() => undefined);
    setMaxListeners(0, request.signal);
    request.signal.addEventListener('abort', this.#abort);
    this.#http.once('close', () => {
      request.signal.removeEventListener('abort', this.#abort);
    });
  }

  async run(file: FileHandle, body: UploadBody['body'], continueTimeout: number): Promise<WireAnswer> {
    try {
      await this.#leave(continueTimeout);
      if (!this.#stop.signal.aborted) await this.#send(file, body);
      if (!this.#stop.signal.aborted) this.#deadline(this.#request.headersTimeout, 'did not answer');
      return await this.#answered;
    } finally {
      clearTimeout(this.#timer);
    }
  }

  readonly #abort = (): void => {
    this.#http.destroy(new Error('aborted'));
  };

  #leave(milliseconds: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, milliseconds);
      this.#http.once('continue', resolve);
      this.#stop.signal.addEventListener('abort', () => {
        resolve();
      });
      this.#http.once('close', () => {
        clearTimeout(timer);
      });
      this.#http.flushHeaders();
    });
  }

  async #send(file: FileHandle, body: UploadBody['body']): Promise<void> {
    const checked = new CheckedFile(file, body);
    for (;;) {
      const piece = await checked.next();
      // Node loses what was received when a write fails, so a refusal that has arrived is read first; the second turn comes after a look at the sockets.
      await setImmediate();
      await setImmediate();
      if (this.#stop.signal.aborted) return;
      if (piece instanceof CliError) {
        this.#http.destroy(piece);
        return;
      }
      if (piece.length === 0) break;
      this.#deadline(this.#request.idleTimeout, 'stopped accepting the file');
      if (!(await this.#write(piece))) return;
    }
    this.#http.end();
  }

  /** Resolves when the bytes are gone, so that the buffer may be used again. With false when that will never be. */
  #write(piece: Buffer): Promise<boolean> {
    const { signal } = this.#stop;
    return new Promise((resolve) => {
      const stop = (): void => {
        resolve(false);
      };
      signal.addEventListener('abort', stop);
      this.#http.write(piece, (error) => {
        signal.removeEventListener('abort', stop);
        resolve(!error);
      });
    });
  }

  #deadline(milliseconds: number, what: string): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      const message = `${this.#request.url.host} ${what} within ${milliseconds / 1000} s`;
      this.#http.destroy(new CliError('NET_TIMEOUT', message, detailsOf(this.#stage)));
    }, milliseconds);
  }

  async #receive(message: IncomingMessage): Promise<WireAnswer> {
    const status = message.statusCode ?? 0;
    if (status < 200 || status > 599) {
      message.destroy();
      throw new CliError(
        'NET_PROTO',
        `${this.#request.url.host} responded with the invalid status ${status}`,
        detailsOf(this.#stage),
      );
    }
    const stage = { ...this.#stage, facts: { ...this.#stage.facts, status } };
    const flow = {
      pause: () => message.pause(),
      resume: () => message.resume(),
      abort: () => message.destroy(),
    };
    const { signal, maxBytes } = this.#request;
    const headers = firstValues(message.headers);
    const wholeTimeout = wholeTimeoutOf(maxBytes, headers);
    const body = new BodyQueue(flow, { ...this.#request, wholeTimeout, stage });
    message.on('data', (piece: Buffer) => {
      body.push(piece);
    });
    message.once('end', () => {
      body.end();
    });
    message.on('error', (error) => {
      body.fail(bodyError(error, body, stage, signal));
    });
    message.once('close', () => {
      // The rest of the file may still be wanted by nobody: the connection is not used again.
      this.#http.destroy();
    });
    return { status, headers, body };
  }
}
