import { mkdirSync, realpathSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { hasSecretKey, isSecretKey } from '../../../../../src/services/hosting/tree/secret-key-file.js';
import { secretKeysBeside } from '../../../../../src/services/hosting/tree/secret-keys.js';
import { withTempDir } from '../../../../support/processes/run-cli.js';

const BLOCK = '-----BEGIN PRIVATE KEY-----';
const isKey = (content: string | Uint8Array, size?: number): boolean => {
  const bytes = Buffer.from(content);
  return isSecretKey(bytes, size ?? bytes.length);
};

describe('a secret key', () => {
  it.each([
    BLOCK,
    '-----BEGIN PGP PRIVATE KEY BLOCK-----\r\n',
    '-----BEGIN RSA PRIVATE KEY-----',
    '-----BEGIN OPENSSH PRIVATE KEY-----  \n',
    '-----BEGIN ENCRYPTED PRIVATE KEY-----',
    '-----BEGIN PGP RSA PRIVATE KEY-----',
    `text\n${BLOCK}\nmore`,
    `{"key": "${BLOCK}\\nMII"}`,
  ])('is a block on lines of its own, or in a JSON string: %j', (text) => {
    expect(isKey(text)).toBe(true);
    expect(isKey(text, 256 * 1024)).toBe(true);
    expect(isKey(text, 256 * 1024 + 1)).toBe(false);
    expect(isKey(text.padStart(16 * 1024, '\n'))).toBe(true);
    expect(isKey(`${'\n'.repeat(16 * 1024)}${text}`)).toBe(false);
  });

  it.each([
    `a ${BLOCK}`,
    `${BLOCK} x`,
    '----BEGIN PRIVATE KEY-----',
    '-----BEGIN PRIVATE KEY----',
    '-----BEGIN PUBLIC KEY-----',
    '-----BEGIN PRIVATE KEYS-----',
    '-----BEGIN A PRIVATE KEY-----',
    '-----BEGIN ABCDEFGHIJK PRIVATE KEY-----',
    '-----BEGIN PGP RSA DSA PRIVATE KEY-----',
    `"${BLOCK}"`,
    'PRIVATE KEY',
    '',
  ])('is nothing else: %j', (text) => {
    expect(isKey(text)).toBe(false);
  });

  /** A packet with this tag, whose length takes so many bytes, and this version. */
  const packet = (tag: number, length: readonly number[], version: number) => Buffer.from([tag, ...length, version, 0]);

  it.each([
    [0x94, [9]],
    [0x95, [0, 9]],
    [0x96, [0, 0, 0, 9]],
    [0xc5, [0]],
    [0xc5, [191]],
    [0xc5, [192, 9]],
    [0xc5, [223, 9]],
    [0xc5, [255, 0, 0, 0, 9]],
    [0xc5, [224, 0, 0, 0, 9]],
  ])('is a packet of OpenPGP with the tag %d and the length %j', (tag, length) => {
    const known = [0, 1, 2, 3, 4, 5, 6, 7, 8].filter((version) => isKey(packet(tag, length, version)));
    expect(known).toEqual([4, 5, 6]);
  });

  it.each([
    [0x93, [9]],
    [0x97, [9]],
    [0x99, [0, 9]],
    [0xc4, [9]],
    [0xc6, [9]],
    [0, []],
  ])('is no other packet: tag %d, length %j', (tag, length) => {
    for (const version of [4, 5, 6]) expect(isKey(packet(tag, length, version))).toBe(false);
  });

  it('is found in a file at its beginning, and behind no link', () =>
    withTempDir(async (folder) => {
      const file = join(folder, 'a');
      writeFileSync(file, BLOCK);
      expect(await hasSecretKey(file)).toBe(true);
      truncateSync(file, 256 * 1024 + 1);
      expect(await hasSecretKey(file)).toBe(false);
      writeFileSync(file, `${'\n'.repeat(16 * 1024)}${BLOCK}`);
      expect(await hasSecretKey(file)).toBe(false);
      expect(await hasSecretKey(join(folder, 'none'))).toBe(false);
      writeFileSync(file, BLOCK);
      symlinkSync(file, join(folder, 'link'));
      expect(await hasSecretKey(join(folder, 'link'))).toBe(false);
    }));
});

describe('secret keys beside the packages', () => {
  const { signal } = new AbortController();

  it('are found in all folders but hidden ones', () =>
    withTempDir(async (home) => {
      const root = realpathSync(home);
      const files = [
        'a.key',
        'docs/b.key',
        'docs/in/c.key',
        '.git/d.key',
        'packages/e.key',
        'packages/p/f.key',
        '.env',
      ];
      for (const file of files) {
        mkdirSync(dirname(join(root, file)), { recursive: true });
        writeFileSync(join(root, file), BLOCK);
      }
      writeFileSync(join(root, 'docs/fine.txt'), 'fine');
      symlinkSync(join(root, 'a.key'), join(root, 'docs/link'));
      const found = await secretKeysBeside({ root, places: [], faults: [], beside: ['packages/e.key'] }, signal);
      const fault = { code: 'BAD_SOURCE', message: 'it contains a secret key, which everyone could read' };
      expect(found.toSorted((a, b) => (a.file < b.file ? -1 : 1))).toEqual(
        ['.env', 'a.key', 'docs/b.key', 'docs/in/c.key', 'packages/e.key'].map((file) => ({ file, ...fault })),
      );
    }));

  it('are found near the root before folders of very many files are looked into', () =>
    withTempDir(async (home) => {
      const root = realpathSync(home);
      for (const folder of ['a/deep', 'keys', 'z/deep']) mkdirSync(join(root, folder), { recursive: true });
      for (let at = 0; at < 5001; at++)
        for (const folder of ['a', 'z']) writeFileSync(join(root, folder, 'deep', `${at}`), '');
      writeFileSync(join(root, 'keys/hub.key'), BLOCK);
      const found = await secretKeysBeside({ root, places: [], faults: [], beside: [] }, signal);
      expect(found.map(({ file }) => file)).toEqual(['keys/hub.key']);
    }));

  it('are not looked for any more when the run is stopped', () =>
    withTempDir(async (root) => {
      writeFileSync(join(root, 'a.key'), BLOCK);
      const stopped = new Error('stopped');
      const tree = { root, places: [], faults: [], beside: ['a.key'] };
      await expect(secretKeysBeside(tree, AbortSignal.abort(stopped))).rejects.toBe(stopped);
    }));
});
