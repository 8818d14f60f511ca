import type { Application } from '../../store/model.js';
import type { RunFact } from '../../store/run-fact.js';
import { LEAST_ROOM, LONGEST } from '../../store/launch.js';
import { latestOf, type Store } from '../../store/store.js';
import { countedAbout, countedBy, stagesOf, type Tags, type Source } from './values.js';
import { knownRuns } from '../reports/runs.js';
import { answeringRun } from '../reports/service.js';
import { runsOfProgram, startedRuns } from '../../store/runs.js';

/** The scope of a search: runs that can have counted between two epoch seconds, limited per program. */
export interface Reach {
  readonly from: number;
  readonly to: number;
  readonly runs: number;
}

/** The events of a run that ended: it was started, began to run, and ended. */
const EVENTS = 3;

/**
 * Every source in reach that has all the tags (docs/platform.md 3.2). `names` are further tags that are looked at
 * together with them: a workflow gives the id of its run.
 */
export function* sourcesWith(store: Store, tags: Tags, names: readonly string[], reach: Reach): Generator<Source> {
  const looked = [...tags.keys(), ...names];
  for (const application of applicationsWith(store, tags)) {
    const stages = stagesOf(application);
    for (const run of runsWith(store, application, tags, reach)) {
      for (const source of sourcesOf(store, run, stages, looked)) if (hasAll(source.tags, tags)) yield source;
    }
    for (const source of reportMetrics(store, application)) if (hasAll(source.tags, tags)) yield source;
  }
}

function hasAll(own: Tags, wanted: Tags): boolean {
  return [...wanted].every(([name, value]) => {
    const has = own.get(name);
    return has !== undefined && (value === '*' || value === has);
  });
}

function applicationsWith(store: Store, tags: Tags): Application[] {
  const [namespace = '*', name = '*'] = [tags.get('namespace'), tags.get('app')];
  const every = ['system', ...store.namespaces().map((one) => one.name)];
  const namespaces = namespace === '*' ? [...new Set(every)] : [namespace];
  return namespaces.flatMap((place) => {
    if (name === '*') return store.applications(place);
    const application = store.application(place, name);
    return application === undefined ? [] : [application];
  });
}

function* runsWith(store: Store, application: Application, tags: Tags, reach: Reach): Generator<RunFact> {
  const id = tags.get('run');
  if (id !== undefined && id !== '*') {
    yield* runsAround(store, application, id);
    return;
  }
  const earliest = Math.min(reach.from, store.runTable.shape.until) - LONGEST - LEAST_ROOM;
  for (const { name } of latestOf(application).programs) {
    let seen = 0;
    for (const run of runsOfProgram(store, application, name, reach.to + 1)) {
      yield run;
      if (run.start < earliest || (seen += 1) >= reach.runs) break;
    }
  }
}

/** A run and the one inside it. */
function runsAround({ runTable, now }: Store, application: Application, id: string): RunFact[] {
  const started = startedRuns(application, now());
  const find = (wanted: string): RunFact | undefined =>
    started.find((run) => run.id === wanted) ?? runTable.run(wanted);
  const run = find(id);
  const inner = run?.inner === undefined ? undefined : find(run.inner);
  const isOwn = run?.application === application.name && run.namespace === application.namespace;
  return isOwn ? [run, inner].filter((one) => one !== undefined) : [];
}

function* sourcesOf(
  store: Store,
  run: RunFact,
  stages: readonly string[],
  looked: readonly string[],
): Generator<Source> {
  const { namespace, application, program, type, id, outer } = run;
  const place = [
    ['namespace', namespace],
    ['app', application],
  ] as const;
  const end = run.end ?? Math.max(run.running ?? run.start, store.runTable.shape.until);
  const kind = [
    ['profilescope', 'SYSTEM'],
    ['profile', 'native'],
    ['programtype', type],
    ['program', program],
  ] as const;
  yield { tags: new Map([...place, ...kind, ['run', id]]), counted: countedAbout(run, store.generation), times: [end] };
  if (type === 'Workflow' || run.running === undefined) return;
  const word = type.toLowerCase();
  const isByWorkflow = looked.includes('workflow');
  // What a MapReduce counted is found by its run only next to its name.
  const isFound = type !== 'MapReduce' || looked.includes(word);
  const own = isByWorkflow ? outer : isFound ? id : undefined;
  const workflow =
    outer === undefined
      ? []
      : ([
          ['workflow', 'DataPipelineWorkflow'],
          ['nd', program],
        ] as const);
  const ran = own === undefined ? [] : [['run', own] as const];
  const tags = new Map<string, string>([...place, [word, program], ...workflow, ...ran]);
  yield { tags, counted: countedBy(run, stages), times: timesOf(run.running, end) };
}

/** When a run told its numbers: at its end, a longer one several times before. */
function timesOf(running: number, end: number): number[] {
  const times = Math.min(10, Math.max(1, Math.ceil((end - running) / 60)));
  return Array.from({ length: times }, (_, index) => {
    return end - Math.floor(((end - running) * (times - 1 - index)) / times);
  });
}

/** What the report service counts while it runs and collects. Nothing of another application (docs/platform.md 1.1). */
function reportMetrics(store: Store, { namespace, name }: Application): Source[] {
  if (namespace !== 'system' || name !== 'ReportGenerationApp') return [];
  const run = answeringRun(store);
  const { reports, generation } = store;
  const collects = reports.settings.collects ?? !generation.hasVersions;
  if (run === undefined || !collects) return [];
  const tags = new Map([
    ['namespace', namespace],
    ['app', name],
    ['spark', run.program],
    ['run', run.id],
  ]);
  const counted = new Map([
    ['user.run.metadata.last.sync.time.millis', store.now()],
    ['user.program.status.processed', EVENTS * knownRuns(store).count],
  ]);
  return [{ tags, counted, times: [Math.floor(store.now() / 1000)] }];
}
