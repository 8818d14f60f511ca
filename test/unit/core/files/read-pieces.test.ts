import { execFileSync, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { closeSync, openSync, truncateSync, writeFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { fill, piecesOf, piecesUntilClosed } from '../../../../src/core/files/read-pieces.js';
import { withTempDir } from '../../../support/run-cli.js';

const MB = 1024 * 1024;

/** What a pipe gives into which a program writes two pieces of 40,000 bytes, one a while after the other. */
async function fromPipe(read: (file: number) => Promise<Buffer>): Promise<Buffer> {
  let bytes: Buffer = Buffer.alloc(0);
  await withTempDir(async (home) => {
    const pipe = join(home, 'pipe');
    execFileSync('mkfifo', [pipe]);
    const writer = spawn('sh', ['-c', 'head -c 40000 /dev/zero; sleep 0.3; head -c 40000 /dev/zero'], {
      stdio: ['ignore', openSync(pipe, 'r+'), 'inherit'],
    });
    const file = openSync(pipe, 'r');
    bytes = await read(file);
    closeSync(file);
    writer.kill();
  });
  return bytes;
}

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
      const read = await all(piecesUntilClosed(await open(path), size, signal));
      expect([read.length, read.equals(bytes)]).toEqual([size, true]);
    }),
  );

  it('is read on where the system gives less than was asked for', async () => {
    expect(await fromPipe((file) => all(piecesOf(file, 80_000)))).toHaveLength(80_000);
    expect(
      await fromPipe(async (file) => {
        const buffer = Buffer.alloc(80_000);
        return buffer.subarray(0, await fill(file, buffer));
      }),
    ).toHaveLength(80_000);
  });

  it('is read no further than asked for, and ends where it was cut off', () =>
    withTempDir(async (home) => {
      const path = join(home, 'file');
      writeFileSync(path, randomBytes(9_000_000));
      const { signal } = new AbortController();
      expect(await all(piecesUntilClosed(await open(path), 5_000_000, signal))).toHaveLength(5_000_000);
      truncateSync(path, 4_500_000);
      expect(await all(piecesUntilClosed(await open(path), 9_000_000, signal))).toHaveLength(4_500_000);
    }));

  it('is closed where somebody stops, also while it is read ahead', () =>
    withTempDir(async (home) => {
      const path = join(home, 'file');
      writeFileSync(path, Buffer.alloc(9_000_000));
      const handle = await open(path);
      const { signal } = new AbortController();
      for await (const piece of piecesUntilClosed(handle, 9_000_000, signal)) {
        expect(piece).toHaveLength(262_144);
        break;
      }
      expect(handle.fd).toBe(-1);
    }));
});
