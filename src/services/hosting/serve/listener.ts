import { once } from 'node:events';
import { createServer, type RequestListener, type ServerOptions } from 'node:http';
import { createServer as createSecureServer, type Server as SecureServer } from 'node:https';
import type { Server, Socket } from 'node:net';
import type { Clock } from '../../../core/clock.js';
import type { Access } from './access-line.js';
import { collectEarly } from '../../../core/collecting.js';
import { answer, type ServedFiles } from './answer.js';
import { LargeFiles } from './large-files.js';
import { oneByOne, type Turns } from './one-by-one.js';
import { SmallFiles } from './small-files.js';
import type { TlsPair } from './tls-pair.js';

const PATIENCE = 10_000;
/** Milliseconds in which a client that takes nothing is closed. */
const STALLED = 30_000;
/** Each may hold two pieces of a file in memory, with TLS three. */
export const MOST_CONNECTIONS = 1024;
/** Milliseconds that running transfers may take after the end was asked for. */
const GRACE = 2000;

/** What is served where. */
export interface ServeOptions extends Pick<ServedFiles, 'name' | 'failed'> {
  /** Real path of the folder of the hub. */
  readonly root: string;
  readonly host: string;
  /** 0 for any free port. */
  readonly port: number;
  /** With it connections are encrypted. */
  readonly tls?: TlsPair | undefined;
  /** Milliseconds for the head of a request, and between two requests of a connection. */
  readonly patience?: number;
  /** Told of each request after its answer. */
  readonly log?: ((access: Access) => void) | undefined;
  readonly clock: Pick<Clock, 'sleep' | 'now' | 'monotonic'>;
}

/** A hub that is served. */
export interface ServedHub {
  readonly port: number;
  /** Takes another certificate for new connections. */
  replaceTls(tls: TlsPair): void;
  /** Lets running transfers finish for two seconds. */
  close(): Promise<void>;
}

/** Serves the files of a hub, read-only. Rejects with the error of the system when it cannot listen. */
export async function serveHub(options: ServeOptions): Promise<ServedHub> {
  const { clock, host, port } = options;
  collectEarly('catalog');
  const turns = turnsOf(options);
  const { server, secure, http } = makeServer(options, (request, response) => {
    turns.take(request, response);
  });
  const sockets = new Set<Socket>();
  server.maxConnections = MOST_CONNECTIONS;
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  server.on('clientError', refuseUnread(options, turns));
  server.listen(port, host);
  await once(server, 'listening');
  const address = server.address();
  return {
    port: typeof address === 'object' && address !== null ? address.port : port,
    replaceTls: (tls) => secure?.setSecureContext(tls),
    async close() {
      const over = new AbortController();
      const closed = once(server, 'close').then(() => {
        over.abort();
      });
      server.close();
      http.closeIdleConnections();
      await clock.sleep(GRACE, over.signal).catch(() => undefined);
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}

interface Made {
  readonly server: Server;
  /** The same, where connections are encrypted. */
  readonly secure?: SecureServer;
  readonly http: Pick<SecureServer, 'closeIdleConnections'>;
}

function makeServer({ patience = PATIENCE, tls }: ServeOptions, listener: RequestListener): Made {
  const limits: ServerOptions = {
    headersTimeout: patience,
    requestTimeout: patience,
    keepAliveTimeout: patience,
    connectionsCheckingInterval: patience / 10,
  };
  if (tls === undefined) {
    const server = createServer(limits, listener).setTimeout(STALLED);
    return { server, http: server };
  }
  const secure = createSecureServer({ ...limits, ...tls, handshakeTimeout: patience }, listener).setTimeout(STALLED);
  return { server: secure, secure, http: secure };
}

function turnsOf({ clock, log, root, name, failed }: ServeOptions): Turns {
  const served = { files: new SmallFiles(root, clock), large: new LargeFiles(), name, failed };
  return oneByOne(async (request, response) => {
    const { method = '', url: target = '', httpVersion: version, socket } = request;
    const [address, at] = [socket.remoteAddress, log === undefined ? 0 : clock.now()];
    const bytes = await answer(served, request, response);
    log?.({ address, at, asked: { method, target, version }, status: response.statusCode, bytes });
  });
}

/** Refuses what is no request, or one that does not come to its end. */
function refuseUnread({ clock, log }: ServeOptions, turns: Turns): (error: Error, socket: Socket) => void {
  return (error, socket) => {
    const code = 'code' in error ? error.code : undefined;
    // In the middle of another answer there is no place for this one.
    if (socket.writable && code !== 'ECONNRESET' && !turns.isBusy(socket)) {
      const [status, text] =
        code === 'HPE_HEADER_OVERFLOW'
          ? [431, 'Request Header Fields Too Large']
          : code === 'ERR_HTTP_REQUEST_TIMEOUT'
            ? [408, 'Request Timeout']
            : [400, 'Bad Request'];
      log?.({ address: socket.remoteAddress, at: clock.now(), status, bytes: 0 });
      socket.write(`HTTP/1.1 ${status} ${text}\r\nConnection: close\r\n\r\n`);
    }
    socket.destroy(error);
  };
}
