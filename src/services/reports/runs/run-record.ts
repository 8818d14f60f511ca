import { PIPELINE } from '../request/fields.js';
import type { ReportRecord } from '../source/record.js';
import type { ReportFilter } from '../request/request.js';
import type { Run } from './window.js';

/** What the dashboard does not say about a run: its runtime arguments, and its application version. */
export interface RunDetails {
  readonly runtimeArgs?: Readonly<Record<string, string>> | undefined;
  readonly version?: string | undefined;
}

/** The type of a program as reports write it: `Workflow` for the dashboard's `WORKFLOW`. See docs/platform.md 0.5. */
export function programTypeOf(type: string): string {
  return type === '' ? '' : `${type.slice(0, 1).toUpperCase()}${type.slice(1).toLowerCase()}`;
}

/** A run with all fields of a report; null stands for what is not known (docs/platform.md 1.8). */
export function recordOf(run: Run, { runtimeArgs, version }: RunDetails = {}): ReportRecord {
  const { artifact, application, start, running, end } = run;
  return {
    artifactScope: artifact?.scope ?? null,
    artifactName: artifact?.name ?? null,
    artifactVersion: artifact?.version ?? null,
    applicationName: application.name,
    applicationVersion: version ?? application.version,
    program: run.program,
    programType: programTypeOf(run.type),
    run: run.run,
    status: run.status ?? null,
    start,
    running: running ?? null,
    end: end ?? null,
    duration: end === undefined ? null : end - start,
    namespace: run.namespace,
    user: run.user ?? null,
    startMethod: run.startMethod,
    runtimeArgs: runtimeArgs ?? null,
    numLogWarnings: 0,
    numLogErrors: 0,
    numRecordsOut: 0,
  };
}

/** The requested fields of a record, and `program`, which every record has (docs/platform.md 1.2). */
export function pickFields(record: ReportRecord, fields: readonly string[]): ReportRecord {
  const wanted = fields.includes('program') ? fields : [...fields, 'program'];
  return Object.fromEntries(wanted.map((field) => [field, record[field] ?? null]));
}

const pipelineOf = ({ namespace, applicationName }: ReportRecord): string =>
  `${String(namespace)}/${String(applicationName)}`;

/** Whether a record passes all filters; one that lacks the field never does. */
export function passes(record: ReportRecord, filters: readonly ReportFilter[]): boolean {
  return filters.every((filter) => {
    const { fieldName } = filter;
    const value = fieldName === PIPELINE.name ? pipelineOf(record) : record[fieldName];
    if (typeof value !== 'string' && typeof value !== 'number') return false;
    if ('whitelist' in filter) return filter.whitelist.includes(String(value));
    if ('blacklist' in filter) return !filter.blacklist.includes(String(value));
    const { min = -Infinity, max = Infinity } = filter.range;
    return Number(value) >= min && Number(value) < max;
  });
}
