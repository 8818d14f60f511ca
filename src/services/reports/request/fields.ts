/** How a field of a report can be filtered: by a list of values, by a range of numbers, or not at all. */
export type FilterKind = 'values' | 'range' | 'none';

/** What a field of a report can do (docs/platform.md 1.2). */
export interface ReportField {
  readonly name: string;
  readonly filter: FilterKind;
  readonly sortable: boolean;
  /** What it holds, for `report fields`. */
  readonly meaning: string;
}

const values = (name: string, meaning: string): ReportField => ({ name, filter: 'values', sortable: false, meaning });
const range = (name: string, meaning: string): ReportField => ({ name, filter: 'range', sortable: true, meaning });

/** The filter on `NS/NAME` of a pipeline, only for reports made here: no field of the platform has it. */
export const PIPELINE = values('pipeline', 'namespace and name of the pipeline');

/** Every field of a report, in the platform's order. */
export const REPORT_FIELDS: readonly ReportField[] = [
  values('artifactScope', 'SYSTEM or USER; always USER on 6.1.1'),
  values('artifactName', 'artifact of the application'),
  values('artifactVersion', 'version of that artifact'),
  values('applicationName', 'pipeline or other application'),
  values('applicationVersion', 'version of the application'),
  values('program', 'program of the application'),
  values('programType', 'Workflow, Spark, Mapreduce, ...; inner programs have their own records'),
  values('run', 'run id'),
  values(
    'status',
    'PENDING, STARTING, RUNNING, SUSPENDED, RESUMING, STOPPING, COMPLETED, FAILED, KILLED, STOPPED or REJECTED',
  ),
  range('start', 'when the run was requested, epoch seconds'),
  range('running', 'when it started to run, epoch seconds'),
  range('end', 'when it ended, epoch seconds'),
  range('duration', 'seconds from start to end; none while it is active'),
  values('namespace', 'namespace of the application'),
  values('user', 'who started it, if known'),
  values('startMethod', 'MANUAL, SCHEDULED or TRIGGERED'),
  { name: 'runtimeArgs', filter: 'none', sortable: false, meaning: 'runtime arguments, an object of strings' },
  range('numLogWarnings', 'always 0 (not counted by the platform)'),
  range('numLogErrors', 'always 0 (not counted by the platform)'),
  range('numRecordsOut', 'always 0 (not counted by the platform)'),
];
