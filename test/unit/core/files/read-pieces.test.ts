import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { closeSync, openSync, truncateSync, writeFileSync, writeSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { fill, piecesOf, wholeFile } from '../../../../src/core/files/read-pieces.js';
import { withTempDir } from '../../../support/processes/run-cli.js';

const MB = 1024 * 1024;

/** A pipe that somebody writes to and reads from. */
const withPipe = (test: (file: number, write: (bytes: number) => void, end: () => void) => Promise<void>) =>
  withTempDir(async (home) => {
    const pipe = join(home, 'pipe');
    execFileSync('mkfifo', [pipe]);
    // Open for both, so that neither end waits for the other.
    const both = openSync(pipe, 'r+');
    const file = openSync(pipe, 'r');
    try {
      const end = (): void => {
        closeSync(both);
      };
      await test(file, (bytes) => writeSync(both, Buffer.alloc(bytes)), end);
    } finally {
      closeSync(file);
    }
  });

async function all(pieces: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const copies: Buffer[] = [];
  for await (const piece of pieces) copies.push(Buffer.from(piece));
  return Buffer.concat(copies);
}

describe('a file in pieces', () => {
  it.each([0, 1, 65_536, 262_144, 262_145, 4 * MB, 4 * MB + 1, 9_000_000, 12 * MB + 5])('is whole: %i bytes', (size) =>
    withTempDir(async (home) => {
      const [path, bytes] = [join(home, 'file'), randomBytes(size)];
      writeFileSync(path, bytes);
      const { signal } = new AbortController();
      const read = await all(wholeFile(await open(path), { path, size }, signal));
      expect([read.length, read.equals(bytes)]).toEqual([size, true]);
    }),
  );

  it('is read on where the system gives less than was asked for', () =>
    withPipe(async (file, write, end) => {
      write(20_000);
      const pieces = all(piecesOf(file, 80_000));
      write(30_000);
      await setImmediate();
      write(30_000);
      expect(await pieces).toHaveLength(80_000);
      write(20_000);
      const buffer = Buffer.alloc(90_000);
      const length = fill(file, buffer);
      await setImmediate();
      write(50_000);
      end();
      expect(await length).toBe(70_000);
    }));

  it('ends on an abort while the disk stalls, and is closed when that gives something', () =>
    withTempDir(async (home) => {
      const pipe = join(home, 'pipe');
      execFileSync('mkfifo', [pipe]);
      const both = openSync(pipe, 'r+');
      const handle = await open(pipe, 'r');
      const stop = new AbortController();
      const reading = all(wholeFile(handle, { path: pipe, size: 10 }, stop.signal));
      stop.abort(new Error('stopped'));
      await expect(reading).rejects.toThrow('stopped');
      expect(handle.fd).not.toBe(-1);
      closeSync(both);
      while (handle.fd !== -1) await setImmediate();
    }));

  it('is read no further than asked for, and is an error where it was cut off', () =>
    withTempDir(async (home) => {
      const path = join(home, 'file');
      writeFileSync(path, randomBytes(9_000_000));
      const { signal } = new AbortController();
      expect(await all(wholeFile(await open(path), { path, size: 5_000_000 }, signal))).toHaveLength(5_000_000);
      truncateSync(path, 4_500_000);
      const handle = await open(path);
      await expect(all(wholeFile(handle, { path, size: 9_000_000 }, signal))).rejects.toMatchObject({
        ...{ code: 'CHANGED_MEANWHILE', message: `${path} became shorter while it was read` },
      });
      expect(handle.fd).toBe(-1);
    }));

  it('is closed where somebody stops, also while it is read ahead', () =>
    withTempDir(async (home) => {
      const path = join(home, 'file');
      writeFileSync(path, Buffer.alloc(9_000_000));
      const handle = await open(path);
      const { signal } = new AbortController();
      for await (const piece of wholeFile(handle, { path, size: 9_000_000 }, signal)) {
        expect(piece).toHaveLength(262_144);
        break;
      }
      expect(handle.fd).toBe(-1);
    }));
});
