import { existsSync } from 'node:fs';
import { CliError } from '../../core/errors.js';
import { joinSignals } from '../../core/join-signals.js';
import { redactor } from '../../core/secrets/redact.js';
import { isLocal } from '../../services/upgrade/failure-limit.js';
import { isTried, runPipelines, type PipelineOutcome, type RunOptions, type Work } from '../../services/upgrade/run.js';
import type { PlannedPipeline } from '../../services/upgrade/plan.js';
import {
  summaryOf,
  upgradedPipeline,
  type UpgradedPipeline,
  type UpgradeResult,
} from '../../services/upgrade/result.js';
import { patientPlatform } from '../../services/writing/patient-platform.js';
import { runEntry, type RunEntry } from '../../state/upgrade-journal.js';
import { UpgradeJournal } from '../../state/upgrade-journal-writer.js';
import {
  createUpgradeFile,
  readUpgrade,
  recordKey,
  type ReadUpgrade,
  type UpgradeRecord,
} from '../../state/upgrade-journals.js';
import type { CommandContext, PlatformPlace } from '../../cli/context-types.js';
import { namespaceLock, oneAtATime, writing } from '../run-lock.js';
import type { Session } from '../../cli/session.js';
import type { KeptErrors } from '../../services/upgrade/files/kept-errors.js';
import { retryOf, undoOf } from './commands.js';
import { warner } from '../../services/upgrade/plan-reading.js';

/** What an upgrade and its rollback share. */
export interface UpgradeBase {
  readonly session: Pick<Session, 'argv' | 'clock' | 'signal' | 'terminal' | 'writing'>;
  readonly context: Pick<CommandContext, 'consent' | 'emit' | 'stateFolder'>;
  readonly target: PlatformPlace;
  /** Undefined: all namespaces. */
  readonly namespace: string | undefined;
  readonly command: 'upgrade' | 'rollback';
  readonly engine: 'client' | 'server';
  readonly keeping: KeptErrors;
}

/** What executing a plan needs besides. */
export interface ExecuteOptions {
  readonly planned: readonly PlannedPipeline[];
  /** The first line of the journal, where it is a new one. */
  readonly run: Pick<RunEntry, 'selection' | 'of' | 'also'>;
  /** The journal that is resumed. */
  readonly previous: ReadUpgrade | undefined;
  /** What another journal left unfinished, by `recordKey`: the new one notes it before anything else. */
  readonly left?: ReadonlyMap<string, UpgradeRecord>;
  readonly maxFailures: string | undefined;
  readonly running: Pick<RunOptions, 'records' | 'concurrency' | 'save'>;
  readonly work: Work;
}

/** The words of `--max-failures` as a number: a count, or a share of those that are tried; USAGE for anything else. */
export function mostFailures(text: string | undefined, tried: number): number {
  if (text === undefined) return Infinity;
  const match = /^(\d{1,9})(%?)$/u.exec(text);
  const number = Number(match?.[1]);
  if (match === null || (match[2] === '%' && number > 100))
    throw new CliError('USAGE', `--max-failures takes a number or a share such as 10%, not ${JSON.stringify(text)}`);
  return match[2] === '%' ? Math.floor((number * tried) / 100) : number;
}

const UNATTENDED = 'note: no terminal, so pipelines are upgraded without a confirmation; --dry-run only shows the plan';

/** Asks whether to go on; an upgrade does so without a question where there is no terminal at all, unless something newer was run. */
export async function askUpgrade(
  { context, command, target }: UpgradeBase,
  plan: UpgradeResult,
  newer?: string,
): Promise<void> {
  const namespaces = new Map<string, number>();
  for (const { namespace, state } of plan.pipelines)
    if (state === 'planned') namespaces.set(namespace, (namespaces.get(namespace) ?? 0) + 1);
  const { planned } = plan.summary;
  const deed = `${command === 'upgrade' ? 'upgrade' : 'roll back'} ${planned} pipeline${planned === 1 ? '' : 's'}`;
  const running = plan.pipelines.filter((one) => one.state === 'planned' && one.running === true).length;
  const remarks = [
    ...(running === 0 ? [] : [`${running} ${running === 1 ? 'is' : 'are'} running`]),
    ...(newer === undefined ? [] : [newer]),
    ...(plan.engine === 'server' ? ['the platform chooses the artifacts of plugins'] : []),
  ];
  await context.consent.ask({
    deed,
    namespaces,
    target,
    remarks,
    ...(command === 'upgrade' && newer === undefined && { unattended: UNATTENDED }),
  });
}

