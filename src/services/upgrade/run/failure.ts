import { dirname, join } from 'node:path';
import { CliError } from '../../../core/errors.js';
import type { UpgradedPipeline, UpgradeResult } from '../upgrade-result.js';

const count = (number: number, what: string): string => `${number} ${what}`;

function failureLines(failed: readonly UpgradedPipeline[]): readonly string[] {
  const most = 10;
  const lines = failed
    .slice(0, most)
    .map(({ namespace, name, state, detail = '' }) => `${namespace}/${name}: ${state}: ${detail}`);
  return failed.length > most ? [...lines, `and ${failed.length - most} more`] : lines;
}

/** How many pipelines a rollback leaves to the journals of other runs. */
const countLeft = ({ elsewhere = [] }: UpgradeResult): number =>
  elsewhere.reduce((sum, one) => sum + one.pipelines.length, 0);

/** The counts as one line: `5 upgraded, 2 failed (1 blocked), 3 not tried`. */
function sumsText({ command, summary, pipelines }: UpgradeResult, left: number): string {
  const number = (wanted: UpgradedPipeline['state']): number =>
    pipelines.filter(({ state }) => state === wanted).length;
  const [blocked, unknown] = [number('blocked'), number('unknown')];
  return [
    count(summary.upgraded, command === 'upgrade' ? 'upgraded' : 'rolled back'),
    `${summary.failed - unknown} failed${blocked === 0 ? '' : ` (${blocked} blocked)`}`,
    ...(unknown === 0 ? [] : [`${unknown} with unknown outcome`]),
    ...(summary.notRun === 0 ? [] : [`${summary.notRun} not tried`]),
    ...(left === 0 ? [] : [`${left} of another run not rolled back`]),
  ].join(', ');
}

/**
 * The error of an upgrade that did not end well. Unknown outcomes rank above failures (16 before 10). Ctrl-C keeps its
 * own code. `undo` rolls back what the result leaves elsewhere.
 */
export function failureOfUpgrade(
  result: UpgradeResult,
  { stop, undo }: { readonly stop: AbortSignal; readonly undo: readonly string[] },
  ignoreFailures: boolean,
): CliError | undefined {
  const { summary, pipelines, retry } = result;
  const failed = pipelines.filter(({ state }) => state === 'failed' || state === 'blocked' || state === 'unknown');
  const folders = new Set(pipelines.flatMap(({ errorFile }) => (errorFile === undefined ? [] : dirname(errorFile))));
  const blocked = failed.filter(({ state }) => state === 'blocked').length;
  const isBlockedOnly = blocked > 0 && blocked === failed.length && summary.notRun === 0;
  const details = {
    item: result,
    lines: failureLines(failed),
    hints: [
      ...[...folders].map((folder) => `for the reasons, see ${join(folder, 'index.json')}`),
      ...(retry === undefined ? [] : [isBlockedOnly ? `${retry}  # when the cause is resolved` : retry]),
      ...undo,
    ],
  };
  const left = countLeft(result);
  const sums = sumsText(result, left);
  if (pipelines.some(({ state }) => state === 'unknown'))
    return new CliError(
      'UNKNOWN_OUTCOME',
      `for some pipelines it is unknown whether the write was applied: ${sums}`,
      details,
    );
  const reason: unknown = stop.reason;
  if (result.state === 'cancelled' && reason instanceof CliError)
    return new CliError(reason.code, `${reason.message}: ${sums}`, details);
  // What was not tried is no failure that could be ignored: most of the work may be left.
  const counted = (ignoreFailures ? 0 : summary.failed) + summary.notRun + left;
  if (counted === 0) return undefined;
  return new CliError('PARTIAL', sums, details);
}
