import { openRunJournal, type RunJournalOptions } from '../../services/upgrade/journals/run-journal.js';
import { executePlan, type ExecuteDeps, type ExecuteOptions } from '../../services/upgrade/run/execute.js';
import { resultOf, type RunRecord } from '../../services/upgrade/run/result.js';
import { isTried } from '../../services/upgrade/run/run.js';
import type { UpgradeResult } from '../../services/upgrade/upgrade-result.js';
import { namespaceLock, takeLocks } from '../../services/writing/run-lock.js';
import { beginWrite, lockDeps } from '../writing.js';
import { runCommands } from './commands.js';
import type { UpgradeDeps } from './upgrade-deps.js';

/** A plan to carry out, and what its journal begins with. */
export interface WriteOptions extends ExecuteOptions, Pick<RunJournalOptions, 'previous' | 'left'> {
  readonly run: Pick<RunJournalOptions['run'], 'selection' | 'of' | 'also'>;
}

/**
 * Carries out a plan; one run at a time per platform and namespace, and per journal. Without anything to do nothing is
 * written, not even a journal.
 */
export async function writeUpgrade(
  base: UpgradeDeps,
  options: WriteOptions,
  deps: ExecuteDeps,
): Promise<UpgradeResult> {
  const { session, context, target, command } = base;
  const { planned, previous, left } = options;
  const tried = planned.filter(isTried).map(({ ref }) => ref);
  if (tried.length === 0) return resultOf(planned, new Map(), deps, recordOf(base, options));
  const { url, version: platformVersion } = target;
  const namespaces = tried.map(({ namespace }) => namespaceLock(url, namespace));
  // Runs in different namespaces may go on with the same journal.
  const journals = previous === undefined ? [] : [{ kind: 'journal', url, file: previous.file } as const];
  const locks = await takeLocks([...namespaces, ...journals], lockDeps(context, session));
  try {
    const run = { command, platform: url, platformVersion, ...options.run };
    const { stateFolder } = context;
    const journal = await openRunJournal({ run, previous, left, tried, stateFolder, now: session.clock.now() });
    const commands = runCommands(base, journal.file);
    const write = beginWrite(session, commands.resume);
    return await executePlan(journal, commands, options, deps).finally(write.end);
  } finally {
    await locks.release();
  }
}

/** The resumed run, if pipelines of it were not tried. Undefined for others, which have nothing to resume. */
const recordOf = (base: UpgradeDeps, { planned, previous }: WriteOptions): RunRecord | undefined =>
  previous !== undefined && planned.some(({ state }) => state === 'untried')
    ? { journal: previous.file, commands: runCommands(base, previous.file) }
    : undefined;
