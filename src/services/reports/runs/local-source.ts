import * as z from 'zod/mini';
import { CliError } from '../../../core/errors.js';
import type { Emit } from '../../../core/events.js';
import { isLocalReportId, LocalReports, type LocalReport } from '../../../state/reports/local-reports.js';
import { newestFirst } from '../source/newest-first.js';
import type { ReportDetail, ReportEntry, ReportRef, ReportSource } from '../source/source.js';

const texts = z.array(z.string());
const Filter = z.union([
  z.strictObject({ fieldName: z.string(), whitelist: texts }),
  z.strictObject({ fieldName: z.string(), blacklist: texts }),
  z.strictObject({
    fieldName: z.string(),
    range: z.strictObject({ min: z.exactOptional(z.number()), max: z.exactOptional(z.number()) }),
  }),
]);
const Request = z.strictObject({
  name: z.string(),
  start: z.number(),
  end: z.number(),
  fields: texts,
  filters: z.array(Filter),
  sort: z.exactOptional(z.array(z.strictObject({ fieldName: z.string(), order: z.enum(['ASCENDING', 'DESCENDING']) }))),
});
const runs = z.int();
const text = z.exactOptional(z.string());
const Summary = z.strictObject({
  namespaces: z.array(z.strictObject({ runs, namespace: text })),
  start: z.number(),
  end: z.number(),
  artifacts: z.array(z.strictObject({ runs, name: text, version: text, scope: text })),
  durations: z.strictObject({ min: z.number(), max: z.number(), average: z.number() }),
  starts: z.strictObject({ oldest: z.number(), newest: z.number() }),
  owners: z.array(z.strictObject({ runs, user: text })),
  startMethods: z.array(z.strictObject({ runs, method: text })),
  recordCount: z.int(),
  creationTimeMillis: z.number(),
});
const LocalDetail = z.strictObject({ created: z.number(), request: Request, summary: Summary });

/** What is kept of a report that this tool has made, beside its records. */
export type LocalDetail = z.infer<typeof LocalDetail>;

/** The reports of a platform in the state folder. */
export function localReportsOf(stateFolder: string, base: string): LocalReports<LocalDetail> {
  return new LocalReports(stateFolder, base, LocalDetail);
}

function entryOf({ id, detail: { created, request, summary } }: LocalReport<LocalDetail>): ReportEntry {
  const { creationTimeMillis: createdMillis } = summary;
  return { engine: 'runs', id, name: request.name, status: 'COMPLETED', created, createdMillis };
}

/** A report of the state folder as all reports are shown: it is always complete, and never expires. */
export function detailOf(report: LocalReport<LocalDetail>): ReportDetail {
  const { request, summary } = report.detail;
  return { ...entryOf(report), request, summary };
}

/**
 * The reports that this tool made of the platform at `base`, in the state folder of this machine. Warns once of each
 * that cannot be read.
 */
export function localReports(stateFolder: string, base: string, emit: Emit): ReportSource {
  const reports = localReportsOf(stateFolder, base);
  const told = new Set<string>();
  const skip = ({ code, message, details }: CliError): void => {
    const hint = details.hints?.find((one) => typeof one === 'string');
    if (told.has(message)) return;
    told.add(message);
    emit({ type: 'warning', code, message: hint === undefined ? message : `${message}; to remove it: ${hint}` });
  };
  const idOf = (ref: ReportRef): string => ('id' in ref ? ref.id : '');
  return {
    engine: 'runs',
    async list() {
      return (await reports.list(skip)).map(entryOf).sort(newestFirst);
    },
    async get(ref) {
      const report = await reports.get(idOf(ref));
      return report && detailOf(report);
    },
    pages: (ref, range, signal) => reports.pages(idOf(ref), range, signal),
    async remove(id) {
      return reports.remove(id);
    },
  };
}

/**
 * Refuses what only the platform can do with a report, if the report is a local one.
 * @throws CONFLICT for a report in the state folder of this machine
 */
export function refuseLocal(id: string, wanted: 'share' | 'save'): void {
  if (!isLocalReportId(id)) return;
  const why = wanted === 'share' ? 'no one else can read it there' : 'it is kept until it is deleted';
  throw new CliError('CONFLICT', `${id} is a local report on this machine, not on the platform: ${why}`, {
    hints: [{ next: 'download-report', report: id, to: wanted }],
    target: { report: id },
  });
}
