import { compareVersions, isSnapshot, parseVersion, type Version } from '../../../core/version.js';
import { parseRange, rangeContains } from '../../../core/version-range.js';
import type { PluginOffer } from './available-plugins.js';
import type { StageFinding, Note, PluginUse, UsedArtifact } from '../pipeline.js';

/** What becomes of the artifact version of a plugin that a pipeline uses. */
export type PluginChoice =
  | { readonly kind: 'change'; readonly to: string; readonly offer: PluginOffer }
  | { readonly kind: 'same'; readonly offer: PluginOffer }
  | { readonly kind: 'left'; readonly note: Note }
  | { readonly kind: 'blocked'; readonly finding: StageFinding };

/** Which versions of plugins come into question. */
export interface PluginSelection {
  /** Also snapshots; without it only the one that is in use. */
  readonly snapshots: boolean;
  /** Artifacts that change, by name, each with the one version it may go to; the others keep theirs. */
  readonly only?: ReadonlyMap<string, string | undefined> | undefined;
}

interface Candidate {
  readonly offer: PluginOffer;
  readonly version: Version;
}

const isEqual = (a: Version, b: Version | undefined): boolean => b !== undefined && compareVersions(a, b) === 0;

const scoped = ({ name, scope }: UsedArtifact, version = ''): string =>
  `${name}${version === '' ? '' : ` ${version}`} (${scope === undefined ? 'any' : scope.toLowerCase()} scope)`;

/** Those that can be compared, highest version first. */
function candidates(offers: readonly PluginOffer[]): readonly Candidate[] {
  return offers
    .flatMap((offer) => {
      const version = parseVersion(offer.artifact.version);
      return version === undefined ? [] : [{ offer, version }];
    })
    .sort((a, b) => compareVersions(b.version, a.version));
}

function blocked({ stage, plugin }: PluginUse, reason: string): PluginChoice {
  return { kind: 'blocked', finding: { level: 'blocked', stage, plugin, reason } };
}

function left({ stage }: PluginUse, message: string): PluginChoice {
  return { kind: 'left', note: { stage, message } };
}

/**
 * Blocked for want of any offer by this artifact. The others that could take its place are named, newest version each.
 */
function isGone(use: PluginUse, artifact: UsedArtifact, offers: readonly PluginOffer[]): PluginChoice {
  const others = new Map<string, string>();
  for (const { offer } of candidates(offers)) {
    const key = scoped(offer.artifact);
    if (!others.has(key)) others.set(key, scoped(offer.artifact, offer.artifact.version));
  }
  const elsewhere = others.size === 0 ? '' : `; ${use.plugin} is also in ${[...others.values()].join(', ')}`;
  return blocked(
    use,
    `no version of ${scoped(artifact)} is available for the target: it was removed or does not extend the target${elsewhere}`,
  );
}

/** Blocked although the artifact is there: the versions that are offered are named. */
function isNotOffered(use: PluginUse, { name }: UsedArtifact, version: string, own: readonly Candidate[]) {
  const offered = own.map(({ offer }) => offer.artifact.version).join(', ');
  return blocked(use, `no ${name} ${version} is available for the target, only ${offered}`);
}

function chooseInRange(use: PluginUse, artifact: UsedArtifact, own: readonly Candidate[]): PluginChoice {
  const range = parseRange(artifact.version);
  if (range === undefined) return blocked(use, `${artifact.version} is not a version range`);
  if (!own.some(({ version }) => rangeContains(range, version)))
    return isNotOffered(use, artifact, artifact.version, own);
  return left(use, `${artifact.name} ${artifact.version} is a version range and is kept`);
}

function chooseVersion(
  use: PluginUse,
  artifact: UsedArtifact,
  own: readonly Candidate[],
  { snapshots, only }: PluginSelection,
): PluginChoice {
  const present = parseVersion(artifact.version);
  if (present === undefined) return blocked(use, `${artifact.version} is not a version`);
  const asked = only !== undefined && !only.has(artifact.name) ? artifact.version : only?.get(artifact.name);
  const wanted = asked === undefined ? undefined : parseVersion(asked);
  const best = own.find(({ version }) => {
    if (asked !== undefined) return isEqual(version, wanted);
    return snapshots || !isSnapshot(version) || isEqual(version, present);
  });
  if (best === undefined) {
    if (asked !== undefined) return isNotOffered(use, artifact, asked, own);
    return blocked(
      use,
      `only snapshots of ${artifact.name} are available for the target, and snapshots were not asked for`,
    );
  }
  const order = compareVersions(best.version, present);
  if (order === 0) return { kind: 'same', offer: best.offer };
  if (order > 0) return { kind: 'change', to: best.version.text, offer: best.offer };
  if (asked === undefined) return isNotOffered(use, artifact, artifact.version, own);
  return blocked(use, `${artifact.name} ${artifact.version} is newer than the requested ${asked}`);
}

/**
 * Chooses the version of a plugin's artifact for a pipeline's new artifact (docs/platform.md 12). `offers` are those of
 * this plugin for that artifact. Chooses the highest suitable version of the same artifact, in the same scope or in any
 * if none is named, and never a lower one.
 */
export function choosePlugin(use: PluginUse, offers: readonly PluginOffer[], selection: PluginSelection): PluginChoice {
  const { artifact } = use;
  if (artifact === undefined) {
    if (offers.length === 0) return blocked(use, `no artifact has a ${use.type} with this name for the target`);
    return left(use, `${use.plugin} has no artifact version: the platform chooses one`);
  }
  const own = candidates(
    offers.filter(({ artifact: { name, scope } }) => name === artifact.name && scope === (artifact.scope ?? scope)),
  );
  if (own.length === 0) return isGone(use, artifact, offers);
  if (/^[[(]/u.test(artifact.version)) return chooseInRange(use, artifact, own);
  return chooseVersion(use, artifact, own, selection);
}
