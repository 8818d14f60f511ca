import { CliError } from '../core/errors.js';
import { planLines } from '../output/views/install.js';
import { getNamespace } from '../platform/system.js';
import { refuseOtherPlan, type AgreedPlan } from '../services/install/agreed-plan.js';
import { executePlan, type ActionOutcome } from '../services/install/execute.js';
import { findGaps } from '../services/install/gaps.js';
import { parseInputs, refuseOtherValues, type TypedInputs } from '../services/install/inputs.js';
import { observeAll } from '../services/install/observe.js';
import { openPackage, type OpenedPackage, type OpenOptions } from '../services/install/open-package.js';
import { planInstall, type InstallPlan, type InstallTarget } from '../services/install/plan.js';
import { prepareActions } from '../services/install/prepare.js';
import {
  failureOfInstall,
  resultOf,
  trustOf,
  type InstallResult,
  type InstallTrust,
} from '../services/install/result.js';
import { leftOut, type Selection } from '../services/install/select.js';
import { mismatchOf } from '../services/catalog/differences.js';
import type { PackagePlace } from '../services/catalog/resolve.js';
import { identifyJournal, InstallEntry, installJournalFile, type InstallIdentity } from '../state/install-journal.js';
import { openJournal, type Journal } from '../state/journal.js';
import { commandLine } from './command-line.js';
import type { CommandContext, HubTrust, PlatformPlace } from './context.js';
import { answeredFlags, askConsent, closeGaps, type Answering } from './install-questions.js';
import { introduce } from './install-introduction.js';
import { oneAtATime } from './run-lock.js';
import type { Session } from './session.js';

/** What `install` was asked to do, beside the package. */
export interface InstallRequest {
  readonly typed: TypedInputs;
  readonly selection: Selection;
  readonly dryRun: 'online' | 'offline' | undefined;
  readonly again: boolean;
  readonly force: boolean;
  readonly forceSet: boolean;
  readonly assumeSystem: boolean;
  readonly yes: boolean;
  readonly namespace: string;
  /** The plan is written to a file. */
  readonly toAgree: boolean;
  /** Only what this plan has may be done. */
  readonly agreed: AgreedPlan | undefined;
}

/** What every phase of an install needs. */
export interface InstallRun {
  readonly session: Session;
  readonly context: CommandContext;
  readonly request: InstallRequest;
  /** Undefined with `--dry-run=offline`. */
  readonly target: PlatformPlace | undefined;
  readonly place: PackagePlace;
}

/** An install that is ready: everything read and verified, all questions answered, nothing written. */
interface ReadyInstall {
  readonly opened: OpenedPackage;
  readonly trust: HubTrust;
  readonly plan: InstallPlan;
  readonly answering: Answering;
  /** The command that goes on where this run may stop. */
  readonly retry: string;
}

function answeringOf({ session, context, request }: InstallRun): Answering {
  const { terminal, argv } = session;
  return {
    asker: context.asker,
    yes: request.yes,
    command: commandLine(argv),
    say: (line) => {
      terminal.note(line);
    },
  };
}

function targetOf({ target, request }: InstallRun): InstallTarget {
  if (target === undefined) return { url: '', namespace: request.namespace, namespaceFrom: 'offline' };
  const { url, namespace, namespaceFrom, version, context } = target;
  return { url, namespace, namespaceFrom, platformVersion: version, ...(context !== undefined && { context }) };
}

const identityOf = ({ target, place, request }: InstallRun): InstallIdentity => ({
  platform: target?.url ?? 'offline:',
  namespace: target?.namespace ?? request.namespace,
  hub: place.source.base,
  package: place.name,
  version: place.version,
});

async function journalOf(run: InstallRun): Promise<Journal<InstallEntry>> {
  return openJournal(installJournalFile(run.context.stateFolder, identityOf(run)), InstallEntry);
}

async function openOptions({ context, request, target, place }: InstallRun, { setup }: HubTrust): Promise<OpenOptions> {
  const { selection, force } = request;
  const platform = target && { version: target.version, force };
  return { setup, problems: place.problems, folder: await context.scratch(), selection, platform };
}

async function makeReady(run: InstallRun, journal: Journal<InstallEntry>): Promise<ReadyInstall> {
  const { context, request, target, place, session } = run;
  const trust = await context.trust(place.source);
  const opened = await openPackage(place, place.entry, await openOptions(run, trust), session.signal);
  introduce(run, opened);
  if (target !== undefined) await refuseNamespace(target, session.signal);
  const namespace = target?.namespace ?? request.namespace;
  refuseOtherValues(request.typed.values, place, namespace);
  const answering = answeringOf(run);
  const inputs = parseInputs(request.typed, opened.specification.actions);
  const asked = { actions: opened.actions, staging: opened.staging, licenseText: opened.license?.text };
  const given = await closeGaps(findGaps(opened.actions, inputs, opened.license), inputs, asked, answering);
  const preparing = { ...request, namespace, staging: opened.staging };
  const prepared = await prepareActions(opened.actions, given, preparing);
  const observing = target && {
    ...target,
    force: request.force,
    again: request.again,
    entries: journal.entries,
    jar: opened.staging.jar,
    signal: session.signal,
  };
  const observations = observing === undefined ? new Map() : await observeAll(prepared, observing);
  const label = opened.specification.label ?? place.name;
  const identity = {
    package: { name: place.name, version: place.version, hub: place.hub, label },
    target: targetOf(run),
  };
  return {
    opened,
    trust,
    answering,
    retry: commandLine([...session.argv, ...answeredFlags(inputs, given)]),
    plan: planInstall(identity, opened.specification.actions, prepared, observations, isUnverified(trust, opened)),
  };
}

