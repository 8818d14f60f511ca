import type { PackageCommands } from '../../services/install/action.js';
import { commandLine, connectionWords, wordsOf, type KnownFlag } from '../../cli/line/command-line.js';
import { isPath } from '../../cli/line/local-path.js';
import { hubFlags } from '../../flags/select.js';

const HUBS: ReadonlyMap<string, KnownFlag> = new Map(Object.entries(hubFlags));

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
