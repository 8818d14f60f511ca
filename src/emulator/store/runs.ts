import type { Generation } from './generation.js';
import type { Application, Run } from './model.js';
import { FAIL, type RunFact } from './run-fact.js';
import { latestOf, type Store } from './store.js';

const RUNNING_AFTER_MS = 200;
const COMPLETED_AFTER_MS = 800;
const INVISIBLE_MS = 1200;
/** Seconds that the platform waits for the end of a run that is stopped. */
const STOP_LIMIT = 300;
const PHASE = 'phase-1';

/** The states that a run passes through; a workflow comes to its end by itself. */
export type RunState = 'STARTING' | 'RUNNING' | 'COMPLETED' | 'FAILED' | 'KILLED';

/** The state of a run at a time (milliseconds since the epoch). */
export function stateOf(run: Run, now: number): RunState {
  const last = run.stopped ?? now;
  if (last - run.started >= lengthOf(run))
    return FAIL in run.runtimeArguments ? 'FAILED' : (run.outcome ?? 'COMPLETED');
  if (run.stopped !== undefined) return 'KILLED';
  return now - run.started < RUNNING_AFTER_MS ? 'STARTING' : 'RUNNING';
}

/** Milliseconds from the start of a run to its end; what is not told otherwise ends only as a workflow. */
function lengthOf({ type, lasts }: Run): number {
  return lasts ?? (type === 'Workflow' ? COMPLETED_AFTER_MS : Infinity);
}

/** When a run that is started now begins: up to 6.10 nobody sees it before (docs/platform.md 8.1). */
export function beginOf({ generation, now }: Store, { namespace }: Pick<Application, 'namespace'>): number {
  return now() + (generation.platform === '6.1.1' && namespace !== 'system' ? INVISIBLE_MS : 0);
}

/** The runs that were started here and have not come to their end. */
export function activeRuns(application: Application, now: number): Run[] {
  return application.runs.filter((run) => run.started <= now && ['STARTING', 'RUNNING'].includes(stateOf(run, now)));
}

/** The runs of an application that were started here, newest first, each workflow with its inner run. */
export function startedRuns(application: Application, now: number): RunFact[] {
  return application.runs.flatMap((run) => (run.started <= now ? factsOf(application, run, now) : []));
}

/**
 * The runs of a program, newest first: those that were started here, then generated ones. `before` is an epoch second;
 * only runs that were requested earlier count.
 */
export function* runsOfProgram(
  { runTable, now }: Store,
  application: Application,
  program: string,
  before = Infinity,
): Generator<RunFact> {
  for (const run of startedRuns(application, now())) if (run.program === program && run.start < before) yield run;
  yield* runTable.runsOfProgram({ namespace: application.namespace, application: application.name, program }, before);
}

function factsOf(application: Application, run: Run, now: number): RunFact[] {
  const { versions, namespace, name } = application;
  const { version, artifact } = versions.find((one) => one.version === run.version) ?? latestOf(application);
  const status = stateOf(run, now);
  // One that ends sooner has run when it is over, not only some moments later.
  const ranAt = run.started + Math.min(RUNNING_AFTER_MS, lengthOf(run));
  const isOver = status !== 'STARTING' && status !== 'RUNNING';
  const ended = isOver ? Math.min(run.started + lengthOf(run), run.stopped ?? Infinity) : undefined;
  const hasRun = (run.stopped ?? now) >= ranAt;
  const phase = latestOf(application).programs.find((program) => program.name === PHASE);
  const inner = run.type === 'Workflow' && phase !== undefined && hasRun ? innerId(run.id) : undefined;
  const common = { namespace, application: name, version, artifact, status, startMethod: 'MANUAL' } as const;
  const runtimeArguments = { ...run.runtimeArguments, 'logical.start.time': String(run.started) };
  const times = { ...(hasRun && { running: seconds(ranAt) }), ...(ended !== undefined && { end: seconds(ended) }) };
  const fact = { ...common, ...times, start: seconds(run.started), runtimeArguments };
  const outer: RunFact = { ...fact, id: run.id, type: run.type, program: run.program, inner };
  if (inner === undefined || phase === undefined) return [outer];
  const { type } = phase;
  return [outer, { ...fact, id: inner, type, program: PHASE, start: seconds(ranAt), outer: run.id }];
}

/** The id of the run inside a workflow: ids of the emulator end with a digit that tells them apart. */
function innerId(outer: string): string {
  return `${outer.slice(0, -1)}3`;
}

/** A run as lists of runs have it (docs/platform.md 8.1). */
export function factRecord(run: RunFact, { platform, hasVersions }: Generation): Readonly<Record<string, unknown>> {
  const { id, start, running, end, status, inner, outer, version } = run;
  const ended = end === undefined ? {} : { end };
  const isKilled = status === 'KILLED' && end !== undefined && hasVersions;
  const runtimeArgs = JSON.stringify(run.runtimeArguments);
  const cluster =
    end === undefined ? { status: 'PROVISIONED', numNodes: 0 } : { status: 'DEPROVISIONED', end, numNodes: 0 };
  const profile = { profileName: 'native', namespace: 'system', entity: 'PROFILE' };
  return {
    runid: id,
    starting: start,
    ...(running === undefined ? {} : { start: running }),
    ...ended,
    ...(isKilled ? { stopping: end, terminate: end + STOP_LIMIT } : {}),
    status,
    properties: {
      runtimeArgs,
      ...(inner === undefined ? {} : { [PHASE]: inner }),
      ...(outer === undefined ? {} : { workflowrunid: outer }),
    },
    ...(platform === '4.3.5' ? {} : { cluster, profile }),
    ...(hasVersions ? { version } : {}),
  };
}

function seconds(milliseconds: number): number {
  return Math.floor(milliseconds / 1000);
}
