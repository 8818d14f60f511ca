import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { performance } from 'node:perf_hooks';
import { setTimeout as wait } from 'node:timers/promises';
import type { EmulatorAnswer, EmulatorRequest, EmulatorRoutes } from './exchange.js';
import { faultAnswer, type Fault, type Faults } from './faults.js';
import { announcedBytes, LARGEST_BODY, readBody, turnsOfBodies, type Interruption, type Turns } from './read-body.js';
import type { LoggedRequest, PortName, RequestLog } from './request-log.js';
import { send, type Damage } from './send.js';

const BAD_REQUEST = 'Problem accessing: /bad-request. Reason: Not Found';
const MOST_HEAD_BYTES = 1024 * 1024;
const KEEP_ALIVE_MS = 75_000;
const LONGEST_REQUEST_LINE = 4095;
const MOST_HEADER_BYTES = 8191;
const TOO_LARGE: EmulatorAnswer = { status: 413, headers: { connection: 'close' }, body: '' };

/** One port: its routes, and what it shares with the other. */
export interface PortOptions {
  readonly port: PortName;
  readonly routes: EmulatorRoutes;
  readonly log: RequestLog;
  readonly faults: Faults;
  /** Milliseconds that an answer takes, give or take one. */
  readonly latency?: number;
  /** An answer that is sent without reading the body, after which the connection is closed. */
  readonly refuse?: (path: string, headers: Readonly<Record<string, string>>) => EmulatorAnswer | undefined;
  /** Answers the paths of the emulator itself, which are neither logged nor failed. */
  readonly control?: { readonly prefix: string; readonly routes: EmulatorRoutes };
}

interface ServeOptions extends PortOptions {
  readonly turns: Turns;
}

type Exchange = readonly [request: IncomingMessage, response: ServerResponse];

/** Makes the server of one port; it does not listen yet. */
export function createPort(options: PortOptions): Server {
  const turns = turnsOfBodies();
  const server = createServer({ maxHeaderSize: MOST_HEAD_BYTES, requireHostHeader: false });
  server.keepAliveTimeout = KEEP_ALIVE_MS;
  server.requestTimeout = 0;
  const take = (expectsContinue: boolean) => (request: IncomingMessage, response: ServerResponse) => {
    response.sendDate = false;
    response.on('error', () => undefined);
    serve({ ...options, turns }, [request, response], expectsContinue).catch((error: unknown) => {
      giveUp(response, error);
    });
  };
  server.on('request', take(false));
  server.on('checkContinue', take(true));
  server.on('checkExpectation', take(false));
  server.on('clientError', (_error, socket) => {
    if (socket.writable) socket.end(badRequest());
    else socket.destroy();
  });
  return server;
}

/** An error that no route foresaw is a 500 with its message, as on the platform (docs/platform.md 0.2). */
function giveUp(response: ServerResponse, error: unknown): void {
  if (response.headersSent) response.destroy();
  else {
    response.writeHead(500, { 'content-type': 'text/plain; charset=utf-8' });
    response.end(error instanceof Error ? error.message : String(error));
  }
}

async function serve(options: ServeOptions, exchange: Exchange, expectsContinue: boolean): Promise<void> {
  const [request] = exchange;
  const { method = 'GET', url: path = '/', rawHeaders } = request;
  const kept = keptHeaders(rawHeaders, options.port === 'platform');
  const control =
    options.control !== undefined && path.startsWith(options.control.prefix) ? options.control : undefined;
  const head = { port: options.port, method, path, headers: kept.headers };
  const entry =
    control === undefined
      ? options.log.open(head)
      : { ...head, n: 0, bodySha256: '', bytes: 0, status: 0, applied: false };
  const refusal = refusalOf(options, method, path, kept.headers);
  if (refusal !== undefined && control === undefined) return close(exchange, entry, refusal);
  const announced = announcedBytes(request);
  if (Number.isFinite(announced) && announced > LARGEST_BODY) return close(exchange, entry, TOO_LARGE);
  return options.turns(request, entry, () =>
    receive(options, exchange, { ...kept, entry, control: control?.routes, expectsContinue }),
  );
}

/** A request whose body is to be read. */
interface Opened extends KeptHeaders {
  readonly entry: LoggedRequest;
  readonly control: EmulatorRoutes | undefined;
  readonly expectsContinue: boolean;
}

async function receive(options: PortOptions, exchange: Exchange, opened: Opened): Promise<void> {
  const [request, response] = exchange;
  const { entry, headers, dropped, control, expectsContinue } = opened;
  const { method, path } = entry;
  if (expectsContinue) response.writeContinue();
  const during = control === undefined ? options.faults.take('during', entry) : undefined;
  const body = await readBody(request, entry, during === undefined ? undefined : interruption(during, exchange, entry));
  if (body === undefined) {
    if (entry.bytes > LARGEST_BODY) await close(exchange, entry, TOO_LARGE);
    return;
  }
  const hasLength = headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined;
  if (dropped && body.length > 0 && hasLength) return;
  const [pathname = '/', ...query] = path.split('?');
  const received: EmulatorRequest = {
    method,
    path: pathname,
    query: new URLSearchParams(query.join('?')),
    uri: path,
    headers,
    body: dropped ? Buffer.alloc(0) : body,
  };
  if (control === undefined) await answerWithFaults(options, exchange, entry, received);
  else await finish(exchange, entry, await control(received));
}

