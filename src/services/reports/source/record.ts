/** One run of a report: the requested fields and `program`; null stands for what is not known. */
export type ReportRecord = Readonly<Record<string, unknown>>;

/** Some records of a report, as a page of the platform or a part of a local file. */
export interface RecordPage {
  /** Index of the first of them in the report. */
  readonly offset: number;
  /** How many the whole report has. */
  readonly total: number;
  readonly records: readonly ReportRecord[];
}
