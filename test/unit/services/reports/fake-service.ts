import type { Clock } from '../../../../src/core/clock.js';
import { CliError } from '../../../../src/core/errors.js';
import type { ServiceEvent } from '../../../../src/core/events.js';
import { platformReports, type PlatformReports } from '../../../../src/services/reports/platform/platform-source.js';
import { fakePlatform, type FakeAnswer } from './fake-platform.js';

const SPARK = '/v3/namespaces/system/apps/ReportGenerationApp/spark/ReportGenerationSpark';
const REPORTS = `${SPARK}/methods/reports`;

/** Seconds at which the fake clock begins. */
export const NOW = 1_795_290_000;

/** A report as the fake service holds it; `summary` and `request` as they are on the wire. */
export interface HeldReport {
  readonly id: string;
  name?: string;
  description?: string;
  readonly created: number;
  expiry?: number;
  status: 'RUNNING' | 'COMPLETED' | 'FAILED';
  readonly error?: string;
  readonly request?: object;
  summary?: object;
}

/** The id of the n-th report. */
export const idOf = (n: number): string => `${String(n).padStart(8, '0')}-e56c-11f1-8e61-acde48001122`;

/** A report that is COMPLETED unless told. */
export function held(n: number, more: Partial<HeldReport> = {}): HeldReport {
  return { id: idOf(n), name: `r${n}`, created: NOW - 100 + n, expiry: NOW + 1000, status: 'COMPLETED', ...more };
}

/** A report service that keeps reports in memory and answers in the platform's words; `before` may answer instead. */
export function fakeService(
  reports: HeldReport[],
  before: (request: string, sent: string | undefined) => FakeAnswer | Error | undefined = () => undefined,
): {
  readonly service: PlatformReports;
  readonly asked: string[];
  readonly events: ServiceEvent[];
  readonly clock: Clock;
  readonly watching: { readonly clock: Clock; readonly emit: (event: ServiceEvent) => void };
  state: string;
} {
  let now = 0;
  const clock: Clock = {
    now: () => NOW * 1000 + now,
    monotonic: () => now,
    async sleep(milliseconds, signal) {
      signal.throwIfAborted();
      now += milliseconds;
    },
  };
  const fake = { state: 'RUNNING' };
  const { platform, asked } = fakePlatform((request, query, sent) => {
    const instead = before(request, sent);
    if (instead instanceof Error) throw instead;
    if (instead !== undefined) return instead;
    if (request === `GET ${SPARK}/status`) return { body: { status: fake.state } };
    if (request === `GET ${SPARK}/methods/health`) return {};
    return answer(reports, request, query, sent);
  });
  const events: ServiceEvent[] = [];
  const watching = { clock, emit: (event: ServiceEvent) => events.push(event) };
  const service = platformReports(platform, watching);
  return Object.assign(fake, { service, asked, events, clock, watching });
}

function answer(
  reports: HeldReport[],
  request: string,
  query: URLSearchParams,
  sent: string | undefined,
): FakeAnswer | undefined {
  if (request === `POST ${REPORTS}`) {
    const { name } = JSON.parse(sent ?? '') as { name: string };
    reports.unshift({ id: idOf(reports.length + 1), name, created: NOW, status: 'RUNNING' });
    return { body: { id: reports[0]?.id } };
  }
  if (request === `GET ${REPORTS}`) {
    const [offset, limit] = [Number(query.get('offset')), Number(query.get('limit'))];
    const page = reports.slice(offset, offset + limit);
    return { body: { offset, limit, total: page.length, reports: page } };
  }
  const id = query.get('report-id') ?? request.slice(request.indexOf(`${REPORTS}/`) + REPORTS.length + 1).split('/')[0];
  const found = reports.find((report) => report.id === id);
  if (found === undefined) return { status: 404, body: `Report with ReportId : ${id} does not exist.` };
  if (request.startsWith('DELETE')) {
    reports.splice(reports.indexOf(found), 1);
    return {};
  }
  if (request.endsWith('/share')) return { body: { shareId: 'c2hhcmVk' } };
  if (!request.endsWith('/save')) return { body: { request: { start: 1, end: 2, fields: ['run'] }, ...found } };
  Object.assign(found, JSON.parse(sent ?? ''));
  delete found.expiry;
  return { body: 'Report is saved' };
}

/** An answer that was lost on its way after the request was sent. */
export function lost(): CliError {
  return new CliError('NET_RESET', 'the connection broke', { request: { method: 'POST', url: 'http://x' } });
}
