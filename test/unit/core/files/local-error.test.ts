import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { errnoOf, localError } from '../../../../src/core/files/local-error.js';
import { CliError } from '../../../../src/core/errors.js';
import { saidBy } from '../../../support/errors.js';

const failure = (code: unknown, more: object = { syscall: 'open' }): Error =>
  Object.assign(new Error('of the system'), { code, ...more });
const said = (error: Error): object => (error instanceof CliError ? saidBy(error) : { error });

describe('an error of the file system', () => {
  const none = join(tmpdir(), 'there is none', 'a');
  const there = join(tmpdir(), 'a');
  it.each<[string, 'read' | 'write' | 'use', string, object]>([
    [
      'ENOSPC',
      'write',
      '/a',
      { code: 'DISK_FULL', message: 'no space left to write /a', hints: ['free some space on that disk'] },
    ],
    [
      'EDQUOT',
      'use',
      '/a',
      { code: 'DISK_FULL', message: 'no space left to write /a', hints: ['free some space on that disk'] },
    ],
    [
      'ELOOP',
      'read',
      '/a',
      { code: 'SYMLINK', message: '/a is a symbolic link', hints: ['remove the link, or use its target'] },
    ],
    ['EEXIST', 'write', '/a', { code: 'EXISTS', message: '/a exists', hints: [{ next: 'replace-file' }] }],
    ['ENOENT', 'read', '/a', { code: 'LOCAL_IO', message: '/a does not exist' }],
    ['ENOENT', 'use', '/a', { code: 'LOCAL_IO', message: '/a does not exist' }],
    [
      'ENOENT',
      'write',
      none,
      {
        code: 'LOCAL_IO',
        message: `cannot write ${none}: there is no folder ${join(none, '..')}`,
        hints: [`mkdir -p '${join(none, '..')}'`],
      },
    ],
    [
      'ENOENT',
      'write',
      there,
      { code: 'LOCAL_IO', message: `cannot write ${there}: nothing can be created in ${tmpdir()}` },
    ],
    ['EACCES', 'read', '/a', { code: 'LOCAL_IO', message: 'cannot read /a: permission denied' }],
    ['EPERM', 'write', '/a', { code: 'LOCAL_IO', message: 'cannot write /a: permission denied' }],
    ['ENOTDIR', 'use', '/a', { code: 'LOCAL_IO', message: 'cannot use /a: part of the path is not a folder' }],
    ['EISDIR', 'read', '/a', { code: 'LOCAL_IO', message: 'cannot read /a: it is a folder' }],
    ['EROFS', 'write', '/a', { code: 'LOCAL_IO', message: 'cannot write /a: the file system is read-only' }],
    ['EMFILE', 'read', '/a', { code: 'LOCAL_IO', message: 'cannot read /a: too many open files' }],
    ['ENFILE', 'read', '/a', { code: 'LOCAL_IO', message: 'cannot read /a: too many open files on this machine' }],
    ['EIO', 'read', '/a', { code: 'LOCAL_IO', message: 'cannot read /a: the disk reported an error' }],
    ['EFBIG', 'write', '/a', { code: 'LOCAL_IO', message: 'cannot write /a: the file is too large' }],
    ['ENAMETOOLONG', 'write', '/a', { code: 'LOCAL_IO', message: 'cannot write /a: the file name is too long' }],
    ['EXDEV', 'write', '/a', { code: 'LOCAL_IO', message: 'cannot write /a: the file is on another device' }],
    ['EODD', 'write', '/a', { code: 'LOCAL_IO', message: 'cannot write /a: EODD' }],
  ])('%s to %s %s is told', (code, doing, path, expected) => {
    expect(said(localError(failure(code), doing, path))).toEqual({ ...expected, target: { file: path } });
  });

  it('keeps the words of the system where there are no better ones', () => {
    const odd = failure('EODD');
    expect(localError(odd, 'read', '/a').cause).toBe(odd);
    expect(said(localError('x', 'read', '/a'))).toEqual({
      code: 'LOCAL_IO',
      message: 'cannot read /a',
      target: { file: '/a' },
    });
  });

  it('is no other error', () => {
    for (const error of [failure('ENOENT', {}), new CliError('USAGE', 'no'), failure(7)])
      expect(localError(error, 'read', '/a')).toBe(error);
  });

  it.each([
    [failure('ENOENT'), 'ENOENT'],
    [failure('ENOENT', {}), undefined],
    [failure(7), undefined],
    [new Error('x'), undefined],
    [{ code: 'ENOENT', syscall: 'open' }, undefined],
  ])('is known by its code: %j', (error, code) => {
    expect(errnoOf(error)).toBe(code);
  });
});
