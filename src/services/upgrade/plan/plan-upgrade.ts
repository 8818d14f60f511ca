import type { Clock } from '../../../core/clock.js';
import { CliError } from '../../../core/errors.js';
import type { Emit } from '../../../core/events.js';
import { compareVersionTexts } from '../../../core/version.js';
import type { Platform } from '../../../platform/client.js';
import { recordKey, type ReadUpgrade, type UpgradeRecord } from '../../../state/read-upgrade-journal.js';
import type { UpgradeSelection } from '../../../state/upgrade-journal.js';
import { byName, type ArtifactName, type PipelineRef } from '../pipeline.js';
import { pluginOffers } from '../plugins/available-plugins.js';
import { refuseUnknownPlugins, type NamedPlugin } from '../plugins/named-plugins.js';
import { lookForRuns } from './active-runs.js';
import { keepAgreed, stillAgreed, type AgreedUpgrade } from './agreed-plan.js';
import type { JudgeOptions } from './judge.js';
import { goneSince } from './missing-pipelines.js';
import { changingNothing, planReading } from './plan-reading.js';
import { plannedAs, planPipelines, type PlannedPipeline } from './plan.js';
import { isNameChosen, selectNamespaces, selectPipelines, systemArtifacts } from './select.js';

/** What to upgrade. */
export interface PlanRequest {
  readonly selection: UpgradeSelection;
  /** The plugins of the selection. */
  readonly plugins: readonly NamedPlugin[];
  readonly concurrency: number;
  readonly force: boolean;
  /** The run that is resumed, or whose failures are retried. */
  readonly previous: ReadUpgrade | undefined;
  /** What a run before left unfinished, by `recordKey`, where this one starts over. */
  readonly left: ReadonlyMap<string, UpgradeRecord>;
  readonly onlyFailed: boolean;
  readonly agreed: AgreedUpgrade | undefined;
}

/** The platform whose pipelines are planned, and the engine that will upgrade them. */
export interface PlanUpgradeDeps {
  readonly platform: Platform;
  /** The address of the platform. */
  readonly url: string;
  readonly engine: 'client' | 'server';
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly emit: Emit;
}

/** Those of a journal that did not end well, where only these are wanted. With those that it may not have come to. */
async function* wanted(refs: AsyncIterable<PipelineRef>, request: PlanRequest): AsyncGenerator<PipelineRef> {
  const { previous, onlyFailed } = request;
  for await (const ref of refs) {
    const state = previous?.records.get(recordKey(ref.namespace, ref.name))?.state;
    if (!onlyFailed || (state === undefined ? previous?.completed === false : state !== 'done')) yield ref;
  }
}

/** A plan of what failed, with what the earlier run did not come to as untried. */
function withUntried(planned: readonly PlannedPipeline[], { previous, onlyFailed }: PlanRequest) {
  return planned.flatMap((one) => {
    if (!onlyFailed || previous?.records.has(recordKey(one.ref.namespace, one.ref.name)) === true) return [one];
    const isNothingToDo = one.state === 'current' || one.state === 'skipped';
    return isNothingToDo ? [] : [plannedAs(one.ref, 'untried', { reason: 'was not tried by the earlier run' })];
  });
}

function refuseMissingTarget(artifacts: readonly ArtifactName[], { to }: UpgradeSelection): void {
  if (to === undefined) return;
  const pipelines = artifacts.filter(({ name }) => name === 'cdap-data-pipeline' || name === 'cdap-data-streams');
  if (pipelines.some(({ version }) => version === to)) return;
  const versions = [...new Set(pipelines.map(({ version }) => version))].sort(compareVersionTexts);
  throw new CliError('NOT_FOUND', `the platform has no pipeline artifact of version ${to}`, {
    hints: [`it has ${versions.join(', ')}`],
  });
}

/** The plan of an upgrade, and what it was judged by. */
export interface PlannedUpgrade {
  readonly planned: readonly PlannedPipeline[];
  readonly judging: JudgeOptions;
}

/**
 * Selects the pipelines of an upgrade, reads and judges them; nothing is written.
 * @throws NOT_FOUND for a version or a plugin that the platform does not have
 * @throws PLAN_CHANGED when the plan is not the one that was agreed to
 */
export function planUpgrade(request: PlanRequest, deps: PlanUpgradeDeps): Promise<PlannedUpgrade> {
  return changingNothing(deps.signal, planAll(request, deps));
}

async function planAll(request: PlanRequest, deps: PlanUpgradeDeps): Promise<PlannedUpgrade> {
  const { selection, plugins, previous, left, concurrency, force } = request;
  const { emit } = deps;
  const reading = planReading(deps.platform, deps, emit);
  const { platform, signal } = reading;
  const namespaces = await selectNamespaces(selection.namespace, platform, signal);
  const [first] = namespaces;
  const artifacts = first === undefined ? [] : await systemArtifacts(first, platform, signal);
  refuseMissingTarget(artifacts, selection);
  // A run that goes on was asked this when it began.
  if (previous === undefined) await refuseUnknownPlugins(plugins, namespaces, platform, signal);
  // Outlives the planning: a question that the run asks again is answered from here.
  const judging = { artifacts, offers: pluginOffers(platform, new AbortController().signal), selection, plugins };
  const refs = wanted(selectPipelines(namespaces, selection, platform, signal, previous !== undefined), request);
  const records = previous?.records ?? left;
  const options = { ...judging, platform, records, concurrency, force, emit, signal };
  const planned = await planPipelines(refs, options);
  const seen = withUntried(await lookForRuns(planned, { running: selection.running, concurrency }, reading), request);
  const gone = previous === undefined ? [] : await goneSince(seen, records);
  const all = [...keptOf(seen, request, deps), ...gone];
  return { planned: all.sort((one, other) => byName(one.ref, other.ref)), judging };
}

/** Of what kind it was is not known any more. */
function missingText(selection: UpgradeSelection, one: Parameters<typeof isNameChosen>[1]): string {
  if (!isNameChosen(selection, one)) return 'is not selected';
  return selection.kind === undefined ? 'no longer exists' : 'is not selected, or no longer exists';
}

/** What of the pipelines that were planned is agreed to; all of it where nobody gave a plan. */
function keptOf(planned: readonly PlannedPipeline[], request: PlanRequest, { url, engine }: PlanUpgradeDeps) {
  const { agreed, onlyFailed, previous, selection } = request;
  if (agreed === undefined) return planned;
  const wasTried = (namespace: string, name: string): boolean =>
    onlyFailed || previous?.records.has(recordKey(namespace, name)) === true;
  return keepAgreed(planned, stillAgreed(agreed, planned, wasTried), {
    url,
    engine,
    namespace: selection.namespace,
    missing: (one) => missingText(selection, one),
  });
}
