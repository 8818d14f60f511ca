import type { ReportRecord } from '../../../services/reports/source/record.js';
import { lengthText } from '../../../core/duration.js';
import { momentText } from '../../clock-text.js';
import type { Look } from '../../look.js';
import type { Cell, Column, RenderOptions } from '../../view-types.js';

/** What a person asks for: never left out before others are. */
const TELLING: readonly string[] = ['applicationName', 'status', 'start', 'duration'];
/** What gives way where a terminal is narrow, the highest first; what stands nowhere is between. */
const SPARE: ReadonlyMap<string, number> = new Map([
  ['program', 9],
  ['programType', 8],
  ['run', 7],
  ['end', 6],
  ['startMethod', 4],
  ['user', 3],
  ['namespace', 2],
]);
const BETWEEN = 5;
const FIRST_TO_GO = 10;
/** Columns that tell nothing once they are cut. */
const WHOLE: readonly string[] = ['status', 'start', 'running', 'end', 'duration', 'run'];

/**
 * The columns of records at a terminal: short times, and durations in two units. Also decides what is dropped when
 * there is not enough room; the namespace goes first if there is only one.
 */
export function terminalColumns(
  columns: readonly Column<ReportRecord>[],
  { look }: RenderOptions,
  hasSeveral: boolean,
): readonly Column<ReportRecord>[] {
  const spare = (name: string): number =>
    name === 'namespace' && !hasSeveral ? FIRST_TO_GO : (SPARE.get(name) ?? BETWEEN);
  return columns.map((column) => ({
    ...column,
    value: (record) => shortCell(column, record, look),
    ...(TELLING.includes(column.key) ? { telling: true } : { spare: spare(column.key) }),
    whole: WHOLE.includes(column.key),
  }));
}

function shortCell({ key, value }: Column<ReportRecord>, record: ReportRecord, look: Look): Cell {
  const raw = record[key];
  if (typeof raw !== 'number') return value(record);
  if (key === 'duration') return lengthText(raw);
  return key === 'start' || key === 'running' || key === 'end' ? momentText(raw, look, true) : value(record);
}
