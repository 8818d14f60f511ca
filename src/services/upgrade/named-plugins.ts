import { closest } from '../../core/closest.js';
import { CliError } from '../../core/errors.js';
import { listArtifacts, type ArtifactSummary } from '../../platform/artifacts.js';
import type { Platform } from '../../platform/client.js';

/** An artifact of plugins that `--plugin` names, and the one version it may go to. */
export interface NamedPlugin {
  readonly name: string;
  readonly version: string | undefined;
}

/** Reads the words of `--plugin NAME[@VERSION]`. */
export function namedPlugin(text: string): NamedPlugin {
  const at = text.indexOf('@');
  return at < 0 ? { name: text, version: undefined } : { name: text.slice(0, at), version: text.slice(at + 1) };
}

const isMeant = (artifact: ArtifactSummary, { name, version }: NamedPlugin): boolean =>
  artifact.name === name && (version === undefined || artifact.version === version);

function unknownPlugin({ name, version }: NamedPlugin, artifacts: readonly ArtifactSummary[]): CliError {
  const own = artifacts.filter((artifact) => artifact.name === name).map((artifact) => artifact.version);
  if (version !== undefined && own.length > 0)
    return new CliError('NOT_FOUND', `the platform has no artifact ${name} of version ${version}`, {
      hints: [`it has ${[...new Set(own)].sort().join(', ')}`],
    });
  const names = new Set(artifacts.map((artifact) => artifact.name));
  const near = closest(name, names) ?? [...names].find((other) => other.includes(name));
  return new CliError('NOT_FOUND', `the platform has no artifact "${name}"`, {
    hints: [
      ...(near === undefined ? [] : [`did you mean "${near}"?`]),
      '--plugin takes the name of an artifact, such as core-plugins, not that of a plugin in it',
    ],
  });
}

/** Refuses artifacts of `--plugin` that no namespace of an upgrade sees; NOT_FOUND. */
export async function refuseUnknownPlugins(
  plugins: readonly string[],
  namespaces: readonly string[],
  platform: Platform,
  signal: AbortSignal,
): Promise<void> {
  let open = plugins.map(namedPlugin);
  const seen: ArtifactSummary[] = [];
  // All see the same of the system scope, so that the first is nearly always enough.
  for (const namespace of namespaces) {
    if (open.length === 0) return;
    const artifacts = await platform.call(listArtifacts, { namespace }, signal);
    open = open.filter((plugin) => !artifacts.some((artifact) => isMeant(artifact, plugin)));
    seen.push(...artifacts);
  }
  const [first] = open;
  if (first !== undefined) throw unknownPlugin(first, seen);
}
