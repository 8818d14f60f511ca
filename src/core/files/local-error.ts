import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { CliError } from '../errors.js';
import { shellWord } from '../shell-word.js';

const REASONS: Readonly<Record<string, string>> = {
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  ENOTDIR: 'part of the path is not a folder',
  EISDIR: 'it is a folder',
  EROFS: 'the file system is read-only',
  EMFILE: 'too many open files',
  ENFILE: 'too many open files on this machine',
  EIO: 'the disk reported an error',
  EFBIG: 'the file is too large',
  ENAMETOOLONG: 'the file name is too long',
  EXDEV: 'the file is on another device',
};

const FREE = 'free some space on that disk';

/** The `code` of an error of the file system (`ENOENT`, ...), or undefined for any other error. */
export function errnoOf(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('code' in error) || typeof error.code !== 'string') return undefined;
  return 'syscall' in error ? error.code : undefined;
}

/**
 * Translates a file system error into DISK_FULL, SYMLINK, EXISTS or LOCAL_IO that names the path. Quotes the system's
 * own words only where there are no better ones. Other errors are returned unchanged.
 */
export function localError(error: unknown, doing: 'read' | 'write' | 'use', path: string): Error {
  const code = errnoOf(error);
  const target = { file: path };
  if (code === 'ENOSPC' || code === 'EDQUOT')
    return new CliError('DISK_FULL', `no space left to write ${path}`, { hints: [FREE], target });
  if (code === 'ELOOP') return linkError(path);
  if (code === 'EEXIST') return existsError(path);
  if (code === 'ENOENT' && doing === 'write') return noFolder(path);
  if (code === 'ENOENT') return new CliError('LOCAL_IO', `${path} does not exist`, { target });
  const reason = REASONS[code ?? ''];
  if (reason !== undefined) return new CliError('LOCAL_IO', `cannot ${doing} ${path}: ${reason}`, { target });
  if (code === undefined && error instanceof Error) return error;
  const message = `cannot ${doing} ${path}${code === undefined ? '' : `: ${code}`}`;
  return new CliError('LOCAL_IO', message, { cause: error, target });
}

function noFolder(path: string): CliError {
  const folder = dirname(path);
  if (existsSync(folder))
    return new CliError('LOCAL_IO', `cannot write ${path}: nothing can be created in ${folder}`, {
      target: { file: path },
    });
  return new CliError('LOCAL_IO', `cannot write ${path}: there is no folder ${folder}`, {
    hints: [`mkdir -p ${shellWord(folder)}`],
    target: { file: path },
  });
}

/** SYMLINK (docs/faults.md L10, L11): a link stands where a file or folder of ours belongs. */
export function linkError(path: string): CliError {
  return new CliError('SYMLINK', `${path} is a symbolic link`, {
    hints: ['remove the link, or use its target'],
    target: { file: path },
  });
}

/** EXISTS (docs/faults.md L09): the file is there and nobody allowed to replace it. */
export function existsError(path: string): CliError {
  return new CliError('EXISTS', `${path} exists`, {
    hints: [{ next: 'replace-file' }],
    target: { file: path },
  });
}
