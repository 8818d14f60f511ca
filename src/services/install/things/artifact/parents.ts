import { CliError } from '../../../../core/errors.js';
import { parseVersion } from '../../../../core/version.js';
import { rangeContains, type Range } from '../../../../core/version-range.js';
import { listArtifacts, type ArtifactSummary } from '../../../../platform/artifacts.js';
import type { StepContext } from '../../action.js';
import { kindOf } from '../table.js';

/** A parent of an artifact as it is sent: `system:NAME[low,high)`, and what it means. */
export interface ArtifactParent {
  readonly text: string;
  readonly system: boolean;
  readonly name: string;
  readonly range: Range;
}

/** The artifacts of the platform and those that earlier steps of the plan will make. */
export async function visibleArtifacts(context: StepContext): Promise<readonly ArtifactSummary[]> {
  const present = await context.platform.call(listArtifacts, { namespace: context.namespace }, context.signal);
  const artifacts = context.upcoming.filter(({ kind }) => kindOf(kind)?.isArtifact === true);
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

/** The refusal when not one parent exists; the platform wants just one (docs/platform.md 4.1). */
export function missingParents(
  parents: readonly ArtifactParent[],
  present: readonly ArtifactSummary[],
  { namespace, commands }: StepContext,
): CliError | undefined {
  if (parents.length === 0 || parents.some((parent) => present.some((artifact) => satisfies(artifact, parent))))
    return undefined;
  const bare = parents.some(
    (parent) => !parent.system && present.some((artifact) => satisfies(artifact, { ...parent, system: true })),
  );
  return new CliError(
    'CONFLICT',
    `the plugin extends artifacts that this platform does not have: ${parents.map(({ text }) => text).join(', ')}`,
    {
      hints: bare ? [{ next: 'system-parent', namespace }] : ['find a compatible version:', commands.versions],
    },
  );
}
