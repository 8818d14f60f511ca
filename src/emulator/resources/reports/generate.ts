import { json } from '../../http/answers.js';
import type { EmulatorAnswer } from '../../http/exchange.js';
import type { RouteRequest } from '../../http/route.js';
import type { Store } from '../../store/store.js';
import { stumble } from './answers.js';
import { reportFields } from './fields.js';
import { readReportRequest } from './request.js';
import { knownRuns } from './runs.js';
import { select } from './selection.js';
import { answeringRun } from './service.js';
import type { Report, Selection } from '../../store/report-store.js';
import { stateOfReport } from './status.js';

const AT_ONCE = 3;
const GENERATE_MS = 300;
const EXPIRY_SECONDS = 172_800;

/**
 * Takes a request and lets its report be generated. A fourth at a time is refused and stays RUNNING (docs/platform.md
 * 1.5).
 */
export function generateReport(request: RouteRequest): EmulatorAnswer {
  const { store } = request;
  const { settings, reports } = store.reports;
  const wanted = readReportRequest(request.text(), store.generation);
  const running = [...reports.values()].filter((report) => report.madeBy !== undefined && isGenerating(report, store));
  const isRefused = running.length >= AT_ONCE;
  const run = answeringRun(store);
  const collects = settings.collects ?? !store.generation.hasVersions;
  const source = collects ? knownRuns(store) : { count: 0, runAt: () => undefined };
  const id = store.newId();
  const created = store.now();
  reports.set(id, {
    id,
    created,
    request: wanted,
    madeBy: isRefused ? undefined : (run?.id ?? ''),
    expirySeconds: Number(run?.runtimeArguments['report.expiry.duration.seconds'] ?? EXPIRY_SECONDS),
    selection: once(() => select(wanted, source, reportFields(store.generation))),
    due: created + (settings.generateMilliseconds ?? GENERATE_MS),
    polls: settings.generatePolls ?? 0,
    ended: undefined,
    error: undefined,
    saved: undefined,
    isGhost: false,
  });
  return isRefused ? stumble(rejection(reports.size)) : json({ id });
}

function once(make: () => Selection): () => Selection {
  let made: Selection | undefined;
  return () => (made ??= make());
}

function isGenerating(report: Report, store: Store): boolean {
  return ['RUNNING', 'GONE'].includes(stateOfReport(report, store));
}

function rejection(completed: number): string {
  const task = 'io.cdap.cdap.report.ReportGenerationSpark$ReportSparkHandler$$Lambda$873/1869984067@3fe9f958';
  const pool = `pool size = ${AT_ONCE}, active threads = ${AT_ONCE}, queued tasks = 0, completed tasks = ${completed}`;
  return `Task ${task} rejected from java.util.concurrent.ThreadPoolExecutor@570aee2f[Running, ${pool}]`;
}
