import type { ServerResponse } from 'node:http';
import { truncateSync, writeFileSync } from 'node:fs';
import { open, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { LargeFiles, pieceFor } from '../../../../../src/services/hosting/serve/large-files.js';
import { withTempDir } from '../../../../support/processes/run-cli.js';

const KB = 1024;
const SIZE = 3 * KB * KB;
const CONNECTIONS = 1024;

describe('the pieces of large files', () => {
  it('are large for few readers, and for all that may connect take little memory', () => {
    expect([0, 31, 32, 511, 100_000].map(pieceFor)).toEqual([256 * KB, 256 * KB, 254_200, 16 * KB, 16 * KB]);
    const all = Array.from({ length: CONNECTIONS }, (_, others) => pieceFor(others));
    // One that waits for its reader, and the next.
    expect(2 * all.reduce((sum, piece) => sum + piece)).toBeLessThan(80 * KB * KB);
  });

  it('are those of the readers there are, and each gets its file', () =>
    withTempDir(async (folder) => {
      const path = join(folder, 'large');
      writeFileSync(path, '');
      truncateSync(path, SIZE);
      const pieces: unknown[] = [];
      const opened = async (): Promise<FileHandle> => {
        const handle = await open(path);
        const createReadStream: FileHandle['createReadStream'] = (options) => {
          pieces.push(options?.highWaterMark);
          return handle.createReadStream(options);
        };
        return Object.assign(Object.create(handle) as FileHandle, { createReadStream, close: () => handle.close() });
      };
      const large = new LargeFiles();
      const send = async (handles: readonly FileHandle[]): Promise<readonly number[]> => {
        const all = handles.map((handle) => {
          const to = new PassThrough().resume() as unknown as ServerResponse;
          return large.send(handle, { start: 1, end: SIZE - 1 }, to);
        });
        const sent = await Promise.all(all);
        for (const handle of handles) await handle.close();
        return sent;
      };
      const many = await Promise.all(Array.from({ length: 40 }, opened));
      expect(new Set(await send(many))).toEqual(new Set([SIZE - 1]));
      expect(await send([await opened()])).toEqual([SIZE - 1]);
      expect(pieces).toEqual([...Array.from({ length: 40 }, (_, others) => pieceFor(others)), 256 * KB]);
    }));
});
