/**
 * Keeps runs whose field is, or is not, one of some values, or is in a range without its upper end. See
 * docs/platform.md 1.4.
 */
export type ReportFilter =
  | { readonly fieldName: string; readonly whitelist: readonly string[] }
  | { readonly fieldName: string; readonly blacklist: readonly string[] }
  | { readonly fieldName: string; readonly range: { readonly min?: number; readonly max?: number } };

/** The order of the records; the platform sorts by one field only. */
export interface ReportSort {
  readonly fieldName: string;
  readonly order: 'ASCENDING' | 'DESCENDING';
}

/** What a report is to hold, as the platform takes it: runs between two epoch seconds. */
export interface ReportRequest {
  readonly name: string;
  readonly start: number;
  readonly end: number;
  readonly fields: readonly string[];
  /** Always sent, if empty: the platform fails without it (docs/platform.md 1.5). */
  readonly filters: readonly ReportFilter[];
  readonly sort?: readonly ReportSort[];
}
