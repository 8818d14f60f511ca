import type { Clock } from '../../core/clock.js';
import { CliError } from '../../core/errors.js';
import { getApplication, listApplicationPage, type ApplicationDetail } from '../../platform/apps.js';
import type { Capabilities } from '../../platform/capabilities.js';
import type { Platform } from '../../platform/client.js';
import { namedVersions } from '../../platform/named-versions.js';
import { listNamespaces, noNamespace } from '../../platform/namespaces.js';
import { otherPipelines } from '../../platform/other-pipelines.js';
import { PIPELINE_KINDS, type PipelineKind } from '../../platform/pipeline-kinds.js';
import type { ProgramPlace, RunRecord } from '../../platform/runs.js';
import { findRun } from './find-run.js';

const LARGEST_LIST = 1000;

/** A pipeline that was named, as the platform shows it. */
export interface FoundPipeline {
  readonly namespace: string;
  readonly name: string;
  readonly kind: PipelineKind;
  readonly detail: ApplicationDetail;
  /** The program whose runs are its runs. */
  readonly place: ProgramPlace;
}

/**
 * Finds a pipeline by its name.
 * @throws NOT_FOUND with the name that was perhaps meant; USAGE for an application that is none
 */
export async function findPipeline(
  { namespace, name }: { readonly namespace: string; readonly name: string },
  platform: Platform,
  signal: AbortSignal,
): Promise<FoundPipeline> {
  const detail = await readPipeline({ namespace, name }, platform, signal);
  const programs = (detail.programs ?? []).map((program) => program.name);
  const kind = PIPELINE_KINDS.find(({ program }) => programs.includes(program));
  if (kind === undefined)
    throw new CliError('USAGE', `"${name}" is an application, but not a pipeline`, {
      hints: [{ next: 'list-pipelines', namespace }],
      target: { namespace, pipeline: name },
    });
  return { namespace, name, kind, detail, place: { namespace, app: name, type: kind.path, program: kind.program } };
}

/** What a run is looked for with. */
export interface RunSearch {
  readonly platform: Platform;
  readonly capabilities: Pick<Capabilities, 'hidesNewRuns'>;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/**
 * The run of a pipeline that a text names. That is a whole id, a beginning of eight characters or more, or `latest`.
 * One that was just started is waited for where the platform hides it.
 * @throws USAGE, NOT_FOUND when there is none, or SeveralMeant
 */
export async function findPipelineRun(
  text: string,
  { namespace, name, kind }: FoundPipeline,
  { platform, capabilities, clock, signal }: RunSearch,
): Promise<RunRecord> {
  const owner = { namespace, name, program: { type: kind.path, name: kind.program } };
  return findRun(text, owner, platform, signal, capabilities.hidesNewRuns ? clock : undefined);
}

/**
 * Reads a pipeline, or another application, as the platform shows it.
 * @throws NOT_FOUND with the name that was perhaps meant
 */
export async function readPipeline(
  { namespace, name }: { readonly namespace: string; readonly name: string },
  platform: Platform,
  signal: AbortSignal,
): Promise<ApplicationDetail> {
  const place = { namespace, application: name };
  const shown = await platform.find(getApplication, place, signal);
  // Up to 6.8 a pipeline can be there under versions that somebody named alone; its runs are of all of them.
  const detail = shown ?? (await namedVersions(place, platform, signal)).at(-1)?.detail;
  if (detail === undefined) throw await noPipeline(namespace, name, platform, signal);
  return detail;
}

async function noPipeline(namespace: string, name: string, platform: Platform, signal: AbortSignal): Promise<CliError> {
  const namespaces = [...(await platform.call(listNamespaces, {}, signal)).map((item) => item.name), 'system'];
  if (!namespaces.includes(namespace)) return noNamespace(namespace, namespaces);
  const wanted = { namespace, pageToken: undefined, pageSize: LARGEST_LIST };
  const page = (await platform.find(listApplicationPage, wanted, signal)) ?? [];
  const names = ('applications' in page ? page.applications : page).map((item) => item.name);
  return new CliError('NOT_FOUND', `namespace "${namespace}" has no pipeline "${name}"`, {
    hints: await otherPipelines({ pattern: name, namespaces: [namespace], known: names }, platform, signal),
    target: { namespace, pipeline: name },
  });
}
