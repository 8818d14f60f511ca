import { isDeepStrictEqual } from 'node:util';
import { CliError } from '../../../core/errors.js';
import { isSameAddress } from '../../../core/hub-address.js';
import type { UpgradeSelection } from '../../../state/upgrade-journal.js';
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
}

/** The run that a line continues, or why it continues none. */
export type PreviousRun =
  | { readonly state: 'found'; readonly previous: ReadUpgrade }
  /** None of these pipelines yet: they are upgraded by a new run. */
  | { readonly state: 'new' }
  | { readonly state: 'none' }
  | {
      readonly state: 'complete';
      readonly previous: ReadUpgrade;
      readonly hasFailed: boolean;
      readonly newer: NewerRun | undefined;
    }
  /** The line chooses other pipelines or versions than `selection`, with which the run was started. */
  | { readonly state: 'other'; readonly previous: ReadUpgrade; readonly selection: UpgradeSelection };

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

/**
 * A run to continue, unless the line chooses something else. Running pipelines may be treated in another way. Refuses a
 * run of another platform, and a rollback.
 */
function foundRun(previous: ReadUpgrade, given: UpgradeSelection, saysNamespace: boolean, url: string): PreviousRun {
  const { file, run } = previous;
  const { command, selection } = run;
  if (command !== 'upgrade' || selection === undefined)
    throw new CliError('USAGE', `${file} is the journal of a rollback`, { hints: [{ next: 'help-upgrade' }] });
  if (!isSameAddress(run.platform, url))
    throw new CliError('USAGE', `${file} is the journal of an upgrade of ${run.platform}, not of ${url}`);
  const { namespace, ...choice } = { ...given, running: 'warn' };
  const { namespace: was, ...begun } = { ...selection, running: 'warn' };
  const isSilent = isDeepStrictEqual(choice, NOTHING_CHOSEN);
  const isSame = isDeepStrictEqual(choice, begun);
  const isChosen = saysNamespace ? isSame && namespace === was : isSame || isSilent;
  return isChosen ? { state: 'found', previous } : { state: 'other', previous, selection };
}

/** A run that is to be resumed and is not there. */
async function nothingToResume(previous: ReadUpgrade | undefined, deps: ResumeDeps): Promise<PreviousRun> {
  if (previous === undefined) return { state: 'none' };
  const hasFailed = [...previous.records.values()].some(({ state }) => state !== 'done');
  return { state: 'complete', previous, hasFailed, newer: await newerRun(previous, deps) };
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
 * @throws USAGE when the journal is of a rollback or of another platform
 */
export async function findPrevious(
  flags: ResumeOptions,
  given: UpgradeSelection,
  deps: ResumeDeps,
): Promise<PreviousRun> {
  if (!flags.resume && !flags['only-failed']) return { state: 'new' };
  const { stateFolder, url } = deps;
  const { journal } = flags;
  const file = journal === undefined ? await newestUpgrade(stateFolder, url) : journalPath(journal, stateFolder);
  let previous = file === undefined ? undefined : await readUpgrade(file);
  // A run that came to its end needs none that goes on.
  const isOver = (run: ReadUpgrade | undefined): boolean =>
    run === undefined || (flags.resume && run.finished && journal === undefined);
  if (isOver(previous) && flags.resume && flags.isChoosing) {
    const own = await newestOfChoice(given, deps);
    if (own === undefined) return { state: 'new' };
    previous = await readUpgrade(own);
  }
  if (previous === undefined || isOver(previous)) return nothingToResume(previous, deps);
  return foundRun(previous, given, flags.saysNamespace, url);
}
