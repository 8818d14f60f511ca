import { existsSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { makeFolders } from '../../../../src/core/files/make-folders.js';

const root = mkdtempSync(join(tmpdir(), 'make-folders-'));
afterAll(() => {
  rmSync(root, { recursive: true, force: true });
});

describe('makeFolders', () => {
  it('makes what is missing, and is content with what is there', () => {
    makeFolders(join(root, 'a/b/c'), 0o700);
    makeFolders(join(root, 'a/b/c'), 0o700);
    expect(statSync(join(root, 'a/b/c')).mode & 0o777).toBe(0o700);
  });

  it('throws where a file is in the way', () => {
    writeFileSync(join(root, 'file'), '');
    expect(() => {
      makeFolders(join(root, 'file'));
    }).toThrow('EEXIST');
    expect(() => {
      makeFolders(join(root, 'file/below'));
    }).toThrow('ENOTDIR');
  });

  it.runIf(existsSync('/proc/self'))('ends where nothing can be made', () => {
    expect(() => {
      makeFolders('/proc/nothing-here/below');
    }).toThrow('ENOENT');
  });
});
