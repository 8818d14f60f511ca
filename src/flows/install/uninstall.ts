import { hostname } from 'node:os';
import { CliError } from '../../core/errors.js';
import { uninstallLines } from '../../output/views/uninstall.js';
import type { PackageRef } from '../../services/catalog/package-ref.js';
import { gatherFacts } from '../../services/installed/facts.js';
import { planUninstall, samePlan, type Decision } from '../../services/installed/plan.js';
import { resultOfUninstall, type UninstallResult } from '../../services/installed/result.js';
import { runUninstallPlan } from '../../services/installed/run-uninstall.js';
import type { InstallTarget } from '../../services/install/plan/plan.js';
import { peekLock, runLockFile } from '../../state/lock.js';
import { readLedger, type LedgerInstall } from '../../state/ledger.js';
import { commandLine } from '../../cli/line/command-line.js';
import { installNamed, namingOthers, type NamedInstall } from './choose-install.js';
import type { CommandContext, PlatformPlace } from '../../cli/context-types.js';
import { namespaceLock, takeLocks } from '../../services/writing/run-lock.js';
import { beginWrite, lockDeps } from '../writing.js';
import { targetLine } from '../target-line.js';
import type { Session } from '../../cli/session.js';

/** The package to uninstall, and from where. */
export interface UninstallOptions {
  readonly session: Pick<Session, 'argv' | 'build' | 'clock' | 'signal' | 'terminal' | 'writing'>;
  readonly context: Pick<CommandContext, 'asker' | 'consent' | 'emit' | 'stateFolder'>;
  readonly target: PlatformPlace;
  /** The package as it was named on the command line. */
  readonly named: string;
  readonly ref: PackageRef;
  readonly dryRun: boolean;
}

interface Found extends NamedInstall {
  /** All other installs at the same place. */
  readonly others: readonly LedgerInstall[];
}

async function find({ context, target, named, ref, session }: UninstallOptions): Promise<Found> {
  const place = { platform: target.url, namespace: target.namespace };
  // An unread journal may be that of a package which needs what is to be removed.
  const installs = await readLedger(context.stateFolder, place, (error) => {
    throw error;
  });
  const found = await installNamed(named, ref, installs, context, session).catch(async (error: unknown) => {
    throw await namingOthers(error, { stateFolder: context.stateFolder, url: target.url, ref, session });
  });
  return { ...found, others: installs.filter(({ file }) => file !== found.install.file) };
}

async function plan({ target, session }: UninstallOptions, { install, others }: Found): Promise<readonly Decision[]> {
  return planUninstall(await gatherFacts(install, others, { ...target, signal: session.signal }), target.namespace);
}

function installTarget({ target }: UninstallOptions): InstallTarget {
  const { url, namespace, namespaceFrom, version, context } = target;
  return { url, namespace, namespaceFrom, platformVersion: version, ...(context !== undefined && { context }) };
}

const retryOf = ({ session }: UninstallOptions): string => session.terminal.hide(commandLine(session.argv));

async function consent({ context, target }: UninstallOptions, { install }: Found, decisions: readonly Decision[]) {
  const removals = decisions.filter(({ action }) => action === 'remove').length;
  if (removals === 0) return;
  await context.consent.ask({
    deed: `remove ${removals} object${removals === 1 ? '' : 's'} of ${install.package}`,
    preposition: 'from',
    namespaces: new Map([[target.namespace, removals]]),
    target,
  });
}

/**
 * Plans anew, as somebody may have been at work since the plan was shown.
 * @throws CONFLICT when it is another plan by now
 */
async function planAgain(run: UninstallOptions, shown: readonly Decision[]): Promise<[Found, readonly Decision[]]> {
  const found = await find(run);
  const decisions = await plan(run, found);
  if (samePlan(shown, decisions)) return [found, decisions];
  throw new CliError('CONFLICT', 'the plan is out of date; nothing was changed', {
    hints: [commandLine(run.session.argv)],
  });
}

async function remove(run: UninstallOptions, shown: readonly Decision[]): Promise<UninstallResult> {
  const { session, context, target } = run;
  const [{ install }, decisions] = await planAgain(run, shown);
  const { platform, namespace, capabilities } = target;
  const { clock, signal: stop } = session;
  const write = beginWrite(session, commandLine(session.argv));
  const { result, failure } = await runUninstallPlan(
    { install, target: installTarget(run), decisions, retry: retryOf(run) },
    { platform, namespace, capabilities, clock, emit: context.emit, stop },
  ).finally(write.end);
  if (failure !== undefined) throw failure;
  return result;
}

/**
 * Removes what an install made, nothing else uses and nobody has changed. Looks, plans and asks before the first write.
 * One run at a time per platform and namespace writes, installs included.
 */
export async function runUninstall(asked: UninstallOptions): Promise<UninstallResult> {
  const { context, target, dryRun } = asked;
  // Nobody is kept waiting by a question that nobody answers.
  const lock = namespaceLock(target.url, target.namespace);
  if (!dryRun) peekLock(runLockFile(context.stateFolder, lock), hostname());
  const found = await find(asked);
  const session = { ...asked.session, argv: found.argv };
  const run = { ...asked, session, ref: found.ref };
  const planned = await plan(run, found);
  const shown = resultOfUninstall(found.install, installTarget(run), planned, undefined, retryOf(run));
  const { terminal } = session;
  terminal.tell(targetLine({ ...target, where: `namespace ${target.namespace} (${target.namespaceFrom})` }));
  if (dryRun) return shown;
  for (const line of await uninstallLines(shown.items, terminal.stderr)) terminal.tell(line);
  await consent(run, found, planned);
  const locks = await takeLocks([lock], lockDeps(context, session));
  try {
    return await remove(run, planned);
  } finally {
    await locks.release();
  }
}
