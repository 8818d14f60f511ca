import { existsSync } from 'node:fs';
import { CliError } from '../../core/errors.js';
import { joinSignals } from '../../core/join-signals.js';
import { redactor } from '../../core/secrets/redact.js';
import { isLocal, mostFailures, type MaxFailures } from '../../services/upgrade/failure-limit.js';
import { isTried, runPipelines, type RunOptions, type Work } from '../../services/upgrade/run/run.js';
import type { PlannedPipeline } from '../../services/upgrade/plan/plan.js';
import type { UpgradeResult } from '../../services/upgrade/upgrade-result.js';
import { patientPlatform } from '../../services/writing/patient-platform.js';
import { createUpgradeFile } from '../../state/upgrade-folder.js';
import { runEntry, UpgradeJournal, type RunEntry } from '../../state/upgrade-journal.js';
import { readUpgrade, recordKey, type ReadUpgrade, type UpgradeRecord } from '../../state/read-upgrade-journal.js';
import { namespaceLock, oneAtATime, writing } from '../run-lock.js';
import type { UpgradeDeps } from './upgrade-deps.js';
import { retryOf } from './commands.js';
import { isUnfinished, resultOf } from './result.js';
import { warner } from '../../services/upgrade/plan/plan-reading.js';

/** What executing a plan needs besides. */
export interface ExecuteOptions {
  readonly planned: readonly PlannedPipeline[];
  /** The first line of the journal, where it is a new one. */
  readonly run: Pick<RunEntry, 'selection' | 'of' | 'also'>;
  /** The journal that is resumed. */
  readonly previous: ReadUpgrade | undefined;
  /** What another journal left unfinished, by `recordKey`: the new one notes it before anything else. */
  readonly left?: ReadonlyMap<string, UpgradeRecord>;
  readonly maxFailures: MaxFailures | undefined;
  readonly running: Pick<RunOptions, 'records' | 'concurrency' | 'save'>;
  readonly work: Work;
}

function runningOf(base: UpgradeDeps, options: ExecuteOptions, journal: UpgradeJournal): RunOptions {
  const { session, context, target } = base;
  const { clock, signal: stop } = session;
  const warn = warner(context.emit);
  const wait = (milliseconds: number): Promise<void> => clock.sleep(milliseconds, stop);
  const tried = options.planned.filter(isTried).length;
  return {
    ...options.running,
    platform: patientPlatform(target.platform, wait, warn),
    capabilities: target.capabilities,
    engine: base.engine,
    maxFailures: mostFailures(options.maxFailures, tried),
    journal,
    clock,
    emit: context.emit,
    warn,
    hide: redactor([...session.terminal.secrets]),
    goOn: retryOf(base, false, journal.file),
    resume: retryOf(base, true, journal.file),
    // Never aborts: the first Ctrl-C lets the requests in flight end (docs/faults.md L26); the process gives them 30 seconds.
    signal: new AbortController().signal,
    stop: joinSignals(stop, base.keeping.halted).signal,
  };
}

/**
 * Refuses to resume a journal that another run has resumed since it was read. Lines that we append would hide those of
 * the other run.
 * @throws CONFLICT when the journal has grown
 */
async function refuseGrown({ file, length }: ReadUpgrade): Promise<void> {
  const now = await readUpgrade(file);
  if (now.length === length) return;
  throw new CliError('CONFLICT', `another run has already resumed the journal ${file}; nothing was changed`, {
    hints: ['run the same command again to make a new plan'],
    target: { file },
  });
}

/**
 * Copies the notes of another journal on pipelines that are tried now. A run that resumes the new journal then knows
 * them.
 */
async function noteLeft({ planned, left }: ExecuteOptions, journal: UpgradeJournal): Promise<void> {
  for (const { ref } of planned.filter(isTried)) {
    // What is damaged is told of the pipeline itself.
    const sending = await left
      ?.get(recordKey(ref.namespace, ref.name))
      ?.sending()
      .catch(() => undefined);
    if (sending !== undefined) await journal.append(sending);
  }
}

async function execute(base: UpgradeDeps, options: ExecuteOptions): Promise<UpgradeResult> {
  const { session, context, target, command } = base;
  const { planned, previous } = options;
  const { clock } = session;
  if (previous !== undefined) await refuseGrown(previous);
  const file = previous?.file ?? (await createUpgradeFile(context.stateFolder, clock.now()));
  const journal = new UpgradeJournal(file, previous?.length ?? 0, previous?.lines);
  try {
    if (previous === undefined) {
      const { url: platform, version: platformVersion } = target;
      await journal.append(runEntry(clock.now(), { command, platform, platformVersion, ...options.run }));
      await noteLeft(options, journal);
    }
    const work = () => runPipelines(planned, runningOf(base, options, journal), options.work);
    const outcomes = await writing(session, retryOf(base, true, file), work);
    for (const { error } of outcomes.values()) if (error !== undefined && isLocal(error)) base.keeping.blame(error);
    if (![...outcomes.values()].some(({ state }) => isUnfinished(state)))
      await base.keeping.attempt(() =>
        journal.append({ v: 1, type: 'finished', at: new Date(clock.now()).toISOString() }),
      );
    // A journal that is gone was told of when it could not be written; nothing goes on with it.
    const kept = existsSync(file) ? { journal: file, resumes: previous !== undefined } : {};
    return resultOf(base, planned, { outcomes, ...kept });
  } finally {
    await base.keeping.attempt(() => journal.close());
  }
}

/**
 * Carries out a plan; one run at a time per platform and namespace, and per journal. Without anything to do nothing is
 * written, not even a journal.
 */
export async function executeUpgrade(base: UpgradeDeps, options: ExecuteOptions): Promise<UpgradeResult> {
  if (!options.planned.some(isTried)) return resultOf(base, options.planned, { outcomes: new Map() });
  const { url } = base.target;
  const { previous, planned } = options;
  const locks = planned.filter(isTried).map(({ ref }) => namespaceLock(url, ref.namespace));
  // Runs in different namespaces may go on with the same journal.
  const journal = previous === undefined ? [] : [{ kind: 'journal', url, file: previous.file } as const];
  return oneAtATime(base.context, [...locks, ...journal], base.session, () => execute(base, options));
}