async function answerWithFaults(
  { faults, routes, latency = 0 }: PortOptions,
  exchange: Exchange,
  entry: LoggedRequest,
  received: EmulatorRequest,
): Promise<void> {
  const due = performance.now() + latency;
  const before = faults.take('before', entry);
  if (before !== undefined && before.kind !== 'delay') return fail(exchange, entry, before, faultAnswer(before));
  if (before !== undefined) await wait(before.milliseconds ?? 0, undefined, { ref: false });
  const answer = await routes(received);
  entry.applied = answer.status < 300 && received.method !== 'GET';
  // A timer is late by a part of a millisecond; rounded up, an answer would be 5 % late at 20 ms.
  const early = due - performance.now();
  if (early > 0) await wait(Math.floor(early), undefined, { ref: false });
  const after = faults.take('after', entry);
  if (after === undefined) return finish(exchange, entry, answer);
  if (after.kind === 'delay') {
    await wait(after.milliseconds ?? 0, undefined, { ref: false });
    return finish(exchange, entry, answer);
  }
  return fail(exchange, entry, after, after.kind === 'status' ? faultAnswer(after) : answer);
}

/** A failure in the middle of a body: the connection ends, or is refused, or the reading pauses. */
function interruption(fault: Fault, exchange: Exchange, entry: LoggedRequest): Interruption {
  const happen = async (): Promise<boolean> => {
    const { socket } = exchange[0];
    if (fault.kind === 'delay') {
      await wait(fault.milliseconds ?? 0, undefined, { ref: false });
      return true;
    }
    if (fault.kind === 'reset') socket.resetAndDestroy();
    else if (fault.kind === 'status') await close(exchange, entry, faultAnswer(fault));
    else socket.destroy();
    return false;
  };
  return { bytes: fault.bytes ?? 1, happen };
}

async function fail(exchange: Exchange, entry: LoggedRequest, fault: Fault, answer: EmulatorAnswer): Promise<void> {
  if (fault.kind === 'reset') {
    const { socket } = exchange[0];
    socket.resetAndDestroy();
    return;
  }
  const damages: Partial<Record<Fault['kind'], Damage>> = {
    cut: { kind: 'cut' },
    length: { kind: 'length', extra: fault.bytes ?? 16 },
  };
  await finish(exchange, entry, answer, damages[fault.kind]);
}

async function finish(
  [request, response]: Exchange,
  entry: LoggedRequest,
  answer: EmulatorAnswer,
  damage?: Damage,
): Promise<void> {
  entry.status = answer.status;
  const gzip = /\bgzip\b/u.test(entry.headers['accept-encoding'] ?? '') && entry.port === 'platform';
  await send(response, answer, { method: request.method ?? 'GET', gzip, ...(damage === undefined ? {} : { damage }) });
}

/** Answers without reading the rest of the request, and closes, as the router does. See docs/platform.md 10.1. */
async function close(exchange: Exchange, entry: LoggedRequest, answer: EmulatorAnswer): Promise<void> {
  const socket: Socket = exchange[0].socket;
  await finish(exchange, entry, answer);
  socket.destroySoon();
}

function refusalOf(
  { port, refuse }: PortOptions,
  method: string,
  path: string,
  headers: Readonly<Record<string, string>>,
): EmulatorAnswer | undefined {
  if (port === 'platform' && lineIsTooLong(method, path)) {
    return { status: 404, headers: { connection: 'close' }, body: BAD_REQUEST };
  }
  return refuse?.(path, headers);
}

function badRequest(): string {
  return `HTTP/1.1 404 Not Found\r\nconnection: close\r\ncontent-length: ${BAD_REQUEST.length}\r\n\r\n${BAD_REQUEST}`;
}

/** Whether the request line passes the router's limit (docs/platform.md 0.4). */
function lineIsTooLong(method: string, path: string): boolean {
  return `${method} ${path} HTTP/1.1`.length > LONGEST_REQUEST_LINE;
}

/** The headers that the router keeps, by lower-case name, and whether it dropped any. */
interface KeptHeaders {
  readonly headers: Readonly<Record<string, string>>;
  readonly dropped: boolean;
}

/** Drops the header with which all lines pass 8191 bytes, and every later one. Of a repeated header the first stays. */
function keptHeaders(raw: readonly string[], limited: boolean): KeptHeaders {
  const headers: Record<string, string> = {};
  let bytes = 0;
  for (let index = 0; index + 1 < raw.length; index += 2) {
    const [name = '', value = ''] = raw.slice(index, index + 2);
    bytes += name.length + value.length + 2;
    if (limited && bytes > MOST_HEADER_BYTES) return { headers, dropped: true };
    headers[name.toLowerCase()] ??= value;
  }
  return { headers, dropped: false };
}