function targetOf({ target, namespace }: UpgradeBase): UpgradeResult['target'] {
  const { url, namespaceFrom, version, context } = target;
  return {
    url,
    ...(namespace !== undefined && { namespace }),
    namespaceFrom: namespace === undefined ? 'all namespaces' : namespaceFrom,
    platformVersion: version,
    ...(context !== undefined && { context }),
  };
}

/** Whether a pipeline leaves its run to be resumed: it was not tried, or nobody can tell what became of it. */
const isUnfinished = (state: UpgradedPipeline['state']): boolean => state === 'not-run' || state === 'unknown';

/** A plan, or what became of it, as a result. */
export function resultOf(
  base: UpgradeBase,
  planned: readonly PlannedPipeline[],
  more: {
    readonly outcomes?: ReadonlyMap<PlannedPipeline, PipelineOutcome>;
    readonly journal?: string;
    /** The journal is that of a run before, and need not be the newest. */
    readonly resumes?: boolean;
  } = {},
): UpgradeResult {
  const hide = redactor([...base.session.terminal.secrets]);
  const pipelines = planned.map((one) => upgradedPipeline(one, base.command, more.outcomes?.get(one), hide));
  const summary = summaryOf(pipelines);
  const stopped = base.session.signal.aborted;
  const state =
    more.outcomes === undefined
      ? 'planned'
      : stopped
        ? 'cancelled'
        : summary.failed + summary.notRun > 0
          ? 'partial'
          : 'done';
  const isOpen = pipelines.some(({ state: one }) => isUnfinished(one));
  const retry = more.journal === undefined ? undefined : retryOf(base, isOpen, more.journal);
  const isUndone = base.command === 'upgrade' && more.journal !== undefined && summary.upgraded > 0;
  return {
    command: base.command,
    target: targetOf(base),
    engine: base.engine,
    state,
    summary,
    pipelines,
    ...(more.journal !== undefined && { journal: more.journal }),
    ...(retry !== undefined && state !== 'done' && state !== 'planned' && { retry }),
    ...(isUndone && { undo: undoOf(base, more.resumes === true ? more.journal : undefined) }),
  };
}

function runningOf(base: UpgradeBase, options: ExecuteOptions, journal: UpgradeJournal): RunOptions {
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

/** Refuses to resume a journal that another run has resumed since it was read: what is appended would take the place of its lines. */
async function refuseGrown({ file, length }: ReadUpgrade): Promise<void> {
  const now = await readUpgrade(file);
  if (now.length === length) return;
  throw new CliError('CONFLICT', `another run has resumed the journal ${file} meanwhile; nothing was changed`, {
    hints: ['run the same command again: it makes a new plan'],
    target: { file },
  });
}

/** Takes over what another journal noted of pipelines that are tried now, so that going on with the new one knows it. */
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

async function execute(base: UpgradeBase, options: ExecuteOptions): Promise<UpgradeResult> {
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

/** Carries out a plan; one run at a time per platform and namespace, and per journal. Without anything to do nothing is written, not even a journal. */
export async function executeUpgrade(base: UpgradeBase, options: ExecuteOptions): Promise<UpgradeResult> {
  if (!options.planned.some(isTried)) return resultOf(base, options.planned, { outcomes: new Map() });
  const { url } = base.target;
  const { previous, planned } = options;
  const locks = planned.filter(isTried).map(({ ref }) => namespaceLock(url, ref.namespace));
  // Runs in different namespaces may go on with the same journal.
  const journal = previous === undefined ? [] : [{ kind: 'journal', url, file: previous.file } as const];
  return oneAtATime(base.context, [...locks, ...journal], base.session, () => execute(base, options));
}
