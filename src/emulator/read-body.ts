import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { LoggedRequest } from './request-log.js';

/** The largest body that the emulator takes: 256 MB. */
export const LARGEST_BODY = 256 * 1024 * 1024;

/** What happens once when so many bytes of a body have arrived; `false` ends the reading. */
export interface Interruption {
  readonly bytes: number;
  readonly happen: () => Promise<boolean>;
}

/**
 * Reads the body and writes its digest and length into the log as it comes. `undefined` when it is too large, breaks
 * off or is interrupted for good.
 */
export async function readBody(
  request: IncomingMessage,
  entry: LoggedRequest,
  interruption?: Interruption,
): Promise<Buffer | undefined> {
  const hash = createHash('sha256');
  const chunks: Buffer[] = [];
  let isDue = interruption !== undefined;
  try {
    for await (const chunk of request) {
      if (!Buffer.isBuffer(chunk)) continue;
      hash.update(chunk);
      entry.bytes += chunk.length;
      if (entry.bytes > LARGEST_BODY) return undefined;
      chunks.push(chunk);
      if (!isDue || interruption === undefined || entry.bytes < interruption.bytes) continue;
      isDue = false;
      if (!(await interruption.happen())) return undefined;
    }
    if (isDue && interruption !== undefined && !(await interruption.happen())) return undefined;
  } catch {
    return undefined;
  } finally {
    entry.bodySha256 = hash.digest('hex');
  }
  return Buffer.concat(chunks);
}
