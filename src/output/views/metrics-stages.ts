import * as z from 'zod/mini';
import type { StageCounts } from '../../services/metrics/stages.js';
import type { Look } from '../look.js';
import { thousands } from '../thousands.js';
import { view } from './view.js';
import { type Column, type ListResult, type View } from '../view-types.js';
import { renderList } from '../writers/list.js';

const value = z.union([z.number(), z.string()]);
const Stage = z.object({
  stage: z.string(),
  recordsIn: z.optional(value),
  recordsOut: z.optional(value),
  errors: z.optional(value),
  processTimeAvgMicros: z.optional(value),
});
const parts = {
  kind: 'StageMetricsList',
  none: 'no stages with metrics found',
  schema: Stage,
  name: ({ stage }: StageCounts): string => stage,
};

/** Microseconds for people, from a thousand on in milliseconds; what is no number as it is. */
function shortTime(micros: number | string | undefined, { unicode }: Look): string | undefined {
  if (typeof micros !== 'number') return micros;
  if (micros >= 1000) return `${(micros / 1000).toFixed(1)} ms`;
  return `${micros.toFixed(micros > 0 && micros < 10 ? 1 : 0)} ${unicode ? 'µs' : 'us'}`;
}

function columnsFor(look: Look): readonly Column<StageCounts>[] {
  return [
    { key: 'stage', value: ({ stage }) => stage },
    { key: 'recordsIn', align: 'right', value: ({ recordsIn }) => thousands(recordsIn, look) },
    { key: 'recordsOut', align: 'right', value: ({ recordsOut }) => thousands(recordsOut, look) },
    {
      key: 'errors',
      align: 'right',
      value: ({ errors }) => thousands(errors, look),
      style: ({ errors }) => (errors === 0 || errors === undefined ? undefined : 'red'),
    },
    {
      key: 'processTimeAvgMicros',
      header: 'TIME (AVG)',
      align: 'right',
      value: ({ processTimeAvgMicros }) => shortTime(processTimeAvgMicros, look),
    },
  ];
}

const plainColumns: readonly Column<StageCounts>[] = columnsFor({
  terminal: false,
  color: false,
  columns: undefined,
  unicode: false,
  utc: false,
}).map((column) =>
  column.key === 'processTimeAvgMicros'
    ? { ...column, value: ({ processTimeAvgMicros }) => processTimeAvgMicros }
    : column,
);

/**
 * Shows what every stage of a pipeline has counted. Times have their unit in the table, and are microseconds
 * everywhere else.
 */
export const stageMetricsList: View<ListResult<StageCounts>> = {
  ...view<typeof Stage, StageCounts>({ ...parts, columns: plainColumns }),
  render(result, options) {
    const columns = options.format === 'csv' ? plainColumns : columnsFor(options.look);
    return renderList({ ...parts, columns }, result, options);
  },
};
