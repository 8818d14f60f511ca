import { realpathSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { configuredHubs, hubNamed } from '../config/target.js';
import type { KeyPlace } from '../services/keys/hub-key.js';
import { baseAddress, hubKey } from '../state/base-address.js';
import { hubsInStore } from '../state/trust-store.js';
import { isPath } from './find-package.js';
import { expandHome } from './path-completion.js';
import type { FoundSettings } from './settings.js';

/** What tells where keys are kept: part of the context of a command. */
export interface KeyContext {
  readonly found: FoundSettings;
  readonly home: string | undefined;
  readonly stateFolder: string;
}

/** The places of the keys of the hubs that `--hub` names, else of all that are configured and of every other one that keys are kept for, called by its address; asks no hub. */
export async function keyPlaces({ found, home, stateFolder }: KeyContext): Promise<readonly KeyPlace[]> {
  const { sources, settings } = found;
  const folder = join(stateFolder, 'trust');
  const place = (name: string, url: string): KeyPlace => ({ name, base: baseAddress(url), folder });
  const named = settings.hubs?.value.map((text) => {
    if (isPath(text)) return place(text, folderAddress(expandHome(text, home)));
    const { name = text, url } = hubNamed(text, sources);
    return place(name, url);
  });
  if (named !== undefined) return named;
  const configured = configuredHubs(sources).map(({ name, url }) => place(name ?? url, url));
  const known = new Set(configured.map(({ base }) => hubKey(base)));
  const others = (await hubsInStore(folder)).filter((url) => !known.has(hubKey(url)));
  return [...configured, ...others.map((url) => place(url, url))];
}

/** The address of a folder, also of one that is gone but whose keys are not. */
function folderAddress(folder: string): string {
  try {
    return pathToFileURL(realpathSync(folder)).href;
  } catch {
    return pathToFileURL(resolve(folder)).href;
  }
}
