import { hostname } from 'node:os';
import { CliError } from '../../core/errors.js';
import { planLines } from '../../output/views/install.js';
import { mismatchOf } from '../../services/catalog/differences.js';
import { stageJars } from '../../services/install/package/stage.js';
import { refuseOtherPlan } from '../../services/install/plan/agreed-plan.js';
import type { InstallResult } from '../../services/install/plan/install-result.js';
import { plannedResult, trustOf } from '../../services/install/plan/planned-result.js';
import { runPlan } from '../../services/install/run/run-plan.js';
import { stageRun, type StageOptions } from '../../services/install/run/stage-run.js';
import { openInstallJournal } from '../../state/install-journal.js';
import { peekLock, runLockFile } from '../../state/lock.js';
import type { PlatformPlace } from '../../cli/context-types.js';
import { makeReady, type ReadyInstall } from './prepare.js';
import type { InstallOptions } from './install-run.js';
import { withHints } from '../../cli/connection-hints.js';
import { namespaceLock, takeLocks } from '../../services/writing/run-lock.js';
import { beginWrite, lockDeps } from '../writing.js';
import type { Session } from '../../cli/session.js';

const identityOf = ({ target, place, request }: InstallOptions): StageOptions['identity'] => ({
  platform: target?.url ?? 'offline:',
  namespace: target?.namespace ?? request.namespace,
  hub: place.source.base,
  package: place.name,
  version: place.version,
  hubName: place.hub,
});

function tellUnverified(warnings: readonly string[], { terminal }: Pick<Session, 'terminal'>): void {
  for (const message of warnings) terminal.warn('TRUST', message);
}

function tellWarnings({ opened }: ReadyInstall, { terminal }: Pick<Session, 'terminal'>): void {
  tellUnverified(opened.trusted.warnings, { terminal });
  const { address, entry, specification } = opened;
  const mismatch = entry && mismatchOf(address, entry, specification);
  if (mismatch !== undefined) terminal.warn(mismatch.code, mismatch.message);
}

interface PlannedInstall extends ReadyInstall {
  readonly planned: InstallResult;
}

/**
 * Everything up to the plan, which has the digests of all files where it is to be agreed to or was.
 * @throws PLAN_CHANGED when it is another one by now
 */
async function planOf(run: InstallOptions): Promise<PlannedInstall> {
  const { request, session, context } = run;
  const { entries } = await openInstallJournal(context.stateFolder, identityOf(run));
  const ready = await makeReady(run, entries);
  tellWarnings(ready, session);
  const { plan, opened, trust } = ready;
  if (request.agreed !== undefined || request.toAgree) tellUnverified(await stageJars(plan.prepared, opened), session);
  const { reports, index } = opened.trusted;
  const planned = plannedResult(plan, trustOf(trust.setup.policy, reports, index?.sequence));
  const begun = entries.flatMap((entry) => (entry.type === 'step' ? [entry.n] : []));
  if (request.agreed !== undefined) refuseOtherPlan(request.agreed, planned, new Set(begun));
  return { ...ready, planned };
}

/** Writes what was agreed to, while no other run writes in the namespace. */
async function write(run: InstallOptions, ready: PlannedInstall, target: PlatformPlace): Promise<InstallResult> {
  const { session, context, request } = run;
  const { clock, signal: stop } = session;
  const { stateFolder, emit } = context;
  const locks = await takeLocks([namespaceLock(target.url, target.namespace)], lockDeps(context, session));
  try {
    const staged = await stageRun({ ...ready, stateFolder, identity: identityOf(run), clock });
    tellUnverified(staged.warnings, session);
    const { again, force } = request;
    const { platform, namespace, capabilities } = target;
    const where = { platform, namespace, capabilities, again, force, clock, emit, stop };
    const open = beginWrite(session, ready.retry);
    const { result, failure } = await runPlan(staged, { ...ready, ...where }).finally(open.end);
    if (failure !== undefined) throw failure;
    return result;
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
  peekLock(runLockFile(context.stateFolder, namespaceLock(target.url, target.namespace)), hostname());
  try {
    const ready = await planOf(run);
    for (const line of await planLines(ready.plan.actions, terminal.stderr)) terminal.tell(line);
    await askConsent(run, ready, target);
    return await write(run, ready, target).catch((error: unknown) => {
      throw lockedOut(error, ready);
    });
  } finally {
    await context.close();
  }
}

async function planOnly(run: InstallOptions): Promise<InstallResult> {
  const { planned } = await planOf(run);
  await run.context.close();
  return planned;
}

/**
 * Runs an install through its phases: read and verify, questions, plan, consent, stage, execute. Nothing is written on
 * the platform before everything of the package is verified. One run at a time writes per platform and namespace.
 */
export async function runInstall(run: InstallOptions): Promise<InstallResult> {
  const { request, target } = run;
  return request.dryRun !== undefined || target === undefined ? planOnly(run) : change(run, target);
}
