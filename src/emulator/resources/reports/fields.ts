import type { Generation } from '../../store/generation.js';
import type { RunFact } from '../../store/run-fact.js';

/** What a record of a report holds in one of its fields; `undefined` is printed as null. */
export type FieldValue = string | number | undefined;

/** A field of reports: the Java class of its values, what it supports, and how it is read. See docs/platform.md 1.2. */
export interface ReportField {
  readonly name: string;
  readonly valueClass: 'String' | 'Long' | 'Integer';
  readonly isFilterable: boolean;
  readonly isSortable: boolean;
  readonly read: (run: RunFact) => FieldValue;
}

const SNAPSHOT = '-SNAPSHOT';

const text = (name: string, read: ReportField['read'], isFilterable = true): ReportField => {
  return { name, valueClass: 'String', isFilterable, isSortable: false, read };
};
const time = (name: string, read: ReportField['read']): ReportField => {
  return { name, valueClass: 'Long', isFilterable: true, isSortable: true, read };
};
const never = (name: string): ReportField => {
  return { name, valueClass: 'Integer', isFilterable: true, isSortable: true, read: () => 0 };
};

const FIELDS: readonly ReportField[] = [
  text('applicationVersion', () => SNAPSHOT),
  text('runtimeArgs', () => undefined, false),
  text('programType', ({ type }) => (type === 'MapReduce' ? 'Mapreduce' : type)),
  text('artifactVersion', ({ artifact }) => artifact.version),
  never('numLogErrors'),
  time('start', ({ start }) => start),
  text('run', ({ id }) => id),
  text('program', ({ program }) => program),
  time('running', ({ running }) => running),
  time('duration', durationOf),
  text('artifactScope', ({ artifact }) => artifact.scope),
  text('artifactName', ({ artifact }) => artifact.name),
  text('startMethod', ({ startMethod }) => startMethod),
  never('numLogWarnings'),
  text('namespace', ({ namespace }) => namespace),
  never('numRecordsOut'),
  time('end', ({ end }) => end),
  text('user', ({ user }) => user),
  text('applicationName', ({ application }) => application),
  text('status', ({ status }) => status),
];
const CURRENT = new Map(FIELDS.map((field) => [field.name, field]));
const OLDER = new Map(CURRENT).set(
  'artifactScope',
  text('artifactScope', () => 'USER'),
);

/** Seconds from the start of a run to its end. */
export function durationOf({ start, end }: RunFact): number | undefined {
  return end === undefined ? undefined : end - start;
}

/**
 * The fields by name, in the order in which errors list them. A platform 6.1.1 takes every artifact for one of users.
 */
export function reportFields({ hasVersions }: Generation): ReadonlyMap<string, ReportField> {
  return hasVersions ? CURRENT : OLDER;
}
