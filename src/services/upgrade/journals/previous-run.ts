import { isDeepStrictEqual } from 'node:util';
import { CliError } from '../../../core/errors.js';
import { isSameAddress } from '../../../core/hub-address.js';
import type { UpgradeSelection } from '../../../state/upgrade-journal.js';
import type { ResumeCommands } from '../commands.js';
import { newerRun, type NewerRun } from './newer-run.js';
import { chosenBy } from './rollback-journals.js';
import { journalPath, newestUpgrade, runsOf } from '../../../state/upgrade-folder.js';
import { readUpgrade, type ReadUpgrade } from '../../../state/read-upgrade-journal.js';
import type { Emit } from '../../../core/events.js';

/** What says which run goes on. */
export interface ResumeOptions {
  readonly resume: boolean;
  readonly 'only-failed': boolean;
  readonly journal?: string | undefined;
  /** The line itself chooses pipelines, so that a run may begin anew with it. */
  readonly isChoosing: boolean;
  /** The line or the environment names a namespace, or all: that of a context does not count. */
  readonly saysNamespace: boolean;
}

/** Where the run is looked for. */
export interface ResumeDeps {
  readonly stateFolder: string;
  /** The address of the platform. */
  readonly url: string;
  readonly emit: Emit;
  readonly commands: ResumeCommands;
  /** Words for a newer run. */
  readonly newerText: (newer: NewerRun) => string;
}

/** What a line chooses that names no pipelines. */
const NOTHING_CHOSEN: Omit<UpgradeSelection, 'namespace'> = {
  match: [],
  exclude: [],
  plugins: [],
  includeCurrent: false,
  snapshots: false,
  running: 'warn',
  engine: 'client',
};

/** Refuses to go on with a run of another platform or of other pipelines. */
function refuseOther(
  { file, run }: ReadUpgrade,
  { namespace, ...given }: UpgradeSelection,
  { saysNamespace, resume }: ResumeOptions,
  { url, commands }: ResumeDeps,
): void {
  if (run.command !== 'upgrade' || run.selection === undefined)
    throw new CliError('USAGE', `${file} is the journal of a rollback`, { hints: [{ next: 'help-upgrade' }] });
  if (!isSameAddress(run.platform, url))
    throw new CliError('USAGE', `${file} is the journal of an upgrade of ${run.platform}, not of ${url}`);
  const { namespace: was, ...begun } = run.selection;
  const isSilent = isDeepStrictEqual(given, NOTHING_CHOSEN);
  const isSame = isDeepStrictEqual(given, begun);
  if (saysNamespace ? isSame && namespace === was : isSame || isSilent) return;
  const how = resume ? 'resume' : 'retry';
  throw new CliError('USAGE', `cannot ${how} with other pipelines or versions than the run was started with`, {
    lines: [`the run of ${run.at} was started with ${commands.selection(run.selection)} (journal ${file})`],
    hints: [resume ? commands.resume(file) : commands.retryFailed(file), { next: 'list-upgrades' }],
    target: { file },
  });
}

/** NOT_FOUND for a run that is to be resumed and is not there. */
async function nothingToResume(previous: ReadUpgrade | undefined, deps: ResumeDeps): Promise<CliError> {
  const { url, commands } = deps;
  if (previous === undefined)
    return new CliError('NOT_FOUND', `there is no journal of an upgrade of ${url}`, { hints: [commands.check] });
  const failed = [...previous.records.values()].some(({ state }) => state !== 'done');
  const newer = await newerRun(previous, deps);
  return new CliError('NOT_FOUND', `the newest upgrade of ${url} is complete; nothing to resume`, {
    lines: newer === undefined ? [] : [deps.newerText(newer)],
    hints: [failed ? `to retry failed pipelines: ${commands.retryNewest}` : commands.check],
    target: { file: previous.file },
  });
}

/** The newest upgrade that chose the same pipelines. */
async function newestOfChoice(given: UpgradeSelection, { stateFolder, url }: ResumeDeps): Promise<string | undefined> {
  for await (const { file, run } of runsOf(stateFolder, url))
    if (run.command === 'upgrade' && isDeepStrictEqual(chosenBy(run), chosenBy({ selection: given }))) return file;
  return undefined;
}

/**
 * Finds the run that is resumed, or whose failures are retried. This is the given journal, else the newest of this
 * platform. If that has finished, resuming takes the newest with the pipelines that the line chooses, and starts a
 * new run where there never was one.
 * @throws NOT_FOUND when there is nothing to continue
 * @throws USAGE when the journal is of a rollback, another platform or other pipelines
 */
export async function findPrevious(
  flags: ResumeOptions,
  given: UpgradeSelection,
  deps: ResumeDeps,
): Promise<ReadUpgrade | undefined> {
  if (!flags.resume && !flags['only-failed']) return undefined;
  const { stateFolder, url } = deps;
  const { journal } = flags;
  const file = journal === undefined ? await newestUpgrade(stateFolder, url) : journalPath(journal, stateFolder);
  let previous = file === undefined ? undefined : await readUpgrade(file);
  // A run that came to its end needs none that goes on.
  const isOver = (run: ReadUpgrade | undefined): boolean =>
    run === undefined || (flags.resume && run.finished && journal === undefined);
  if (isOver(previous) && flags.resume && flags.isChoosing) {
    const own = await newestOfChoice(given, deps);
    if (own === undefined) return undefined;
    previous = await readUpgrade(own);
  }
  if (previous === undefined || isOver(previous)) throw await nothingToResume(previous, deps);
  refuseOther(previous, given, flags, deps);
  return previous;
}
