import { once } from 'node:events';
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { createServer as createTlsServer, type TlsOptions } from 'node:tls';

/** One request as it came over a socket, read by nobody's HTTP library. */
export interface RawRequest {
  readonly method: string;
  readonly target: string;
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string>>;
  /** Body bytes that came together with the head. */
  readonly body: Buffer;
  /** 1 for the first request of the server, counted over all connections. */
  readonly n: number;
  /** 1 for the first connection. */
  readonly connection: number;
}

/** Answers a request in any way it likes: writes bytes, keeps silent, resets. */
export type RawScript = (socket: Socket, request: RawRequest) => void | Promise<void>;

/** A server on loopback that speaks only what its script writes. */
export interface RawServer {
  readonly port: number;
  /** `http://127.0.0.1:port`, or https. */
  readonly url: string;
  readonly requests: readonly RawRequest[];
  /** Connections accepted so far. */
  connections(): number;
  close(): Promise<void>;
}

/** What a raw server may be besides plain: TLS, deaf to requests (the script is called on connection), on another host. */
export interface RawOptions {
  readonly tls?: TlsOptions;
  readonly onConnect?: (socket: Socket, connection: number) => void;
  readonly host?: string;
}

/** Starts a server that reads request heads (and the body bytes that came along) and hands each to the script. */
export async function rawServer(script: RawScript, options: RawOptions = {}): Promise<RawServer> {
  const requests: RawRequest[] = [];
  const sockets = new Set<Socket>();
  let connections = 0;
  const accept = (socket: Socket): void => {
    const connection = ++connections;
    sockets.add(socket);
    socket.on('error', () => undefined).once('close', () => sockets.delete(socket));
    options.onConnect?.(socket, connection);
    readRequests(socket, (request) => {
      const complete = { ...request, n: requests.length + 1, connection };
      requests.push(complete);
      void script(socket, complete);
    });
  };
  const server: Server = options.tls === undefined ? createServer(accept) : createTlsServer(options.tls, accept);
  server.on('tlsClientError', () => undefined);
  if (options.tls !== undefined) server.on('connection', (socket: Socket) => sockets.add(socket));
  server.listen(0, options.host ?? '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    port,
    url: `${options.tls === undefined ? 'http' : 'https'}://127.0.0.1:${port}`,
    requests,
    connections: () => connections,
    async close() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}

/** An answer as bytes; Content-Length is added unless the headers say how the body ends. */
export function rawAnswer(
  status: number,
  body: string | Buffer = '',
  headers: Readonly<Record<string, string>> = {},
): Buffer {
  const names = Object.keys(headers).map((name) => name.toLowerCase());
  const framed =
    names.includes('content-length') || names.includes('transfer-encoding') || names.includes('x-no-length');
  const lines = Object.entries({
    ...headers,
    ...(framed ? {} : { 'Content-Length': String(Buffer.byteLength(body)) }),
  });
  const head = [
    `HTTP/1.1 ${status} Words`,
    ...lines.filter(([name]) => name !== 'x-no-length').map(([name, value]) => `${name}: ${value}`),
  ];
  return Buffer.concat([Buffer.from(`${head.join('\r\n')}\r\n\r\n`, 'latin1'), Buffer.from(body)]);
}

function readRequests(socket: Socket, take: (request: Omit<RawRequest, 'n' | 'connection'>) => void): void {
  let pending = Buffer.alloc(0);
  let skip = 0;
  socket.on('data', (piece: Buffer) => {
    const skipped = Math.min(skip, piece.length);
    skip -= skipped;
    pending = Buffer.concat([pending, piece.subarray(skipped)]);
    for (;;) {
      const end = pending.indexOf('\r\n\r\n');
      if (end < 0) return;
      const [first = '', ...lines] = pending.subarray(0, end).toString('latin1').split('\r\n');
      const [method = '', target = ''] = first.split(' ');
      const headers = Object.fromEntries(
        lines.map((line) => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 1).trim()]),
      );
      const length = Number(headers['content-length'] ?? 0);
      const body = pending.subarray(end + 4, end + 4 + length);
      skip = length - body.length;
      pending = pending.subarray(end + 4 + body.length);
      take({ method, target, headers, body });
    }
  });
}
