import type { RecordPage } from './record.js';
import type { ReportRequest } from '../request/request.js';

/** Who made a report: the service of the platform, or this tool from the records of runs. */
export type ReportEngine = 'platform' | 'runs';

/** How a report is named: by its id, or for a report of somebody else by the id that was shared. */
export type ReportRef = { readonly id: string } | { readonly shareId: string };

/** A report as lists show it; times in epoch seconds (docs/platform.md 1.6). */
export interface ReportEntry {
  readonly engine: ReportEngine;
  readonly id: string;
  readonly name?: string | undefined;
  readonly description?: string | undefined;
  readonly status: 'RUNNING' | 'COMPLETED' | 'FAILED';
  readonly created: number;
  /** The same in milliseconds, where known: the order of reports of one second. */
  readonly createdMillis?: number | undefined;
  readonly expiry?: number | undefined;
}

/** How many runs of a report share something. */
export type RunCount<K extends string> = { readonly runs: number } & Readonly<Partial<Record<K, string>>>;

/** What a finished report says about its runs (docs/platform.md 1.7). */
export interface ReportSummary {
  readonly namespaces: readonly RunCount<'namespace'>[];
  readonly start: number;
  readonly end: number;
  readonly artifacts: readonly RunCount<'name' | 'version' | 'scope'>[];
  readonly durations: { readonly min: number; readonly max: number; readonly average: number };
  readonly starts: { readonly oldest: number; readonly newest: number };
  readonly owners: readonly RunCount<'user'>[];
  readonly startMethods: readonly RunCount<'method'>[];
  readonly recordCount: number;
  readonly creationTimeMillis: number;
  readonly expirationTimeMillis?: number | undefined;
}

/**
 * A report with its request; `summary` only when it is COMPLETED, `error` only when it FAILED. `id` is absent when it
 * was named by a share id.
 */
export interface ReportDetail extends Omit<ReportEntry, 'id'> {
  readonly id?: string | undefined;
  readonly request: ReportRequest;
  readonly summary?: ReportSummary | undefined;
  readonly error?: string | undefined;
}

/** A part of the records of a report, from `offset` on; all without `limit`. */
export interface RecordRange {
  readonly offset: number;
  readonly limit?: number | undefined;
}

/** Where reports are kept: the platform, or the state folder of this tool. */
export interface ReportSource {
  readonly engine: ReportEngine;
  /** All reports, newest first. */
  list(signal: AbortSignal): Promise<readonly ReportEntry[]>;
  /** One report; undefined when it is unknown here, or expired. */
  get(ref: ReportRef, signal: AbortSignal): Promise<ReportDetail | undefined>;
  /**
   * The records in pages, as the reader asks for them.
   * @throws NOT_FOUND when the report expired, PAGING or SHORT when the pages do not fit together
   */
  pages(ref: ReportRef, range: RecordRange, signal: AbortSignal): AsyncIterable<RecordPage>;
  /** Deletes a report that is not RUNNING; whether it was there. The signal ends it before it is sent, not after. */
  remove(id: string, signal: AbortSignal): Promise<boolean>;
}
