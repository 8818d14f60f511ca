import type { Store } from '../../store/store.js';
import type { Report } from '../../store/report-store.js';

/** The states of a report. Of a ghost, `GONE` until its generation ends and `BROKEN` then (docs/platform.md 1.3). */
export type ReportState = 'RUNNING' | 'COMPLETED' | 'FAILED' | 'EXPIRED' | 'GONE' | 'BROKEN';

const NO_FILTERS =
  'java.lang.NullPointerException\njava.lang.NullPointerException\n\tat io.cdap.cdap.report.ReportGenerationHelper$.getNamespaceAggregates(ReportGenerationHelper.scala:163)\n\tat java.lang.Thread.run(Thread.java:750)\n';

/** The state of a report. */
export function stateOfReport(report: Report, { now }: Store): ReportState {
  const time = now();
  endWhenDue(report, time);
  if (report.isGhost) return report.ended === undefined ? 'GONE' : 'BROKEN';
  if (report.error !== undefined) return 'FAILED';
  if (report.ended === undefined) return 'RUNNING';
  return time >= expirationOf(report) ? 'EXPIRED' : 'COMPLETED';
}

/** The state of a report that an answer shows; such an answer counts as a poll. */
export function shownState(report: Report, store: Store): ReportState {
  const state = stateOfReport(report, store);
  if (report.ended === undefined && report.polls > 0) report.polls -= 1;
  return state;
}

/** When a report that has ended expires, saved or not (docs/platform.md 1.9). Milliseconds since the epoch. */
export function expirationOf(report: Report): number {
  return (report.ended ?? report.created) + report.expirySeconds * 1000;
}

/**
 * Ends a generation when it is due, or at once when it finds no run (docs/platform.md 1.5). One without runs fails when
 * the request had no filters.
 */
function endWhenDue(report: Report, time: number): void {
  if (report.ended !== undefined || report.madeBy === undefined) return;
  const isEmpty = report.selection().count === 0;
  if (!isEmpty && (time < report.due || report.polls > 0)) return;
  report.ended = isEmpty ? report.created : Math.max(report.created, Math.min(report.due, time));
  if (isEmpty && report.request.filters === undefined) report.error = NO_FILTERS;
}
