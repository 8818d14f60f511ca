import { execFileSync } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { CliError } from '../../../../src/core/errors.js';
import { decode, LARGEST_TEXT, readBounded, readTextFile } from '../../../../src/core/files/read-bounded.js';
import { errorOf, saidBy } from '../../../support/errors.js';

const folder = mkdtempSync(join(tmpdir(), 'cdapctl-unit-'));
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});
const file = join(folder, 'file');
writeFileSync(file, 'x'.repeat(200_000));
chmodSync(file, 0o640);
utimesSync(file, 5, 5);
const pipe = join(folder, 'pipe');
if (process.platform !== 'win32') execFileSync('mkfifo', [pipe]);
const none = join(folder, 'none');

it('gives a file that is not too large', async () => {
  expect((await readBounded(file, 200_000)).toString()).toBe('x'.repeat(200_000));
});

it('gives a text with its mode and its time', async () => {
  const { kind, ...rest } = await readTextFile(file, 200_000);
  expect(kind).toBe('text');
  expect(rest).toEqual({ text: 'x'.repeat(200_000), mode: 0o100640, changedAt: 5000 });
});

it('takes files of texts up to 4 MiB', () => {
  expect(LARGEST_TEXT).toBe(4_194_304);
});

it.runIf(process.platform === 'linux')('reads files of the system, which say that they are empty', async () => {
  expect((await readBounded('/proc/self/status', 1_000_000)).length).toBeGreaterThan(100);
  await expect(readBounded('/proc/self/status', 100)).rejects.toThrow('is larger than 100 bytes');
});

describe.runIf(process.platform !== 'win32')('a path that is no file of a reasonable size', () => {
  const below = '/dev/null/none';
  it.each([
    ['a file that is too large', file, `${file} is larger than 199999 bytes`, 'is larger than 199999 bytes'],
    [
      'a device without an end',
      '/dev/zero',
      'cannot read /dev/zero: it is not a regular file',
      'is not a regular file',
    ],
    ['a pipe that nobody writes to', pipe, `cannot read ${pipe}: it is not a regular file`, 'is not a regular file'],
    ['a folder', folder, `cannot read ${folder}: it is a folder`, 'is a folder'],
    ['a file that is not there', none, `${none} does not exist`, undefined],
    ['a file below a file', below, `cannot read ${below}: part of the path is not a folder`, undefined],
  ])('is refused: %s', async (_, path, message, why) => {
    expect(saidBy(await errorOf(readBounded(path, 199_999)))).toEqual({
      code: 'LOCAL_IO',
      message,
      target: { file: path },
    });
    expect(await readTextFile(path, 199_999)).toEqual(
      why === undefined ? { kind: 'absent' } : { kind: 'unusable', why },
    );
  });

  it('is refused with the words of the caller', async () => {
    const own = new CliError('TOO_LARGE', 'no');
    await expect(readBounded(file, 5, own)).rejects.toBe(own);
  });

  it('is an error of the system', async () => {
    await expect(readTextFile(join(folder, 'x'.repeat(300)), 5)).rejects.toThrow('the file name is too long');
  });
});

it('reads UTF-8 only, without a byte order mark', async () => {
  const latin = join(folder, 'latin');
  writeFileSync(latin, Buffer.of(0xe4));
  expect(await readTextFile(latin, 5)).toEqual({ kind: 'unusable', why: 'is not UTF-8 text' });
  expect([decode(Buffer.from('\uFEFFä')), decode(Buffer.of(0xe4))]).toEqual(['ä', undefined]);
});
