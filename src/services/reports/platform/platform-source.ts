import { CliError } from '../../../core/errors.js';
import type { Platform } from '../../../platform/client.js';
import { deleteReport, getReport, listReportPage, type ReportInfo, type ReportRow } from '../../../platform/reports.js';
import { sendOnce } from '../../writing/send.js';
import { reportService, type WaitDeps } from '../service/service-ready.js';
import { newestFirst, timeOfId } from '../source/newest-first.js';
import { reportPages } from './pages.js';
import { readRequest } from '../request/read-request.js';
import type { ReportDetail, ReportEntry, ReportRef, ReportSource } from '../source/source.js';

const PAGE = 1000;

/** The reports of a platform; `service` is that platform for further calls about reports. */
export interface PlatformReports extends ReportSource {
  readonly engine: 'platform';
  readonly service: Platform;
}

/**
 * The reports that the service of a platform keeps (docs/platform.md 1). Every call is REPORTS_OFF where the service is
 * off.
 */
export function platformReports(platform: Platform, deps: WaitDeps): PlatformReports {
  const service = reportService(platform, deps);
  const { clock, emit } = deps;
  return {
    engine: 'platform',
    service,
    list: (signal) => listReports(service, signal),
    get: (ref, signal) => reportDetail(service, ref, signal),
    pages: (ref, range, signal) => reportPages(platform, ref, range, signal, clock),
    async remove(id, stop) {
      stop.throwIfAborted();
      // Never aborts: what is sent gets its answer, or is looked for (docs/faults.md L26).
      const { signal } = new AbortController();
      const found = { isThere: false };
      const isGone = async (): Promise<boolean> => (await reportDetail(service, { id }, signal)) === undefined;
      const wait = (milliseconds: number): Promise<void> => clock.sleep(milliseconds, signal);
      await sendOnce(
        `the deletion of the report ${id}`,
        { signal, clock, wait, emit, warnAs: 'RETRY' },
        async () => (found.isThere = (await service.find(deleteReport, { id }, signal)) !== undefined),
        async () => (found.isThere = await isGone()),
      );
      if (found.isThere && !(await isGone()))
        throw new CliError('BAD_ANSWER', `the platform deleted the report ${id}, but still returns it`);
      return found.isThere;
    },
  };
}

/** The same of a platform that is opened once one of its reports is wanted. */
export function lazyPlatformReports(open: () => Promise<Platform>, deps: WaitDeps): ReportSource {
  const opened = async (): Promise<ReportSource> => platformReports(await open(), deps);
  return {
    engine: 'platform',
    list: async (signal) => (await opened()).list(signal),
    get: async (ref, signal) => (await opened()).get(ref, signal),
    async *pages(ref, range, signal) {
      yield* (await opened()).pages(ref, range, signal);
    },
    remove: async (id, signal) => (await opened()).remove(id, signal),
  };
}

/** All reports, newest first; lists until a page is not full, as its total says nothing. See docs/platform.md 1.3. */
async function listReports(service: Platform, signal: AbortSignal): Promise<readonly ReportEntry[]> {
  const found = new Map<string, ReportEntry>();
  for (let offset = 0; ; offset += PAGE) {
    const { reports } = await listPage(service, offset, signal);
    // A report that was made meanwhile moves the others into the next page.
    for (const row of reports) found.set(row.id, entryOf(row));
    if (reports.length < PAGE) break;
  }
  return [...found.values()].sort(newestFirst);
}

async function listPage(service: Platform, offset: number, signal: AbortSignal): Promise<{ reports: ReportRow[] }> {
  try {
    return await service.call(listReportPage, { offset, limit: PAGE }, signal);
  } catch (error) {
    if (!(error instanceof CliError) || error.details.request?.status !== 500) throw error;
    const { details } = error;
    const [id = 'ID'] =
      /\/([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\/_START/u.exec(details.serverSaid ?? '')?.slice(1) ?? [];
    throw new CliError(error.code, 'the platform cannot list its reports: one of them is broken', {
      ...details,
      hints: [
        'a report deleted while it was generated, or saved without a body, breaks the list until it is deleted again',
        { next: 'delete-stuck-report', report: id },
      ],
    });
  }
}

function entryOf({ id, name, description, status, created, expiry }: ReportRow): ReportEntry {
  return { engine: 'platform', id, name, description, status, created, createdMillis: timeOfId(id), expiry };
}

async function reportDetail(service: Platform, ref: ReportRef, signal: AbortSignal): Promise<ReportDetail | undefined> {
  try {
    const info = await service.find(getReport, ref, signal);
    return info === undefined ? undefined : detailOf(info, ref);
  } catch (error) {
    const said = error instanceof CliError ? error.details.serverSaid : undefined;
    if (said?.startsWith('Error while decoding shareId') !== true) throw error;
    throw new CliError('NOT_FOUND', 'no report on this platform has this share ID', { cause: error });
  }
}

function detailOf(info: ReportInfo, ref: ReportRef): ReportDetail {
  const { name, description, status, created, expiry, summary, error } = info;
  const { request } = readRequest(info.request);
  const id = 'id' in ref ? ref.id : undefined;
  return { engine: 'platform', id, name, description, status, created, expiry, request, summary, error };
}
