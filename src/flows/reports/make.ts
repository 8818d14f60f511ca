import { counted } from '../../core/counted.js';
import { CliError } from '../../core/errors.js';
import { formatTime } from '../../core/time.js';
import { visible } from '../../output/escape.js';
import {
  chooseEngine,
  missesRuns,
  reportsEmpty,
  type EngineChoice,
  type EngineName,
} from '../../services/reports/choose-engine.js';
import { generateReport } from '../../services/reports/platform/generate.js';
import { checkApplications } from '../../services/reports/runs/known-applications.js';
import { checkNamespaces } from '../../services/reports/runs/known-namespaces.js';
import type { ReportRequest } from '../../services/reports/request/request.js';
import type { FoundReport } from '../../services/reports/resolve.js';
import { makeReportFromRuns } from '../../services/reports/runs/runs-report.js';
import type { ReportDetail, ReportEngine } from '../../services/reports/source.js';
import { PATIENCE, stateWords, waitForReport, type Patience } from '../../services/reports/platform/wait.js';
import type { CommandContext } from '../../cli/context-types.js';
import { protectingContexts } from '../../cli/consent.js';
import { withHints } from '../../cli/connection-hints.js';
import type { KnownReports, OpenReports } from './sources.js';
import { writing } from '../run-lock.js';
import type { Session } from '../../cli/session.js';

/** What makes a report: where, by whom, and whether it is waited for. */
export interface MakeOptions {
  readonly context: Pick<CommandContext, 'consent' | 'found' | 'stateFolder'>;
  readonly session: Pick<Session, 'clock' | 'signal' | 'terminal' | 'writing'>;
  readonly reports: OpenReports;
  readonly request: ReportRequest;
  readonly engine: EngineName;
  /** Undefined: the platform is not waited for. */
  readonly patience: Patience | undefined;
  /** The context that `--confirm` names. */
  readonly confirm: string | undefined;
}

/** A report that was asked for; `detail` once it is COMPLETED. */
export interface MadeReport {
  readonly id: string;
  readonly engine: ReportEngine;
  readonly found: FoundReport;
  readonly detail?: ReportDetail | undefined;
}

/** How long the line wants to wait. */
export function patienceOf({
  timeout,
  interval,
}: {
  readonly timeout?: number | undefined;
  readonly interval?: number | undefined;
}): Patience {
  return { timeout: timeout ?? PATIENCE.timeout, interval: Math.max(interval ?? PATIENCE.interval, 100) };
}

/** Makes a report with the engine that is wanted, or that fits, and says which; REPORTS_EMPTY instead of an empty answer of a service that misses runs. */
export async function makeReport(options: MakeOptions): Promise<MadeReport> {
  const { session } = options;
  await checkNamed(options);
  const { engine, why, doubt } = await engineFor(options);
  if (why !== undefined)
    session.terminal.tell(
      `note: generated ${engine === 'runs' ? 'locally from run records' : 'by the platform'}, because ${why}`,
    );
  if (doubt !== undefined) session.terminal.warn('REPORTS_LATE', doubt);
  return engine === 'runs' ? makeFromRuns(options) : makeByPlatform(options);
}

/** The engine of a report; what nobody confirmed leaves nothing on the platform of a protected context. */
async function engineFor({ engine, confirm, context, reports, request, session }: MakeOptions): Promise<EngineChoice> {
  const { platform, url } = reports.target;
  const [guard] = protectingContexts(context.found, url);
  if (engine === 'auto' && guard !== undefined && confirm === undefined)
    return { engine: 'runs', why: `context ${visible(guard)} is protected (--engine platform wants its name)` };
  const question = { wanted: engine, filters: request.filters, end: request.end, now: session.clock.now() };
  return chooseEngine(question, platform, session.signal);
}

