import { applicationPages, getApplication, type ApplicationRecord } from '../../platform/apps.js';
import type { Platform } from '../../platform/client.js';
import { isNamedVersion, namedVersions, REPLACED } from '../../platform/named-versions.js';
import type { ArtifactName, PipelinePlace, PipelineRef } from './pipeline.js';

/** An artifact with its scope in the platform's spelling; what is no SYSTEM counts as USER. */
export function artifactName({ name, version, scope }: Readonly<Record<keyof ArtifactName, string>>): ArtifactName {
  return { name, version, scope: scope.toUpperCase() === 'SYSTEM' ? 'SYSTEM' : 'USER' };
}

type ListedRecord = Pick<ApplicationRecord, 'version' | 'artifact'>;

/** An application by all that is listed of it: the version that GET shows counts, where there is one. */
function refOf(namespace: string, name: string, records: readonly [ListedRecord, ...ListedRecord[]]): PipelineRef {
  const own = records.find(({ version }) => !isNamedVersion(version)) ?? records[0];
  const named = records.flatMap(({ version, artifact }) =>
    version !== own.version && isNamedVersion(version) ? [{ version, artifact: artifactName(artifact) }] : [],
  );
  const ref = { namespace, name, version: own.version, artifact: artifactName(own.artifact) };
  return named.length === 0 ? ref : { ...ref, named };
}

/** The applications of a namespace, one for each name. Up to 6.8 lists can have one record for each version. */
export async function* applicationsOf(
  namespace: string,
  platform: Platform,
  signal: AbortSignal,
): AsyncGenerator<PipelineRef> {
  let last: readonly [string, [ListedRecord, ...ListedRecord[]]] | undefined;
  for await (const records of applicationPages({ namespace }, platform, signal)) {
    const groups = new Map(last === undefined ? [] : [last]);
    for (const { name, version, artifact } of records) {
      const group = groups.get(name);
      if (group === undefined) groups.set(name, [{ version, artifact }]);
      else group.push({ version, artifact });
    }
    // What the next page begins with may be of the same application.
    last = [...groups].at(-1);
    for (const [name, group] of groups) if (name !== last?.[0]) yield refOf(namespace, name, group);
  }
  if (last !== undefined) yield refOf(namespace, ...last);
}

/**
 * The application of a name with its versions. Undefined when there is none, and for one that only its named versions
 * are there of the first of them.
 */
export async function findApplication(
  namespace: string,
  application: string,
  platform: Platform,
  signal: AbortSignal,
): Promise<PipelineRef | undefined> {
  const place = { namespace, application };
  const detail = await platform.find(getApplication, place, signal);
  const hasOthers = detail?.appVersion === undefined || detail.appVersion === REPLACED;
  const named = hasOthers ? await namedVersions(place, platform, signal) : [];
  const others = named.map(({ version, detail: { artifact } }) => ({ version, artifact }));
  const own = detail === undefined ? [] : [{ version: detail.appVersion, artifact: detail.artifact }];
  const [first, ...more] = [...own, ...others];
  return first === undefined ? undefined : refOf(namespace, application, [first, ...more]);
}

/** The pipeline as the platform shows it, or undefined when it is gone. */
export function fetchPipeline(
  place: PipelinePlace,
  deps: { readonly platform: Platform; readonly signal: AbortSignal },
) {
  const { namespace, name: application } = place;
  return deps.platform.find(getApplication, { namespace, application }, deps.signal);
}
