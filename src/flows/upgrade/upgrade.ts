import { asError, CliError } from '../../core/errors.js';
import { mapConcurrent } from '../../core/concurrency.js';
import { redactor } from '../../core/secrets/redact.js';
import { compareVersionTexts } from '../../core/version.js';
import { keepAgreed, stillAgreed } from '../../services/upgrade/plan/agreed-plan.js';
import { openErrorFiles, type ErrorFiles } from '../../services/upgrade/files/error-files.js';
import { goneSince } from '../../services/upgrade/plan/missing-pipelines.js';
import type { JudgeOptions } from '../../services/upgrade/plan/judge.js';
import { refuseUnknownPlugins } from '../../services/upgrade/plugins/named-plugins.js';
import { pluginOffers } from '../../services/upgrade/plugins/available-plugins.js';
import { byName, type ArtifactName, type PipelineRef } from '../../services/upgrade/pipeline.js';
import { planPipelines, type PlannedPipeline } from '../../services/upgrade/plan/plan.js';
import type { UpgradeResult } from '../../services/upgrade/upgrade-result.js';
import { previewRequest, upgrading } from '../../services/upgrade/run/run.js';
import { lookForRuns } from '../../services/upgrade/plan/active-runs.js';
import { selectNamespaces, selectPipelines, systemArtifacts } from '../../services/upgrade/plan/select.js';
import type { UpgradeSelection } from '../../state/upgrade-journal.js';
import { recordKey } from '../../state/read-upgrade-journal.js';
import { keepingOf, type UpgradeDeps } from './upgrade-deps.js';
import { agreeTo } from './consent.js';
import type { UpgradeRequest } from './request.js';
import { resultOf } from './result.js';
import { executeUpgrade } from './run.js';
import { namedPlugin } from './selection.js';
import { changingNothing, planReading } from '../../services/upgrade/plan/plan-reading.js';
import { clearUnkept, keepRequests } from '../../services/upgrade/files/save-requests.js';

/** What the flow of an upgrade needs. */
export interface UpgradeOptions extends UpgradeDeps {
  readonly request: UpgradeRequest;
}

