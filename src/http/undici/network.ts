import type { Socket } from 'node:net';
import type { Connect } from './connect.js';
import { type Dispatcher, exchange, type WireAnswer, type WireRequest } from '../exchange.js';
import { PieceEnds } from '../surplus-bytes.js';
import type { RequestBody } from '../transport.js';

/** What the connections of one transport are made with. */
export interface NetworkOptions {
  readonly connect: Connect;
  /** Most connections per host for reads. */
  readonly connections: number;
  readonly continueTimeout: number;
}

/**
 * Sends single requests. Reads reuse connections. Each write opens a new one, since the server may be about to close an
 * old one (docs/faults.md N41).
 */
export interface Network {
  send(request: WireRequest, body: RequestBody | undefined): Promise<WireAnswer>;
  close(): Promise<void>;
}

/** Opens nothing and loads no library before the first request. */
export function network(options: NetworkOptions): Network {
  const ends = new PieceEnds();
  const pools = new Map<string, Promise<Dispatcher>>();
  const settings = (url: URL) => ({
    connect: connectFor(options.connect, url, ends),
    pipelining: 1,
    maxHeaderSize: 16_384,
  });
  const pool = async (url: URL): Promise<Dispatcher> => {
    await prepareParser();
    const { default: Pool } = await import('undici/lib/dispatcher/pool.js');
    return new Pool(url.origin, { ...settings(url), connections: options.connections });
  };
  const sendFresh = async (request: WireRequest, content: string | Uint8Array | undefined): Promise<WireAnswer> => {
    await prepareParser();
    const { default: Client } = await import('undici/lib/dispatcher/client.js');
    const client = new Client(request.url.origin, settings(request.url));
    const answer = exchange(client, request, content, ends);
    // Ends after the answer, which is still read.
    void client.close();
    return answer;
  };
  return {
    async send(request, body) {
      if (body?.kind === 'file') {
        const { upload } = await import('../upload.js');
        const { continueTimeout } = options;
        return upload(() => options.connect(request.url), request, { body, continueTimeout });
      }
      if (request.method !== 'GET') return sendFresh(request, body?.kind === 'bytes' ? body.content : body?.text);
      const kept = pools.get(request.url.origin) ?? pool(request.url);
      pools.set(request.url.origin, kept);
      return exchange(await kept, request, undefined, ends);
    },
    async close() {
      await Promise.all([...pools.values()].map(async (kept) => (await kept).destroy()));
    },
  };
}

type ConnectCallback = (...result: [error: null, socket: Socket] | [error: Error, socket: null]) => void;

function connectFor(connect: Connect, url: URL, ends: PieceEnds) {
  return (_: unknown, done: ConnectCallback): void => {
    void connect(url).then(
      (socket) => {
        ends.watch(socket);
        done(null, socket);
      },
      (error: unknown) => {
        done(error instanceof Error ? error : new Error('no connection', { cause: error }), null);
      },
    );
  };
}

/**
 * Makes V8 compile undici's WebAssembly parser with its fast compiler. The optimising one takes longer than the first
 * request (docs/decisions/006-two-transports.md). Must run before the parser is loaded.
 */
async function prepareParser(): Promise<void> {
  const { setFlagsFromString } = await import('node:v8');
  setFlagsFromString('--liftoff-only');
}
