import { describe, expect, it } from 'vitest';
import { findInIndex, readIndex } from '../../../src/hub/index-file.js';

const SHA = 'a'.repeat(64);
const INDEX = {
  format: 1,
  sequence: 7,
  created: '2026-01-01T00:00:00Z',
  expires: 1767225600 + 86400,
  files: [{ name: 'packages.json', size: 10, sha256: SHA }],
  packages: [{ name: 'a', version: '1.0.0', files: [{ name: 'spec.json', size: 2, sha256: 'b'.repeat(64) }] }],
  keys: ['0123456789ABCDEF0123456789ABCDEF01234567'],
};
const read = (value: unknown) => readIndex(Buffer.from(JSON.stringify(value)), 'index.json');

describe('readIndex', () => {
  it('reads times in RFC 3339 and in seconds as milliseconds', () => {
    const { created, expires } = read(INDEX);
    expect([created, expires]).toEqual([1767225600000, 1767312000000]);
  });

  it('ignores members it does not know', () => {
    expect(read({ ...INDEX, mirrors: [] }).sequence).toBe(7);
  });

  it.each([
    [{ format: 2 }],
    [{ sequence: 0 }],
    [{ sequence: '7' }],
    [{ sequence: 1e300 }],
    [{ sequence: 1.5 }],
    [{ created: 'yesterday' }],
    [{ expires: undefined }],
    [{ files: [{ name: 'packages.json', size: -1, sha256: SHA }] }],
    [{ files: [{ name: 'packages.json', size: 1, sha256: SHA.toUpperCase() }] }],
    [{ files: [...INDEX.files, ...INDEX.files] }],
    [{ packages: [...INDEX.packages, ...INDEX.packages] }],
    [{ packages: [{ name: 'a', version: 1, files: [] }] }],
    [{ packages: [{ name: 'a', version: '1', files: {} }] }],
    [{ packages: [{ name: 'a', version: '1', files: [{ name: 'x', size: 1.5, sha256: SHA }] }] }],
    [{ packages: [{ name: 'a', version: '1', files: [{ name: '', size: 1, sha256: SHA }] }] }],
    [{ packages: ['a'] }],
    [{ signatures: true }],
    [{ keys: ['ABCDEF'] }],
  ])('refuses %j', (change) => {
    expect(() => read({ ...INDEX, ...change })).toThrow(expect.objectContaining({ code: 'BAD_CATALOG' }) as Error);
  });
});

describe('findInIndex', () => {
  it('finds files of packages and of the hub itself, and nothing else', () => {
    const index = read(INDEX);
    expect(findInIndex(index, 'a', '1.0.0', 'spec.json')?.size).toBe(2);
    expect(findInIndex(index, undefined, undefined, 'packages.json')?.sha256).toBe(SHA);
    expect(findInIndex(index, 'a', '1.0.0', 'packages.json')).toBeUndefined();
    expect(findInIndex(index, 'a', '2.0.0', 'spec.json')).toBeUndefined();
    expect(findInIndex(index, undefined, undefined, 'spec.json')).toBeUndefined();
  });
});
