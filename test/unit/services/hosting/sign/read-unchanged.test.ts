import { appendFileSync, mkdirSync, realpathSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readUnchanged } from '../../../../../src/services/hosting/sign/read-unchanged.js';
import { withTempDir } from '../../../../support/run-cli.js';

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
      const details = { hints: ['run it again when nothing writes into the folder'], target: { file } };
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
});
