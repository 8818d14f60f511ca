import { closest, didYouMean } from '../../../core/closest.js';
import { CliError } from '../../../core/errors.js';
import { fitsAny, fitsPattern, isOneName } from '../../../core/pipeline-pattern.js';
import { listArtifacts } from '../../../platform/artifacts.js';
import type { Platform } from '../../../platform/client.js';
import { listNamespaces, noNamespace } from '../../../platform/namespaces.js';
import { kindOfArtifact } from '../../../platform/pipeline-kinds.js';
import { getNamespace } from '../../../platform/system.js';
import type { UpgradeSelection } from '../../../state/upgrade-journal.js';
import { applicationsOf, artifactName, findApplication } from '../applications.js';
import type { ArtifactName, PipelineRef } from '../pipeline.js';

/**
 * The namespaces that are looked at: the one that was named, else all that can be seen.
 * @throws NOT_FOUND when there is none of that name
 */
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
  throw noNamespace(
    namespace,
    all.map(({ name }) => name),
  );
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

/** Whether a selection of pipelines by their names has this one. */
export const isNameChosen = (
  { pipeline, match, exclude }: UpgradeSelection,
  { namespace, name }: Pick<PipelineRef, 'namespace' | 'name'>,
): boolean =>
  (pipeline === undefined || pipeline === name) &&
  fitsAny(match, { namespace, name }) &&
  !exclude.some((pattern) => fitsPattern(pattern, { namespace, name }));

const isChosen = (selection: UpgradeSelection, ref: PipelineRef): boolean =>
  isNameChosen(selection, ref) &&
  (selection.kind === undefined || kindOfArtifact(ref.artifact.name)?.kind === selection.kind);

async function* onePipeline(
  namespace: string,
  application: string,
  platform: Platform,
  signal: AbortSignal,
): AsyncGenerator<PipelineRef> {
  const found = await findApplication(namespace, application, platform, signal);
  if (found !== undefined) {
    yield found;
    return;
  }
  const names: string[] = [];
  for await (const { name } of applicationsOf(namespace, platform, signal)) names.push(name);
  throw new CliError('NOT_FOUND', `namespace "${namespace}" has no pipeline "${application}"`, {
    hints: [...didYouMean(closest(application, names)), { next: 'list-pipelines', namespace }],
    target: { namespace, pipeline: application },
  });
}

/**
 * The pipelines that were chosen, namespace by namespace as the platform lists them.
 * @throws NOT_FOUND when one was named that is not there, or a pattern fits none, unless the run `isResumed` and they
 * may be gone since
 */
export async function* selectPipelines(
  namespaces: readonly string[],
  selection: UpgradeSelection,
  platform: Platform,
  signal: AbortSignal,
  isResumed = false,
): AsyncGenerator<PipelineRef> {
  const { pipeline, match, exclude } = selection;
  const unseen = new Set(match.filter((pattern) => isOneName(pattern) || !isResumed));
  const unexcluded = new Set(isResumed || pipeline !== undefined ? [] : exclude);
  const names: string[] = [];
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
      for (const pattern of unseen) if (fitsPattern(pattern, ref)) unseen.delete(pattern);
      for (const pattern of unexcluded) if (fitsPattern(pattern, ref)) unexcluded.delete(pattern);
      if (unseen.size + unexcluded.size > 0) names.push(ref.name, `${namespace}/${ref.name}`);
      if (isChosen(selection, ref)) yield ref;
    }
  }
  const [missing] = [...unseen, ...unexcluded];
  if (missing !== undefined)
    throw new CliError('NOT_FOUND', `${unseen.size > 0 ? '' : 'excluded '}pipeline "${missing}" not found`, {
      hints: isOneName(missing) ? didYouMean(closest(missing, names)) : [],
      target: { pipeline: missing },
    });
}
