import { isDeepStrictEqual } from 'node:util';
import { CliError } from '../../core/errors.js';
import { baseAddress } from '../../state/base-address.js';
import type { UpgradeSelection } from '../../state/upgrade-journal.js';
import { journalPath, newestUpgrade } from '../../state/upgrade-folder.js';
import { readUpgrade, type ReadUpgrade } from '../../state/upgrade-journals.js';
import { selectionOf } from './selection.js';

/** What says which run goes on. */
export interface ResumeOptions {
  readonly resume: boolean;
  readonly 'only-failed': boolean;
  /** The command that tries again what failed, for a hint. */
  readonly again: string;
  readonly journal?: string | undefined;
  /** The line itself chooses pipelines, so that a run may begin anew with it. */
  readonly isChoosing: boolean;
  /** The line or the environment names a namespace, or all: that of a context does not count. */
  readonly saysNamespace: boolean;
}

/** Refuses to go on with a run of another platform or of other pipelines. */
function refuseOther(
  { file, run }: ReadUpgrade,
  { namespace, ...given }: UpgradeSelection,
  { saysNamespace }: ResumeOptions,
  url: string,
): void {
  if (run.command !== 'upgrade' || run.selection === undefined)
    throw new CliError('USAGE', `${file} is the journal of a rollback`, { hints: ['cdapctl help upgrade'] });
  if (run.platform !== baseAddress(url))
    throw new CliError('USAGE', `${file} is the journal of an upgrade of ${run.platform}, not of ${url}`);
  const { namespace: was, ...begun } = run.selection;
  const isSilent = isDeepStrictEqual(given, selectionOf({}, undefined));
  const isSame = isDeepStrictEqual(given, begun);
  if (saysNamespace ? isSame && namespace === was : isSame || isSilent) return;
  throw new CliError('USAGE', 'cannot resume with other pipelines or versions than the run was started with', {
    hints: ['remove the flags that select pipelines and versions, or use the same as before'],
    target: { file },
  });
}

/** NOT_FOUND for a `--resume` that has nothing to go on with and would begin anew with everything. */
function nothingToResume(previous: ReadUpgrade | undefined, url: string, again: string): CliError {
  const anew = 'cdapctl upgrade --check';
  if (previous === undefined)
    return new CliError('NOT_FOUND', `there is no journal of an upgrade of ${url}`, { hints: [anew] });
  const failed = [...previous.records.values()].some(({ state }) => state !== 'done');
  return new CliError('NOT_FOUND', `the newest upgrade of ${url} is complete; nothing to resume`, {
    hints: [failed ? `to retry failed pipelines: ${again}` : anew],
    target: { file: previous.file },
  });
}

/**
 * Finds the run that `--resume` or `--only-failed` continue. This is the given journal, else the newest of this
 * platform. Without one, or if the newest has finished, `--resume` starts a new run where the line chooses pipelines.
 * @throws NOT_FOUND when there is nothing to continue
 * @throws USAGE when the journal is of a rollback, another platform or other pipelines
 */
export async function findPrevious(
  flags: ResumeOptions,
  given: UpgradeSelection,
  stateFolder: string,
  url: string,
): Promise<ReadUpgrade | undefined> {
  if (!flags.resume && !flags['only-failed']) return undefined;
  const { journal } = flags;
  const file = journal === undefined ? await newestUpgrade(stateFolder, url) : journalPath(journal, stateFolder);
  const previous = file === undefined ? undefined : await readUpgrade(file);
  // A run that came to its end needs none that goes on.
  const isOver = flags.resume && previous?.finished === true && journal === undefined;
  if (previous === undefined || isOver) {
    if (flags.resume && flags.isChoosing) return undefined;
    throw nothingToResume(previous, url, flags.again);
  }
  refuseOther(previous, given, flags, url);
  return previous;
}
