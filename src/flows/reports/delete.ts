import { visible } from '../../output/escape.js';
import { isStuck } from '../../services/reports/platform/generate.js';
import { CliError } from '../../core/errors.js';
import { isOff, type FoundReport } from '../../services/reports/resolve.js';
import type { ReportEntry } from '../../services/reports/source/source.js';
import type { CommandContext } from '../../cli/context-types.js';
import { listAll, meantReport, ownId, tellTarget, type KnownReports } from './sources.js';
import type { Session } from '../../cli/session.js';

const MOST_SHOWN = 10;

/** Which reports are meant where none is named. */
export interface DeleteSelection {
  readonly statuses: readonly ReportEntry['status'][] | undefined;
  /** Milliseconds. */
  readonly olderThan: number | undefined;
  readonly force: boolean;
}

/**
 * The reports that are named, or that fit the selection. Of those that are RUNNING only what was asked for, as they are
 * refused anyway.
 */
export async function reportsToDelete(
  words: readonly string[],
  { statuses, olderThan = 0, force }: DeleteSelection,
  reports: Pick<KnownReports, 'sources' | 'watching' | 'choosing'>,
  { clock, signal }: Pick<Session, 'clock' | 'signal'>,
): Promise<readonly FoundReport[]> {
  if (words.length > 0) {
    const found = new Map<string, FoundReport>();
    for (const word of words) {
      const report = await reportToDelete(word, reports, signal);
      found.set(ownId(report), report);
    }
    return [...found.values()];
  }
  const now = clock.now();
  return (await listAll(reports, signal))
    .filter((entry) => entry.created <= (now - olderThan) / 1000)
    .filter(
      (entry) => statuses?.includes(entry.status) ?? (entry.status !== 'RUNNING' || (force && isStuck(entry, now))),
    )
    .map((entry) => ({ source: entry.source, ref: { id: entry.id }, entry }));
}

/**
 * The report that a word stands for. Never another one because its place cannot be looked at.
 * @throws REPORTS_OFF for `latest` where the service is off; NOT_FOUND where this machine has none either
 */
async function reportToDelete(
  word: string,
  reports: Pick<KnownReports, 'sources' | 'choosing'>,
  signal: AbortSignal,
): Promise<FoundReport> {
  const latest = word.toLowerCase() === 'latest';
  const found = await meantReport(word, reports, signal).catch((error: unknown) => {
    if (!latest || !isOff(error)) throw error;
    throw new CliError('NOT_FOUND', `there is no local report to delete, and ${error.message}`, {
      hints: [{ next: 'list-reports' }],
    });
  });
  if (found.off === undefined) return found;
  const { code, message, details } = found.off;
  const id = ownId(found);
  throw new CliError(code, `${message}, so that the latest report is not known; nothing was deleted`, {
    ...details,
    lines: [`the newest local report is ${id}`],
    hints: [`cdapctl report delete ${id}`, { next: 'list-reports' }],
  });
}

/**
 * Asks once before reports are deleted; shows them where there are several. Those of this machine alone are the user's
 * own: no context protects them.
 */
export async function consentToDelete(
  found: readonly FoundReport[],
  { open }: Pick<KnownReports, 'open'>,
  { consent }: Pick<CommandContext, 'consent'>,
  session: Pick<Session, 'terminal'>,
): Promise<void> {
  const [first, ...others] = found;
  if (first === undefined) return;
  const { terminal } = session;
  const target = found.some(({ source }) => source.engine === 'platform') ? await open() : undefined;
  if (target !== undefined) tellTarget({ target }, session);
  if (others.length > 0)
    for (const report of found.slice(0, MOST_SHOWN))
      terminal.tell(visible(`  ${ownId(report)}  ${report.entry?.name ?? ''}`.trimEnd()));
  if (found.length > MOST_SHOWN) terminal.tell(`  and ${found.length - MOST_SHOWN} more`);
  const what = others.length === 0 ? `report ${ownId(first)}` : `${found.length} reports`;
  await consent.ask(
    target === undefined ? { deed: `delete ${what} from this machine` } : { deed: `delete ${what}`, target },
  );
}
