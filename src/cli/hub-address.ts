import { hubNamed } from '../config/target.js';
import type { SettingSources } from '../config/setting.js';
import { folderSource } from '../hub/folder-source.js';
import { isPath } from './find-package.js';
import { expandHome } from './path-completion.js';
import { homeOf } from './places.js';
import type { Session } from './session.js';

/** The address of a folder that holds a hub, which holds wherever it is used later; HUB_NOT_FOUND for any other folder. */
export async function folderAddress(folder: string, { env }: Session): Promise<string> {
  return (await folderSource(expandHome(folder, homeOf(env)), folder)).base;
}

/** A hub as it is kept in a context: a configured name or an address as it was given, a folder as its address; HUB_NOT_FOUND. */
export async function hubAddress(text: string, sources: SettingSources, session: Session): Promise<string> {
  if (isPath(text)) return folderAddress(text, session);
  hubNamed(text, sources);
  return text;
}
