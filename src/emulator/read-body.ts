import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { LoggedRequest } from './request-log.js';

/** The largest body that the emulator takes: 256 MB. */
export const LARGEST_BODY = 256 * 1024 * 1024;

/** Reads the body and writes its digest and length into the log as it comes; `undefined` when it is too large or breaks off. */
export async function readBody(request: IncomingMessage, entry: LoggedRequest): Promise<Buffer | undefined> {
  const hash = createHash('sha256');
  const chunks: Buffer[] = [];
  try {
    for await (const chunk of request) {
      if (!Buffer.isBuffer(chunk)) continue;
      hash.update(chunk);
      entry.bytes += chunk.length;
      if (entry.bytes > LARGEST_BODY) return undefined;
      chunks.push(chunk);
    }
  } catch {
    return undefined;
  } finally {
    entry.bodySha256 = hash.digest('hex');
  }
  return Buffer.concat(chunks);
}
