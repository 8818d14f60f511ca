import { CliError } from '../../core/errors.js';
import { parseJson } from '../../core/json/json.js';
import { fitsPattern } from '../../core/pipeline-pattern.js';
import { readTextFile } from '../../core/files/read-bounded.js';
import { readStdin } from '../../cli/terminal/terminal.js';
import type { Platform } from '../../platform/client.js';
import { formatOf } from '../../cli/line/argv.js';
import { buildRequest, WIDE_FIELDS, type RequestParts } from './build-request.js';
import { choosePipelines } from '../../services/reports/choose-pipelines.js';
import { wantedValues } from '../../services/reports/runs/known-namespaces.js';
import { readRequest } from '../../services/reports/request/read-request.js';
import type { ReportRequest } from '../../services/reports/request/request.js';
import { commandWord } from '../../services/reports/source/report-label.js';
import { goneReport } from '../../services/reports/platform/wait.js';
import type { CommandContext } from '../../cli/context-types.js';
import type { RequestFlags } from '../../flags/reports/report.js';
import { findReport, knownReports } from './sources.js';
import type { Session } from '../../cli/session.js';

const LARGEST = 1024 * 1024;

type RequestContext = Pick<CommandContext, 'asker' | 'emit' | 'found' | 'platform' | 'platformAddress' | 'stateFolder'>;
type RequestSession = Pick<Session, 'argv' | 'build' | 'clock' | 'env' | 'signal' | 'terminal'>;

/**
 * The request that the line asks for, with the notes said. Only `--like` and patterns of pipelines ask the platform
 * anything.
 * @throws USAGE names all that is wrong
 */
export async function requestOfLine(
  flags: RequestFlags,
  onLine: ReadonlySet<string>,
  context: RequestContext,
  session: RequestSession,
): Promise<ReportRequest> {
  if (flags['all-namespaces'] && onLine.has('namespace'))
    throw new CliError('USAGE', '--all-namespaces and --namespace cannot be used together');
  const base = await baseOf(flags, context, session);
  const namespace = namespacesOf(flags, base !== undefined, onLine, context);
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
    sorts: flags.sort === undefined ? undefined : [flags.sort],
    allPrograms: flags['all-programs'],
    values: {
      namespace,
      ...(await pipelinesOf(flags, { base, namespace, isNamed: onLine.has('namespace') }, context, session)),
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
  { found }: Pick<CommandContext, 'found'>,
): readonly string[] | undefined {
  if (all) return [];
  if (hasBase) return onLine.has('namespace') ? namespace : undefined;
  const { namespace: setting } = found.settings;
  return namespace ?? (setting === undefined ? undefined : [setting.value]);
}

/** What of a request is known when its pipelines are looked up. */
interface Around {
  readonly base: RequestParts['base'];
  readonly namespace: readonly string[] | undefined;
  /** Whether the line names the namespaces. */
  readonly isNamed: boolean;
}

/** Filters by pipelines. A pattern without a namespace is about those of the line, else of what it begins with. */
async function pipelinesOf(
  { pipeline: patterns }: RequestFlags,
  { base, namespace, isNamed }: Around,
  context: Pick<CommandContext, 'platform'>,
  { signal }: Pick<Session, 'signal'>,
): Promise<RequestParts['values']> {
  if (patterns === undefined) return {};
  const elsewhere = patterns.find((pattern) => isNamed && !mayBeIn(pattern, namespace ?? []));
  if (elsewhere !== undefined)
    throw new CliError('USAGE', `--pipeline ${elsewhere} is not in a selected namespace (-n)`);
  const within = namespace ?? (base === undefined ? [] : wantedValues(readRequest(base.value).request, 'namespace'));
  const platformOf = async (): Promise<Platform> => (await context.platform()).platform;
  return {
    ...(await choosePipelines({ patterns, within, boundTo: isNamed ? namespace : undefined }, platformOf, signal)),
  };
}

/** Whether a pattern can fit a pipeline of some namespaces. */
const mayBeIn = (pattern: string, namespaces: readonly string[]): boolean =>
  !pattern.includes('/') ||
  namespaces.some((name) => fitsPattern(pattern.replace(/\/.*$/u, '/*'), { namespace: name, name }));

async function baseOf(
  flags: RequestFlags,
  context: RequestContext,
  session: RequestSession,
): Promise<RequestParts['base']> {
  const { request: file, like } = flags;
  if (file !== undefined)
    return { what: file === '-' ? 'the request' : file, value: await readRequestFile(file, session.signal) };
  if (like === undefined) return undefined;
  const reports = knownReports(context, session);
  const { source, ref } = await findReport(like, reports, session.signal, 'like');
  const detail = await source.get(ref, session.signal);
  if (detail === undefined) throw goneReport(ref);
  // Its name tells what it holds, which may be something else now.
  return { what: `the request of ${commandWord(ref)}`, value: { ...detail.request, name: undefined } };
}

async function readRequestFile(file: string, signal: AbortSignal): Promise<unknown> {
  const wrong = (why: string, cause?: unknown): CliError =>
    new CliError('USAGE', `the request ${file === '-' ? 'on stdin' : file} ${why}`, { cause, target: { file } });
  const bytes = file === '-' ? await readStdin(signal, LARGEST, wrong) : await readFileText(file, wrong);
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
  if (found.kind === 'unusable') throw wrong(found.why);
  throw new CliError('LOCAL_IO', `the request ${file} does not exist`, { target: { file } });
}
