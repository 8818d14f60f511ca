import { closest } from '../../core/closest.js';
import { CliError } from '../../core/errors.js';
import { visible } from '../escape.js';
import type { Look } from '../look.js';
import type { Cell, Column, ListParts, RenderOptions } from '../view-types.js';

/** The columns to write: those of `--fields` in that order, or all; a table leaves out the wide ones. */
export function chosenColumns<T>(parts: ListParts<T>, options: RenderOptions): readonly Column<T>[] {
  const { columns } = parts;
  if (options.fields === undefined)
    return options.format === 'table' ? columns.filter((column) => column.wide !== true) : columns;
  return options.fields.map((field) => {
    const found = columns.find((column) => column.key === field);
    if (found === undefined)
      throw unknownField(
        field,
        columns.map((column) => column.key),
      );
    return found;
  });
}

/** The members that `--fields` picks from a JSON item, checked against schema and columns. */
export function chosenMembers<T>(parts: ListParts<T>, options: RenderOptions): readonly string[] | undefined {
  const { fields } = options;
  const known = [...new Set([...Object.keys(parts.schema.shape), ...parts.columns.map((column) => column.key)])];
  for (const field of fields ?? []) if (!known.includes(field)) throw unknownField(field, known);
  return fields;
}

/** The upper-case heading of a column. */
export function heading<T>(column: Column<T>): string {
  return column.header ?? column.key.replace(/([a-z0-9])([A-Z])/gu, '$1 $2').toUpperCase();
}

/** A cell as people read it: one safe line, `-` for nothing. */
export function cellText(cell: Cell, look: Look, isDay = false): string {
  if (cell === undefined || cell === null || cell === '') return '-';
  if (cell instanceof Date) return timeText(cell, look).slice(0, isDay ? 10 : undefined);
  if (Array.isArray(cell)) return cell.length === 0 ? '-' : visible(cell.map(String).join(','));
  return visible(typeof cell === 'object' ? JSON.stringify(cell) : String(cell));
}

/**
 * A time as `2024-05-02 22:01`, in the local zone or with `--utc` in UTC and then marked with Z. Lines of a log have
 * seconds.
 */
export function timeText(time: Date, look: Look, precision: 'minutes' | 'seconds' = 'minutes'): string {
  if (Number.isNaN(time.getTime())) return '-';
  const local = new Date(time.getTime() - time.getTimezoneOffset() * 60_000);
  const text = (look.utc ? time : local)
    .toISOString()
    .slice(0, precision === 'seconds' ? 19 : 16)
    .replace('T', ' ');
  return look.utc ? `${text}Z` : text;
}

function unknownField(field: string, known: readonly string[]): CliError {
  const near = closest(field, known);
  return new CliError('USAGE', `unknown field "${visible(field)}" in --fields`, {
    lines: [`known: ${known.join(', ')}`],
    hints: near === undefined ? [] : [`--fields ${near}`],
  });
}
