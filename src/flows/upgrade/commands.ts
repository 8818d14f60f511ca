import { basename } from 'node:path';
import { beforeDashes } from '../../cli/line/argv.js';
import { commandLine, connectionWords, withFlags, wordsOf, type KnownFlag } from '../../cli/line/command-line.js';
import { withoutFlags } from '../../cli/line/rewrite-line.js';
import { consentFlags } from '../../flags/consent.js';
import { outputFlags } from '../../flags/output.js';
import { counted } from '../../core/counted.js';
import { visible } from '../../output/escape.js';
import type { Look } from '../../output/look.js';
import { timeText } from '../../output/writers/columns.js';
import { shellWord } from '../../core/shell-word.js';
import type { RunCommands } from '../../services/upgrade/run/result.js';
import type { NewerRun } from '../../services/upgrade/journals/newer-run.js';
import type { RunEntry, UpgradeSelection } from '../../state/upgrade-journal.js';
import type { ReadUpgrade } from '../../state/read-upgrade-journal.js';
import type { Session } from '../../cli/session.js';

/** The flags that confirm a change. A command in a hint repeats them for the same change only. */
const CONSENT: ReadonlyMap<string, KnownFlag> = new Map(Object.entries({ ...consentFlags, yes: outputFlags.yes }));

interface GivenFlags {
  readonly session: Pick<Session, 'argv' | 'terminal'>;
  readonly command: 'upgrade' | 'rollback';
}

/** The command that goes on with a journal; a rollback is simply run again. */
export function retryOf({ session, command }: GivenFlags, unfinished: boolean, journal: string): string {
  const { terminal, argv } = session;
  if (command === 'rollback') return terminal.hide(commandLine(argv));
  return terminal.hide(
    commandLine(withFlags(withoutJournal(argv), [unfinished ? '--resume' : '--only-failed', '--journal', journal])),
  );
}

/** An upgrade as it was begun, without what names the run that it goes on with. */
const withoutJournal = (argv: readonly string[]): readonly string[] =>
  withoutFlags(argv, {
    resume: { type: 'boolean' },
    'only-failed': { type: 'boolean' },
    journal: { type: 'option' },
  });

/** What only looks in another way than `--check`, with what needs it. A value of `--dry-run` is behind "=". */
const OTHER_LOOKS: Readonly<Record<string, KnownFlag>> = {
  'dry-run': { type: 'boolean' },
  diff: { type: 'boolean' },
  dir: { type: 'option', char: 'D' },
  'detailed-exitcode': { type: 'boolean' },
  'plan-out': { type: 'option' },
};

/** The upgrade of a line with another flag in place of those that go on with a run, or that exclude it. */
export function upgradeWith(
  flag: '--check' | '--only-failed',
  { argv, terminal }: Pick<Session, 'argv' | 'terminal'>,
): string {
  const words = withoutFlags(withoutJournal(argv), flag === '--check' ? OTHER_LOOKS : {});
  return terminal.hide(commandLine(beforeDashes(words).includes(flag) ? words : withFlags(words, [flag])));
}

/** The command that takes the upgrade of a journal back. Only a rollback that goes on has its yes already. */
export const undoOf = ({ session: { argv, terminal }, command }: GivenFlags, journal: string): string =>
  terminal.hide(
    commandLine([
      ...['upgrade', 'rollback', ...connectionWords(argv)],
      ...(command === 'rollback' ? wordsOf(argv, CONSENT) : []),
      journal,
    ]),
  );

/** What a run may be continued with that it was not started with. */
const RUNNING: ReadonlyMap<string, KnownFlag> = new Map([['running', { type: 'option' }]]);

/** The command that resumes the upgrade of a journal, or retries what failed in it. */
export const resumeOf = (
  { session: { argv, terminal } }: Pick<GivenFlags, 'session'>,
  journal: string,
  flag = '--resume',
): string =>
  terminal.hide(
    commandLine(['upgrade', ...connectionWords(argv), ...wordsOf(argv, RUNNING), flag, '--journal', journal]),
  );

/** What a run was begun with, as flags. */
export function selectionWords(selection: UpgradeSelection): string {
  const { namespace, pipeline, match, exclude, kind, to, plugins, includeCurrent, snapshots, running, engine } =
    selection;
  const each = (flag: string, values: readonly (string | undefined)[]): readonly string[] =>
    values.flatMap((value) => (value === undefined ? [] : [flag, value]));
  const words = [
    ...(namespace === undefined ? ['-A'] : ['-n', namespace]),
    ...each('-p', [pipeline, ...match]),
    ...each('--exclude', exclude),
    ...each('--kind', [kind]),
    ...each('--to', [to]),
    ...each('--plugin', plugins),
    ...(includeCurrent ? ['--include-current'] : []),
    ...(snapshots ? ['--snapshots'] : []),
    ...(running === 'warn' ? [] : ['--running', running]),
    ...(engine === 'client' ? [] : ['--engine', engine]),
  ];
  return words.map(shellWord).join(' ');
}

/** Which upgrade goes on, as a person tells it from others. */
export function resumeText({ file, run, records }: ReadUpgrade, onlyFailed: boolean, look: Look): string {
  const { namespace } = run.selection ?? {};
  const where = namespace === undefined ? 'all namespaces' : `namespace ${visible(namespace)}`;
  const done = counted([...records.values()].filter(({ state }) => state === 'done').length, 'pipeline');
  const deed = onlyFailed ? 'Retrying what failed in' : 'Resuming';
  return `${deed} the upgrade of ${timeText(new Date(run.at), look)}: ${where}, ${done} done (journal ${visible(basename(file))})`;
}

/** Which upgrade is taken back: `Journal: NAME, upgrade of TIME`. */
export const journalText = (file: string, at: string, look: Look): string =>
  `Journal: ${visible(basename(file))}, upgrade of ${timeText(new Date(at), look)}`;

/** The commands that continue the run of a journal, or roll it back, whatever was run since. */
export const runCommands = (given: GivenFlags, journal: string): RunCommands => ({
  resume: retryOf(given, true, journal),
  retryFailed: retryOf(given, false, journal),
  undo: undoOf(given, journal),
});

/** What was run since an upgrade, in words. */
export function newerRunText({ command, at, journal }: NewerRun, look: Look): string {
  const which = `${timeText(new Date(at), look)} (journal ${journal})`;
  return command === 'upgrade'
    ? `a newer upgrade worked in the same namespaces on ${which}`
    : `the upgrade was rolled back since, at least in part, on ${which}`;
}

/** What to know of a run that goes on after the platform was upgraded. */
export const otherPlatformText = ({ platformVersion }: RunEntry, version: string): string | undefined =>
  platformVersion === version
    ? undefined
    : `the run was started on platform ${platformVersion}, which is ${version} now; pipelines that it has upgraded are not upgraded again`;
