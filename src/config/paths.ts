import { isAbsolute, join } from 'node:path';
import { CliError } from '../core/errors.js';

/** Environment variables by name; empty ones count as unset. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** Where files of ours are. Reading a member throws LOCAL_IO when no place is known (docs/faults.md L31). */
export interface Folders {
  readonly config: string;
  readonly state: string;
  readonly cache: string;
}

/** The command that chooses another folder by its variable. */
export const chooseFolder = (variable: string): string => `export ${variable}=/path/to/a/folder/of/yours`;

/**
 * Finds the folders of the tool. `CDAPCTL_*_DIR` wins, then the XDG variables (absolute paths only, as XDG says), then
 * the home folder.
 * @throws LOCAL_IO when none of these is set
 */
export function foldersFrom(environment: Environment, home: string | undefined): Folders {
  const folder = (own: string, xdg: string, below: readonly string[]): string => {
    const [named, base] = [environment[own], environment[xdg]];
    if (named !== undefined && named !== '') return named;
    if (base !== undefined && isAbsolute(base)) return join(base, 'cdapctl');
    if (home !== undefined && home !== '') return join(home, ...below, 'cdapctl');
    throw new CliError('LOCAL_IO', `cannot find a folder for cdapctl files: ${own} and HOME are not set`, {
      hints: [chooseFolder(own)],
    });
  };
  return {
    get config() {
      return folder('CDAPCTL_CONFIG_DIR', 'XDG_CONFIG_HOME', ['.config']);
    },
    get state() {
      return folder('CDAPCTL_STATE_DIR', 'XDG_STATE_HOME', ['.local', 'state']);
    },
    get cache() {
      return folder('CDAPCTL_CACHE_DIR', 'XDG_CACHE_HOME', ['.cache']);
    },
  };
}
