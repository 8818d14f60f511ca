import type { Application, RunPipeline } from '../store/model.js';
import { latestOf, type Store } from '../store/store.js';
import { SHAPES, type Shape } from './generated-config.js';
import { pipelineMaker } from './generated-pipelines.js';
import { PIPELINES } from '../store/run-table.js';

/** The most generated runs that the emulator takes. */
export const MOST_RUNS = 10_000_000;

const SUBJECTS =
  'orders customers invoices payments shipments products prices stock returns visits clicks mails ledger hours';
const TASKS = ['load', 'clean', 'report'];
const NAMESPACES = ['default', 'etl', 'default', 'finance', 'etl', 'default', 'marketing'];
/**
 * Schedules that have been active for days but start nothing in this emulator. One is due at 01:01 and one at 13:13, so
 * that each half of a day has a missed start.
 */
const LONG_ACTIVE = [1, 13];
const DAYS_MS = 3 * 86_400_000;
/** Shapes of batch pipelines by their number; half of them have an active schedule. */
const BATCH = [6, 7, 0, 1].flatMap((at) => SHAPES[at] ?? []);
const REALTIME = SHAPES.filter(({ kind }) => kind === 'realtime');

/**
 * Puts the pipelines into the store that the generated runs belong to, and the runs. The newest started just before
 * now.
 */
export function addGeneratedRuns(store: Store, count: number): void {
  for (const name of NAMESPACES) if (store.namespace(name) === undefined) store.addNamespace(name, '');
  const makers = new Map(NAMESPACES.map((namespace) => [namespace, pipelineMaker(store, namespace)]));
  const subjects = SUBJECTS.split(' ');
  const make = (number: number, name: string, shapes: readonly Shape[]): Application[] => {
    const maker = makers.get(NAMESPACES[number % NAMESPACES.length] ?? '');
    const shape = shapes[number % shapes.length];
    return maker === undefined || shape === undefined ? [] : [maker(name, shape, number)];
  };
  const batch = Array.from({ length: PIPELINES.batch }, (_, number) => {
    const name = `${subjects[number % subjects.length] ?? ''}-${TASKS[Math.floor(number / subjects.length)] ?? ''}`;
    return make(number, name, BATCH).map((application) => longActive(application, number));
  });
  const realtime = Array.from({ length: PIPELINES.realtime }, (_, number) =>
    make(number, `${subjects[number] ?? ''}-live`, REALTIME),
  );
  store.putApplications([...batch, ...realtime].flat());
  const pipelines = [
    ...batch.flat().map((application) => runPipeline(application, 'batch')),
    ...realtime.flat().map((application) => runPipeline(application, 'realtime')),
  ];
  store.putGeneratedRuns({ count, until: Math.floor(store.now() / 1000), pipelines });
}

function longActive(application: Application, number: number): Application {
  if (!LONG_ACTIVE.includes(number)) return application;
  const schedules = application.schedules.map((schedule) => ({
    ...schedule,
    lastUpdateTime: schedule.lastUpdateTime - DAYS_MS,
  }));
  return { ...application, schedules };
}

function runPipeline(application: Application, kind: RunPipeline['kind']): RunPipeline {
  const { namespace, name } = application;
  const { version, artifact } = latestOf(application);
  return { namespace, name, kind, version, artifact };
}
