import type { ReportRecord } from '../../services/reports/record.js';
import { lengthText, momentText } from '../clock-text.js';
import { visible } from '../escape.js';
import type { Look } from '../look.js';
import type { Cell, Column, RenderOptions } from '../view.js';
import { cut } from '../width.js';

/** What a person asks for first, and what gives way first; what is in neither stands between. */
const FIRST: readonly string[] = ['applicationName', 'status', 'start', 'duration', 'user'];
const LAST: readonly string[] = ['namespace', 'run', 'programType', 'program'];
/** Columns that tell nothing once they are cut, and what they take. */
const WHOLE: ReadonlyMap<string, number> = new Map([
  ['status', 9],
  ['start', 14],
  ['running', 14],
  ['end', 14],
  ['duration', 8],
  ['run', 36],
]);
/** What the others take, roughly: which of them are shown is settled before the first record comes. */
const SOFT: ReadonlyMap<string, number> = new Map([
  ['programType', 8],
  ['user', 6],
  ['program', 16],
]);
const LEAST_NAME = 20;
const OTHER = 12;
const GAP = 2;

const takes = (name: string): number =>
  GAP + (name === 'applicationName' ? LEAST_NAME : (WHOLE.get(name) ?? SOFT.get(name) ?? OTHER));

/** The names that a terminal of so many characters has room for, the most wanted first. */
function fitting(names: readonly string[], room: number, hasSeveral: boolean): ReadonlySet<string> {
  const first = hasSeveral ? ['namespace', ...FIRST] : FIRST;
  const between = names.filter((name) => !first.includes(name) && !LAST.includes(name));
  const shown = new Set<string>();
  let left = room + GAP;
  for (const name of new Set([...first, ...between, ...LAST])) {
    if (!names.includes(name) || takes(name) > left) continue;
    shown.add(name);
    left -= takes(name);
  }
  return shown;
}

/** The columns of records as a terminal has room for them: short times, lengths of time in two units; what does not fit is left to `wide` and `--fields`, and the name of a pipeline is cut only where it alone is too long. */
export function terminalColumns(
  columns: readonly Column<ReportRecord>[],
  { look, fields }: RenderOptions,
  hasSeveral: boolean,
): readonly Column<ReportRecord>[] {
  const room = look.columns ?? Infinity;
  const names = columns.map(({ key }) => key);
  const shown = fields === undefined ? fitting(names, room, hasSeveral) : new Set(fields);
  // The first column is never cut either.
  const first = fields === undefined ? names.find((name) => shown.has(name)) : fields[0];
  const beside = [...shown].filter((name) => name !== 'applicationName' && (name === first || WHOLE.has(name)));
  const longest = Math.max(LEAST_NAME, room - beside.reduce((sum, name) => sum + takes(name), 0));
  return columns.map((column) => ({
    ...column,
    value: (record) => shortCell(column, record, longest, look),
    wide: !shown.has(column.key),
    whole: WHOLE.has(column.key) || column.key === 'applicationName',
  }));
}

function shortCell({ key, value }: Column<ReportRecord>, record: ReportRecord, longest: number, look: Look): Cell {
  const raw = record[key];
  if (key === 'applicationName' && typeof raw === 'string')
    return cut(visible(raw), longest, look.unicode ? '…' : '...');
  if (typeof raw !== 'number') return value(record);
  if (key === 'duration') return lengthText(raw);
  return key === 'start' || key === 'running' || key === 'end' ? momentText(raw, look, true) : value(record);
}
