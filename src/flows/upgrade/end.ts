import { CliError } from '../../core/errors.js';
import { formatOf } from '../../cli/line/argv.js';
import { isMachineFormat } from '../../output/format.js';
import { junitXml } from '../../output/junit.js';
import type { View } from '../../output/view-types.js';
import { summaryLine } from '../../output/views/upgrade-lines.js';
import { upgradeDiffView, upgradeView, wholeUpgradeView } from '../../output/views/upgrade.js';
import type { UpgradeResult } from '../../services/upgrade/upgrade-result.js';
import { writeAtomically } from '../../state/atomic-write.js';
import type { Session } from '../../cli/session.js';
import type { KeptErrors } from '../../services/upgrade/files/local-failures.js';
import { tellTarget } from './consent.js';
import { writePlanFile } from '../plan-file.js';
import { failureOfUpgrade } from '../../services/upgrade/run/failure.js';
import { undoOf } from './commands.js';

/** An undo is agreed to anew; where nobody can be asked, that is a flag. */
const YES = '  # without a terminal, add -y';

/** The flags that say how the end of an upgrade looks. */
export interface EndingFlags {
  readonly check?: boolean;
  readonly diff: boolean;
  readonly verbose?: boolean;
  readonly junit?: string | undefined;
  readonly 'plan-out'?: string | undefined;
  readonly 'ignore-failures'?: boolean;
  readonly 'detailed-exitcode'?: boolean;
}

/** The flags of an upgrade that count at its end. */
export interface EndOptions {
  readonly session: Pick<Session, 'argv' | 'env' | 'signal' | 'terminal'>;
  readonly keeping: KeptErrors;
  readonly flags: EndingFlags;
}

/** What a command ends with: its result in a view, lines below it on stderr, and its error. */
export interface UpgradeEnd {
  /** Undefined where the error has the result. */
  readonly view: View<UpgradeResult> | undefined;
  readonly lines: readonly string[];
  readonly error: CliError | undefined;
}

/** Writes the files that were asked for beside the result of an upgrade, and tells how it ends. */
export async function endUpgrade(result: UpgradeResult, { session, keeping, flags }: EndOptions): Promise<UpgradeEnd> {
  const { terminal } = session;
  const looked = result.state === 'planned';
  if (looked) tellTarget(result, session);
  const ignored = flags['ignore-failures'] === true;
  const undo = (result.elsewhere ?? []).map(({ journal }) => undoOf({ session, command: result.command }, journal));
  const failure = looked ? badPlan(result, flags) : failureOfUpgrade(result, { stop: session.signal, undo }, ignored);
  if (flags.junit !== undefined) await writeJunit(flags.junit, result, keeping);
  if (flags['plan-out'] !== undefined) await writePlanFile(flags['plan-out'], upgradeView, result, session);
  const error = notKept(result, failure, keeping) ?? failure;
  const wouldChange = looked && flags['detailed-exitcode'] === true && result.summary.planned > 0;
  return {
    // Programs get one document, which holds the result; people see it and the error below it.
    view: error === undefined || !isMachineFormat(formatOf(session.argv, session.env)) ? viewOf(flags) : undefined,
    lines: [
      ...(error === undefined ? [summaryLine(result)] : []),
      ...(result.undo === undefined ? [] : [`undo: ${result.undo}${terminal.attended ? '' : YES}`]),
    ],
    error: error ?? (wouldChange ? new CliError('CHANGES', 'the upgrade would make changes') : undefined),
  };
}

function viewOf({ diff, verbose }: EndingFlags): View<UpgradeResult> {
  if (diff) return upgradeDiffView;
  return verbose ? wholeUpgradeView : upgradeView;
}

async function writeJunit(file: string, result: UpgradeResult, keptErrors: KeptErrors): Promise<void> {
  const seconds = result.pipelines.reduce((sum, { durationMs }) => sum + durationMs, 0) / 1000;
  await keptErrors.attempt(() => writeAtomically(file, junitXml(result, seconds), { overwrite: true }));
}

/**
 * The error of a run whose results could not all be saved on this machine. It replaces PARTIAL, as failed pipelines can
 * be retried only after this is fixed (docs/faults.md L02, L03). An unknown outcome or a signal goes first.
 */
function notKept(
  result: UpgradeResult,
  failure: CliError | undefined,
  { error: cause }: KeptErrors,
): CliError | undefined {
  if (cause === undefined || (failure !== undefined && failure.code !== 'PARTIAL')) return undefined;
  const { code, message, details } = cause;
  if (failure !== undefined) {
    const { target } = details;
    return new CliError(code, `${message}; ${failure.message}`, {
      ...failure.details,
      ...(target && { target }),
      cause,
    });
  }
  return new CliError(code, message, { ...details, lines: [summaryLine(result)], item: result, cause });
}

/** Why pipelines fail in a preview that were read. */
const READ: ReadonlySet<string | undefined> = new Set(['RUNNING', 'GONE', 'PLAN_CHANGED']);

/** The error of `--check`, where something would fail, and of each preview that could not read all. */
function badPlan(result: UpgradeResult, flags: EndingFlags): CliError | undefined {
  if (flags.check === true && result.summary.failed > 0)
    return new CliError('BLOCKED', summaryLine(result), { item: result });
  const isUnread = result.pipelines.some(({ state, error }) => state === 'failed' && !READ.has(error?.code));
  if (result.command !== 'upgrade' || !isUnread || flags['ignore-failures'] === true) return undefined;
  return new CliError('PARTIAL', summaryLine(result), { item: result });
}
