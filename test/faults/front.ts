import { createServer, request as send, type IncomingMessage, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { resolve } from 'node:path';
import { afterAll } from 'vitest';
import type { Site } from '../support/sites/install-site.js';
import { rawServer, type RawOptions, type RawScript, type RawServer } from '../support/raw-server.js';
import type { Fault } from './judge.js';

const open: { close(): Promise<void> }[] = [];

afterAll(async () => {
  for (const one of open.splice(0)) await one.close();
});

/** A raw server that lives as long as the tests of its file. */
export async function serve(script: RawScript, options: RawOptions = {}): Promise<RawServer> {
  const server = await rawServer(script, options);
  open.push(server);
  return server;
}

/** An answer of the server behind. */
export interface Answer {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  readonly body: Buffer;
}

/** A request that came to a front. */
export interface Call {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  /** 1 for the first of the front. */
  readonly n: number;
  /** 1 for the first on its connection. */
  readonly onConnection: number;
  /** For answers in bytes; the connection is of no use afterwards. */
  readonly socket: Socket;
  /** Resolves when its body is there. */
  readonly arrived: () => Promise<unknown>;
  /** Has it answered by the server behind, and keeps the answer. */
  readonly effect: () => Promise<Answer>;
}

/** What a front does with a request; what is not handled goes on to the server behind. */
export type FrontScript = (call: Call) => 'handled' | undefined | Promise<'handled' | undefined>;

/** A server in front of another one. */
export interface Front {
  readonly url: string;
  readonly port: number;
  readonly calls: readonly Call[];
  /** The open connections. */
  readonly sockets: ReadonlySet<Socket>;
  /** Everything goes on to the server behind from now on. */
  readonly heal: () => void;
}

async function read(incoming: IncomingMessage): Promise<Buffer> {
  const pieces: Buffer[] = [];
  for await (const piece of incoming) pieces.push(Buffer.from(piece as Uint8Array));
  return Buffer.concat(pieces);
}

function ask(behind: URL, { method, url, headers }: IncomingMessage, body: Buffer): Promise<Answer> {
  const path = new URL(url ?? '/', behind);
  return new Promise((done, failed) => {
    const onward = send(
      { host: behind.hostname, port: behind.port, path: `${path.pathname}${path.search}`, method, headers },
      (answer) => {
        read(answer).then((bytes) => {
          done({ status: answer.statusCode ?? 0, headers: answer.headers, body: bytes });
        }, failed);
      },
    );
    onward.on('error', failed);
    onward.end(body);
  });
}

/** Starts a front of a server, which lives as long as the tests of its file; it also is a proxy for plain http, whatever the host. */
export async function front(behind: string, script: FrontScript): Promise<Front> {
  const calls: Call[] = [];
  const sockets = new Set<Socket>();
  const perSocket = new WeakMap<Socket, number>();
  let healed = false;
  const serveOne = async (incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> => {
    const { method = '', url: path = '', headers, socket } = incoming;
    const onConnection = (perSocket.get(socket) ?? 0) + 1;
    perSocket.set(socket, onConnection);
    const body = read(incoming);
    body.catch(() => undefined);
    const effect = async (): Promise<Answer> => ask(new URL(behind), incoming, await body);
    const call: Call = {
      method,
      path,
      headers,
      n: calls.length + 1,
      onConnection,
      socket,
      arrived: () => body,
      effect,
    };
    calls.push(call);
    if (!healed && (await script(call)) === 'handled') return;
    const answer = await effect();
    outgoing.writeHead(answer.status, answer.headers);
    outgoing.end(answer.body);
  };
  const server = createServer((incoming, outgoing) => {
    incoming.on('error', () => undefined);
    outgoing.on('error', () => undefined);
    serveOne(incoming, outgoing).catch(() => outgoing.destroy());
  });
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the front has no port');
  open.push({
    close: async () => {
      server.closeAllConnections();
      await new Promise((closed) => server.close(closed));
    },
  });
  return {
    url: `http://127.0.0.1:${address.port}`,
    port: address.port,
    calls,
    sockets,
    heal: () => {
      healed = true;
    },
  };
}

/** The environment of a tool whose waits are shorter by a factor; time limits only from so many milliseconds on. */
export const hurried = (factor: number, from?: number): { readonly env: Record<string, string> } => ({
  env: {
    NODE_OPTIONS: `--require=${resolve(import.meta.dirname, '../support/processes/hurried-time.cjs')}`,
    HURRY: String(factor),
    ...(from !== undefined && { HURRY_FROM: String(from) }),
  },
});

/** The environment of a tool whose waits are shorter by a factor, and what it measures is as long as it is: a quick answer does not count as a late one. */
export const impatient = (factor: number): { readonly env: Record<string, string> } => ({
  env: { ...hurried(factor).env, HURRY_CLOCK: '1' },
});

const FIFTY = impatient(50);

const fronts = new WeakMap<Site, () => void>();

/** What the rows about the platform's address have in common: an install of one artifact, impatient between tries. A front keeps its address when it is mended, so that the journal of the first run counts. */
export const toPlatform = {
  line: (site: Site): string[] => site.line(['example-trim-fields@1.10.0', '-y']),
  mend: async (site: Site): Promise<void> => {
    const heal = fronts.get(site);
    if (heal === undefined) site.through = site.url;
    else heal();
    await site.heal();
  },
  options: FIFTY,
} as const satisfies Partial<Fault>;

const hubs = new WeakMap<Site, string>();

/** What the rows about the hub's address have in common: its catalog. */
export const toHub = {
  line: (site: Site): string[] => ['hub', 'list', '--hub', hubs.get(site) ?? site.hub],
  mend: (site: Site): void => {
    hubs.delete(site);
  },
  options: FIFTY,
} as const satisfies Partial<Fault>;

/** Has the tool find its platform elsewhere. */
export const platformAt =
  (make: (site: Site) => Promise<{ readonly url: string; readonly heal?: () => void }>) =>
  async (site: Site): Promise<void> => {
    const { url, heal } = await make(site);
    site.through = url;
    if (heal !== undefined) fronts.set(site, heal);
  };

/** Has the tool find its hub elsewhere. */
export const hubAt =
  (make: (site: Site) => Promise<{ readonly url: string }>) =>
  async (site: Site): Promise<void> => {
    hubs.set(site, (await make(site)).url);
  };
