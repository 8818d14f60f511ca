import * as z from 'zod/mini';
import { below } from '../http/path.js';
import type { HttpAnswer } from '../http/transport.js';
import { endpoint, json } from './endpoint.js';
import { reportQuery, reports, type ReportPlace } from './reports.js';

/** A reader of the far end of a large report is slow: the service skips line by line. */
const PAGE_TIMEOUT = 120_000;

type Records = readonly Readonly<Record<string, unknown>>[];

const count = z.int().check(z.nonnegative());

/** Each record is looked at by hand: a schema would take longer than the parser. */
const ReportPage = z.looseObject({
  offset: count,
  limit: z.optional(z.int()),
  total: count,
  details: z.custom<Records>(isListOfObjects, { error: 'must be a list of objects' }),
});

/** Some records of a report as the platform answers them. `limit` is what was asked for (docs/platform.md 1.8). */
export type ReportPage = z.infer<typeof ReportPage>;

/** The records `[offset, offset + limit)` of a report; one of the two ids is given. */
export interface ReportPageSelection {
  readonly id: ReportPlace;
  readonly offset: number;
  readonly limit: number;
}

const readPage = json(ReportPage, 'the records of the report', { depth: 'after' });

async function pageOrRunning(answer: HttpAnswer): Promise<ReportPage | 'running'> {
  if (answer.status !== 202) return readPage(answer);
  await answer.discard();
  return 'running';
}

/**
 * A page of records. A 202 says that the report is still being made, a 404 that it is unknown or has expired, a 400
 * names the most that one page may have (docs/platform.md 1.3).
 */
export const getReportPage = endpoint({
  method: 'GET',
  path: () => below(reports(), 'download'),
  query: ({ id, offset, limit }: ReportPageSelection) => [
    reportQuery(id),
    ['offset', String(offset)],
    ['limit', String(limit)],
  ],
  answer: pageOrRunning,
  headersTimeout: PAGE_TIMEOUT,
});

function isListOfObjects(value: unknown): boolean {
  if (!Array.isArray(value)) return false;
  for (const one of value) if (typeof one !== 'object' || one === null || Array.isArray(one)) return false;
  return true;
}
