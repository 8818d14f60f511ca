import * as z from 'zod/mini';
import type { Run } from './model.js';
import type { RunFact } from './run-fact.js';

const Milliseconds = z.int().check(z.nonnegative());

/** How the report service behaves, as a seed or `POST /emulator/reports` may say. What is left out stays as it is. */
export const ReportSettings = z.strictObject({
  /** A capability file lists the service: a platform 6.11.0 deploys it, starts it and keeps it running. */
  capability: z.optional(z.boolean()),
  /** The service is deployed and running from now on; on 6.11.0 by a capability file. */
  running: z.optional(z.boolean()),
  /** The service sees runs; on 6.11.0 it does not unless told (docs/platform.md 1.1). */
  collects: z.optional(z.boolean()),
  /** How long a generation takes that finds runs. */
  generateMilliseconds: z.optional(Milliseconds),
  /** How many answers show a report RUNNING at least. */
  generatePolls: z.optional(z.int().check(z.nonnegative())),
  /**
   * The interval after which a platform 6.11.0 stops an unlisted service and restarts a listed one. A service is listed
   * if a capability file names it.
   */
  scanMilliseconds: z.optional(Milliseconds),
});
/** How the report service behaves. */
export type ReportSettings = z.infer<typeof ReportSettings>;

/** What a user made of a report by saving it; `broken` after an empty body (docs/platform.md 1.5). */
export type SavedAs = 'broken' | { readonly name?: string | undefined; readonly description?: string | undefined };

/** A filter of a report, its members in the order of the answers. */
export interface ReportFilter {
  readonly whitelist?: readonly string[];
  readonly blacklist?: readonly string[];
  /** `undefined` when it was sent as null. */
  readonly range?: { readonly min?: number; readonly max?: number } | undefined;
  readonly fieldName: string;
}

/**
 * What a report is made from, its members in the order of the answers. `filters` is absent when the client sent none.
 */
export interface ReportRequest {
  readonly name?: string;
  readonly start: number;
  readonly end: number;
  readonly fields: readonly string[];
  readonly sort?: readonly { readonly order: string; readonly fieldName: string }[];
  readonly filters?: readonly ReportFilter[];
}

/** Runs by index; those of a large table are computed when they are asked for. */
export interface RunSource {
  readonly count: number;
  readonly runAt: (index: number) => RunFact | undefined;
}

/** The runs of a report, in its order. */
export interface Selection extends RunSource {
  readonly tally: { readonly summary: (request: ReportRequest, scope: 'USER' | undefined) => object };
}

/** A report of the service; times in milliseconds since the epoch. */
export interface Report {
  readonly id: string;
  readonly created: number;
  readonly request: ReportRequest;
  /** The run of the service that generates it; absent when it was refused, so that it never ends. */
  readonly madeBy: Run['id'] | undefined;
  readonly expirySeconds: number;
  readonly selection: () => Selection;
  /** When its generation ends, and how many answers must show it RUNNING before. */
  due: number;
  polls: number;
  ended: number | undefined;
  error: string | undefined;
  saved: SavedAs | undefined;
  /** Whether its folder was deleted while RUNNING; it comes back when the generation ends. See docs/platform.md 1.3. */
  isGhost: boolean;
}

/** What the report service remembers: it survives the deletion of its application. */
export class ReportShelf {
  readonly reports = new Map<string, Report>();
  /** Runs that the service knows besides those of the platform. */
  readonly records: RunFact[] = [];
  settings: ReportSettings = {};
  runtimeArguments: Readonly<Record<string, string>> = {};
}
