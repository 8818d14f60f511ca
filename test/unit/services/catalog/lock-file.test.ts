import { describe, expect, it } from 'vitest';
import { readLockFile, writeLockFile, type LockedPackage } from '../../../../src/services/catalog/lock-file.js';
import { codeOf } from '../../../support/errors.js';

const bytes = (text: string) => new TextEncoder().encode(text);
const file = (name: string) => ({ name, size: 1, sha256: 'a'.repeat(64) });
const locked = (name: string, version = '1', hub = 'http://hub'): LockedPackage => ({
  hub,
  name,
  version,
  files: [file('b'), file('a')],
});

describe('a lock file', () => {
  it('is written in one order, and read again', () => {
    const text = writeLockFile([locked('b'), locked('a', '2'), locked('a', '1', 'http://z'), locked('a')]);
    expect(text).toBe(writeLockFile([locked('a'), locked('a', '1', 'http://z'), locked('b'), locked('a', '2')]));
    const { packages } = readLockFile(bytes(text), 'packages.lock');
    expect(packages.map(({ name, version, hub }) => `${name} ${version} ${hub}`)).toEqual([
      'a 1 http://hub',
      'a 1 http://z',
      'a 2 http://hub',
      'b 1 http://hub',
    ]);
    expect(packages[0]?.files.map(({ name }) => name)).toEqual(['a', 'b']);
  });

  it.each([
    ['{"lockVersion":2,"packages":[]}', 'BAD_FIELD'],
    [
      '{"lockVersion":1,"packages":[{"hub":"h","name":"n","version":"1","files":[{"name":"a","size":1,"sha256":"x"}]}]}',
      'BAD_FIELD',
    ],
    ['{"lockVersion":1,"lockVersion":1,"packages":[]}', 'DUP_KEY'],
    ['{', 'BAD_JSON'],
  ])('is refused: %s', async (text, code) => {
    expect(await codeOf(() => readLockFile(bytes(text), 'packages.lock'))).toBe(code);
  });
});
