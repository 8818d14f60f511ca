import { CliError } from '../../core/errors.js';
import { largestOf } from '../../core/collections.js';
import { visible } from '../../output/escape.js';
import { displayWidth, padded } from '../../output/width.js';
import { commandLine } from '../line/command-line.js';
import { askChoice, type Asker } from './prompts.js';

/** One of several things that a name fits. */
export interface Choice<T> {
  readonly value: T;
  /** What tells it from the others; the same columns for all, the first one names it. */
  readonly columns: readonly string[];
  /** The line that means this one alone. */
  readonly argv: readonly string[];
}

function rowsOf(choices: readonly Choice<unknown>[]): readonly string[] {
  const rows = choices.map(({ columns }) => columns.map(visible));
  const widths = (rows[0] ?? []).map((_, at) => largestOf(rows.map((row) => displayWidth(row[at] ?? ''))));
  return rows.map((row) =>
    row
      .map((text, at) => padded(text, widths[at] ?? 0))
      .join('  ')
      .trimEnd(),
  );
}

/**
 * Lets a person choose one; where nobody can be asked, USAGE with the whole command for each. A choice is no consent.
 */
export async function choose<T>(
  problem: string,
  choices: readonly Choice<T>[],
  asker: Asker | undefined,
): Promise<Choice<T>> {
  const rows = rowsOf(choices);
  if (asker === undefined)
    throw new CliError('USAGE', problem, { lines: rows, hints: choices.map(({ argv }) => commandLine(argv)) });
  const question = `${problem.charAt(0).toUpperCase()}${problem.slice(1)}; which one?`;
  const items = choices.map((value, at) => ({ value, row: rows[at] ?? '', short: visible(value.columns[0] ?? '') }));
  return askChoice(visible(question), items, asker);
}
