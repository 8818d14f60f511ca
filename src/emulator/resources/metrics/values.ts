import type { Generation } from '../../store/generation.js';
import { isObject, parseJson, stringOf } from '../../http/json.js';
import type { Application } from '../../store/model.js';
import type { RunFact } from '../../store/run-fact.js';
import { chance, numberOf } from '../../store/launch.js';
import { latestOf } from '../../store/store.js';

/** What a run has counted: a value by the name of its metric. A counter that was never touched is absent. */
export type RunCounters = ReadonlyMap<string, number>;

/** Records that a run started here sends through each stage: as many as in the platform's own sample. */
const OWN_RECORDS = 3;
const MOST_RECORDS = 200_000;

/** The stages of a pipeline in the order of its configuration; none of another application. */
export function stagesOf(application: Application): readonly string[] {
  const configuration = parseJson(latestOf(application).configuration);
  const stages: unknown = isObject(configuration) ? configuration['stages'] : undefined;
  const all: unknown[] = Array.isArray(stages) ? stages : [];
  return all.filter(isObject).flatMap((stage) => stringOf(stage, 'name') ?? []);
}

/** What the work of a run has counted, per stage and in its log. */
export function countedBy(run: RunFact, stages: readonly string[]): RunCounters {
  const number = numberOf(run.id);
  const counted = new Map<string, number>();
  const add = (name: string, value: number): void => {
    if (value > 0) counted.set(name, value);
  };
  const isDone = number !== undefined || run.status === 'COMPLETED';
  let records = isDone ? recordsOf(run, number) : 0;
  for (const [at, stage] of stages.entries()) {
    const isInner = at > 0 && at < stages.length - 1;
    const errors = number !== undefined && isInner && chance(number, 11) < 0.2 ? Math.ceil(records / 100) : 0;
    addStage(add, `user.${stage}`, { records, errors, pace: 2 + (number === undefined ? 0 : chance(number, 12) * 8) });
    records -= errors;
  }
  const users = counted.size;
  const logs = number === undefined ? 0 : Math.floor(chance(number, 13) * 20);
  add('system.app.log.info', 10 + logs);
  add('system.app.log.warn', 2 + Math.floor(logs / 5));
  add('system.app.log.error', run.status === 'FAILED' ? 2 + (logs % 3) : 0);
  add('system.metrics.emitted.count', 30);
  add('user.metrics.emitted.count', users);
  return counted;
}

/** What the platform has counted about a run that has ended, those inside others too. */
export function countedAbout({ status, start, running, end }: RunFact, { hasVersions }: Generation): RunCounters {
  if (end === undefined) return new Map();
  const ended = [`system.program.${status.toLowerCase()}.runs`, 1] as const;
  if (!hasVersions) return new Map([ended]);
  return new Map([
    ended,
    ['system.program.provisioning.delay.seconds', 1],
    ['system.program.starting.delay.seconds', Math.max(0, (running ?? end) - start)],
    ['system.program.run.seconds', end - (running ?? end)],
  ]);
}

function recordsOf({ status }: RunFact, number: number | undefined): number {
  if (number === undefined) return OWN_RECORDS;
  const part = status === 'COMPLETED' ? 1 : chance(number, 14);
  return Math.floor((50 + chance(number, 10) ** 3 * MOST_RECORDS) * part);
}

function addStage(
  add: (name: string, value: number) => void,
  prefix: string,
  { records, errors, pace }: { readonly records: number; readonly errors: number; readonly pace: number },
): void {
  add(`${prefix}.records.in`, records);
  add(`${prefix}.records.out`, records - errors);
  add(`${prefix}.records.error`, errors);
  if (records === 0) return;
  const average = Math.ceil(pace);
  add(`${prefix}.process.time.total`, average * records);
  add(`${prefix}.process.time.avg`, average);
  add(`${prefix}.process.time.min`, 1);
  add(`${prefix}.process.time.max`, average * 7);
  add(`${prefix}.process.time.stddev`, Math.ceil(average / 2));
}

/** Tags by their names; `*` stands for any value. */
export type Tags = ReadonlyMap<string, string>;

/** Something that counted: the tags it is found by, and when, in epoch seconds. */
export interface Source {
  readonly tags: Tags;
  readonly counted: RunCounters;
  readonly times: readonly number[];
}