/** Refuses a namespace that the platform does not have (P04). */
async function refuseNamespace({ platform, namespace }: PlatformPlace, signal: AbortSignal): Promise<void> {
  if ((await platform.find(getNamespace, { namespace }, signal)) !== undefined) return;
  throw new CliError('NOT_FOUND', `the platform has no namespace "${namespace}"`, { target: { namespace } });
}

/** A signature that cannot be verified is no better than none. */
const isUnverified = ({ setup }: HubTrust, { trusted }: OpenedPackage): boolean =>
  setup.policy === 'warn' &&
  trusted.reports.some(({ name, verdict }) => name === 'spec.json' && verdict.state !== 'valid');

function trustOfRun({ opened, trust }: ReadyInstall): InstallTrust {
  return trustOf(trust.setup.policy, opened.trusted.reports, opened.trusted.index?.sequence);
}

function tellWarnings({ opened }: ReadyInstall, { terminal }: Session): void {
  for (const message of opened.trusted.warnings) terminal.warn('TRUST', message);
  const { address, entry, specification } = opened;
  const mismatch = entry && mismatchOf(address, entry, specification);
  if (mismatch !== undefined) terminal.warn(mismatch.code, mismatch.message);
}

/** The plan as a result, with the digests of all files where it is to be agreed to or was; PLAN_CHANGED when it is another one by now. */
async function plannedResult(
  { request }: InstallRun,
  ready: ReadyInstall,
  journal: Journal<InstallEntry>,
): Promise<InstallResult> {
  if (request.agreed !== undefined || request.toAgree) await stageJars(ready);
  const result = resultOf(ready.plan, trustOfRun(ready), undefined, ready.retry);
  const begun = journal.entries.flatMap((entry) => (entry.type === 'step' ? [entry.n] : []));
  if (request.agreed !== undefined) refuseOtherPlan(request.agreed, result, new Set(begun));
  return result;
}

async function stageJars({ plan, opened }: ReadyInstall): Promise<void> {
  for (const { step } of plan.prepared) if (step?.jar !== undefined) await opened.staging.jar(step.jar);
}

async function execute(
  run: InstallRun,
  ready: ReadyInstall,
  journal: Journal<InstallEntry>,
  target: PlatformPlace,
): Promise<readonly ActionOutcome[]> {
  const { context, request, session } = run;
  const { platform, namespace, capabilities } = target;
  const { staging } = ready.opened;
  // Everything is fetched and verified before the first write; the memory of the hub learns only what passed.
  await stageJars(ready);
  await ready.trust.remember(ready.opened.trusted.remembered());
  const { again, force } = request;
  // Never aborts: the first Ctrl-C lets the request in flight end (L26); the process gives it 30 seconds.
  const { signal } = new AbortController();
  const { signal: stop, clock } = session;
  await identifyJournal(journal, { ...identityOf(run), hubName: run.place.hub }, clock.now());
  return executePlan(ready.plan.prepared, {
    platform,
    namespace,
    capabilities,
    staging,
    journal,
    leftOut: leftOut(ready.opened.specification.actions, ready.plan.prepared),
    again,
    force,
    verified: trustOfRun(ready).verified,
    agreed: ready.plan.overwriting,
    clock,
    emit: context.emit,
    signal,
    stop,
  });
}

async function change(run: InstallRun, target: PlatformPlace): Promise<InstallResult> {
  const { session, context } = run;
  const { terminal } = session;
  const journal = await journalOf(run);
  try {
    const ready = await makeReady(run, journal);
    tellWarnings(ready, session);
    await plannedResult(run, ready, journal);
    for (const line of await planLines(ready.plan.actions, terminal.stderr)) terminal.tell(line);
    await askConsent(ready.plan.consents, ready.answering);
    const outcomes = await execute(run, ready, journal, target);
    const result = resultOf(ready.plan, trustOfRun(ready), outcomes, ready.retry);
    const failure = failureOfInstall(result, outcomes, session.signal.reason);
    if (failure !== undefined) throw failure;
    return result;
  } finally {
    await journal.close();
    await context.close();
  }
}

async function planOnly(run: InstallRun): Promise<InstallResult> {
  const journal = await journalOf(run);
  const ready = await makeReady(run, journal);
  tellWarnings(ready, run.session);
  const result = await plannedResult(run, ready, journal);
  await run.context.close();
  return result;
}

/** Runs an install through its phases: read and verify, questions, plan, consent, stage, execute; nothing is written on the platform before everything of the package is verified (`cli.md` 4.9). One run at a time per platform and namespace. */
export async function runInstall(run: InstallRun): Promise<InstallResult> {
  const { session, context, request, target } = run;
  if (request.dryRun !== undefined || target === undefined) return planOnly(run);
  return oneAtATime(context, target, session, () => change(run, target));
}
