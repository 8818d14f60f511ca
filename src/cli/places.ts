import { homedir } from 'node:os';
import { foldersFrom, type Folders } from '../config/paths.js';
import type { Session } from './session.js';

/** The folders of the tool for this user (`cli.md` 2.9); without HOME the system is asked for it. */
export function placesOf(env: Session['env']): Folders {
  return foldersFrom(env, env['HOME'] ?? homedir());
}
