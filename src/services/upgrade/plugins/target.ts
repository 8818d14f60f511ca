import { compareVersions, isSnapshot, parseVersion } from '../../../core/version.js';
import type { ArtifactName } from '../pipeline.js';

/** What an upgrade makes of a pipeline's own artifact. `missing` when the version asked for does not exist. */
export type Target =
  | { readonly kind: 'upgrade'; readonly to: ArtifactName }
  | { readonly kind: 'current' }
  | { readonly kind: 'skipped'; readonly reason: string }
  | { readonly kind: 'missing' };

const PIPELINES = ['cdap-data-pipeline', 'cdap-data-streams'];
const OLD_PIPELINES = ['cdap-etl-batch', 'cdap-etl-realtime'];

/** Why an application of this artifact is none that can be upgraded, or undefined. */
function unfit({ name, scope }: ArtifactName): string | undefined {
  if (OLD_PIPELINES.includes(name)) return `uses ${name}, whose configurations have another format`;
  if (!PIPELINES.includes(name)) return `is not a pipeline: it uses ${name}`;
  return scope === 'SYSTEM' ? undefined : `uses a ${name} with scope user`;
}

/**
 * Chooses the version of the pipeline artifact to upgrade to: `to`, or the newest. Uses the platform's order
 * (docs/platform.md 4); snapshots only on request.
 */
export function chooseTarget(
  artifact: ArtifactName,
  present: readonly ArtifactName[],
  options: { readonly to?: string | undefined; readonly snapshots: boolean },
): Target {
  const reason = unfit(artifact);
  if (reason !== undefined) return { kind: 'skipped', reason };
  const from = parseVersion(artifact.version);
  if (from === undefined) return { kind: 'skipped', reason: `has the invalid version ${artifact.version}` };
  const wanted = options.to === undefined ? undefined : parseVersion(options.to);
  if (options.to !== undefined && wanted === undefined) return { kind: 'missing' };
  const [newest] = present
    .filter(({ name, scope }) => name === artifact.name && scope === 'SYSTEM')
    .map(({ version }) => parseVersion(version))
    .filter((version) => version !== undefined)
    .filter((version) => {
      if (wanted !== undefined) return compareVersions(version, wanted) === 0;
      return options.snapshots || !isSnapshot(version) || compareVersions(version, from) === 0;
    })
    .sort((a, b) => compareVersions(b, a));
  if (newest === undefined) {
    return wanted === undefined
      ? { kind: 'skipped', reason: `the platform has no version of ${artifact.name}` }
      : { kind: 'missing' };
  }
  const order = compareVersions(newest, from);
  if (order === 0) return { kind: 'current' };
  if (order < 0) return { kind: 'skipped', reason: `is newer than ${newest.text}` };
  return { kind: 'upgrade', to: { name: artifact.name, version: newest.text, scope: 'SYSTEM' } };
}
