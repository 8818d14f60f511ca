import { userInfo } from 'node:os';
import { foldersFrom, type Folders } from '../config/paths.js';
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
