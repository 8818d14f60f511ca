import { hostname } from 'node:os';
import { CliError } from '../../core/errors.js';
import { planLines } from '../../output/views/install.js';
import { mismatchOf } from '../../services/catalog/differences.js';
import { refuseOtherPlan } from '../../services/install/plan/agreed-plan.js';
import { executePlan } from '../../services/install/run/execute.js';
import { failureOfInstall, resultOf, trustOf, type ExecutionResult } from '../../services/install/run/result.js';
import type { InstallResult, InstallTrust } from '../../services/install/plan/install-result.js';
import { leftOut } from '../../services/install/package/select.js';
import {
  identifyJournal,
  InstallEntry,
  installJournalFile,
  type InstallIdentity,
} from '../../state/install-journal.js';
import { openJournal, type Journal } from '../../state/journal.js';
import { peekLock, runLockFile } from '../../state/lock.js';
import type { PlatformPlace } from '../../cli/context-types.js';
import { commandsOf, makeReady, type ReadyInstall } from './prepare.js';
import type { InstallOptions } from './install-run.js';
import { withHints } from '../../cli/connection-hints.js';
import { namespaceLock, takeLocks } from '../../services/writing/run-lock.js';
import { beginWrite, lockDeps } from '../writing.js';
import type { Session } from '../../cli/session.js';

const identityOf = ({ target, place, request }: InstallOptions): InstallIdentity => ({
  platform: target?.url ?? 'offline:',
  namespace: target?.namespace ?? request.namespace,
  hub: place.source.base,
  package: place.name,
  version: place.version,
});

async function journalOf(run: InstallOptions): Promise<Journal<InstallEntry>> {
  return openJournal(installJournalFile(run.context.stateFolder, identityOf(run)), InstallEntry);
}

function trustOfRun({ opened, trust }: ReadyInstall): InstallTrust {
  return trustOf(trust.setup.policy, opened.trusted.reports, opened.trusted.index?.sequence);
}

function tellWarnings({ opened }: ReadyInstall, { terminal }: Pick<Session, 'terminal'>): void {
  for (const message of opened.trusted.warnings) terminal.warn('TRUST', message);
  const { address, entry, specification } = opened;
  const mismatch = entry && mismatchOf(address, entry, specification);
  if (mismatch !== undefined) terminal.warn(mismatch.code, mismatch.message);
}

/**
 * The plan as a result, with the digests of all files where it is to be agreed to or was.
 * @throws PLAN_CHANGED when it is another one by now
 */
async function plannedResult(
  { request, session }: InstallOptions,
  ready: ReadyInstall,
  journal: Journal<InstallEntry>,
): Promise<InstallResult> {
  if (request.agreed !== undefined || request.toAgree) await stageJars(ready, session);
  const result = resultOf(ready.plan, trustOfRun(ready), undefined, ready.retry);
  const begun = journal.entries.flatMap((entry) => (entry.type === 'step' ? [entry.n] : []));
  if (request.agreed !== undefined) refuseOtherPlan(request.agreed, result, new Set(begun));
  return result;
}

/** Fetches and verifies the large files, and tells what is wrong with those that the policy lets pass. */
async function stageJars({ plan, opened }: ReadyInstall, { terminal }: Pick<Session, 'terminal'>): Promise<void> {
  const told = opened.trusted.warnings.length;
  for (const { step } of plan.prepared) if (step?.jar !== undefined) await opened.staging.jar(step.jar);
  for (const message of opened.trusted.warnings.slice(told)) terminal.warn('TRUST', message);
}

