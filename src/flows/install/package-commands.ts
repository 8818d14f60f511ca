import type { PackageCommands } from '../../services/install/action.js';
import { beforeDashes } from '../../cli/line/argv.js';
import { commandLine } from '../../cli/line/command-line.js';
import { isPath } from '../../cli/local-path.js';
import { connectionFlags } from '../../flags/connection.js';
import { consentFlags } from '../../flags/consent.js';
import { outputFlags } from '../../flags/output.js';
import { hubFlags } from '../../flags/select.js';

interface KnownFlag {
  readonly type: 'option' | 'boolean';
  readonly char?: string | undefined;
}

const CONNECTION: ReadonlyMap<string, KnownFlag> = new Map(Object.entries(connectionFlags));
const HUBS: ReadonlyMap<string, KnownFlag> = new Map(Object.entries(hubFlags));

const CONSENT: ReadonlyMap<string, KnownFlag> = new Map(Object.entries({ ...consentFlags, yes: outputFlags.yes }));

/** The words of a command line that belong to some flags, their values included. */
function wordsOf(argv: readonly string[], flags: ReadonlyMap<string, KnownFlag>): readonly string[] {
  const names = new Map<string, string>();
  for (const [name, { char }] of flags) {
    names.set(`--${name}`, name);
    if (char !== undefined) names.set(`-${char}`, name);
  }
  const words: string[] = [];
  let isValue = false;
  for (const word of beforeDashes(argv)) {
    const long = /^--[^=]+/u.exec(word)?.[0];
    const name = names.get(long ?? word.slice(0, 2));
    if (isValue || name !== undefined) words.push(word);
    const isWhole = long === undefined ? word.length === 2 : word === long;
    isValue = !isValue && name !== undefined && isWhole && flags.get(name)?.type === 'option';
  }
  return words;
}

/** The words of a command line that connect to the platform. Commands in hints repeat them. */
export const connectionWords = (argv: readonly string[]): readonly string[] =>
  wordsOf(argv, new Map([...CONNECTION].filter(([name]) => name !== 'namespace')));

/**
 * The words of a command line that confirm a change. A command in a hint needs them for the same change; one that
 * undoes it is confirmed anew.
 */
export const consentWords = (argv: readonly string[]): readonly string[] => wordsOf(argv, CONSENT);

/** The commands about a package that hints show. They repeat hub, namespace and connection of this command line. */
export function packageCommands(
  argv: readonly string[],
  named: string,
  place: { readonly name: string; readonly version: string },
  namespace: string,
): PackageCommands {
  const connection = connectionWords(argv);
  const hubs = wordsOf(argv, HUBS);
  const all = isPath(named) ? named : named.replace(/@[^@/]*$/u, '');
  const removed = `${place.name}@${place.version}`;
  return {
    uninstall: commandLine(['installed', 'uninstall', removed, '-n', namespace, ...connection]),
    versions: commandLine(['hub', 'show', all, '--versions', ...hubs, ...connection]),
    actions: commandLine(['hub', 'show', named, '--actions', ...hubs, ...connection]),
  };
}
