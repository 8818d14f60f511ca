import * as z from 'zod/mini';
import type { Store } from '../../store/store.js';
import { changeReportSettings } from './service.js';
import { ReportSettings, type Report } from '../../store/report-store.js';

const ReportOrder = z.extend(ReportSettings, {
  /** Every generation ends now, also those of deleted reports; not those that were refused. */
  finish: z.optional(z.literal(true)),
  /** The reports with these ids end their life now. */
  expire: z.optional(z.array(z.string())),
});

/**
 * Applies a `POST /emulator/reports`: settings of the service, and changes to its reports. Returns what is wrong with
 * the request, if anything.
 */
export function reportControl(store: Store, order: unknown): string | undefined {
  const parsed = ReportOrder.safeParse(order);
  if (!parsed.success) {
    return parsed.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`).join('; ');
  }
  const { finish, expire = [], ...settings } = parsed.data;
  const { reports } = store.reports;
  const unknown = expire.find((id) => !reports.has(id));
  if (unknown !== undefined) return `there is no report ${unknown}`;
  for (const id of expire) {
    const report = reports.get(id);
    if (report !== undefined) reports.set(id, { ...finished(report, store.now()), expirySeconds: 0 });
  }
  if (finish === true) for (const [id, report] of reports) reports.set(id, finished(report, store.now()));
  changeReportSettings(store, settings);
  return undefined;
}

function finished(report: Report, now: number): Report {
  return report.ended === undefined ? { ...report, due: Math.min(report.due, now), polls: 0 } : report;
}
