import { partsOf } from '../../core/collections.js';
import { extname } from 'node:path';
import { CliError } from '../../core/errors.js';
import { formatOf } from '../../cli/line/argv.js';
import type { Format } from '../../output/format.js';
import type { RenderOptions } from '../../output/view-types.js';
import { leftOutText } from '../../output/writers/fit-columns.js';
import type { RecordRange } from '../../services/reports/source/source.js';
import { commandLine, connectionWords } from '../../cli/line/command-line.js';
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

/** Reads the flags of a command that writes records. A file without a format gets that of its extension. */
export function deliveryOf(
  flags: DeliveryFlags,
  { argv, env, terminal }: Pick<Session, 'argv' | 'env' | 'terminal'>,
): Delivery {
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
      fields: flags.fields === undefined ? undefined : partsOf(flags.fields),
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
  throw new CliError('USAGE', `${file}: unknown extension ${extension}; use ${known}`, {
    hints: [`name it ${file.slice(0, -extension.length)}.csv`, 'to write csv to a file with any name: -o csv'],
  });
}

/** The command that downloads a report with the same options, and continues a partial file. */
export function downloadCommand(id: string, { file, existing, options }: Delivery, argv: readonly string[]): string {
  const { format, fields, header = true, csvRaw = false } = options;
  return commandLine([
    ...['report', 'download', id],
    ...(file === undefined ? [] : ['-O', file]),
    ...['-o', format],
    ...(fields === undefined ? [] : ['--fields', fields.join(',')]),
    ...(header ? [] : ['--no-headers']),
    ...(csvRaw ? ['--csv-raw'] : []),
    ...(existing === 'replace' ? ['--clobber'] : []),
    ...connectionWords(argv),
  ]);
}

/** Says which command about a report comes next. */
export function tellNext(words: readonly string[], { argv, terminal }: Pick<Session, 'argv' | 'terminal'>): void {
  terminal.tell(`next: ${commandLine(['report', ...words, ...connectionWords(argv)])}`);
}

function refusePointless(flags: DeliveryFlags): void {
  const pointless = (['clobber', 'skip-existing', 'keep-partial'] as const).filter((name) => flags[name] === true);
  if (pointless.length > 0) throw new CliError('USAGE', `--${pointless.join(' and --')} needs a file: -O FILE`);
}
