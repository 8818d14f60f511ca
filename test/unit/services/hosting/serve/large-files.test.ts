import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { truncateSync, writeFileSync } from 'node:fs';
import { open, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import { PassThrough, Writable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { LargeFiles, pieceFor } from '../../../../../src/services/hosting/serve/large-files.js';
import { MOST_CONNECTIONS } from '../../../../../src/services/hosting/serve/listener.js';
import { withTempDir } from '../../../../support/processes/run-cli.js';

const KB = 1024;
const SIZE = 600 * KB;
const MANY = 40;

interface Sent {
  readonly to: Writable;
  readonly closed: Promise<unknown>;
  /** Bytes that were read, or the code of the error. */
  readonly sent: Promise<number | string | undefined>;
}

interface Site {
  /** Bytes of the pieces of each transfer. */
  readonly pieces: readonly unknown[];
  readonly send: (to: Writable, changes?: { readonly end?: number; readonly path?: string }) => Promise<Sent>;
}

/** One sender of a file. */
const sending = (use: (site: Site) => Promise<void>): Promise<void> =>
  withTempDir(async (folder) => {
    const file = join(folder, 'large');
    writeFileSync(file, '');
    truncateSync(file, SIZE);
    const large = new LargeFiles();
    const pieces: unknown[] = [];
    const handles: FileHandle[] = [];
    await use({
      pieces,
      send: async (to, { end = SIZE - 1, path = file } = {}) => {
        const handle = await open(path);
        handles.push(handle);
        const createReadStream: FileHandle['createReadStream'] = (options) => {
          pieces.push(options?.highWaterMark);
          return handle.createReadStream(options);
        };
        const closed = new Promise((done) => to.once('close', done));
        const sent = large.send({ createReadStream }, { start: 1, end }, to as unknown as ServerResponse);
        return { to, closed, sent: sent.catch((error: unknown) => (error as NodeJS.ErrnoException).code) };
      },
    });
    for (const handle of handles) await handle.close();
  });

const many = (one: () => Promise<Sent>): Promise<readonly Sent[]> => Promise.all(Array.from({ length: MANY }, one));
/** Takes all, and never comes to its end. */
const endless = (): Writable =>
  new Writable({
    write(_, __, done) {
      done();
    },
    final: () => undefined,
  });
const reader = (): Writable => new PassThrough().resume();
const allSent = async (all: readonly Sent[]): Promise<readonly unknown[]> =>
  Promise.all(all.map(({ sent }) => sent)).then((sent) => [...new Set(sent)]);

describe('the pieces of large files', () => {
  it('are large for few readers; all that may connect take at most 60 MB', () => {
    expect([0, 15, 16, 255, 100_000].map(pieceFor)).toEqual([256 * KB, 256 * KB, 246_723, 16 * KB, 16 * KB]);
    const all = Array.from({ length: MOST_CONNECTIONS }, (_, others) => pieceFor(others));
    // One that waits for its reader, and the next.
    expect(2 * all.reduce((sum, piece) => sum + piece)).toBeLessThan(60 * KB * KB);
  });

  it('are those of the transfers there are, also of one whose last piece waits for its reader', () =>
    sending(async ({ send, pieces }) => {
      const slow = await many(() => send(endless()));
      expect(await allSent(slow)).toEqual([SIZE - 1]);
      const next = await send(reader());
      expect(await next.sent).toBe(SIZE - 1);
      expect(pieces).toEqual(Array.from({ length: MANY + 1 }, (_, others) => pieceFor(others)));
      await next.closed;
      for (const { to } of slow) to.destroy();
      await Promise.all(slow.map(({ closed }) => closed));
      expect(await allSent([await send(reader())])).toEqual([SIZE - 1]);
      expect(pieces.at(-1)).toBe(256 * KB);
    }));

  it('are large again after transfers that failed, and after clients that went away', () =>
    sending(async ({ send, pieces }) => {
      // A folder can be opened, and not read.
      const failed = await many(() => send(reader(), { path: '/' }));
      expect(await allSent(failed)).toEqual(['EISDIR']);
      for (const { to } of failed) to.destroy();
      await Promise.all(failed.map(({ closed }) => closed));
      const gone = await many(async () => {
        const to = reader().destroy();
        await once(to, 'close');
        return send(to);
      });
      expect(await allSent(gone)).toEqual([0]);
      expect(await allSent([await send(reader())])).toEqual([SIZE - 1]);
      expect([pieces.length, pieces.at(-1)]).toEqual([MANY + 1, 256 * KB]);
    }));
});

it('a file that became shorter is not sent as if it were whole', () =>
  sending(async ({ send }) => {
    const { to, sent } = await send(reader(), { end: SIZE + 9 });
    expect([await sent, to.destroyed, to.writableEnded]).toEqual([SIZE - 1, true, false]);
  }));
