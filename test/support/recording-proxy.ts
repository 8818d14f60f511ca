import { createServer, request as send, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { pipeline } from 'node:stream';

/** A request that went through; `status` is 0 when the platform gave no answer. */
export interface Recorded {
  readonly method: string;
  readonly path: string;
  readonly status: number;
  /** What a PUT carried. */
  readonly body?: string;
}

/** Stands between the tool and a platform, passes everything on unchanged and writes it down. */
export interface RecordingProxy {
  readonly url: string;
  readonly requests: readonly Recorded[];
  /** Holds each request back until what `gate` gives for it is settled. */
  hold(gate: (request: Pick<Recorded, 'method' | 'path'>) => Promise<void> | undefined): void;
  /** `METHOD /path` of everything that is not a read, in the order of the answers. */
  writes(): string[];
  forget(): void;
  close(): Promise<void>;
}

/** What a gateway is besides: the path before that of the platform, and its certificate. */
export interface Gateway {
  readonly prefix: string;
  readonly tls: { readonly key: Buffer; readonly cert: Buffer };
}

/** Starts one on a free loopback port, in front of the platform at a base URL of http. */
export async function startRecordingProxy(platform: string, gateway?: Gateway): Promise<RecordingProxy> {
  const requests: Recorded[] = [];
  const target = new URL(platform);
  const { prefix, tls } = gateway ?? { prefix: '' };
  let held: Parameters<RecordingProxy['hold']>[0] = () => undefined;
  const answer = async (incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> => {
    const sent: Buffer[] = [];
    const { method = '', url: whole = '' } = incoming;
    const path = whole.slice(prefix.length);
    if (!whole.startsWith(`${prefix}/`)) {
      outgoing.writeHead(404).end('no such path here');
      return;
    }
    incoming.url = path;
    await held({ method, path });
    if (method === 'PUT') incoming.on('data', (chunk: Buffer) => sent.push(chunk));
    passOn(target, incoming, outgoing, (status) => {
      requests.push({ method, path, status, ...(method === 'PUT' && { body: Buffer.concat(sent).toString() }) });
    });
  };
  const listener = (incoming: IncomingMessage, outgoing: ServerResponse): void => void answer(incoming, outgoing);
  const server = tls === undefined ? createServer(listener) : createTlsServer(tls, listener);
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the proxy has no port');
  return {
    url: `${tls === undefined ? 'http' : 'https'}://127.0.0.1:${address.port}${prefix}`,
    requests,
    hold: (gate) => {
      held = gate;
    },
    writes: () => requests.filter(({ method }) => method !== 'GET').map(({ method, path }) => `${method} ${path}`),
    forget: () => requests.splice(0),
    close: () =>
      new Promise((closed) => {
        server.close(() => {
          closed();
        });
        server.closeAllConnections();
      }),
  };
}

function passOn(
  target: URL,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  record: (status: number) => void,
): void {
  const { method, headers } = incoming;
  const path = `${target.pathname.replace(/\/$/u, '')}${incoming.url ?? ''}`;
  const onward = send({ host: target.hostname, port: target.port, path, method, headers });
  onward.on('response', (answer) => {
    record(answer.statusCode ?? 0);
    outgoing.writeHead(answer.statusCode ?? 0, answer.headers);
    pipeline(answer, outgoing, () => undefined);
  });
  onward.on('error', () => {
    if (!outgoing.headersSent) record(0);
    outgoing.destroy();
  });
  pipeline(incoming, onward, () => undefined);
}
