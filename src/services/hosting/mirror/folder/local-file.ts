import { lstatSync } from 'node:fs';
import { stampOf } from '../../tree/file-stamp.js';

/** A regular file: size in bytes, when it changed, in milliseconds, and what else tells of a change. */
export interface LocalFile {
  readonly size: number;
  readonly mtime: number;
  readonly stamp: string;
}

/** A regular file at a path; undefined when something else, or nothing, is there. */
export function localFile(path: string): LocalFile | undefined {
  const stat = lstatSync(path, { throwIfNoEntry: false });
  const stamp = stat?.isFile() === true ? stampOf(path) : undefined;
  return stat && stamp && { size: stat.size, mtime: stat.mtimeMs, stamp: stamp.id };
}

/** Whether a file is the one that was kept, as far as the file system tells. */
export const isKept = (known: { readonly stamp?: string | undefined } | undefined, local: LocalFile): boolean =>
  known?.stamp === local.stamp;
