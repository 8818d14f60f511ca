import { createReadStream } from 'node:fs';
import { extname, join } from 'node:path';
import { CliError } from '../../core/errors.js';
import { formatOf } from '../../cli/argv.js';
import { isMachineFormat, type Format } from '../../output/format.js';
import type { RenderOptions } from '../../output/view-types.js';
import { fileLine, reportDownload, type ReportFile } from '../../output/views/report/download.js';
import {
  checkRecordColumns,
  recordColumns,
  reportRecords,
  type ReportRecords,
} from '../../output/views/report/records.js';
import { leftOutText } from '../../output/writers/fit-columns.js';
import { isThere } from '../../services/catalog/download/place.js';
import { allRecords, type ReadyReport } from '../../services/reports/download.js';
import { recordsIn } from '../../services/reports/platform/page-order.js';
import { checkFile, saveRecords, type ResumeRule } from '../../services/reports/save-records.js';
import type { RecordRange } from '../../services/reports/source.js';
import { commandLine } from '../../cli/command-line.js';
import type { CommandContext } from '../../cli/context-types.js';
import type { Session } from '../../cli/session.js';

/** What the line says about where records go, which, and how they are written. */
export interface DeliveryFlags {
  readonly 'out-file'?: string | undefined;
  readonly output?: string | undefined;
  readonly json?: boolean | undefined;
  readonly fields?: string | undefined;
  readonly 'no-headers'?: boolean | undefined;
  readonly 'no-header'?: boolean | undefined;
  readonly 'csv-raw'?: boolean | undefined;
  readonly clobber?: boolean | undefined;
  readonly 'skip-existing'?: boolean | undefined;
  readonly resume?: boolean | undefined;
  readonly 'keep-partial'?: boolean | undefined;
  readonly offset?: number | undefined;
  readonly limit?: number | undefined;
}

/** Where the records of a report go, and how. */
export interface Delivery {
  /** Undefined = stdout. */
  readonly file: string | undefined;
  readonly existing: 'refuse' | 'replace' | 'keep';
  readonly resume: boolean;
  readonly keepPartial: boolean;
  readonly range: RecordRange;
  readonly options: RenderOptions;
  /** The command that goes on after a cut; undefined: the same one again. */
  readonly goOn?: string | undefined;
}

/** What a delivery needs of the run. */
export interface DeliverDeps {
  readonly session: Session;
  readonly context: Pick<CommandContext, 'emit' | 'scratch'>;
}

const EXTENSIONS: Readonly<Record<string, Format>> = {
  '.csv': 'csv',
  '.json': 'json',
  '.ndjson': 'ndjson',
  '.jsonl': 'ndjson',
  '.yaml': 'yaml',
  '.yml': 'yaml',
};
/** Extensions of files that a table may be written to unasked. */
const PLAIN: readonly string[] = ['', '.txt'];
/** As in a pipe: nothing is cut, coloured or escaped for a terminal. */
const IN_A_FILE = { terminal: false, color: false, columns: undefined, unicode: true } as const;

/** Reads the flags of a command that writes records; a file without a format gets that of its extension. */
export function deliveryOf(flags: DeliveryFlags, { argv, env, terminal }: Session): Delivery {
  const path = flags['out-file'];
  const file = path === '-' ? undefined : path;
  if (file === undefined) refusePointless(flags);
  const told = flags.json === true || flags.output !== undefined;
  const asked = formatOf(argv, env);
  const format = told || file === undefined ? asked : formatOfFile(file, asked);
  return {
    file,
    existing: flags.clobber === true ? 'replace' : flags['skip-existing'] === true ? 'keep' : 'refuse',
    resume: flags.resume !== false,
    keepPartial: flags['keep-partial'] === true,
    range: { offset: flags.offset ?? 0, limit: flags.limit },
    options: {
      format,
      look: file === undefined ? terminal.stdout : { ...IN_A_FILE, utc: terminal.stdout.utc },
      fields: flags.fields?.split(',').map((field) => field.trim()),
      header: flags['no-headers'] !== true && flags['no-header'] !== true,
      csvRaw: flags['csv-raw'] === true,
      warnings: () => terminal.warnings,
      onLeftOut: (columns) => {
        terminal.tell(leftOutText(columns));
      },
    },
  };
}

function formatOfFile(file: string, asked: Format): Format {
  const extension = extname(file).toLowerCase();
  const format = EXTENSIONS[extension] ?? asked;
  if (format !== 'table' || PLAIN.includes(extension)) return format;
  const known = Object.keys(EXTENSIONS).join(', ');
  throw new CliError('USAGE', `${file}: no format has the extension ${extension}; there are ${known}`, {
    hints: [`name it ${file.slice(0, -extension.length)}.csv`, '-o csv writes csv under any name'],
  });
}

