import { createCipheriv, createDecipheriv } from 'node:crypto';
import { empty, json, Refusal } from '../../http/answers.js';
import type { EmulatorAnswer } from '../../http/exchange.js';
import { isObject, parseJson, stringOf } from '../../http/json.js';
import { route, type Route, type RouteRequest } from '../../http/route.js';
import type { Store } from '../../store/store.js';
import { unconvertible } from '../apps/app-list.js';
import { argumentTexts } from '../runtime-arguments.js';
import { deny, reportText } from './answers.js';
import { reportFields } from './fields.js';
import { generateReport } from './generate.js';
import { pageOf } from './records.js';
import { REPORT_FOLDER, saveReport } from './save.js';
import { answeringRun, REPORT_PROGRAM } from './service.js';
import type { Report } from '../../store/report-store.js';
import { expirationOf, shownState, stateOfReport, type ReportState } from './status.js';

const CIPHER = 'aes-128-ecb';
const KEY = Buffer.from('emulated reports');
const OWNER = 'system';

const METHODS = `${REPORT_PROGRAM}/methods`;
const REPORTS = `${METHODS}/reports`;
const REPORT = `${REPORTS}/{report}`;
const PLAIN = { 'content-type': 'text/plain' };
const LARGEST_PAGE = 10_000;

/** The report service and the program that it runs in (docs/platform.md 1). */
export const reportRoutes: readonly Route[] = [
  route('GET', `${METHODS}/health`, () => ({ ...empty(), headers: PLAIN })),
  route('GET', `${REPORT_PROGRAM}/available`, ({ store }) => {
    const isUp = answeringRun(store) !== undefined;
    const sentence = isUp ? 'Service is available to accept requests.' : 'Service is stopped. Please start it.';
    return { ...reportText(isUp ? 200 : 503, sentence), headers: { 'content-type': 'text/plain; charset=utf-8' } };
  }),
  route('GET', `${REPORT_PROGRAM}/runtimeargs`, ({ store }) => json(store.reports.runtimeArguments)),
  route('PUT', `${REPORT_PROGRAM}/runtimeargs`, ({ store, text }) => {
    store.reports.runtimeArguments = argumentTexts(parseJson(text() === '' ? '{}' : text()));
    return empty();
  }),
  route('GET', REPORTS, listed),
  route('POST', REPORTS, generateReport),
  route('GET', `${REPORTS}/info`, described),
  route('GET', `${REPORTS}/download`, downloaded),
  route('POST', `${REPORT}/share`, ({ store, param }) => {
    const id = param('report');
    const report = store.reports.reports.get(id);
    const isThere = report !== undefined && stateOfReport(report, store) !== 'GONE';
    if (!isThere) deny(404, `Invalid report-id ${id}, report does not exist`);
    return { ...json({}), body: JSON.stringify({ shareId: shareIdOf(id) }) };
  }),
  route('POST', `${REPORT}/save`, saveReport),
  route('DELETE', REPORT, deleted),
];

function listed(request: RouteRequest): EmulatorAnswer {
  const { store } = request;
  const [offset, limit] = [whole(request, 'offset', 0), whole(request, 'limit', LARGEST_PAGE)];
  const all = [...store.reports.reports.values()].map((report) => [report, shownState(report, store)] as const);
  for (const [report, state] of all) {
    const cause = causeOf(report, state);
    if (cause !== undefined) deny(500, `Failed to list reports because of error: ${cause}`);
  }
  const visible = all.filter(([, state]) => state !== 'EXPIRED' && state !== 'GONE').reverse();
  visible.sort(([a], [b]) => seconds(b.created) - seconds(a.created));
  const first = Math.max(0, offset);
  const page = visible.slice(first, first + Math.max(0, limit));
  const reports = page.map(([report, state]) => ({ id: report.id, ...head(report, state) }));
  return json({ offset, limit, total: reports.length, reports });
}

function described(request: RouteRequest): EmulatorAnswer {
  const { store } = request;
  const { report, named } = reportOf(request);
  const state = shownState(report, store);
  const cause = causeOf(report, state);
  if (cause !== undefined) deny(500, `Failed to get the status for report with ${named} because of error: ${cause}`);
  if (state === 'EXPIRED' || state === 'GONE') missing(named);
  const summary = state === 'COMPLETED' ? { summary: summaryOf(report, store) } : {};
  const answer = json({ error: report.error, request: report.request, ...summary, ...head(report, state) });
  const body = answer.body.toString().replace(/(?<="average":\d+)(?=[,}])/u, '.0');
  return { ...answer, body };
}

function summaryOf(report: Report, { generation }: Store): object {
  const scope = generation.hasVersions ? undefined : 'USER';
  const summary = report.selection().tally.summary(report.request, scope);
  const creationTimeMillis = report.ended ?? report.created;
  return { ...summary, creationTimeMillis, expirationTimeMillis: expirationOf(report) };
}

