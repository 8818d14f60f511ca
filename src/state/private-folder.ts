import { lstatSync, statSync, type Stats } from 'node:fs';
import { CliError } from '../core/errors.js';
import { makeFolders } from '../core/files/make-folders.js';
import { errnoOf, linkError, localError } from '../core/files/local-error.js';
import { shellWord } from '../core/shell-word.js';
import { ownUser } from './process-identity.js';

/** How strictly, and under which name of an error, files of ours are looked at. */
export interface PrivateOptions {
  /** What is said when others could change it: STATE_PERMS unless told. */
  readonly code?: 'STATE_PERMS' | 'TRUST_PERMS';
  /** The user who must own it; the user of this process unless told. */
  readonly user?: number | undefined;
  /** Several users may change it together: whose it is does not matter. */
  readonly shared?: boolean;
}

/**
 * Checks that only we can change a file or folder of ours (docs/faults.md L12, S24); root may own it.
 * @throws STATE_PERMS or TRUST_PERMS when someone else owns it or may write to it
 */
export function checkOwner(path: string, stat: Pick<Stats, 'uid' | 'mode'>, options: PrivateOptions = {}): void {
  const { code = 'STATE_PERMS', user = ownUser(), shared = false } = options;
  if (user === undefined || shared) return;
  if (stat.uid !== user && stat.uid !== 0) {
    throw new CliError(code, `${path} belongs to another user`, {
      hints: ['use a folder that you own, or change its owner'],
      target: { file: path },
    });
  }
  if ((stat.mode & 0o022) !== 0) {
    // A folder for everybody (/tmp), or of the system, is not to be closed.
    const isOurs = stat.uid === user && (stat.mode & 0o1000) === 0;
    throw new CliError(code, `${path} is writable by other users`, {
      hints: [isOurs ? `chmod go-w ${shellWord(path)}` : 'use a folder that only you can change'],
      target: { file: path },
    });
  }
}

function refuseOther(path: string, stat: Stats): void {
  if (!stat.isDirectory()) throw new CliError('LOCAL_IO', `${path} is not a folder`, { target: { file: path } });
}

/**
 * Whether a private folder is there.
 * @throws SYMLINK, LOCAL_IO or the error of `checkOwner` when something else is
 */
export function checkPrivateFolder(path: string, options: PrivateOptions = {}): boolean {
  try {
    const stat = lstatSync(path);
    if (stat.isSymbolicLink()) throw linkError(path);
    refuseOther(path, stat);
    checkOwner(path, stat, options);
    return true;
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return false;
    throw localError(error, 'read', path);
  }
}

/**
 * Refuses what stands in the place of a folder of ours. Nothing may be there, nor a folder that could hold it.
 * @throws LOCAL_IO for a file or a device
 */
export function checkFolder(path: string): void {
  try {
    refuseOther(path, statSync(path));
  } catch (error) {
    if (error instanceof CliError) throw error;
  }
}

/**
 * Checks who may change the folder that holds all our others, and returns its path. It may be a link, and need not
 * exist.
 * @throws STATE_PERMS when someone else may change it, LOCAL_IO when it is no folder
 */
export function safeFolder(path: string): string {
  try {
    const stat = statSync(path, { throwIfNoEntry: false });
    if (stat === undefined) return path;
    refuseOther(path, stat);
    checkOwner(path, stat);
    return path;
  } catch (error) {
    throw localError(error, 'read', path);
  }
}

/**
 * Makes a folder (0700, with its parents) unless it exists, and returns its path.
 * @throws STATE_PERMS or TRUST_PERMS when someone else may change it
 */
export async function privateFolder(path: string, options: PrivateOptions = {}): Promise<string> {
  if (checkPrivateFolder(path, options)) return path;
  try {
    makeFolders(path, 0o700);
  } catch (error) {
    throw localError(error, 'write', path);
  }
  checkPrivateFolder(path, options);
  return path;
}
