import type { ReportRecord } from '../record.js';
import type { ReportRequest } from '../request/request.js';

const view = new DataView(new ArrayBuffer(8));

/**
 * The sort key of a record in a report made here: the requested field, then newest start first. Unknown values sort
 * below every number, as on the platform. Then come namespace, application and run.
 */
export function orderKey(record: ReportRecord, [sort]: NonNullable<ReportRequest['sort']> = []): string {
  const wanted = sort === undefined ? 0 : numberOf(record[sort.fieldName]);
  const key = sort?.order === 'DESCENDING' ? -wanted : wanted;
  const { namespace, applicationName, run } = record;
  return `${sortable(key)}${sortable(-numberOf(record['start']))}${JSON.stringify([namespace, applicationName, run])}`;
}

const numberOf = (value: unknown): number => (typeof value === 'number' ? value : -Infinity);

/** A number as 16 digits that sort as it does: its bits, those of negative ones turned round. */
function sortable(value: number): string {
  view.setFloat64(0, value + 0);
  const bits = view.getBigUint64(0);
  const turned = value < 0 ? BigInt.asUintN(64, ~bits) : bits | (1n << 63n);
  return turned.toString(16).padStart(16, '0');
}