/** The command that delivers the records of a report in the same way, and goes on with what is left of that. */
export function downloadCommand(id: string, { file, existing, options }: Delivery): string {
  const { format, fields, header = true, csvRaw = false } = options;
  return commandLine([
    ...['report', 'download', id],
    ...(file === undefined ? [] : ['-O', file]),
    ...['-o', format],
    ...(fields === undefined ? [] : ['--fields', fields.join(',')]),
    ...(header ? [] : ['--no-headers']),
    ...(csvRaw ? ['--csv-raw'] : []),
    ...(existing === 'replace' ? ['--clobber'] : []),
  ]);
}

/** Looks at the place of the file before anything is asked of the network; the file when it is there and is to be kept (docs/faults.md L04, L09, L10). */
export async function checkPlace({ file, existing }: Delivery): Promise<ReportFile | undefined> {
  if (file === undefined) return undefined;
  if (existing === 'keep' && isThere(file)) return { file, state: 'kept' };
  await checkFile(file, existing === 'replace');
  return undefined;
}

/** Writes the records of a report to stdout, or to the file, which it answers then. */
export async function deliver(
  ready: ReadyReport,
  delivery: Delivery,
  deps: DeliverDeps,
  signal: AbortSignal,
): Promise<ReportFile | undefined> {
  const { range, options, file } = delivery;
  checkRecordColumns(ready.detail.request.fields, options);
  const textFrom = (record: number): AsyncIterable<string> => {
    const rest = restOf(range, record);
    const records: ReportRecords = {
      pages: allRecords(ready, rest, deps.context.emit, signal),
      fields: ready.detail.request.fields,
      range,
      total: ready.total,
      namespaces: ready.detail.summary?.namespaces.length,
      before: record,
    };
    return reportRecords.render(records, record === 0 ? options : { ...options, header: false });
  };
  if (file !== undefined) return deliverFile(file, ready, delivery, textFrom, signal);
  await (options.format === 'json'
    ? writeWhole(textFrom(0), deps, signal)
    : writeAsItComes(textFrom(0), deps.session.terminal));
  return undefined;
}

async function deliverFile(
  file: string,
  ready: ReadyReport,
  { existing, resume, keepPartial, range, options, goOn }: Delivery,
  textFrom: (record: number) => AsyncIterable<string>,
  signal: AbortSignal,
): Promise<ReportFile> {
  const rule = resume ? ruleOf(ready, range, options) : undefined;
  const saving = { path: file, overwrite: existing === 'replace', resume: rule, keepPartial, goOn };
  const { bytes, resumed } = await saveRecords(textFrom, saving, signal);
  return {
    file,
    state: resumed > 0 ? 'resumed' : 'downloaded',
    format: options.format,
    report: ready.detail.id,
    records: recordsIn(range, ready.total),
    columns: options.fields ?? recordColumns(ready.detail.request.fields, options.format),
    bytes,
  };
}

/** Only formats whose rows can be counted in what is left, and only the very same report. */
function ruleOf(
  { source, ref, detail, total }: ReadyReport,
  range: RecordRange,
  options: RenderOptions,
): ResumeRule | undefined {
  const { format, header = true } = options;
  if (format !== 'csv' && format !== 'ndjson') return undefined;
  const { fields, csvRaw } = options;
  const columns = fields ?? recordColumns(detail.request.fields, format);
  return {
    address: JSON.stringify([source.engine, ref, format, columns, header, csvRaw, range]),
    tag: JSON.stringify([total, detail.summary?.creationTimeMillis]),
    format,
    header: format === 'csv' && header,
    records: recordsIn(range, total),
  };
}

function restOf({ offset, limit }: RecordRange, record: number): RecordRange {
  return { offset: offset + record, limit: limit === undefined ? undefined : limit - record };
}

async function writeAsItComes(texts: AsyncIterable<string>, terminal: Session['terminal']): Promise<void> {
  for await (const text of texts) {
    if (terminal.closed) return;
    await terminal.write(text);
  }
}

/** One document on stdout, success or failure: it is whole before its first byte is written, and never in memory as a whole. */
async function writeWhole(
  texts: AsyncIterable<string>,
  { session, context }: DeliverDeps,
  signal: AbortSignal,
): Promise<void> {
  const path = join(await context.scratch(), 'records.json');
  const saving = { path, overwrite: true, resume: undefined, keepPartial: false, passing: true };
  await saveRecords(() => texts, saving, signal);
  for await (const piece of createReadStream(path)) {
    if (session.terminal.closed) return;
    await session.terminal.write(Buffer.from(piece));
  }
}

/** Says what became of the file: as a document where programs read stdout, else in a line. `--fields` are those of the records. */
export async function tellFile(file: ReportFile, { argv, env, terminal }: Session): Promise<void> {
  const format = formatOf(argv, env);
  if (!isMachineFormat(format)) {
    terminal.tell(fileLine(file));
    return;
  }
  const options = { format, look: terminal.stdout, warnings: () => terminal.warnings };
  await writeAsItComes(reportDownload.render(file, options), terminal);
}

function refusePointless(flags: DeliveryFlags): void {
  const pointless = (['clobber', 'skip-existing', 'keep-partial'] as const).filter((name) => flags[name] === true);
  if (pointless.length > 0) throw new CliError('USAGE', `--${pointless.join(' and --')} needs a file: -O FILE`);
}
