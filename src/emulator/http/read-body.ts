import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import type { LoggedRequest } from './request-log.js';

/** The largest body that the emulator takes: 64 MB. */
export const LARGEST_BODY = 64 * 1024 * 1024;
/** Bodies of more bytes are in memory one at a time. */
const SMALL_BODY = 256 * 1024;
const STALLED_MS = 3000;

/** Bytes of a body as its request announces them; infinite when it does not. */
export const announcedBytes = ({ headers }: IncomingMessage): number =>
  headers['transfer-encoding'] === undefined ? Number(headers['content-length'] ?? 0) : Infinity;

/** Reads the body of a request and answers it, as `work` does, when it is its turn. */
export type Turns = (request: IncomingMessage, entry: LoggedRequest, work: () => Promise<void>) => Promise<void>;

/**
 * Makes the turns of a server. A large body waits until those before it are answered, so that a hundred uploads at once
 * do not fill the memory (docs/faults.md V23). One that makes no progress keeps nobody waiting.
 */
export function turnsOfBodies(): Turns {
  let last: Promise<void> = Promise.resolve();
  return async (request, entry, work) => {
    if (announcedBytes(request) <= SMALL_BODY) return work();
    const before = last;
    const done = before.then(work);
    last = before.then(() => Promise.race([done.catch(() => undefined), stall(entry)]));
    return done;
  };
}

/** Ends when a body has got no more bytes for a while. */
async function stall(entry: Pick<LoggedRequest, 'bytes'>): Promise<void> {
  let bytes = -1;
  while (bytes !== entry.bytes) {
    ({ bytes } = entry);
    await wait(STALLED_MS, undefined, { ref: false });
  }
}

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
