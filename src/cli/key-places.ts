import { realpathSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { configuredHubs, hubNamed } from '../config/target.js';
import type { Emit } from '../core/events.js';
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
  readonly emit: Emit;
}

/** The places of the keys of the hubs that `--hub` names, else of all that are configured and of every other one that keys are kept for, called by its address; asks no hub. A hub in the store that cannot be read is a warning. */
export async function keyPlaces({ found, home, stateFolder, emit }: KeyContext): Promise<readonly KeyPlace[]> {
  const { sources, settings } = found;
  const folder = join(stateFolder, 'trust');
  const place = (name: string, url: string): KeyPlace => ({ name, base: baseAddress(url), folder });
  const named = settings.hubs?.value.map((text) => {
    if (isPath(text)) return place(text, addressOfFolder(expandHome(text, home)));
    const { name = text, url } = hubNamed(text, sources);
    return place(name, url);
  });
  if (named !== undefined) return named;
  const configured = configuredHubs(sources).map(({ name, url }) => place(name ?? url, url));
  const known = new Set(configured.map(({ base }) => hubKey(base)));
  const stored = await hubsInStore(folder, ({ message }) => {
    emit({ type: 'warning', code: 'TRUST', message });
  });
  const others = stored.filter((url) => !known.has(hubKey(url)));
  return [...configured, ...others.map((url) => place(url, url))];
}

/** The address of a folder, also of one that is gone but whose keys are not. */
function addressOfFolder(folder: string): string {
  try {
    return pathToFileURL(realpathSync(folder)).href;
  } catch {
    return pathToFileURL(resolve(folder)).href;
  }
}
