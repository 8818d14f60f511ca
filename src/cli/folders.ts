import { userInfo } from 'node:os';
import { chooseFolder, foldersFrom, type Folders } from '../config/paths.js';
import { CliError } from '../core/errors.js';
import { isInside } from '../core/files/inside.js';
import type { Session } from './session.js';

/** The home folder of this user: HOME, else what the system knows; undefined where it knows none. */
export function homeOf(env: Session['env']): string | undefined {
  const named = env['HOME'];
  if (named !== undefined && named !== '') return named;
  try {
    return userInfo().homedir;
  } catch {
    return undefined;
  }
}

/** The folders of the tool for this user (docs/conventions.md 2.9). */
export function placesOf(env: Session['env']): Folders {
  return foldersFrom(env, homeOf(env));
}

/** Names the variable for another folder in the error that one of ours cannot be written. */
export function withOtherFolder(error: CliError, env: Session['env']): CliError {
  const { code, message, details } = error;
  const file = details.target?.['file'];
  const isUnhelped = code === 'LOCAL_IO' && message.startsWith('cannot write ') && (details.hints ?? []).length === 0;
  if (!isUnhelped || file === undefined) return error;
  const places = placesOf(env);
  const holds = (name: 'config' | 'state'): boolean => {
    try {
      return isInside(places[name], file);
    } catch {
      return false;
    }
  };
  const variable = holds('state') ? 'CDAPCTL_STATE_DIR' : holds('config') ? 'CDAPCTL_CONFIG_DIR' : undefined;
  return variable === undefined ? error : new CliError(code, message, { ...details, hints: [chooseFolder(variable)] });
}
