import { closest } from '../../core/closest.js';
import type { Condition } from '../../core/condition.js';
import { CliError } from '../../core/errors.js';
import { shellWord } from '../../core/shell-word.js';
import { countedOf, COUNTS, isCount, type Count } from '../../services/dashboard/summary.js';

/** Refuses conditions about what is not counted, with the nearest name: USAGE. */
export function checkConditions(conditions: readonly Condition[]): void {
  for (const { name, text } of conditions) {
    if (isCount(name)) continue;
    const near = closest(name, COUNTS);
    throw new CliError('USAGE', `--fail-if: unknown count "${name.slice(0, 40)}"`, {
      lines: [`allowed: ${COUNTS.join(', ')}`],
      hints: near === undefined ? [] : [`Did you mean --fail-if ${shellWord(text.trim().replace(name, near))}?`],
    });
  }
}

/** What a dashboard shows: states of items and types of programs; none: all. */
interface Shown {
  readonly statuses: readonly string[];
  readonly types: readonly string[];
  /** Whether the window begins now or later, where nothing has ended yet. */
  readonly isAhead: boolean;
}

/** What is counted of the past alone. */
const PAST: readonly Count[] = ['completed', 'failed', 'killed', 'rejected', 'missed'];

/** Refuses conditions about counts that are always 0, as nothing that they count is shown: USAGE. */
export function refuseUncounted(conditions: readonly Condition[], { statuses, types, isAhead }: Shown): void {
  const counted = countedOf(statuses);
  const knowsMissed = types.length === 0 || types.includes('WORKFLOW');
  for (const { name, text } of conditions) {
    if (!isCount(name)) continue;
    if (isAhead && PAST.includes(name))
      throw new CliError(
        'USAGE',
        `--fail-if ${text.trim()}: "${name}" is always 0 in a window that begins now or later`,
        {
          hints: ['--last 1h, or a --start before now'],
        },
      );
    const leftOut =
      counted?.includes(name) === false ? '--status' : name === 'missed' && !knowsMissed ? '--type' : undefined;
    if (leftOut === undefined) continue;
    throw new CliError('USAGE', `--fail-if ${text.trim()}: "${name}" is not counted because ${leftOut} excludes it`, {
      hints: [`run the same command without ${leftOut}`],
    });
  }
}
