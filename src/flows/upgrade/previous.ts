import { CliError } from '../../core/errors.js';
import type { Session } from '../../cli/session.js';
import { findPrevious, type ResumeDeps, type ResumeOptions } from '../../services/upgrade/journals/previous-run.js';
import type { ReadUpgrade } from '../../state/read-upgrade-journal.js';
import type { UpgradeSelection } from '../../state/upgrade-journal.js';
import { newerRunText, resumeOf, selectionWords, upgradeWith } from './commands.js';

/** Where the run is looked for, and the line that commands in hints repeat. */
export interface PreviousDeps extends ResumeDeps {
  readonly session: Pick<Session, 'argv' | 'terminal'>;
}

/**
 * The run that is resumed, or whose failures are retried; undefined for a new one.
 * @throws NOT_FOUND when there is nothing to continue
 * @throws USAGE when the journal is of a rollback, another platform or other pipelines
 */
export async function previousFor(
  flags: ResumeOptions,
  given: UpgradeSelection,
  deps: PreviousDeps,
): Promise<ReadUpgrade | undefined> {
  const { session, url } = deps;
  const found = await findPrevious(flags, given, deps);
  switch (found.state) {
    case 'new':
      return undefined;
    case 'found':
      return found.previous;
    case 'none':
      throw new CliError('NOT_FOUND', `there is no journal of an upgrade of ${url}`, {
        hints: [upgradeWith('--check', session)],
      });
    case 'complete': {
      const { previous, hasFailed, newer } = found;
      const retry = `to retry failed pipelines: ${upgradeWith('--only-failed', session)}`;
      throw new CliError('NOT_FOUND', `the upgrade of ${previous.run.at} on ${url} is complete; nothing to resume`, {
        lines: newer === undefined ? [] : [newerRunText(newer, session.terminal.stderr)],
        hints: [hasFailed ? retry : upgradeWith('--check', session)],
        target: { file: previous.file },
      });
    }
    case 'other':
      throw otherRun(found, flags, session);
  }
}

/** The error of a line that chooses something else than the run that it names. */
function otherRun(
  { previous: { file, run }, selection }: { readonly previous: ReadUpgrade; readonly selection: UpgradeSelection },
  { resume }: Pick<ResumeOptions, 'resume'>,
  session: PreviousDeps['session'],
): CliError {
  const how = resume ? 'resume' : 'retry';
  return new CliError('USAGE', `cannot ${how} with other pipelines or versions than the run was started with`, {
    lines: [`the run of ${run.at} was started with ${selectionWords(selection)} (journal ${file})`],
    hints: [resumeOf({ session }, file, resume ? '--resume' : '--only-failed'), { next: 'list-upgrades' }],
    target: { file },
  });
}
