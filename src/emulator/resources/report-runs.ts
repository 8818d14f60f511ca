import type { Application, Run } from '../model.js';
import type { RunFact } from '../run-fact.js';
import { latestOf, type Store } from '../store.js';
import { joined, type RunSource } from './report-selection.js';
import { runRecord } from './runs.js';

/** The runs that the service knows at this moment: the generated ones, those of the emulator's own programs, and seeded ones. */
export function knownRuns(store: Store): RunSource {
  const places = [...store.namespaces().map(({ name }) => name), 'system'];
  const own = places.flatMap((place) => store.applications(place).flatMap((application) => runsOf(store, application)));
  return joined(store.runTable, [...own, ...store.reports.records]);
}

function runsOf(store: Store, application: Application): RunFact[] {
  return application.runs.map((run) => factOf(store, application, run));
}

function factOf({ now, generation }: Store, application: Application, run: Run): RunFact {
  const { versions, namespace, name } = application;
  const { version, artifact } = versions.find((one) => one.version === run.version) ?? latestOf(application);
  const { start: running, end, status } = runRecord(run, now(), generation);
  return {
    id: run.id,
    namespace,
    application: name,
    version,
    artifact,
    type: run.type,
    program: run.program,
    status: String(status),
    startMethod: 'MANUAL',
    start: Math.floor(run.started / 1000),
    running: typeof running === 'number' ? running : undefined,
    end: typeof end === 'number' ? end : undefined,
    runtimeArguments: { ...run.runtimeArguments, 'logical.start.time': String(run.started) },
  };
}