async function execute(
  run: InstallOptions,
  ready: ReadyInstall,
  journal: Journal<InstallEntry>,
  target: PlatformPlace,
): Promise<ExecutionResult> {
  const { context, request, session } = run;
  const { platform, namespace, capabilities } = target;
  const { staging } = ready.opened;
  // Everything is fetched and verified before the first write; the memory of the hub learns only what passed.
  await stageJars(ready, session);
  await ready.trust.remember(ready.opened.trusted.remembered());
  const { again, force } = request;
  // Never aborts: the first Ctrl-C lets the request in flight end (docs/faults.md L26); the process gives it 30 seconds.
  const { signal } = new AbortController();
  const { signal: stop, clock } = session;
  await identifyJournal(journal, { ...identityOf(run), hubName: run.place.hub }, clock.now());
  const execution = {
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
    commands: commandsOf(run),
    clock,
    emit: context.emit,
    signal,
    stop,
  };
  const write = beginWrite(session, ready.retry);
  return executePlan(ready.plan.prepared, execution).finally(write.end);
}

/**
 * Writes what was agreed to. The journal is read anew: while questions were answered another run may have been at work;
 * what it did on the platform is seen by every step, which looks before it writes.
 */
async function write(run: InstallOptions, ready: ReadyInstall, target: PlatformPlace): Promise<InstallResult> {
  const journal = await journalOf(run);
  try {
    const executed = await execute(run, ready, journal, target);
    const result = resultOf(ready.plan, trustOfRun(ready), executed.outcomes, ready.retry);
    const failure = failureOfInstall(result, executed, ready.retry, run.session.signal.reason);
    if (failure !== undefined) throw failure;
    return result;
  } finally {
    await journal.close();
  }
}

async function writeAlone(run: InstallOptions, ready: ReadyInstall, target: PlatformPlace): Promise<InstallResult> {
  const lock = namespaceLock(target.url, target.namespace);
  const locks = await takeLocks([lock], lockDeps(run.context, run.session));
  try {
    return await write(run, ready, target);
  } finally {
    await locks.release();
  }
}

/** A run that is locked out after the questions gives the command that does not ask them again. */
const lockedOut = (error: unknown, { retry }: ReadyInstall): unknown =>
  error instanceof CliError && error.code === 'LOCKED' ? withHints(error, [retry]) : error;

/** Asks whether to go on; Enter means yes where nothing that is there is put at risk. */
async function askConsent(
  { context, place }: InstallOptions,
  { plan }: ReadyInstall,
  target: PlatformPlace,
): Promise<void> {
  const { consents } = plan;
  await context.consent.ask({
    deed: `install ${place.name} ${place.version}`,
    preposition: 'into',
    namespaces: new Map([[target.namespace, 1]]),
    target,
    remarks: consents.length === 0 ? [] : [`this will ${consents.join(', and ')}`],
    proposal: consents.length === 0,
  });
}

async function change(run: InstallOptions, target: PlatformPlace): Promise<InstallResult> {
  const { session, context } = run;
  const { terminal } = session;
  // Nobody is kept waiting by questions that nobody answers.
  await peekLock(runLockFile(context.stateFolder, namespaceLock(target.url, target.namespace)), hostname());
  try {
    const journal = await journalOf(run);
    const ready = await makeReady(run, journal);
    tellWarnings(ready, session);
    await plannedResult(run, ready, journal);
    for (const line of await planLines(ready.plan.actions, terminal.stderr)) terminal.tell(line);
    await askConsent(run, ready, target);
    return await writeAlone(run, ready, target).catch((error: unknown) => {
      throw lockedOut(error, ready);
    });
  } finally {
    await context.close();
  }
}

async function planOnly(run: InstallOptions): Promise<InstallResult> {
  const journal = await journalOf(run);
  const ready = await makeReady(run, journal);
  tellWarnings(ready, run.session);
  const result = await plannedResult(run, ready, journal);
  await run.context.close();
  return result;
}

/**
 * Runs an install through its phases: read and verify, questions, plan, consent, stage, execute. Nothing is written on
 * the platform before everything of the package is verified. One run at a time writes per platform and namespace.
 */
export async function runInstall(run: InstallOptions): Promise<InstallResult> {
  const { request, target } = run;
  return request.dryRun !== undefined || target === undefined ? planOnly(run) : change(run, target);
}
