import type { Application, Program, Run } from './model.js';
import type { RunFact } from './run-fact.js';
import { activeRuns, beginOf, startedRuns, stateOf } from './runs.js';
import { latestOf, type Store } from './store.js';

/** `STARTING`, `RUNNING` or `STOPPED`. */
export function programStatus({ runTable, now }: Store, application: Application, program: string): string {
  const states = activeRuns(application, now())
    .filter((run) => run.program === program)
    .map((run) => stateOf(run, now()));
  const { namespace, name } = application;
  const isGenerated = runTable.active({ namespace, application: name, program }).length > 0;
  if (isGenerated || states.includes('RUNNING')) return 'RUNNING';
  return states.length > 0 ? 'STARTING' : 'STOPPED';
}

/** The ids of the runs of a program that have not come to their end. */
export function activeIds({ runTable, now }: Store, application: Application, program: string): string[] {
  const { namespace, name } = application;
  const started = activeRuns(application, now()).filter((run) => run.program === program);
  return [...started, ...runTable.active({ namespace, application: name, program })].map(({ id }) => id);
}

/** How many runs a program has. */
export function runCount({ runTable, now }: Store, application: Application, program: string): number {
  const { namespace, name } = application;
  const started = startedRuns(application, now()).filter((run) => run.program === program);
  return started.length + runTable.countOf({ namespace, application: name, program });
}

/** A run of a program by its id; undefined when it has none such. */
export function runWithId(
  { runTable, now }: Store,
  application: Application,
  program: string,
  id: string,
): RunFact | undefined {
  const { namespace, name } = application;
  const run = startedRuns(application, now()).find((one) => one.id === id) ?? runTable.run(id);
  const isOwn = run?.program === program && run.application === name && run.namespace === namespace;
  return isOwn ? run : undefined;
}

/** Starts a run and gives its id. */
export function startRun(
  store: Store,
  application: Application,
  program: Program,
  runtimeArguments: Run['runtimeArguments'],
): string {
  const { version } = latestOf(application);
  const { name, type } = program;
  const started = beginOf(store, application);
  const { namespace } = application;
  const stored = store.preferences.resolved([namespace, application.name, `${type}/${name}`]);
  const own = { id: store.newId(), program: name, type, started, version };
  const given = { runtimeArguments: { ...stored, ...runtimeArguments } };
  const run: Run = { ...own, ...given, ...(namespace === 'system' ? {} : store.nextRuns) };
  store.putApplication({ ...application, runs: [run, ...application.runs] });
  return run.id;
}

/** Ends runs by their ids; they are KILLED. */
export function stopRuns(store: Store, application: Application, ids: readonly string[]): void {
  const stopped = store.now();
  const runs = application.runs.map((run) => (ids.includes(run.id) ? { ...run, stopped } : run));
  for (const id of ids) store.runTable.stop(id, Math.floor(stopped / 1000));
  store.putApplication({ ...application, runs });
}
