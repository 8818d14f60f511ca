import { realpathSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Settings } from '../../config/precedence.js';
import type { SettingSources } from '../../config/setting.js';
import { configuredHubs, hubNamed } from '../../config/target.js';
import type { Emit } from '../../core/events.js';
import type { HubKey, KeyPlace } from '../../services/keys/hub-key.js';
import { findPinned } from '../../services/keys/pinned-keys.js';
import { baseAddress, hubKey } from '../../state/base-address.js';
import { hubsInStore } from '../../state/trust-store.js';
import { choose } from '../../cli/terminal/choice.js';
import type { CommandContext } from '../../cli/context-types.js';
import { expandHome, isPath } from '../../cli/line/local-path.js';
import { withArgument, withFlag } from '../../cli/line/rewrite-line.js';
import type { Session } from '../../cli/session.js';

/** What tells where keys are kept: part of the context of a command. */
export interface KeyContext {
  readonly found: { readonly settings: Pick<Settings, 'hubs'>; readonly sources: SettingSources };
  readonly home: string | undefined;
  readonly stateFolder: string;
  readonly emit: Emit;
}

/**
 * Where the keys of hubs are stored. These are the hubs that `--hub` names, else all configured ones and, by address,
 * all others with stored keys. Sends no request. A hub in the store that cannot be read is a warning.
 */
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

/** The other configured hubs that have the address of a hub, however it is spelled, and so its keys. */
export function hubsAlike(hub: { readonly name: string; readonly url: string }, sources: SettingSources): string[] {
  return configuredHubs(sources).flatMap(({ name, url }) =>
    name !== undefined && name !== hub.name && hubKey(url) === hubKey(hub.url) ? [name] : [],
  );
}

/** The pinned key that an argument names. A person chooses where several are meant, or several hubs trust it. */
export async function pinnedKey(
  places: readonly KeyPlace[],
  text: string,
  { asker }: Pick<CommandContext, 'asker'>,
  session: Pick<Session, 'argv' | 'build' | 'clock'>,
): Promise<HubKey> {
  const { all, problem } = await findPinned(places, text, session.clock.now());
  const choices = all.map((value) => {
    const { hub, fingerprint, userIds } = value;
    const line = { ...session, argv: withFlag(session.argv, 'hub', hub) };
    return { value, columns: [hub, fingerprint, userIds.join(', ')], argv: withArgument(line, text, fingerprint) };
  });
  return all.length === 1 ? all[0] : (await choose(problem, choices, asker)).value;
}

/** The address of a folder, also of one that is gone but whose keys are not. */
function addressOfFolder(folder: string): string {
  try {
    return pathToFileURL(realpathSync(folder)).href;
  } catch {
    return pathToFileURL(resolve(folder)).href;
  }
}
