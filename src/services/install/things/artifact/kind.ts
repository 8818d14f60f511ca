import {
  deleteArtifact,
  getArtifact,
  listExtensions,
  listPluginsOf,
  type ArtifactDetail,
} from '../../../../platform/artifacts.js';
import { keyOf, type Thing } from '../../../../state/ledger.js';
import { removeOnce } from '../../remove-once.js';
import { present, type ThingState } from '../../thing-state.js';
import type { LookDeps, RemovalDeps, ThingKind, Users } from '../../thing-kind.js';
import { usesArtifact } from './artifact-use.js';

/** Reads the artifact of a name and version; undefined where there is none. */
export const findArtifact = (
  { name, version = '' }: Thing,
  { platform, namespace, signal }: LookDeps,
): Promise<ArtifactDetail | undefined> => platform.find(getArtifact, { namespace, name, version }, signal);

/** What an install determines of an artifact. */
export const artifactPart = ({ classes: { apps = [], plugins = [] }, properties = {} }: ArtifactDetail): unknown => ({
  applications: apps.map(({ className }) => String(className)).sort(),
  plugins: plugins.map(({ type, name, className }) => `${type} ${name} ${className ?? ''}`).sort(),
  properties,
});

async function look(thing: Thing, deps: LookDeps): Promise<ThingState> {
  const found = await findArtifact(thing, deps);
  return found === undefined ? { state: 'absent' } : present(artifactPart(found));
}

/** The artifacts of the namespace whose plugins extend an artifact. */
async function extending(
  { name, version = '' }: Thing,
  { platform, namespace, signal }: LookDeps,
): Promise<readonly Thing[]> {
  const place = { namespace, name, version };
  const found = new Map<string, Thing>();
  for (const type of (await platform.find(listExtensions, place, signal)) ?? []) {
    for (const { artifact } of (await platform.find(listPluginsOf, { ...place, type }, signal)) ?? []) {
      const other = { kind: 'artifact', name: artifact.name, version: artifact.version };
      const self = other.name === name && other.version === version;
      if (!self && artifact.scope.toUpperCase() === 'USER') found.set(keyOf(other), other);
    }
  }
  return [...found.values()];
}

/** Who uses an artifact, or what is made from it. */
export async function artifactUsers(thing: Thing, deps: LookDeps): Promise<Users | undefined> {
  const detail = await findArtifact(thing, deps);
  if (detail === undefined) return undefined;
  const { name, version = '' } = thing;
  const offered = { name, version, plugins: detail.classes.plugins ?? [] };
  return { known: await extending(thing, deps), includes: (application) => usesArtifact(application, offered) };
}

/** Removes an artifact; what is made from it must be gone. */
export async function removeArtifact(thing: Thing, deps: RemovalDeps): Promise<void> {
  const { platform, namespace, signal } = deps;
  const { name, version = '' } = thing;
  await removeOnce(
    `${name} ${version}`,
    () => platform.call(deleteArtifact, { namespace, name, version }, signal),
    async () => (await findArtifact(thing, deps)) === undefined,
    deps,
  );
}

/** An artifact with plugins, or a driver. */
export const artifactKind: ThingKind = {
  order: 4,
  look,
  applications: async () => [],
  users: artifactUsers,
  remove: removeArtifact,
};