/** Those of a journal that did not end well, where only these are wanted. */
async function* wanted(refs: AsyncIterable<PipelineRef>, request: UpgradeRequest): AsyncGenerator<PipelineRef> {
  for await (const ref of refs) {
    const state = request.previous?.records.get(recordKey(ref.namespace, ref.name))?.state;
    if (!request.onlyFailed || (state !== undefined && state !== 'done')) yield ref;
  }
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

interface PlannedUpgrade {
  readonly planned: readonly PlannedPipeline[];
  readonly judging: JudgeOptions;
}

async function plan(run: UpgradeOptions): Promise<PlannedUpgrade> {
  const { request, target, context, session } = run;
  const { selection, previous, left, concurrency, force } = request;
  const { emit } = context;
  const { platform, signal } = planReading(target.platform, session, emit);
  const namespaces = await selectNamespaces(selection.namespace, platform, signal);
  const [first] = namespaces;
  const artifacts = first === undefined ? [] : await systemArtifacts(first, platform, signal);
  refuseMissingTarget(artifacts, selection);
  const plugins = selection.plugins.map(namedPlugin);
  // A run that goes on was asked this when it began.
  if (previous === undefined) await refuseUnknownPlugins(plugins, namespaces, platform, signal);
  // Outlives the planning: a question that the run asks again is answered from here.
  const judging = { artifacts, offers: pluginOffers(platform, new AbortController().signal), selection, plugins };
  const refs = wanted(selectPipelines(namespaces, selection, platform, signal, previous !== undefined), request);
  const records = previous?.records ?? left;
  const planned = await planPipelines(refs, { ...judging, platform, records, concurrency, force, emit, signal });
  const seen = await lookForRuns(planned, selection.running, platform, signal);
  const gone = previous === undefined ? [] : await goneSince(seen, records);
  const all = [...keptOf(seen, run), ...gone];
  return { planned: all.sort((one, other) => byName(one.ref, other.ref)), judging };
}

/** What of the pipelines that were planned is agreed to; all of it where nobody gave a plan. */
function keptOf(planned: readonly PlannedPipeline[], { request, target, engine }: UpgradeOptions) {
  const { agreed, onlyFailed, previous } = request;
  if (agreed === undefined) return planned;
  const wasTried = (namespace: string, name: string): boolean =>
    onlyFailed || previous?.records.has(recordKey(namespace, name)) === true;
  return keepAgreed(planned, stillAgreed(agreed, planned, wasTried), {
    url: target.url,
    engine,
    namespace: request.selection.namespace,
  });
}

async function writePreview(run: UpgradeOptions, { planned, judging }: PlannedUpgrade, folder: string): Promise<void> {
  const { target, session, request } = run;
  const { clock } = session;
  const sent = planned.filter(({ state }) => state === 'upgrade' || state === 'blocked');
  const files = await openErrorFiles(
    folder,
    sent.map(({ ref }) => ref),
    target.capabilities,
    clock,
  );
  const write = async (one: PlannedPipeline): Promise<void> => {
    const reading = { platform: target.platform, signal: session.signal, engine: run.engine };
    try {
      const change = await previewRequest(one, judging, reading);
      if (change !== undefined) await files.save(one.ref, { change, message: 'planned', serverSaid: undefined });
    } catch (cause) {
      session.signal.throwIfAborted();
      const { code, message, details } = asError(cause);
      if (code === 'LOCAL_IO' || code === 'DISK_FULL') throw cause;
      const serverSaid = redactor([...session.terminal.secrets])(details.serverSaid ?? '');
      await files.save(one.ref, { change: undefined, message, serverSaid: serverSaid || undefined });
      run.context.emit({ type: 'warning', code: 'UPGRADE', message });
    }
  };
  const written = mapConcurrent(sent, request.concurrency, write, session.signal);
  while ((await written.next()).done !== true) continue;
  await files.finish([]);
}

const NO_FILES: ErrorFiles = { save: () => Promise.resolve(undefined), finish: () => Promise.resolve() };

async function change(run: UpgradeOptions, { planned, judging }: PlannedUpgrade): Promise<UpgradeResult> {
  const { request, target } = run;
  const refs = planned.map(({ ref }) => ref);
  const files =
    request.errorDir === undefined
      ? NO_FILES
      : await openErrorFiles(request.errorDir, refs, target.capabilities, run.session.clock);
  const records = request.previous?.records ?? request.left;
  const result = await executeUpgrade(run, {
    planned,
    run: { selection: request.selection },
    previous: request.previous,
    left: request.left,
    maxFailures: request.maxFailures,
    running: { records, concurrency: request.concurrency, save: keepRequests(files, refs, keepingOf(run)) },
    work: upgrading(judging),
  });
  const done = new Set(
    result.pipelines.flatMap(({ state, namespace, name }) =>
      state === 'upgraded' || state === 'current' ? recordKey(namespace, name) : [],
    ),
  );
  await run.keeping.attempt(() =>
    files.finish(refs.filter(({ namespace, name }) => done.has(recordKey(namespace, name)))),
  );
  await clearUnkept(result, keepingOf(run));
  return result;
}

/**
 * Runs an upgrade through its phases: select, read, judge, look for runs, show, ask, write. Nothing is written on the
 * platform before all of it is judged.
 */
export async function runUpgrade(run: UpgradeOptions): Promise<UpgradeResult> {
  const { request } = run;
  const plans = await changingNothing(run.session.signal, plan(run));
  const shown = resultOf(run, plans.planned);
  if (request.lookOnly) {
    if (request.dir !== undefined) await writePreview(run, plans, request.dir);
    return shown;
  }
  await agreeTo(run, shown, request.newer);
  return change(run, plans);
}
