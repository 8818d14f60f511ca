import {
  appendFileSync,
  chmodSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  renameSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { digestOf, readCached, readCachedHead, writeCached } from '../../../src/state/cache.js';
import { temporaryFolder } from './support.js';
import { codeOf } from '../../support/errors.js';

const root = temporaryFolder();
const HUB = 'https://hub.example.com/v2';
const catalog = { etag: '"a1"', fetchedAt: 1_700_001_000_000, bytes: Buffer.from('[{"name":"x"}]\n\n') };
let folder = '';
let file = '';

beforeEach(async () => {
  folder = join(mkdtempSync(join(root, 'cache-')), 'hub');
  await writeCached(folder, HUB, catalog);
  file = join(folder, readdirSync(folder)[0] ?? '');
});

describe('the cache of catalogs', () => {
  it('gives back what was kept, under every spelling of the address', async () => {
    expect(await readCached(folder, HUB)).toEqual(catalog);
    expect(await readCached(folder, 'https://hub.example.com:443/v2/')).toEqual(catalog);
    expect(await readCached(folder, 'https://hub.example.com/v3')).toBeUndefined();
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  it('keeps the last one only, also without an ETag and without bytes', async () => {
    await writeCached(folder, HUB, { fetchedAt: 5, bytes: new Uint8Array() });
    expect(await readCached(folder, HUB)).toEqual({ fetchedAt: 5, bytes: Buffer.alloc(0) });
    expect(readdirSync(folder)).toHaveLength(1);
  });

  it('tells what was kept without reading it', async () => {
    expect(await readCachedHead(folder, HUB)).toEqual({
      ...{ etag: '"a1"', fetchedAt: 1_700_001_000_000, sha256: digestOf(catalog.bytes) },
    });
    expect(await readCachedHead(folder, 'https://hub.example.com/v3')).toBeUndefined();
    expect(await readCachedHead(join(folder, 'none'), HUB)).toBeUndefined();
    truncateSync(file, statSync(file).size - 1);
    expect(await readCachedHead(folder, HUB)).toBeUndefined();
  });

  it('is empty where nothing was kept, and makes no folder', async () => {
    expect(await readCached(join(folder, 'none'), HUB)).toBeUndefined();
    expect(readdirSync(folder)).toHaveLength(1);
  });

  it.each([
    [
      'cut',
      () => {
        truncateSync(file, statSync(file).size - 1);
      },
    ],
    [
      'longer',
      () => {
        appendFileSync(file, 'x');
      },
    ],
    [
      'empty',
      () => {
        writeFileSync(file, '');
      },
    ],
    [
      'junk',
      () => {
        writeFileSync(file, 'junk\njunk');
      },
    ],
    [
      'changed',
      () => {
        writeFileSync(file, readFileSync(file, 'utf8').replace('"name"', '"evil"'));
      },
    ],
  ])('takes a file that is %s for none', async (_, damage) => {
    damage();
    expect(await readCached(folder, HUB)).toBeUndefined();
  });

  it('takes the file of another hub for none', async () => {
    await writeCached(folder, 'https://other.example.com', catalog);
    const other =
      readdirSync(folder)
        .map((name) => join(folder, name))
        .find((name) => name !== file) ?? '';
    renameSync(other, file);
    expect(await readCached(folder, HUB)).toBeUndefined();
  });

  it('refuses a planted link (L11)', async () => {
    renameSync(file, join(folder, 'moved'));
    symlinkSync(join(folder, 'moved'), file);
    expect(await codeOf(() => readCached(folder, HUB))).toBe('SYMLINK');
    expect(await codeOf(() => writeCached(folder, HUB, catalog))).toBe('SYMLINK');
  });

  it('refuses a folder that others may write (L12)', async () => {
    chmodSync(folder, 0o777);
    expect(await codeOf(() => readCached(folder, HUB))).toBe('STATE_PERMS');
  });
});
