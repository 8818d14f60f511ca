import { CliError } from '../../../../core/errors.js';
import { sameJson } from '../../../../core/json/same.js';
import { compareVersions, parseVersion } from '../../../../core/version.js';
import { getApplication, putApplication, type ApplicationDetail } from '../../../../platform/apps.js';
import type { Observation, Step, StepContext } from '../../action.js';
import { keepSchedules, settleSchedules } from '../../kept-schedules.js';
import { notAgreed } from '../../changed-since-plan.js';
import type { PipelineArtifact } from '../../pipeline-artifact.js';
import { satisfies, visibleArtifacts } from '../../visible-artifacts.js';
import { appRequest } from '../../../writing/app-request.js';
import type { DeployTarget } from '../../../writing/schedules.js';
import { sendDeploy, sendOnce } from '../../../writing/send.js';

/** A pipeline to create, as an action describes it; `configuration` is the text of the package's file. */
export interface PipelineTarget {
  readonly n: number;
  readonly name: string;
  readonly artifact: PipelineArtifact;
  readonly configuration: string;
}

const place = (wanted: PipelineTarget, context: StepContext) => ({
  namespace: context.namespace,
  application: wanted.name,
});

const target = ({ name }: PipelineTarget): DeployTarget => ({ kind: 'pipeline', name });

const fetchPipeline = (wanted: PipelineTarget, context: StepContext): Promise<ApplicationDetail | undefined> =>
  context.platform.find(getApplication, place(wanted, context), context.signal);

/** The version that the platform will take, and the versions that it has. */
async function resolveArtifact(
  { artifact }: PipelineTarget,
  context: StepContext,
): Promise<{ best?: string; present: readonly string[] }> {
  const all = await visibleArtifacts(context);
  const named = all.filter(({ name, scope }) => name === artifact.name && scope.toUpperCase() === artifact.scope);
  const wanted = { name: artifact.name, range: artifact.range, system: artifact.scope === 'SYSTEM' };
  const fitting = named
    .filter((candidate) => satisfies(candidate, wanted))
    .flatMap(({ version }) => parseVersion(version) ?? []);
  const best = fitting.sort(compareVersions).at(-1)?.text;
  return { present: named.map(({ version }) => version), ...(best !== undefined && { best }) };
}

function noArtifact({ artifact }: PipelineTarget, present: readonly string[]): CliError {
  const has = present.length === 0 ? 'it has none' : `it has ${present.join(', ')}`;
  return new CliError(
    'INCOMPATIBLE',
    `the pipeline needs artifact ${artifact.name} ${artifact.version}, which this platform does not have (${has})`,
  );
}

const sameAs = (wanted: PipelineTarget, version: string, found: ApplicationDetail): boolean =>
  found.artifact.name === wanted.artifact.name &&
  found.artifact.scope.toUpperCase() === wanted.artifact.scope &&
  found.artifact.version === version &&
  sameJson(found.configuration ?? '', wanted.configuration);

async function observe(wanted: PipelineTarget, context: StepContext): Promise<Observation> {
  const { best, present } = await resolveArtifact(wanted, context);
  const from = `${wanted.artifact.name} ${best ?? wanted.artifact.version}`;
  if (best === undefined) return { state: 'refused', effect: `needs ${from}`, error: noArtifact(wanted, present) };
  const found = await fetchPipeline(wanted, context);
  if (found === undefined) return { state: 'absent', effect: `create from ${from}` };
  if (sameAs(wanted, best, found)) return { state: 'done', effect: 'already exists with this configuration' };
  if (found.artifact.name !== wanted.artifact.name && !context.force) {
    const error = new CliError(
      'CONFLICT',
      `${wanted.name} already exists with another artifact (${found.artifact.name} ${found.artifact.version})`,
      { hints: [{ next: 'rename-thing', n: wanted.n, mayForce: true }], final: true },
    );
    return { state: 'refused', effect: 'another application has this name', error };
  }
  return {
    state: 'differs',
    effect: `overwrite, from ${from}; its schedules stay as they are`,
    consent: `overwrite pipeline ${wanted.name}`,
  };
}

function requestText(
  { artifact, configuration }: PipelineTarget,
  existing: ApplicationDetail | undefined,
  { capabilities }: StepContext,
): string {
  // Up to 6.8 an unchanged schedule keeps its status by itself, and a changed one is to be taken.
  const keepSchedules = existing !== undefined && capabilities.applicationVersions;
  return appRequest({ artifact, configuration, keepSchedules, parentVersion: existing?.appVersion }, capabilities);
}

async function deploy(
  wanted: PipelineTarget,
  existing: ApplicationDetail | undefined,
  best: string,
  context: StepContext,
): Promise<void> {
  const request = requestText(wanted, existing, context);
  const send = (): Promise<unknown> =>
    context.platform.call(putApplication, { ...place(wanted, context), request }, context.signal);
  const applied = async (): Promise<boolean> => {
    const found = await fetchPipeline(wanted, context);
    return found !== undefined && sameAs(wanted, best, found);
  };
  const what = `the deploy of pipeline ${wanted.name}`;
  await sendOnce(what, context, () => sendDeploy(what, send, applied), applied);
  const stored = await fetchPipeline(wanted, context);
  if (stored === undefined || !sameAs(wanted, best, stored)) {
    throw new CliError(
      'BAD_ANSWER',
      `the platform accepted pipeline ${wanted.name}, but returns a different configuration`,
    );
  }
}

async function apply(wanted: PipelineTarget, context: StepContext, observed: Observation): Promise<void> {
  const existing = await fetchPipeline(wanted, context);
  const { best = '' } = await resolveArtifact(wanted, context);
  if (existing !== undefined && observed.state === 'absent') {
    if (sameAs(wanted, best, existing)) return;
    throw notAgreed(target(wanted));
  }
  const send = (): Promise<void> => deploy(wanted, existing, best, context);
  await (existing === undefined ? send() : keepSchedules(target(wanted), context, send));
}

/** The step that deploys a pipeline and leaves its schedules as they were (docs/conventions.md D12). */
export function pipelineStep(wanted: PipelineTarget): Step {
  const { name, version, scope } = wanted.artifact;
  return {
    title: `pipeline ${wanted.name}`,
    target: target(wanted),
    material: { name: wanted.name, artifact: { name, version, scope }, configuration: wanted.configuration },
    observe: (context) => observe(wanted, context),
    apply: (context, observed) => apply(wanted, context, observed),
    settle: (context) => settleSchedules(target(wanted), context),
  };
}
