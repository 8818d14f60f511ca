import { basename, dirname, join } from 'node:path';
import type { CommandContext } from '../../cli/context-types.js';
import { typedPath } from '../../cli/line/local-path.js';
import type { Session } from '../../cli/session.js';
import { counted } from '../../core/counted.js';
import { closest, didYouMean } from '../../core/closest.js';
import { CliError } from '../../core/errors.js';
import { isThere } from '../../core/files/exists.js';
import { lintXml } from '../../output/junit.js';
import { sarifText } from '../../output/sarif.js';
import { changedSince, notAdded, type ChangedFiles } from '../../services/hosting/lint/changed-files.js';
import { readBaseline, writeBaseline } from '../../services/hosting/lint/baseline.js';
import { publishedIndex } from '../../services/hosting/lint/published-hub.js';
import { lint, type LintedTree, type LintResult } from '../../services/hosting/lint/lint.js';
import type { LintFault, Severity, ShownFault } from '../../services/hosting/lint/rule.js';
import { RULES } from '../../services/hosting/lint/rule-list.js';
import { treeRoot } from '../../services/hosting/tree/source-tree.js';
import { takeLocks } from '../../services/writing/run-lock.js';
import { writeAtomically } from '../../state/atomic-write.js';
import { lockDeps } from '../writing.js';
import { gitHistory } from './git-history.js';

const COMPARED = 'only committed and staged files are compared';
/** Reports are read by other users on build servers; a hub is public. */
const PUBLIC = { mode: 0o644, overwrite: true };
const WORDS = { off: 'off', warn: 'warning', error: 'error' } as const;

/**
 * Severities from `ID=off|warn|error`.
 * @throws USAGE for an unknown rule or severity
 */
export function severitiesOf(texts: readonly string[]): ReadonlyMap<string, Severity | 'off'> {
  const ids = RULES.map(({ id }) => id);
  return new Map(
    texts.map((text): [string, Severity | 'off'] => {
      const [id = '', word = '', more] = text.split('=');
      const severity = Object.entries(WORDS).find(([name]) => name === word)?.[1];
      if (!ids.includes(id))
        throw new CliError('USAGE', `unknown rule ${JSON.stringify(id.slice(0, 40))}`, {
          hints: [...didYouMean(closest(id, ids)), 'cdapctl hub lint --list-rules'],
        });
      if (severity === undefined || more !== undefined)
        throw new CliError('USAGE', `--rule ${id} needs =off, =warn or =error`);
      return [id, severity];
    }),
  );
}

/** How a lint judges: other severities than the usual, and a file with faults that do not count. */
export interface LintOptions {
  readonly severities: ReadonlyMap<string, Severity | 'off'>;
  readonly baseline: string | undefined;
  /** A commit, since which files of a version must not have changed. */
  readonly changedSince: string | undefined;
  /** Whether faults are corrected where that is certain. */
  readonly fix: boolean;
  /** Whether published files are those of the hub that the context names, too. */
  readonly against: boolean;
  /** Files of published versions that may change, as `NAME/VERSION/FILE`. */
  readonly forced: readonly string[];
}

/** The files that a lint writes beside its output. */
export interface LintFiles {
  readonly junit: string | undefined;
  readonly sarif: string | undefined;
  readonly 'baseline-out': string | undefined;
}

/** Faults with their files as typed where the command runs, so that editors and code hosts find them. */
export const asTyped = (faults: readonly LintFault[]): readonly ShownFault[] =>
  faults.map(({ root, file, line, column, rule, severity, message, fixable }) => ({
    file: typedPath(join(root, file)),
    ...{ line, column, rule, severity, message, fixable },
  }));

/** Writes the files that are wanted. */
export async function writeLint(
  files: LintFiles,
  { faults, passed }: Pick<LintResult, 'faults' | 'passed'>,
  version: string,
): Promise<void> {
  const { junit, sarif, 'baseline-out': baseline } = files;
  const typed = asTyped(faults);
  if (junit !== undefined)
    await writeAtomically(
      junit,
      lintXml(
        typed,
        passed.map((folder) => typedPath(folder)),
      ),
      PUBLIC,
    );
  if (sarif !== undefined) await writeAtomically(sarif, sarifText(typed, RULES, version), PUBLIC);
  if (baseline !== undefined) await writeBaseline(baseline, faults);
}

/** Lints the trees and packages of the line; packages of one tree are judged together. */
export async function lintFor(
  folders: readonly string[],
  { severities, baseline, changedSince: commit, fix, against: isCompared, forced }: LintOptions,
  context: Pick<CommandContext, 'emit' | 'hubs' | 'stateFolder' | 'trust'>,
  session: Pick<Session, 'clock' | 'env' | 'signal'>,
): Promise<LintResult> {
  const { signal } = session;
  const trees = new Map<string, LintedTree>();
  for (const folder of folders) {
    const { root, only } = await treeOf(folder);
    const before = trees.get(root);
    const isWhole = only === undefined || (before !== undefined && before.only === undefined);
    const changed =
      commit === undefined ? undefined : (before?.changed ?? (await changesOf(root, commit, context, session)));
    trees.set(root, { root, changed, only: isWhole ? undefined : [...(before?.only ?? []), ...only] });
  }
  const known = baseline === undefined ? new Set<string>() : await readBaseline(baseline);
  const [hub] = isCompared ? await context.hubs() : [];
  const compared = hub && { source: hub.source, setup: (await context.trust(hub.source)).setup };
  const against = compared && (await publishedIndex(compared, context.emit, signal));
  const places = fix ? [...trees.keys()].map((path) => ({ kind: 'folder', path }) as const) : [];
  const locks = await takeLocks(places, lockDeps(context, session));
  try {
    return await lint(
      { trees: [...trees.values()], severities, known, fix, against, forced, emit: context.emit },
      signal,
    );
  } finally {
    await locks.release();
  }
}

/** What has changed since a commit, and a note of what has not been added since. */
async function changesOf(
  root: string,
  commit: string,
  { emit }: Pick<CommandContext, 'emit'>,
  session: Pick<Session, 'env' | 'signal'>,
): Promise<ChangedFiles> {
  const history = gitHistory(root, session);
  const changed = await changedSince(commit, history);
  const [first, ...more] = await notAdded(root, history);
  if (first !== undefined) {
    const what = `${first}${more.length === 0 ? '' : ` and ${counted(more.length, 'other file')}`}`;
    emit({ type: 'note', message: `note: ${what} changed after git add, and ${COMPARED}` });
  }
  return changed;
}

/** The tree that a folder is, or the one of which it is a package version. */
async function treeOf(folder: string): Promise<LintedTree> {
  const path = await treeRoot(folder);
  const packages = dirname(dirname(path));
  if (basename(packages) !== 'packages' || isThere(join(path, 'packages'))) return { root: path };
  return { root: dirname(packages), only: [{ name: basename(dirname(path)), version: basename(path) }] };
}
