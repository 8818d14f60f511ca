import { addAbortSignal, type Readable } from 'node:stream';
import type { InferredFlags } from '@oclif/core/interfaces';
import { readTextFile } from '../config/read-text.js';
import { CliError } from '../core/errors.js';
import { parseJson } from '../core/json.js';
import { formatOf } from '../output/format.js';
import { buildRequest, WIDE_FIELDS, type RequestParts } from '../services/reports/build-request.js';
import type { ReportRequest } from '../services/reports/request.js';
import { commandWord } from '../services/reports/report-words.js';
import { goneReport } from '../services/reports/wait.js';
import type { CommandContext } from './context.js';
import type { requestFlags } from './flags/report.js';
import { findReport, openReports } from './report-sources.js';
import type { Session } from './session.js';

const LARGEST = 1024 * 1024;

/** The flags that say what a report is to hold. */
export type RequestFlags = InferredFlags<typeof requestFlags>;

/** The request that the line asks for, with the notes said; USAGE names all that is wrong. Only `--like` asks the platform anything. */
export async function requestOfLine(
  flags: RequestFlags,
  onLine: ReadonlySet<string>,
  context: CommandContext,
  session: Session,
): Promise<ReportRequest> {
  if (flags['all-namespaces'] && onLine.has('namespace'))
    throw new CliError('USAGE', '--all-namespaces and --namespace exclude each other');
  const base = await baseOf(flags, context, session);
  const isWide = formatOf(session.argv, session.env) === 'wide';
  const parts: RequestParts = {
    base,
    name: flags.name,
    start: flags.start,
    end: flags.end,
    last: flags.last,
    utc: session.terminal.stdout.utc,
    fields: flags['report-fields'] ?? flags.field ?? (isWide && base === undefined ? WIDE_FIELDS : undefined),
    filters: flags.filter,
    sorts: flags.sort,
    allPrograms: flags['all-programs'],
    values: {
      namespace: namespacesOf(flags, base !== undefined, onLine, context),
      applicationName: flags.pipeline,
      status: flags.status,
      programType: flags['program-type'],
      user: flags.user,
    },
  };
  const { request, notes } = buildRequest(parts, session.clock.now());
  for (const note of notes) session.terminal.tell(`note: ${note}`);
  return request;
}

/** What a file or another report wants stands unless the line says otherwise. */
function namespacesOf(
  { namespace, 'all-namespaces': all }: RequestFlags,
  hasBase: boolean,
  onLine: ReadonlySet<string>,
  { found }: CommandContext,
): readonly string[] | undefined {
  if (all) return [];
  if (hasBase) return onLine.has('namespace') ? namespace : undefined;
  const { namespace: setting } = found.settings;
  return namespace ?? (setting === undefined ? undefined : [setting.value]);
}

async function baseOf(flags: RequestFlags, context: CommandContext, session: Session): Promise<RequestParts['base']> {
  const { request: file, like } = flags;
  if (file !== undefined)
    return { what: file === '-' ? 'the request' : file, value: await readRequestFile(file, session.signal) };
  if (like === undefined) return undefined;
  const reports = await openReports(context, session);
  const { source, ref } = await findReport(like, reports, session.signal);
  const detail = await source.get(ref, session.signal);
  if (detail === undefined) throw goneReport(ref);
  // Its name tells what it holds, which may be something else now.
  return { what: `the request of ${commandWord(ref)}`, value: { ...detail.request, name: undefined } };
}

/** The bytes of a request that is piped in; refused like a file where it is too large. */
export async function readPiped(
  stream: Readable,
  wrong: (why: string) => CliError,
  signal: AbortSignal,
): Promise<Uint8Array> {
  const pieces: Uint8Array[] = [];
  let size = 0;
  try {
    const coming: AsyncIterable<Uint8Array | string> = addAbortSignal(signal, stream);
    for await (const piece of coming) {
      const bytes = Buffer.from(piece);
      size += bytes.length;
      if (size > LARGEST) throw wrong(`is larger than ${LARGEST} bytes`);
      pieces.push(bytes);
    }
  } catch (error) {
    signal.throwIfAborted();
    throw error;
  }
  return Buffer.concat(pieces);
}

async function readRequestFile(file: string, signal: AbortSignal): Promise<unknown> {
  const wrong = (why: string, cause?: unknown): CliError =>
    new CliError('USAGE', `the request ${file === '-' ? 'on stdin' : file} ${why}`, { cause, target: { file } });
  const bytes = file === '-' ? await readPiped(process.stdin, wrong, signal) : await readFileText(file, wrong);
  try {
    return parseJson(bytes, 'it');
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    throw wrong(`cannot be read: ${error.message}`, error);
  }
}

async function readFileText(file: string, wrong: (why: string) => CliError): Promise<Uint8Array> {
  const found = await readTextFile(file, LARGEST);
  if (found.kind === 'text') return Buffer.from(found.text);
  throw wrong(found.kind === 'absent' ? 'is not there' : found.why);
}
