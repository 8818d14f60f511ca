import { homedir } from 'node:os';
import { join } from 'node:path';

type Environment = Readonly<Record<string, string | undefined>>;

/** The folders of the tool (`cli.md` 2.9). */
export interface Places {
  readonly config: string;
  readonly state: string;
  readonly cache: string;
}

/** Where configuration, state and cache lie: own variables first, then XDG, then the custom of the system. */
export function placesOf(env: Environment): Places {
  const home = text(env['HOME']) ?? homedir();
  const local = process.platform === 'win32' ? text(env['LOCALAPPDATA']) : undefined;
  const place = (own: string, xdg: string, windows: string, usual: string[]): string =>
    text(env[own]) ??
    join(text(env[xdg]) ?? (local === undefined ? join(home, ...usual) : join(local, windows)), 'cdapctl');
  return {
    config: place('CDAPCTL_CONFIG_DIR', 'XDG_CONFIG_HOME', 'config', ['.config']),
    state: place('CDAPCTL_STATE_DIR', 'XDG_STATE_HOME', 'state', ['.local', 'state']),
    cache: place('CDAPCTL_CACHE_DIR', 'XDG_CACHE_HOME', 'cache', ['.cache']),
  };
}

function text(value: string | undefined): string | undefined {
  return value === undefined || value === '' ? undefined : value;
}