/** The members that lists and descriptions share (docs/platform.md 1.6). */
function head(report: Report, state: ReportState): object {
  const { request, saved, created } = report;
  const kept = saved === 'broken' ? undefined : saved;
  const expires = state === 'COMPLETED' && kept === undefined;
  return {
    name: kept === undefined ? request.name : kept.name,
    description: kept?.description,
    created: seconds(created),
    ...(expires ? { expiry: seconds(expirationOf(report)) } : {}),
    status: state,
  };
}

function downloaded(request: RouteRequest): EmulatorAnswer {
  const { store } = request;
  const most = Number(answeringRun(store)?.runtimeArguments['readLimit'] ?? LARGEST_PAGE);
  const [offset, limit] = [whole(request, 'offset', 0), whole(request, 'limit', LARGEST_PAGE)];
  if (offset < 0) deny(400, 'offset cannot be negative');
  if (limit <= 0) deny(400, 'limit must be a positive integer');
  if (limit > most) deny(400, `limit must cannot be larger than ${most}`);
  const { report, named } = reportOf(request);
  const state = shownState(report, store);
  if (state === 'RUNNING') return reportText(202, `${named} is still being generated, please retry later.`);
  if (state === 'FAILED') deny(400, `Reading details of the ${named} with failed status is not allowed.`);
  if (state !== 'COMPLETED') missing(named);
  const { fields } = report.request;
  return reportText(200, pageOf(report.selection(), { offset, limit }, fields, reportFields(store.generation)));
}

function deleted({ store, param }: RouteRequest): EmulatorAnswer {
  const id = param('report');
  const report = store.reports.reports.get(id);
  const state = report === undefined ? 'GONE' : stateOfReport(report, store);
  if (report === undefined || state === 'GONE') deny(404, `Report with id ${id} does not exist.`);
  if (state === 'EXPIRED') deny(404, `Report with id ${id} has already been deleted`);
  if (state === 'RUNNING' && report.madeBy !== undefined) report.isGhost = true;
  else store.reports.reports.delete(id);
  return { ...empty(), headers: PLAIN };
}

/** The report of `report-id` or `share-id`, with how errors name it. */
function reportOf({ store, query }: RouteRequest): { readonly report: Report; readonly named: string } {
  const [id, shareId] = [query.get('report-id'), query.get('share-id')];
  if (id === null && shareId === null) deny(400, 'Either reportId or sharedId must be provided, missing both');
  if (id !== null && shareId !== null) deny(400, 'Only one of reportId or sharedId must be provided, provided both');
  const shared = shareId === null ? undefined : sharedReport(shareId);
  if (shareId !== null && shared === undefined) {
    deny(500, `Error while decoding shareId ${shareId}, due to exception : `);
  }
  const named = shareId === null ? `ReportId : ${id ?? ''}` : `ShareId : ${shareId}`;
  return { report: store.reports.reports.get(id ?? shared ?? '') ?? missing(named), named };
}

function missing(named: string): never {
  throw new Refusal(reportText(404, `Report with ${named} does not exist.`));
}

/** What keeps the status of a report from being read (docs/platform.md 1.5). */
function causeOf({ id, saved: kept }: Report, state: ReportState): string | undefined {
  if (kept === 'broken') return 'null';
  return state === 'BROKEN' ? `${REPORT_FOLDER}/${id}/_START (No such file or directory)` : undefined;
}

function whole(request: RouteRequest, name: string, usual: number): number {
  const value = request.query.get(name);
  if (value === null) return usual;
  return /^[+-]?\d+$/u.test(value) ? Number(value) : unconvertible(request);
}

function seconds(milliseconds: number): number {
  return Math.floor(milliseconds / 1000);
}

/** The id under which a report is shared: always the same for a report. */
function shareIdOf(reportId: string): string {
  const cipher = createCipheriv(CIPHER, KEY, null);
  const sealed = Buffer.concat([cipher.update(JSON.stringify({ owner: OWNER, reportId }), 'utf8'), cipher.final()]);
  const text = sealed.toString('base64url');
  return text.padEnd(Math.ceil(text.length / 4) * 4, '=');
}

/** The report that is shared under an id; `undefined` when the id is none. */
function sharedReport(shareId: string): string | undefined {
  const decipher = createDecipheriv(CIPHER, KEY, null);
  try {
    const opened = Buffer.concat([decipher.update(Buffer.from(shareId, 'base64url')), decipher.final()]);
    const value = parseJson(opened.toString('utf8'));
    return isObject(value) ? stringOf(value, 'reportId') : undefined;
  } catch {
    return undefined;
  }
}
