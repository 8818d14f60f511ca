import { accessSync, chmodSync, constants, lstatSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { errnoOf, localError } from '../../core/files/local-error.js';
import { ownUser } from '../process-identity.js';

/** A file or folder of ours that others may change or read, and the mode that it should have. */
export interface LooseMode {
  readonly path: string;
  readonly mode: number;
}

function looseAt(path: string, forbidden: number): LooseMode[] {
  try {
    const stat = lstatSync(path);
    // What belongs to somebody else, and links, are refused where they are used.
    if (stat.isSymbolicLink() || stat.uid !== ownUser() || (stat.mode & forbidden) === 0) return [];
    return [{ path, mode: stat.mode & 0o777 & ~forbidden }];
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return [];
    throw localError(error, 'read', path);
  }
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return [];
    throw localError(error, 'read', folder);
  }
}

/** The files and folders of ours whose modes are too wide: others may change them, or read a token. */
export function looseModes(folders: { readonly config: string; readonly state: string }): readonly LooseMode[] {
  if (ownUser() === undefined) return [];
  const logins = join(folders.state, 'logins');
  return [
    ...[folders.config, join(folders.config, 'config.yaml'), folders.state].flatMap((path) => looseAt(path, 0o022)),
    ...looseAt(logins, 0o077),
    ...namesIn(logins).flatMap((name) => looseAt(join(logins, name), 0o077)),
  ];
}

/** Why nothing can be written into a folder, or why it cannot be made; undefined if it can. Makes nothing. */
export function writeProblem(folder: string): string | undefined {
  for (let path = folder; ; path = dirname(path)) {
    try {
      accessSync(path, constants.W_OK | constants.X_OK);
      return undefined;
    } catch (error) {
      if (errnoOf(error) !== 'ENOENT' || dirname(path) === path) return localError(error, 'write', folder).message;
    }
  }
}

/**
 * Gives files and folders the modes that they should have.
 * @throws LOCAL_IO when the system does not let us
 */
export function tighten(loose: readonly LooseMode[]): void {
  for (const { path, mode } of loose) {
    try {
      chmodSync(path, mode);
    } catch (error) {
      throw localError(error, 'write', path);
    }
  }
}
