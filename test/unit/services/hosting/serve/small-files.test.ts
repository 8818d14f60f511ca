import { mkdirSync, mkdtempSync, realpathSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { clockAt } from '../../../../support/clock.js';
import { SmallFiles } from '../../../../../src/services/hosting/serve/small-files.js';

let home = '';
let root = '';
let now = 0;
let files = new SmallFiles('', clockAt(0));

beforeEach(() => {
  home = realpathSync(mkdtempSync(join(tmpdir(), 'cdapctl-small-')));
  root = join(home, 'hub');
  now = 0;
  files = new SmallFiles(
    root,
    clockAt(() => now),
  );
  for (const folder of ['hub/a', 'outside']) mkdirSync(join(home, folder), { recursive: true });
  writeFileSync(join(root, 'a/f'), 'inside');
  writeFileSync(join(home, 'outside/f'), 'SECRET');
});
afterEach(() => {
  rmSync(home, { recursive: true });
});

/** The bytes of a small file, the same object as long as it is kept. */
async function bytesOf(...names: readonly string[]): Promise<Buffer | undefined> {
  const file = await files.find(names);
  return file !== undefined && 'bytes' in file ? file.bytes : undefined;
}

/** Puts a whole new file in the place of another. */
function replace(text: string): void {
  writeFileSync(join(home, 'new'), text);
  renameSync(join(home, 'new'), join(root, 'a/f'));
}

describe('small files of a hub', () => {
  it('are kept for a second, and read again when they have changed', async () => {
    const first = await bytesOf('a', 'f');
    expect([first?.toString(), first === (await bytesOf('a', 'f'))]).toEqual(['inside', true]);
    replace('INSIDE');
    const second = await bytesOf('a', 'f');
    expect(second?.toString()).toBe('INSIDE');
    now = 999;
    expect((await bytesOf('a', 'f')) === second).toBe(true);
    now = 1000;
    expect((await bytesOf('a', 'f')) === second).toBe(false);
    rmSync(join(root, 'a/f'));
    expect(await files.find(['a', 'f'])).toBeUndefined();
  });

  it('V21: are not sent when a link leads to another file, nor for more than a second to the same', async () => {
    expect((await bytesOf('a', 'f'))?.toString()).toBe('inside');
    renameSync(join(root, 'a'), join(root, 'b'));
    symlinkSync(join(home, 'outside'), join(root, 'a'));
    expect(await files.find(['a', 'f'])).toBeUndefined();
    expect((await bytesOf('b', 'f'))?.toString()).toBe('inside');
    rmSync(join(root, 'a'));
    renameSync(join(root, 'b'), join(root, 'a'));
    expect((await bytesOf('a', 'f'))?.toString()).toBe('inside');
    renameSync(join(root, 'a/f'), join(root, 'a/g'));
    symlinkSync('g', join(root, 'a/f'));
    expect(await files.find(['a', 'f'])).toBeUndefined();
    renameSync(join(root, 'a/g'), join(root, 'a/f'));
    expect((await bytesOf('a', 'f'))?.toString()).toBe('inside');
    renameSync(join(root, 'a'), join(root, 'b'));
    symlinkSync('b', join(root, 'a'));
    now = 1000;
    expect(await files.find(['a', 'f'])).toBeUndefined();
  });

  it('take 16 MB together, those that were asked for last; large files are opened each time', async () => {
    const names = Array.from({ length: 260 }, (_, at) => `f${at}`);
    for (const name of names) writeFileSync(join(root, name), Buffer.alloc(65_536, name));
    const before: (Buffer | undefined)[] = [];
    for (const name of names) before.push(await bytesOf(name));
    expect((await bytesOf('f259')) === before[259]).toBe(true);
    expect((await bytesOf('f0')) === before[0]).toBe(false);
    writeFileSync(join(root, 'large'), Buffer.alloc(65_537));
    const large = await files.find(['large']);
    if (large === undefined || !('handle' in large)) throw new Error('it is not open');
    expect((await large.handle.stat()).size).toBe(65_537);
    await large.handle.close();
  });
});