/** A namespace or application that is not there is only doubted where the platform's own service is wanted, which knows the runs of those that were deleted. */
async function checkNamed({ engine, reports, request, session }: MakeOptions): Promise<void> {
  const { platform } = reports.target;
  try {
    await checkNamespaces(platform, request, session.signal);
    await checkApplications(platform, request, session.signal);
  } catch (error) {
    if (engine !== 'platform' || !(error instanceof CliError) || error.code !== 'NOT_FOUND') throw error;
    session.terminal.warn(error.code, `${visible(error.message)}, unless it was deleted`);
  }
}

async function makeByPlatform(options: MakeOptions): Promise<MadeReport> {
  const { reports, request, patience, session, engine, context } = options;
  const { platform, watching, target } = reports;
  await context.consent.ask({ deed: 'make a report', target, isHarmless: true });
  const id = await writing(session, 'cdapctl report list', () =>
    generateReport(platform, request, watching, session.signal),
  );
  const found: FoundReport = { source: platform, ref: { id } };
  if (patience === undefined) return { id, engine: 'platform', found };
  const detail = await awaitReport(found, patience, reports, session);
  if (!(await isMissing(detail, reports, session))) return { id, engine: 'platform', found, detail };
  if (engine !== 'auto') throw reportsEmpty(id);
  const { message } = reportsEmpty(id);
  watching.emit({
    type: 'warning',
    code: 'REPORTS_EMPTY',
    message: `${message}; the report is generated locally from run records`,
  });
  return makeFromRuns(options);
}

async function makeFromRuns({ context, session, reports, request }: MakeOptions): Promise<MadeReport> {
  const { clock, signal } = session;
  const { target, sources, watching } = reports;
  const deps = { stateFolder: context.stateFolder, clock, emit: watching.emit };
  const detail = await makeReportFromRuns(target.platform, request, deps, signal);
  const source = sources.find(({ engine }) => engine === 'runs');
  if (source === undefined || detail.id === undefined)
    throw new CliError('INTERNAL', 'a report was made that is kept nowhere');
  const { id } = detail;
  const found: FoundReport = { source, ref: { id } };
  return { id, engine: 'runs', found, detail };
}

/** Waits until a report is COMPLETED, and lets an end of the wait name the command that goes on. */
export async function awaitReport(
  { source, ref }: FoundReport,
  patience: Patience,
  reports: Pick<KnownReports, 'watching'>,
  { signal }: Pick<Session, 'signal'>,
): Promise<ReportDetail> {
  try {
    return await waitForReport({ source, ref }, patience, reports.watching, signal);
  } catch (error) {
    if (!signal.aborted || !(signal.reason instanceof CliError)) throw error;
    const word = 'id' in ref ? ref.id : `share:${ref.shareId}`;
    throw withHints(signal.reason, [`the platform continues making the report: cdapctl report wait ${word}`]);
  }
}

/** Whether a report of the platform is empty although there were runs; who may not look at them is not told. */
export async function isMissing(
  detail: ReportDetail,
  { open }: Pick<KnownReports, 'open'>,
  { clock, signal }: Pick<Session, 'clock' | 'signal'>,
): Promise<boolean> {
  if (detail.engine !== 'platform' || detail.status !== 'COMPLETED') return false;
  try {
    return await missesRuns((await open()).platform, detail, clock, signal);
  } catch (error) {
    if (error instanceof CliError && error.code === 'FORBIDDEN') return false;
    throw error;
  }
}

/** Says that a report is finished, for commands whose result are its records. */
export function tellDone(
  detail: ReportDetail,
  { ref }: FoundReport,
  { watching }: Pick<KnownReports, 'watching'>,
): void {
  const { status, summary, expiry } = detail;
  const expires = expiry === undefined ? '' : `, expires ${formatTime(expiry * 1000)}`;
  const runs = summary === undefined ? undefined : `${counted(summary.recordCount, 'run')}${expires}`;
  watching.emit({ type: 'state', what: visible(stateWords(detail, ref)), state: status, detail: runs });
}
