import type { ApplicationDetail } from '../../platform/apps.js';
import { REPLACED } from '../../platform/named-versions.js';
import type { MadePipeline, SendingEntry, ShownPipeline } from '../../state/upgrade-journal.js';
import type { ArtifactName } from './pipeline.js';
import { sameConfiguration } from './same-configuration.js';
import { artifactName } from './applications.js';

/** What the platform shows of a pipeline, as the journal keeps it. */
export function shownOf({ artifact, configuration = '', appVersion }: ApplicationDetail): ShownPipeline {
  return {
    artifact: artifactName(artifact),
    configuration,
    ...(appVersion !== undefined && { version: appVersion }),
  };
}

/** Whether two names are those of the same artifact. */
export const isSameArtifact = (one: ArtifactName, other: ArtifactName): boolean =>
  one.name === other.name && one.version === other.version && one.scope === other.scope;

/** Whether a pipeline is made from this very artifact and configuration. */
export function isMadeFrom(shown: ApplicationDetail, { artifact, configuration }: MadePipeline): boolean {
  return (
    isSameArtifact(artifactName(shown.artifact), artifact) &&
    sameConfiguration(configuration, shown.configuration ?? '')
  );
}

/**
 * Whether a pipeline that was about to be changed has become what was sent. Where the platform itself upgrades: whether
 * it is made from the artifact that it was to go to, and not what it was.
 */
export function hasBecome(
  shown: ApplicationDetail,
  { before, sent, to }: Pick<SendingEntry, 'before' | 'sent' | 'to'>,
): boolean {
  if (sent !== undefined) return isMadeFrom(shown, sent);
  const isReplaced = before.version === undefined || before.version === REPLACED;
  const isAsBefore = shown.appVersion === before.version && (!isReplaced || isMadeFrom(shown, before));
  if (isAsBefore) return false;
  const { artifact } = shown;
  return to === undefined ? artifact.version !== before.artifact.version : isSameArtifact(artifactName(artifact), to);
}
