import { closest, didYouMean } from '../../../core/closest.js';
import { CliError } from '../../../core/errors.js';
import { compareVersionTexts } from '../../../core/version.js';
import { listArtifacts, type ArtifactSummary } from '../../../platform/artifacts.js';
import type { Platform } from '../../../platform/client.js';

/** An artifact of plugins that is named, and the one version it may go to. */
export interface NamedPlugin {
  readonly name: string;
  readonly version: string | undefined;
}

const isMeant = (artifact: ArtifactSummary, { name, version }: NamedPlugin): boolean =>
  artifact.name === name && (version === undefined || artifact.version === version);

const MOST_NAMES = 20;

/** What there is, as far as it fits a few lines. */
function listed(names: readonly string[]): string {
  const shown = names.slice(0, MOST_NAMES).join(', ');
  return names.length > MOST_NAMES ? `${shown} and ${names.length - MOST_NAMES} more` : shown;
}

function unknownPlugin(
  { name, version }: NamedPlugin,
  artifacts: readonly ArtifactSummary[],
  namespaces: readonly string[],
): CliError {
  const [only = '', ...others] = namespaces;
  const where = others.length > 0 ? 'the platform' : `namespace "${only}"`;
  const target = { artifact: name, ...(version !== undefined && { version }) };
  const own = artifacts.filter((artifact) => artifact.name === name).map((artifact) => artifact.version);
  if (version !== undefined && own.length > 0)
    return new CliError('NOT_FOUND', `${where} has no artifact ${name} of version ${version}`, {
      hints: [`it has ${[...new Set(own)].sort(compareVersionTexts).join(', ')}`],
      target,
    });
  const names = [...new Set(artifacts.map((artifact) => artifact.name))].sort();
  const near = closest(name, names) ?? names.find((other) => other.includes(name));
  return new CliError('NOT_FOUND', `${where} has no artifact "${name}"`, {
    hints: [
      ...didYouMean(near),
      'specify an artifact, such as core-plugins, not a plugin in it',
      ...(names.length === 0 ? [] : [`there are ${listed(names)}`]),
    ],
    target,
  });
}

/**
 * Refuses named artifacts that no namespace of an upgrade sees.
 * @throws NOT_FOUND
 */
export async function refuseUnknownPlugins(
  plugins: readonly NamedPlugin[],
  namespaces: readonly string[],
  platform: Platform,
  signal: AbortSignal,
): Promise<void> {
  let open = plugins;
  const seen: ArtifactSummary[] = [];
  // All see the same of the system scope, so that the first is nearly always enough.
  for (const namespace of namespaces) {
    if (open.length === 0) return;
    const artifacts = await platform.call(listArtifacts, { namespace }, signal);
    open = open.filter((plugin) => !artifacts.some((artifact) => isMeant(artifact, plugin)));
    for (const artifact of artifacts) seen.push(artifact);
  }
  const [first] = open;
  if (first !== undefined) throw unknownPlugin(first, seen, namespaces);
}
