import type { Application, ApplicationVersion, Run } from '../../store/model.js';
import { REPORT_DATASETS, REPORT_SPARK } from '../../store/report-program.js';
import { latestOf, type Store } from '../../store/store.js';
import type { ReportSettings } from '../../store/report-store.js';
import { activeRuns } from '../../store/runs.js';

const APPLICATION = 'ReportGenerationApp';
const LISTED_VERSION = '-SNAPSHOT';
const WARM_MS = 150;
const SCAN_MS = 5000;
const STOPPED =
  'java.lang.IllegalStateException: Cannot call methods on a stopped SparkContext.\nThis stopped SparkContext was created at:\n\norg.apache.spark.api.java.JavaSparkContext.<init>(JavaSparkContext.scala:53)\n';

/** The program of the report service. */
export const REPORT_PROGRAM = `/v3/namespaces/system/apps/${APPLICATION}/spark/${REPORT_SPARK.name}`;

/** The run that answers calls to the service; it does so a moment before its status says RUNNING. */
export function answeringRun(store: Store): Run | undefined {
  return activeServiceRuns(store).find(({ started }) => store.now() - started >= WARM_MS);
}

/** Changes how the service behaves. */
export function changeReportSettings(store: Store, changes: ReportSettings): void {
  const { reports, generation } = store;
  const { running, ...settings } = changes;
  const listed = running === true && generation.hasVersions ? { capability: true } : {};
  reports.settings = { ...reports.settings, ...settings, ...listed };
  if (running === true && activeServiceRuns(store).length === 0) startService(store, store.now() - 1000);
  settleReportService(store);
}

/** Brings the service up to the current time: the platform stops or starts it, and generations end. */
export function settleReportService(store: Store): void {
  const { generation } = store;
  if (generation.hasVersions) {
    if (isListed(store)) keepRunning(store);
    else stopUnlisted(store);
  }
  failOrphans(store);
}

/** A generation ends with the run of the service that it belongs to. One that would have ended before is left alone. */
function failOrphans(store: Store): void {
  const generating = [...store.reports.reports.values()].filter(({ ended, madeBy }) => ended === undefined && madeBy);
  if (generating.length === 0) return;
  const active = new Set(activeServiceRuns(store).map(({ id }) => id));
  const runs = serviceApplication(store)?.runs ?? [];
  for (const report of generating.filter(({ madeBy, isGhost }) => !isGhost && !active.has(madeBy ?? ''))) {
    const stopped = runs.find(({ id }) => id === report.madeBy)?.stopped ?? store.now();
    const wasInTime = (report.due <= stopped && report.polls === 0) || report.selection().count === 0;
    if (wasInTime) continue;
    report.ended = stopped;
    report.error = STOPPED;
  }
}

/**
 * Whether a capability file makes the platform run the service. It does not while an application of the same name was
 * deployed over HTTP.
 */
function isListed(store: Store): boolean {
  const application = serviceApplication(store);
  const isOurs = application === undefined || latestOf(application).version === LISTED_VERSION;
  return store.reports.settings.capability === true && isOurs;
}

/** Starts a run again some time after the last one ended, and of two stops the older. */
function keepRunning(store: Store): void {
  const [newest, ...older] = activeServiceRuns(store);
  const application = serviceApplication(store);
  if (application !== undefined && newest !== undefined) {
    if (older.length > 0 && isDue(store, newest.started)) end(store, older, newest.started + scan(store));
    return;
  }
  const last = application?.runs[0]?.stopped;
  if (last === undefined || isDue(store, last)) startService(store, store.now());
}

/** Stops runs that no capability file lists, some time after their start; done on every request. */
function stopUnlisted(store: Store): void {
  for (const run of activeServiceRuns(store)) {
    if (isDue(store, run.started)) end(store, [run], run.started + scan(store));
  }
}

function end(store: Store, ended: readonly Run[], stopped: number): void {
  const application = serviceApplication(store);
  if (application === undefined) return;
  const ids = ended.map(({ id }) => id);
  const runs = application.runs.map((run) => (ids.includes(run.id) ? { ...run, stopped } : run));
  store.putApplication({ ...application, runs });
}

function isDue(store: Store, since: number): boolean {
  return store.now() - since >= scan(store);
}

function scan({ reports }: Store): number {
  return reports.settings.scanMilliseconds ?? SCAN_MS;
}

/** Deploys the service where it is not, and starts a run that began at `started`. */
function startService(store: Store, started: number): void {
  const application = serviceApplication(store) ?? newApplication(store);
  const { version } = latestOf(application);
  const { type, name: program } = REPORT_SPARK;
  const { runtimeArguments } = store.reports;
  const run: Run = { id: store.newId(), program, type, started, version, runtimeArguments: { ...runtimeArguments } };
  store.putApplication({ ...application, runs: [run, ...application.runs] });
}

function newApplication(store: Store): Application {
  const { platform } = store.generation;
  const version: ApplicationVersion = {
    version: LISTED_VERSION,
    description: '',
    configuration: '',
    artifact: { name: 'cdap-program-report', version: platform, scope: 'SYSTEM' },
    created: store.now(),
    programs: [REPORT_SPARK],
    plugins: [],
    datasets: REPORT_DATASETS,
  };
  return { namespace: 'system', name: APPLICATION, versions: [version], schedules: [], runs: [] };
}

function serviceApplication(store: Store): Application | undefined {
  return store.application('system', APPLICATION);
}

function activeServiceRuns(store: Store): Run[] {
  const application = serviceApplication(store);
  return application === undefined ? [] : activeRuns(application, store.now());
}
