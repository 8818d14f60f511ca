import type { ShownReport } from '../../output/views/report/report.js';
import type { ListedReport } from '../../output/views/report/list.js';
import { CliError } from '../../core/errors.js';
import type { WaitDeps } from '../../services/reports/service/service-ready.js';
import { localReports } from '../../services/reports/runs/local-source.js';
import { newestFirst } from '../../services/reports/source/newest-first.js';
import {
  lazyPlatformReports,
  platformReports,
  type PlatformReports,
} from '../../services/reports/platform/platform-source.js';
import { entriesOf, resolveReport, type FoundReport } from '../../services/reports/resolve.js';
import { isSaved } from '../../services/reports/platform/save.js';
import type { ReportDetail, ReportEntry, ReportSource } from '../../services/reports/source/source.js';
import { shortId } from '../../services/reports/platform/wait.js';
import type { CommandContext, PlatformPlace } from '../../cli/context-types.js';
import type { Session } from '../../cli/session.js';
import { hintText } from '../../output/next-steps.js';
import { withOneMeant, type ChoiceDeps } from '../one-meant.js';
import { targetLine, whereOf } from '../target-line.js';
import type { ReportRequest } from '../../services/reports/request/request.js';
import { wantedValues } from '../../services/reports/runs/known-namespaces.js';

/**
 * The reports of a platform: those that it keeps, and those that this machine has made of its runs. The platform is
 * asked for where one of its own is wanted.
 */
export interface KnownReports {
  /** All of them, the platform first. */
  readonly sources: readonly ReportSource[];
  readonly watching: WaitDeps;
  readonly choosing: ChoiceDeps;
  readonly open: () => Promise<PlatformPlace>;
}

/** The same with the platform, for what changes it or makes a report of its runs. */
export interface OpenReports extends KnownReports {
  readonly target: PlatformPlace;
  readonly platform: PlatformReports;
}

type ReportsSession = ChoiceDeps['session'] & Pick<Session, 'clock'>;
type ReportsContext = Pick<CommandContext, 'asker' | 'emit' | 'platform' | 'platformAddress' | 'stateFolder'>;

/**
 * The sources of reports: the platform of the command line and this machine. Local reports are available even if the
 * platform is gone.
 */
export function knownReports(context: ReportsContext, session: ReportsSession): KnownReports {
  const watching = { clock: session.clock, emit: context.emit };
  const open = (): Promise<PlatformPlace> => context.platform();
  return {
    sources: [
      lazyPlatformReports(async () => (await open()).platform, watching),
      localReports(context.stateFolder, context.platformAddress(), watching.emit),
    ],
    watching,
    choosing: { context, session },
    open,
  };
}

/** Opens the reports of the platform of the line. */
export async function openReports(context: ReportsContext, session: ReportsSession): Promise<OpenReports> {
  const reports = knownReports(context, session);
  const target = await reports.open();
  const platform = platformReports(target.platform, reports.watching);
  return { ...reports, target, platform, sources: [platform, ...reports.sources.slice(1)] };
}

/**
 * The report that a word of the line stands for. The word is an argument, or the value of `flag`; a person chooses
 * among several.
 */
export const meantReport = (
  text: string,
  { sources, choosing }: Pick<KnownReports, 'sources' | 'choosing'>,
  signal: AbortSignal,
  flag?: string,
): Promise<FoundReport> => withOneMeant(text, (word) => resolveReport(word, sources, signal), choosing, flag);

/** The same with a warning where it is one of this machine because the service of the platform is off. */
export async function findReport(
  text: string,
  reports: Pick<KnownReports, 'sources' | 'watching' | 'choosing'>,
  signal: AbortSignal,
  flag?: string,
): Promise<FoundReport> {
  const { watching } = reports;
  const found = await meantReport(text, reports, signal, flag);
  if (found.off !== undefined) warnOff(found.off, `using the newest local report, ${ownId(found)}`, watching);
  return found;
}

function warnOff({ code, message }: CliError, what: string, { emit }: WaitDeps): void {
  emit({ type: 'warning', code, message: `${message}; ${what}` });
}

function noneHere({ details: { hints = [] } }: CliError): string {
  return ['there are no local reports either', ...hints.map((hint) => `try ${hintText(hint)}`)].join('; ');
}

/**
 * The id of a report of one's own.
 * @throws USAGE for one that was shared, which only its owner can change
 */
export function ownId({ ref }: FoundReport): string {
  if ('id' in ref) return ref.id;
  throw new CliError('USAGE', 'a shared report is read-only; use the ID of one of your reports', {
    hints: ['cdapctl report list'],
  });
}

/**
 * The reports of all sources, newest first. A service that is off is a warning, without any report only where it
 * `mayBeOff`.
 */
export async function listAll(
  { sources, watching }: Pick<KnownReports, 'sources' | 'watching'>,
  signal: AbortSignal,
  mayBeOff = false,
): Promise<readonly (ReportEntry & { readonly source: ReportSource })[]> {
  const { entries, failure: off } = await entriesOf(sources, signal);
  const all = entries.map(({ entry, source }) => ({ ...entry, source }));
  if (off !== undefined && all.length === 0 && !mayBeOff) throw off;
  if (off !== undefined) warnOff(off, all.length === 0 ? noneHere(off) : 'listing local reports only', watching);
  return all.sort(newestFirst);
}

/** A report as lists show it. */
export function listed(entry: ReportEntry, { clock }: Pick<Session, 'clock'>): ListedReport {
  return { ...entry, saved: isSaved(entry), short: shortId(entry.id), now: clock.now() };
}

/** A report as it is shown by itself. */
export function shownReport(detail: ReportDetail, onlySummary = false): ShownReport {
  return { ...detail, saved: isSaved(detail), onlySummary };
}

/** Says on stderr which platform is asked, and of a new report the namespaces. */
export function tellTarget(
  { target }: Pick<OpenReports, 'target'>,
  { terminal }: Pick<Session, 'terminal'>,
  request?: ReportRequest,
): void {
  terminal.tell(targetLine({ ...target, where: request && whereOf(wantedValues(request, 'namespace')) }));
}
