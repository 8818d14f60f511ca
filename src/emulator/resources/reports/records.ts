import type { RunFact } from '../../store/run-fact.js';
import type { ReportField } from './fields.js';
import type { RunSource } from '../../store/report-store.js';

/** The order in which records have their members. */
const ORDER =
  'run duration program running programType applicationVersion numRecordsOut artifactVersion applicationName artifactName startMethod numLogErrors status end start runtimeArgs user numLogWarnings namespace artifactScope'.split(
    ' ',
  );

/** Records that are written at once. */
const PIECE = 8;

/** Which part of a report is asked for. */
export interface PageRange {
  readonly offset: number;
  readonly limit: number;
}

/**
 * A page of a report as the service prints it, in UTF-8 (docs/platform.md 1.8). It has blanks after colons and commas,
 * and nulls.
 */
export function pageOf(
  runs: RunSource,
  { offset, limit }: PageRange,
  wanted: readonly string[],
  fields: ReadonlyMap<string, ReportField>,
): Buffer {
  const write = recordWriter(wanted, fields);
  const end = Math.min(runs.count, offset + limit);
  const bytes = new Bytes();
  let text = `{"offset":${offset}, "limit":${limit}, "total":${runs.count}, "details":[`;
  for (let place = offset; place < end; place++) {
    const run = runs.runAt(place);
    if (run === undefined) continue;
    text += place === offset ? write(run) : `, ${write(run)}`;
    if (place % PIECE === 0) {
      bytes.add(text);
      text = '';
    }
  }
  bytes.add(`${text}]}`);
  return bytes.all();
}

/** A growing buffer for a page: as one text, it would be several times as large, and slow to make. */
class Bytes {
  #room = Buffer.allocUnsafe(64 * 1024);
  #length = 0;

  add(text: string): void {
    const most = this.#length + 3 * text.length;
    if (most > this.#room.length) {
      const larger = Buffer.allocUnsafe(2 * most);
      this.#room.copy(larger, 0, 0, this.#length);
      this.#room = larger;
    }
    this.#length += this.#room.write(text, this.#length, 'utf8');
  }

  all(): Buffer {
    return this.#room.subarray(0, this.#length);
  }
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
