import { createServer, request as send, type IncomingMessage, type ServerResponse } from 'node:http';

/** Where in the life of a request the proxy stops: before the platform got it, when it was applied but not answered, half way through the answer. */
export type Stall = 'unsent' | 'unanswered' | 'half';

/** A point in a run: the `n`-th request to the platform, counted from 1; with a pattern the `n`-th of which `METHOD path` fits it. */
export interface StallPoint {
  readonly n: number;
  readonly of?: RegExp;
  readonly stall: Stall;
}

/** A proxy in front of a platform that can stop at a request and let nothing go on. */
export interface StallingProxy {
  readonly url: string;
  /** `METHOD path` of the requests since the last `arm`. */
  readonly requests: readonly string[];
  /** Counts anew; resolves when the point is reached. Without a point everything passes. */
  arm(point?: StallPoint): Promise<void>;
  close(): Promise<void>;
}

/** What a test does at a request: as soon as the platform has applied it, before its answer goes on, or before the platform gets it. */
export type AtRequest = (method: string, path: string) => Promise<void>;

interface Answer {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  readonly body: Buffer;
}

function isAt(point: StallPoint | undefined, requests: readonly string[]): point is StallPoint {
  const fits = (request: string | undefined): boolean => point?.of?.test(request ?? '') ?? true;
  return fits(requests.at(-1)) && requests.filter(fits).length === point?.n;
}

async function read(incoming: IncomingMessage): Promise<Buffer> {
  const pieces: Buffer[] = [];
  for await (const piece of incoming) pieces.push(Buffer.from(piece as Uint8Array));
  return Buffer.concat(pieces);
}

function ask(platform: URL, { method, url, headers }: IncomingMessage, body: Buffer): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const onward = send({ host: platform.hostname, port: platform.port, path: url, method, headers }, (answer) => {
      read(answer).then((bytes) => {
        resolve({ status: answer.statusCode ?? 0, headers: answer.headers, body: bytes });
      }, reject);
    });
    onward.on('error', reject);
    onward.end(body);
  });
}

/** Starts one on a free loopback port. */
export async function startStallingProxy(
  platformUrl: string,
  afterEffect: AtRequest = async () => undefined,
  beforeEffect: AtRequest = async () => undefined,
): Promise<StallingProxy> {
  const platform = new URL(platformUrl);
  let requests: string[] = [];
  let point: StallPoint | undefined;
  let reached: () => void = () => undefined;
  const serve = async (incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> => {
    const { method = '', url = '' } = incoming;
    requests.push(`${method} ${url}`);
    const stall = isAt(point, requests) ? point.stall : undefined;
    const body = await read(incoming);
    if (stall === 'unsent') {
      reached();
      return;
    }
    await beforeEffect(method, url);
    const answer = await ask(platform, incoming, body);
    await afterEffect(method, url);
    if (stall === 'unanswered') {
      reached();
      return;
    }
    outgoing.writeHead(answer.status, answer.headers);
    if (stall === undefined) outgoing.end(answer.body);
    else {
      outgoing.flushHeaders();
      outgoing.write(answer.body.subarray(0, Math.floor(answer.body.length / 2)), reached);
    }
  };
  const server = createServer((incoming, outgoing) => {
    incoming.on('error', () => undefined);
    outgoing.on('error', () => undefined);
    serve(incoming, outgoing).catch(() => outgoing.destroy());
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the proxy has no port');
  return {
    url: `http://127.0.0.1:${address.port}`,
    get requests() {
      return requests;
    },
    arm: (next) => {
      requests = [];
      point = next;
      return new Promise((resolve) => {
        reached = resolve;
      });
    },
    close: async () => {
      server.closeAllConnections();
      await new Promise((closed) => server.close(closed));
    },
  };
}
