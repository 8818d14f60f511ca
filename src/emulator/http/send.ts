import type { ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { gzipSync } from 'node:zlib';
import type { EmulatorAnswer } from './exchange.js';

/** How an answer is damaged: cut off half way, or sent with a length that is `extra` bytes too large. */
export type Damage = { readonly kind: 'cut' } | { readonly kind: 'length'; readonly extra: number };

/** What of the request decides how its answer is sent. */
export interface SendOptions {
  readonly method: string;
  readonly gzip: boolean;
  readonly damage?: Damage;
}

/** Sends an answer; resolves when the last byte was given to the connection. */
export async function send(response: ServerResponse, answer: EmulatorAnswer, options: SendOptions): Promise<void> {
  const plain = Buffer.isBuffer(answer.body) ? answer.body : Buffer.from(answer.body, 'utf8');
  const { more } = answer;
  const mayPack = options.gzip && more === undefined && options.damage === undefined;
  const packed = mayPack && answer.status === 200 && plain.length > 0;
  const body = packed ? gzipSync(plain) : plain;
  const chunked = answer.headers['transfer-encoding'] === 'chunked';
  const promised = body.length + (options.damage?.kind === 'length' ? options.damage.extra : 0);
  response.writeHead(answer.status, {
    ...answer.headers,
    ...(chunked ? {} : { 'content-length': promised }),
    ...(packed ? { 'content-encoding': 'gzip' } : {}),
  });
  if (options.method === 'HEAD' || answer.status === 304) {
    await ended(response, undefined);
  } else if (more !== undefined && options.damage === undefined) {
    await inPieces(response, body, more);
  } else if (options.damage === undefined) {
    await ended(response, body);
  } else {
    await breakOff(response, options.damage.kind === 'cut' ? body.subarray(0, Math.floor(body.length / 2)) : body);
  }
}

function ended(response: ServerResponse, body: Buffer | undefined): Promise<void> {
  return new Promise((resolve) => {
    response.once('close', resolve);
    response.end(body, resolve);
  });
}

/** Sends piece after piece, each when the one before has gone; a reader who leaves ends it. */
async function inPieces(response: ServerResponse, body: Buffer, more: Iterable<string>): Promise<void> {
  const pieces = function* (): Generator<Buffer | string> {
    yield body;
    yield* more;
  };
  await pipeline(Readable.from(pieces()), response).catch(() => response.destroy());
}

function breakOff(response: ServerResponse, part: Buffer): Promise<void> {
  return new Promise((resolve) => {
    response.once('close', resolve);
    response.flushHeaders();
    response.write(part, () => response.socket?.destroySoon());
  });
}
