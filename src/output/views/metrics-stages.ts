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
  processTimeAvg: z.optional(value),
});
const parts = { kind: 'StageMetricsList', schema: Stage, name: ({ stage }: StageCounts): string => stage };

/** Microseconds in milliseconds for people; what is no number as it is. */
function milliseconds(micros: number | string | undefined): string | undefined {
  return typeof micros === 'number' ? `${(micros / 1000).toFixed(micros < 100 ? 2 : 1)} ms` : micros;
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
      key: 'processTimeAvg',
      header: 'TIME (AVG)',
      align: 'right',
      value: ({ processTimeAvg }) => milliseconds(processTimeAvg),
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
  column.key === 'processTimeAvg' ? { ...column, value: ({ processTimeAvg }) => processTimeAvg } : column,
);

/**
 * Shows what every stage of a pipeline has counted. Times are milliseconds in the table, microseconds everywhere else.
 */
export const stageMetricsList: View<ListResult<StageCounts>> = {
  ...view<typeof Stage, StageCounts>({ ...parts, columns: plainColumns }),
  render(result, options) {
    const columns = options.format === 'csv' ? plainColumns : columnsFor(options.look);
    return renderList({ ...parts, columns }, result, options);
  },
};
