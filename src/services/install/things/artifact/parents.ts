import { CliError } from '../../../../core/errors.js';
import type { Range } from '../../../../core/version-range.js';
import type { ArtifactSummary } from '../../../../platform/artifacts.js';
import type { StepContext } from '../../action.js';
import { satisfies } from '../../visible-artifacts.js';

/** A parent of an artifact as it is sent: `system:NAME[low,high)`, and what it means. */
export interface ArtifactParent {
  readonly text: string;
  readonly system: boolean;
  readonly name: string;
  readonly range: Range;
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
