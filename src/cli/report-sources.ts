import { visible } from '../output/escape.js';
import type { ShownReport } from '../output/views/report.js';
import type { ListedReport } from '../output/views/report-list.js';
import { CliError } from '../core/errors.js';
import type { Watching } from '../services/reports/answering.js';
import { localReports } from '../services/reports/local-source.js';
import { newestFirst } from '../services/reports/newest-first.js';
import { platformReports, type PlatformReports } from '../services/reports/platform.js';
import { resolveReport, type FoundReport } from '../services/reports/resolve.js';
import { isSaved } from '../services/reports/save.js';
import type { ReportDetail, ReportEntry, ReportSource } from '../services/reports/source.js';
import { shortId } from '../services/reports/wait.js';
import type { CommandContext, PlatformPlace } from './context.js';
import type { Session } from './session.js';

/** The reports of a platform: those that it keeps, and those that this machine has made of its runs. */
export interface OpenReports {
  readonly target: PlatformPlace;
  readonly platform: PlatformReports;
  /** All of them, the platform first. */
  readonly sources: readonly ReportSource[];
  readonly watching: Watching;
}

/** Opens the reports of the platform of the line. */
export async function openReports(context: CommandContext, { clock }: Session): Promise<OpenReports> {
  const target = await context.platform();
  const watching = { clock, emit: context.emit };
  const platform = platformReports(target.platform, watching);
  return {
    target,
    platform,
    watching,
    sources: [platform, localReports(context.stateFolder, target.url, watching.emit)],
  };
}

/** The report that a word of the line stands for; a warning where it is one of this machine because the platform's service is off. */
export async function findReport(
  text: string,
  { sources, watching }: OpenReports,
  signal: AbortSignal,
): Promise<FoundReport> {
  const found = await resolveReport(text, sources, signal);
  if (found.off !== undefined) warnOff(found.off, 'this is the newest report of this machine', watching);
  return found;
}

function warnOff({ code, message }: CliError, what: string, { emit }: Watching): void {
  emit({ type: 'warning', code, message: `${message}; ${what}` });
}

function noneHere({ details: { hints = [] } }: CliError): string {
  return ['this machine has none either', ...hints.map((hint) => `try ${hint}`)].join('; ');
}

/** The id of a report of one's own; USAGE for one that was shared, which only its owner can change. */
export function ownId({ ref }: FoundReport): string {
  if ('id' in ref) return ref.id;
  throw new CliError('USAGE', 'a shared report can only be read; this needs the id of a report of your own', {
    hints: ['cdapctl report list'],
  });
}

/** The reports of all sources, newest first; one that is off is a warning, where `mayBeOff` or another source has any. */
export async function listAll(
  { sources, watching }: OpenReports,
  signal: AbortSignal,
  mayBeOff = false,
): Promise<readonly (ReportEntry & { readonly source: ReportSource })[]> {
  const all: (ReportEntry & { source: ReportSource })[] = [];
  let off: CliError | undefined;
  for (const source of sources) {
    try {
      for (const entry of await source.list(signal)) all.push({ ...entry, source });
    } catch (error) {
      if (!(error instanceof CliError) || error.code !== 'REPORTS_OFF') throw error;
      off = error;
    }
  }
  if (off !== undefined && all.length === 0 && !mayBeOff) throw off;
  if (off !== undefined)
    warnOff(off, all.length === 0 ? noneHere(off) : 'these are the reports of this machine', watching);
  return all.sort(newestFirst);
}

/** A report as lists show it. */
export function listed(entry: ReportEntry, { clock }: Session): ListedReport {
  return { ...entry, saved: isSaved(entry), short: shortId(entry.id), now: clock.now() };
}

/** A report as it is shown by itself. */
export function shownReport(detail: ReportDetail, onlySummary = false): ShownReport {
  return { ...detail, saved: isSaved(detail), onlySummary };
}

/** Says on stderr which platform is about to be changed. */
export function tellTarget({ target }: OpenReports, { terminal }: Session): void {
  const context = target.context === undefined ? '' : `${visible(target.context)}  `;
  terminal.tell(`Target: ${context}${visible(target.url)}  platform ${visible(target.version)}`);
}
