import { randomBytes } from 'node:crypto';
import { appendFileSync, mkdirSync, realpathSync, renameSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readShort, readUnchanged } from '../../../../../src/services/hosting/sign/read-unchanged.js';
import { errorOf, saidBy } from '../../../../support/errors.js';
import { withTempDir } from '../../../../support/processes/run-cli.js';

const { signal } = new AbortController();

/** A file of a real folder, and one that could take its place. */
async function withFile(test: (file: string, folder: string) => Promise<void>): Promise<void> {
  await withTempDir(async (home) => {
    const folder = join(realpathSync(home), '1.0.0');
    const file = join(folder, 'a.jar');
    mkdirSync(folder);
    writeFileSync(file, 'content');
    writeFileSync(`${file}.new`, 'content');
    await test(file, folder);
  });
}

describe('a file that is signed', () => {
  it('is read whole', () =>
    withFile(async (file) => {
      const pieces: string[] = [];
      const size = await readUnchanged(file, signal, (piece) => {
        pieces.push(Buffer.from(piece).toString());
      });
      expect([size, pieces.join('')]).toEqual([7, 'content']);
    }));

  it.each([
    [
      'is replaced by another',
      (file: string) => {
        renameSync(`${file}.new`, file);
      },
    ],
    [
      'is gone',
      (file: string) => {
        renameSync(file, `${file}.old`);
      },
    ],
    [
      'gets a link in place of its folder',
      (_: string, folder: string) => {
        renameSync(folder, `${folder}.old`);
        symlinkSync(`${folder}.old`, folder);
      },
    ],
  ])('V05: is an error when it %s meanwhile', (_, change) =>
    withFile(async (file, folder) => {
      const reading = readUnchanged(file, signal, () => {
        change(file, folder);
      });
      const details = { hints: ['run the command again when no other program writes to the folder'], target: { file } };
      await expect(reading).rejects.toMatchObject({ code: 'CHANGED_MEANWHILE', details });
    }),
  );

  it('V05: is read no further than it was long when it grows all the time', () =>
    withFile(async (file) => {
      let pieces = 0;
      const reading = readUnchanged(file, signal, () => {
        appendFileSync(file, 'x');
        if (++pieces === 10) throw new Error('it has no end');
      });
      await expect(reading).rejects.toMatchObject({ code: 'CHANGED_MEANWHILE' });
      expect(pieces).toBe(1);
    }));

  it('is not read when a link leads to its folder', () =>
    withFile(async (_, folder) => {
      symlinkSync(folder, `${folder}.link`);
      const reading = readUnchanged(join(`${folder}.link`, 'a.jar'), signal, () => undefined);
      await expect(reading).rejects.toMatchObject({ code: 'CHANGED_MEANWHILE' });
    }));

  it('is a regular file without a secret key', () =>
    withFile(async (file, folder) => {
      expect(saidBy(await errorOf(readUnchanged(folder, signal, () => undefined)))).toEqual({
        code: 'BAD_SOURCE',
        message: `${folder} is not a regular file`,
        target: { file: folder },
      });
      let pieces = 0;
      writeFileSync(file, '-----BEGIN PRIVATE KEY-----\n');
      expect(saidBy(await errorOf(readUnchanged(file, signal, () => void (pieces += 1))))).toEqual({
        code: 'BAD_SOURCE',
        message: `${file}: it contains a secret key, which everyone could read`,
        hints: ['remove it, and generate a new key if others may have read it'],
        target: { file },
      });
      expect(pieces).toBe(0);
    }));

  it('is read in large pieces, each after the last was taken', () =>
    withFile(async (file) => {
      const bytes = randomBytes(9_000_000);
      writeFileSync(file, bytes);
      const pieces: Buffer[] = [];
      let isTaking = false;
      const size = await readUnchanged(file, signal, async (piece) => {
        expect(isTaking).toBe(false);
        isTaking = true;
        await Promise.resolve();
        pieces.push(Buffer.from(piece));
        isTaking = false;
      });
      expect(size).toBe(9_000_000);
      expect(Math.max(...pieces.map(({ length }) => length))).toBe(262_144);
      expect(Buffer.concat(pieces).equals(bytes)).toBe(true);
      writeFileSync(file, '');
      expect(await readUnchanged(file, signal, () => undefined)).toBe(0);
    }));

  it.each([300_000, 6_000_000])('V05: is an error when it is cut off after %i bytes meanwhile', (left) =>
    withFile(async (file) => {
      writeFileSync(file, randomBytes(9_000_000));
      const reading = readUnchanged(file, signal, () => {
        truncateSync(file, left);
      });
      await expect(reading).rejects.toMatchObject({ code: 'CHANGED_MEANWHILE' });
    }),
  );

  it('is not read any more when the run is stopped', () =>
    withFile(async (file) => {
      const stop = new AbortController();
      const stopped = new Error('stopped');
      writeFileSync(file, Buffer.alloc(2_500_000, 'x'));
      let pieces = 0;
      const take = (): void => {
        pieces += 1;
        stop.abort(stopped);
      };
      await expect(readUnchanged(file, stop.signal, take)).rejects.toBe(stopped);
      expect(pieces).toBe(1);
    }));

  it('is read at once where it is short', () =>
    withFile(async (file, folder) => {
      expect(Buffer.from((await readShort(file, 7)) ?? []).toString()).toBe('content');
      expect([await readShort(file, 6), await readShort(folder, 9999), await readShort(`${file}.no`, 7)]).toEqual([
        undefined,
        undefined,
        undefined,
      ]);
      symlinkSync(file, `${file}.link`);
      expect(await readShort(`${file}.link`, 7)).toBeUndefined();
    }));
});
