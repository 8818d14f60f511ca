import { CliError } from '../core/errors.js';
import { uninstallLines } from '../output/views/uninstall.js';
import type { PackageRef } from '../services/catalog/package-ref.js';
import { executeUninstall } from '../services/installed/execute.js';
import { gatherFacts } from '../services/installed/facts.js';
import { findInstall } from '../services/installed/find.js';
import { planUninstall, samePlan, type Decision } from '../services/installed/plan.js';
import { failureOfUninstall, resultOfUninstall, type UninstallResult } from '../services/installed/result.js';
import { InstallEntry } from '../state/install-journal.js';
import { openJournal } from '../state/journal.js';
import { readLedger, type LedgerInstall } from '../state/ledger.js';
import { commandLine } from './command-line.js';
import type { CommandContext, PlatformPlace } from './context.js';
import { askYesNo } from './prompts.js';
import { oneAtATime } from './run-lock.js';
import type { Session } from './session.js';

/** What an uninstall needs. */
export interface UninstallRun {
  readonly session: Session;
  readonly context: CommandContext;
  readonly target: PlatformPlace;
  readonly ref: PackageRef;
  readonly dryRun: boolean;
  readonly yes: boolean;
}

interface Found {
  readonly install: LedgerInstall;
  /** All other installs at the same place. */
  readonly others: readonly LedgerInstall[];
}

async function find({ context, target, ref }: UninstallRun): Promise<Found> {
  const place = { platform: target.url, namespace: target.namespace };
  // An unread journal may be that of a package which needs what is to be removed.
  const installs = await readLedger(context.stateFolder, place, (error) => {
    throw error;
  });
  const install = findInstall(ref, installs);
  return { install, others: installs.filter(({ file }) => file !== install.file) };
}

async function plan({ target, session }: UninstallRun, { install, others }: Found): Promise<readonly Decision[]> {
  return planUninstall(await gatherFacts(install, others, { ...target, signal: session.signal }), target.namespace);
}

function result(
  run: UninstallRun,
  { install }: Found,
  decisions: readonly Decision[],
  outcomes?: Parameters<typeof resultOfUninstall>[3],
): UninstallResult {
  const { url, namespace, namespaceFrom, version, context } = run.target;
  const target = { url, namespace, namespaceFrom, platformVersion: version, ...(context !== undefined && { context }) };
  return resultOfUninstall(install, target, decisions, outcomes, commandLine(run.session.argv));
}

async function consent(run: UninstallRun, found: Found, decisions: readonly Decision[]): Promise<readonly Decision[]> {
  const removals = decisions.filter(({ action }) => action === 'remove').length;
  if (run.yes || removals === 0) return decisions;
  const { asker } = run.context;
  const what = `remove ${removals} thing${removals === 1 ? '' : 's'} of ${found.install.package} from ${run.target.namespace}`;
  if (asker === undefined)
    throw new CliError('CONSENT_MISSING', `this needs a yes: ${what}`, {
      hints: [`${commandLine(run.session.argv)} -y`],
    });
  if (
    !(await askYesNo(
      `Remove ${removals} thing${removals === 1 ? '' : 's'} from ${run.target.namespace}? (-y)`,
      false,
      asker,
    ))
  )
    throw new CliError('DECLINED', 'declined; nothing was changed');
  // Somebody may have begun to use it while the question stood there.
  const again = await plan(run, found);
  if (samePlan(decisions, again)) return again;
  throw new CliError('CONFLICT', 'what can be removed has changed since the plan was shown; nothing was changed', {
    hints: ['run the same command again: it makes a new plan'],
  });
}

async function change(run: UninstallRun): Promise<UninstallResult> {
  const { session, context, target } = run;
  const { terminal, clock } = session;
  const found = await find(run);
  const planned = await plan(run, found);
  for (const line of await uninstallLines(result(run, found, planned).items, terminal.stderr)) terminal.tell(line);
  const decisions = await consent(run, found, planned);
  const journal = await openJournal(found.install.file, InstallEntry);
  try {
    // Never aborts: the first Ctrl-C lets the request in flight end (L26).
    const { signal } = new AbortController();
    const stop = session.signal;
    const { emit } = context;
    const outcomes = await executeUninstall(decisions, { ...target, journal, clock, emit, signal, stop });
    const ended = result(run, found, decisions, outcomes);
    const failure = failureOfUninstall(ended, outcomes, stop.reason);
    if (failure !== undefined) throw failure;
    return ended;
  } finally {
    await journal.close();
  }
}

/** Removes what an install made, nothing else uses and nobody has changed; looks, plans and asks before the first write. One run at a time per platform and namespace, installs included. */
export async function runUninstall(run: UninstallRun): Promise<UninstallResult> {
  const { session, context, target } = run;
  if (run.dryRun) {
    const found = await find(run);
    return result(run, found, await plan(run, found));
  }
  return oneAtATime(context, target, session, () => change(run));
}
