import type { Condition } from '../../core/condition.js';
import { groupText, type FoundSeries } from './query.js';

/** A condition of `--fail-if` that holds: for which numbers. */
export interface HeldCondition {
  readonly condition: string;
  readonly found: readonly string[];
}

/** The sum of the points of a series; what cannot be added up is NaN. */
export function sumOf({ data }: Pick<FoundSeries, 'data'>): number {
  return data.reduce((sum, { value }) => sum + Number(value), 0);
}

/**
 * The conditions that hold for a series of their metric, whose points are added up. No series counts as 0, and what is
 * no number fails every condition.
 */
export function heldConditions(
  conditions: readonly Condition[],
  series: readonly FoundSeries[],
): readonly HeldCondition[] {
  return conditions.flatMap(({ text, name, holds }) => {
    const own = series.filter(({ metricName }) => metricName === name);
    const sums =
      own.length === 0 ? [{ group: '', sum: 0 }] : own.map((one) => ({ group: groupText(one), sum: sumOf(one) }));
    const found = sums
      .filter(({ sum }) => Number.isNaN(sum) || holds(sum))
      .map(({ group, sum }) => `${name} is ${sum}${group === '' ? '' : ` for ${group}`}`);
    return found.length === 0 ? [] : [{ condition: text, found }];
  });
}
