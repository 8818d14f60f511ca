import type { RunFact } from '../run-fact.js';
import type { ReportField } from './report-fields.js';
import type { RunSource } from './report-selection.js';

/** The order in which records have their members. */
const ORDER =
  'run duration program running programType applicationVersion numRecordsOut artifactVersion applicationName artifactName startMethod numLogErrors status end start runtimeArgs user numLogWarnings namespace artifactScope'.split(
    ' ',
  );

/** Which part of a report is asked for. */
export interface PageRange {
  readonly offset: number;
  readonly limit: number;
}

/** A page of a report as the service prints it: with blanks behind colons and commas, and nulls (contract 1.8). */
export function pageText(
  runs: RunSource,
  { offset, limit }: PageRange,
  wanted: readonly string[],
  fields: ReadonlyMap<string, ReportField>,
): string {
  const write = recordWriter(wanted, fields);
  const end = Math.min(runs.count, offset + limit);
  let details = '';
  for (let place = offset; place < end; place++) {
    const run = runs.runAt(place);
    if (run !== undefined) details += place === offset ? write(run) : `, ${write(run)}`;
  }
  return `{"offset":${offset}, "limit":${limit}, "total":${runs.count}, "details":[${details}]}`;
}

/** Prints the fields that were asked for, and the program. */
function recordWriter(wanted: readonly string[], fields: ReadonlyMap<string, ReportField>): (run: RunFact) => string {
  const quoted = new Map<string, string>();
  const quote = (text: string): string => {
    const known = quoted.get(text);
    if (known !== undefined) return known;
    const made = JSON.stringify(text);
    quoted.set(text, made);
    return made;
  };
  const members = ORDER.filter((name) => name === 'program' || wanted.includes(name)).map((name, index) => {
    return { head: `${index === 0 ? '{' : ', '}"${name}": `, write: memberWriter(name, fields, quote) };
  });
  return (run) => {
    let text = '';
    for (const { head, write } of members) text += head + write(run);
    return `${text}}`;
  };
}

function memberWriter(
  name: string,
  fields: ReadonlyMap<string, ReportField>,
  quote: (text: string) => string,
): (run: RunFact) => string {
  if (name === 'runtimeArgs') return ({ runtimeArguments }) => argumentsText(runtimeArguments, quote);
  if (name === 'run') return ({ id }) => JSON.stringify(id);
  const read = fields.get(name)?.read;
  return (run) => {
    const value = read?.(run);
    if (value === undefined) return 'null';
    return typeof value === 'string' ? quote(value) : String(value);
  };
}

function argumentsText(values: RunFact['runtimeArguments'], quote: (text: string) => string): string {
  let text = '';
  for (const name in values) {
    const value = values[name] ?? '';
    const written = name === 'logical.start.time' ? JSON.stringify(value) : quote(value);
    text += `${text === '' ? '{' : ', '}${quote(name)}: ${written}`;
  }
  return text === '' ? '{}' : `${text}}`;
}
