import { parseVersion } from '../../core/version.js';
import { rangeContains, type Range } from '../../core/version-range.js';
import { listArtifacts, type ArtifactSummary } from '../../platform/artifacts.js';
import type { StepContext } from './action.js';
import { isArtifact } from './thing-kind.js';

/** The artifacts of the platform and those that earlier steps of the plan will make. */
export async function visibleArtifacts(context: StepContext): Promise<readonly ArtifactSummary[]> {
  const present = await context.platform.call(listArtifacts, { namespace: context.namespace }, context.signal);
  const artifacts = context.upcoming.filter(({ kind }) => isArtifact(kind));
  const upcoming = artifacts.map(({ name, version = '' }) => ({ name, version, scope: 'USER' }));
  return [...present, ...upcoming];
}

/** Whether an artifact of the platform satisfies a name and a range in a scope. */
export function satisfies(
  artifact: ArtifactSummary,
  wanted: { readonly system: boolean; readonly name: string; readonly range: Range },
): boolean {
  const version = parseVersion(artifact.version);
  return (
    artifact.name === wanted.name &&
    (artifact.scope.toUpperCase() === 'SYSTEM') === wanted.system &&
    version !== undefined &&
    rangeContains(wanted.range, version)
  );
}
