import { closest, didYouMean } from '../../core/closest.js';
import { CliError } from '../../core/errors.js';
import { matchesGlob } from '../../core/glob.js';
import { getApplication, listApplicationPage, type ApplicationRecord } from '../../platform/apps.js';
import { listArtifacts } from '../../platform/artifacts.js';
import type { Platform } from '../../platform/client.js';
import { listNamespaces } from '../../platform/namespaces.js';
import { getNamespace } from '../../platform/system.js';
import type { UpgradeSelection } from '../../state/upgrade-journal.js';
import type { ArtifactName, PipelineRef } from './pipeline.js';

/** Lists that page by token cannot be run ahead, so that pages are large. */
const PAGE_SIZE = 1000;
const KINDS = { batch: 'cdap-data-pipeline', realtime: 'cdap-data-streams' } as const;

/** An artifact with its scope in the platform's spelling; what is no SYSTEM counts as USER. */
export function artifactName({ name, version, scope }: Readonly<Record<keyof ArtifactName, string>>): ArtifactName {
  return { name, version, scope: scope.toUpperCase() === 'SYSTEM' ? 'SYSTEM' : 'USER' };
}

/** The namespaces that are looked at: the one that was named, else all that can be seen; NOT_FOUND when there is none of that name. */
export async function selectNamespaces(
  namespace: string | undefined,
  platform: Platform,
  signal: AbortSignal,
): Promise<readonly string[]> {
  if (namespace === undefined) {
    const all = await platform.call(listNamespaces, {}, signal);
    return all.map(({ name }) => name).sort();
  }
  if ((await platform.find(getNamespace, { namespace }, signal)) !== undefined) return [namespace];
  const all = await platform.call(listNamespaces, {}, signal);
  const near = closest(
    namespace,
    all.map(({ name }) => name),
  );
  throw new CliError('NOT_FOUND', `the platform has no namespace "${namespace}"`, {
    hints: didYouMean(near),
    target: { namespace },
  });
}

/** The artifacts of the system scope; every namespace sees the same. */
export async function systemArtifacts(
  namespace: string,
  platform: Platform,
  signal: AbortSignal,
): Promise<readonly ArtifactName[]> {
  const all = await platform.call(listArtifacts, { namespace }, signal);
  return all.map(artifactName).filter(({ scope }) => scope === 'SYSTEM');
}

function isChosen({ match, exclude, kind }: UpgradeSelection, { name, artifact }: PipelineRef): boolean {
  const fits = (pattern: string): boolean => matchesGlob(pattern, name);
  if (match.length > 0 && !match.some(fits)) return false;
  return !exclude.some(fits) && (kind === undefined || artifact.name === KINDS[kind]);
}

function refOf(namespace: string, { name, version, artifact }: ApplicationRecord): PipelineRef {
  return { namespace, name, version, artifact: artifactName(artifact) };
}

/** The applications of a namespace, one for each name. A platform up to 6.8 can list one for each version: the one that GET shows, `-SNAPSHOT`, counts. */
async function* applicationsOf(
  namespace: string,
  platform: Platform,
  signal: AbortSignal,
): AsyncGenerator<PipelineRef> {
  let pageToken: string | undefined;
  do {
    const page = await platform.call(listApplicationPage, { namespace, pageToken, pageSize: PAGE_SIZE }, signal);
    const hasPages = 'applications' in page;
    const records = hasPages ? page.applications : page;
    const versioned = hasPages ? [] : records.filter(({ version }) => version === '-SNAPSHOT');
    const snapshots = new Set(versioned.map(({ name }) => name));
    for (const record of records)
      if (!snapshots.has(record.name) || record.version === '-SNAPSHOT') yield refOf(namespace, record);
    const next = hasPages ? page.nextPageToken : undefined;
    if (next !== undefined && next === pageToken)
      throw new CliError('BAD_ANSWER', `the list of applications of namespace "${namespace}" makes no progress`);
    pageToken = next;
  } while (pageToken !== undefined);
}

async function* onePipeline(
  namespace: string,
  application: string,
  platform: Platform,
  signal: AbortSignal,
): AsyncGenerator<PipelineRef> {
  const detail = await platform.find(getApplication, { namespace, application }, signal);
  if (detail !== undefined) {
    yield refOf(namespace, { ...detail, name: application, version: detail.appVersion });
    return;
  }
  const names: string[] = [];
  for await (const { name } of applicationsOf(namespace, platform, signal)) names.push(name);
  throw new CliError('NOT_FOUND', `namespace "${namespace}" has no pipeline "${application}"`, {
    hints: didYouMean(closest(application, names)),
    target: { namespace, pipeline: application },
  });
}

/** The pipelines that were chosen, namespace by namespace as the platform lists them; NOT_FOUND when one was named that is not there. */
export async function* selectPipelines(
  namespaces: readonly string[],
  selection: UpgradeSelection,
  platform: Platform,
  signal: AbortSignal,
): AsyncGenerator<PipelineRef> {
  const { pipeline } = selection;
  for (const namespace of namespaces) {
    const all =
      pipeline === undefined
        ? applicationsOf(namespace, platform, signal)
        : onePipeline(namespace, pipeline, platform, signal);
    // A pipeline that is deployed while its namespace is listed can be on two pages.
    const seen = new Set<string>();
    for await (const ref of all) {
      if (seen.has(ref.name)) continue;
      seen.add(ref.name);
      if (isChosen(selection, ref)) yield ref;
    }
  }
}
