import { compareVersionTexts } from '../../core/version.js';
import { listArtifacts } from '../../platform/artifacts.js';
import type { Platform } from '../../platform/client.js';
import { noNamespace } from '../../platform/namespaces.js';

/** One version of an artifact that a namespace sees. */
export interface ListedArtifact {
  readonly name: string;
  readonly version: string;
  readonly scope: string;
}

/**
 * The artifacts that a namespace sees, those of the user first, by name, the newest version first.
 * @throws NOT_FOUND for the namespace
 */
export async function artifactsOf(
  namespace: string,
  scope: string | undefined,
  platform: Platform,
  signal: AbortSignal,
): Promise<readonly ListedArtifact[]> {
  const all = await platform.find(listArtifacts, { namespace }, signal);
  if (all === undefined) throw noNamespace(namespace);
  return all
    .map(({ name, version, scope: found }) => ({ name, version, scope: found.toLowerCase() }))
    .filter((artifact) => scope === undefined || artifact.scope === scope)
    .sort(
      (a, b) =>
        compareTexts(b.scope, a.scope) || compareTexts(a.name, b.name) || compareVersionTexts(b.version, a.version),
    );
}

function compareTexts(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
