import * as z from 'zod/mini';
import { listOf } from '../core/collections.js';
import { readJson } from '../http/answers.js';
import { below, path } from '../http/path.js';
import { endpoint, json, jsonBody, text } from './endpoint.js';

/** Where the service of reports answers. */
export const reports = () =>
  path`/v3/namespaces/system/apps/ReportGenerationApp/spark/ReportGenerationSpark/methods/reports`;

/** Ids go into commands and onto terminals. */
const ReportId = z.string().check(z.regex(/^\w[\w-]*$/u));
const ShareId = z.string().check(z.regex(/^[\w=-]+$/u));
const Status = z.enum(['RUNNING', 'COMPLETED', 'FAILED']);
const ReportRow = z.looseObject({
  id: z.string(),
  name: z.optional(z.string()),
  description: z.optional(z.string()),
  created: z.number(),
  expiry: z.optional(z.number()),
  status: Status,
});
const ReportPage = z.looseObject({ reports: listOf(ReportRow) });

/** A report as the list has it; times in epoch seconds (docs/platform.md 1.6). */
export type ReportRow = z.infer<typeof ReportRow>;

const Summary = z.looseObject({
  namespaces: listOf(z.looseObject({ namespace: z.exactOptional(z.string()), runs: z.number() })),
  start: z.number(),
  end: z.number(),
  artifacts: listOf(
    z.looseObject({
      name: z.exactOptional(z.string()),
      version: z.exactOptional(z.string()),
      scope: z.exactOptional(z.string()),
      runs: z.number(),
    }),
  ),
  durations: z.looseObject({ min: z.number(), max: z.number(), average: z.number() }),
  starts: z.looseObject({ oldest: z.number(), newest: z.number() }),
  owners: listOf(z.looseObject({ user: z.exactOptional(z.string()), runs: z.number() })),
  startMethods: listOf(z.looseObject({ method: z.exactOptional(z.string()), runs: z.number() })),
  recordCount: z.number(),
  creationTimeMillis: z.number(),
  expirationTimeMillis: z.exactOptional(z.number()),
});
const ReportInfo = z.looseObject({
  /** Read like a request of our own, where its defaults are known. */
  request: z.unknown(),
  name: z.optional(z.string()),
  description: z.optional(z.string()),
  created: z.number(),
  expiry: z.optional(z.number()),
  status: Status,
  summary: z.optional(Summary),
  error: z.optional(z.string()),
});

/**
 * What the platform tells of one report. No `summary` unless COMPLETED, `error` with a stack trace when FAILED
 * (docs/platform.md 1.7).
 */
export type ReportInfo = z.infer<typeof ReportInfo>;

/** A report by its id, or by the id that was shared. */
export type ReportPlace = { readonly id: string } | { readonly shareId: string };

/** How a report is named in a query: exactly one of two parameters (docs/platform.md 1.3). */
export const reportQuery = (place: ReportPlace): readonly [string, string] =>
  'id' in place ? ['report-id', place.id] : ['share-id', place.shareId];

/**
 * Makes a report from a request (docs/platform.md 1.4). Never sent twice blindly.
 * @throws BAD_ANSWER when no id comes back
 */
export const createReport = endpoint({
  method: 'POST',
  path: reports,
  body: (request: object) => jsonBody(request),
  answer: json(z.looseObject({ id: ReportId }), 'the response to a new report'),
});

/**
 * A part of the list, newest first. Its total is only that of this answer, so a full one may have a next
 * (docs/platform.md 1.3).
 */
export const listReportPage = endpoint({
  method: 'GET',
  path: reports,
  query: ({ offset, limit }: { readonly offset: number; readonly limit: number }) => [
    ['offset', String(offset)],
    ['limit', String(limit)],
  ],
  answer: json(ReportPage, 'the list of reports'),
});

/** One report; 404 when unknown or expired, 500 for a share id that is none. Secrets are taken out of its error. */
export const getReport = endpoint({
  method: 'GET',
  path: () => below(reports(), 'info'),
  query: (place: ReportPlace) => [reportQuery(place)],
  answer: async (answer) => {
    const { error, ...info } = await readJson(answer, ReportInfo, 'the report');
    return { ...info, ...(error !== undefined && { error: answer.hide?.(error) ?? error }) };
  },
});

/** The share id of a report, always the same one; 404 when it is unknown. Harmless to repeat. */
export const shareReport = endpoint({
  method: 'POST',
  path: ({ id }: { readonly id: string }) => below(reports(), id, 'share'),
  answer: json(z.looseObject({ shareId: ShareId }), 'the share id'),
});

/**
 * Names and describes a report for good; 403 when it is not COMPLETED or saved already. A body that is no object breaks
 * the whole list (docs/platform.md 1.5).
 */
export const saveReport = endpoint({
  method: 'POST',
  path: ({ id }: { readonly id: string; readonly name: string; readonly description: string | undefined }) =>
    below(reports(), id, 'save'),
  body: ({ name, description }) => jsonBody({ name, ...(description !== undefined && { description }) }),
  answer: text,
  statuses: { 403: 'CONFLICT' },
});

/**
 * Deletes a report. One that is RUNNING comes back half and breaks the list until it is deleted again (docs/platform.md
 * 1.3). 404 when it is gone.
 */
export const deleteReport = endpoint({
  method: 'DELETE',
  path: ({ id }: { readonly id: string }) => below(reports(), id),
  answer: text,
});
