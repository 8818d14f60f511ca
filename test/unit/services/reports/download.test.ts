import { describe, expect, it } from 'vitest';
import type { ServiceEvent } from '../../../../src/core/events.js';
import { allRecords } from '../../../../src/services/reports/all-records.js';
import { readyReport } from '../../../../src/services/reports/download.js';
import { newestFirst, timeOfId } from '../../../../src/services/reports/source/newest-first.js';
import { resolveReport } from '../../../../src/services/reports/resolve.js';
import type {
  ReportDetail,
  ReportEntry,
  ReportRef,
  ReportSource,
} from '../../../../src/services/reports/source/source.js';
import { NEVER } from '../../../support/clock.js';
import { errorOf } from '../../../support/errors.js';
import { failure } from '../pipelines/support.js';

const ID = '00000001-e56c-11f1-8e61-acde48001122';
const request = { name: 'x', start: 1, end: 2, fields: [], filters: [] };
const summary = { recordCount: 3 } as NonNullable<ReportDetail['summary']>;
const detail: ReportDetail = { engine: 'platform', id: ID, status: 'COMPLETED', created: 1, request, summary };
const ref: ReportRef = { id: ID };
const never = (): never => {
  throw new Error('not asked');
};
const sourceOf = (given: Partial<ReportSource>): ReportSource => ({
  ...{ engine: 'platform', list: never, get: never, pages: never, remove: never },
  ...given,
});

describe('a report whose records are wanted', () => {
  const ready = (looked: ReportDetail | undefined, named: ReportRef = ref) =>
    readyReport(sourceOf({ get: async () => looked }), named, NEVER);

  it('is ready when it is COMPLETED', async () => {
    expect(await ready(detail)).toEqual({ source: expect.anything() as unknown, ref, detail, total: 3 });
  });

  it.each<[string, ReportRef, string, string]>([
    ['an id', ref, `the report ${ID}`, ID],
    ['a share id', { shareId: 'c2hhcmVk' }, 'the shared report', 'share:c2hhcmVk'],
  ])('is named by %s in errors', async (_, named, words, word) => {
    const target = { report: word };
    expect(await failure(ready(undefined, named))).toEqual({
      ...{ code: 'NOT_FOUND', message: `${words} not found or expired`, hints: [{ next: 'list-reports' }], target },
    });
    const bare = { ...detail, summary: undefined };
    expect(await failure(ready({ ...bare, status: 'RUNNING' }, named))).toEqual({
      ...{ code: 'RUNNING', message: `${words} is still being generated`, target },
      hints: [{ next: 'wait-for-report', report: word }, { next: 'wait-here' }],
    });
    const hints = [
      { next: 'show-report', report: word },
      { next: 'make-report-again', report: word },
    ];
    const failed = { code: 'REPORT_FAILED', message: `${words} has FAILED`, hints, target };
    expect(await failure(ready({ ...detail, status: 'FAILED', error: 'first\nsecond' }, named))).toEqual({
      ...{ ...failed, serverSaid: 'first' },
    });
    // COMPLETED, but without what says how many records there are.
    expect(await failure(ready(bare, named))).toEqual(failed);
  });
});

describe('the records of a report', () => {
  const page = (offset: number, count: number, total = 3) => ({
    ...{ offset, total, records: Array.from({ length: count }, (_, at) => ({ run: `${offset + at}` })) },
  });
  const read = (pages: readonly ReturnType<typeof page>[], range = {}, total = 3, named: ReportRef = ref) => {
    const events: ServiceEvent[] = [];
    const source = sourceOf({
      pages: async function* () {
        yield* pages;
      },
    });
    const work = (async () => {
      const runs: unknown[] = [];
      const wanted = { offset: 0, ...range };
      const of = { source, ref: named, detail, total };
      for await (const { records } of allRecords(of, wanted, (event) => void events.push(event), NEVER))
        runs.push(...records.map(({ run }) => run));
      return runs;
    })();
    return { work, events };
  };
  const count = (done: number, of: number, what = `records of the report ${ID}`) => ({
    ...{ type: 'count', what, done, of, failed: 0 },
  });

  it('are counted as they come', async () => {
    const { work, events } = read([page(0, 2), page(2, 1)]);
    expect(await work).toEqual(['0', '1', '2']);
    expect(events).toEqual([count(2, 3), count(3, 3)]);
  });

  it('are counted within the range', async () => {
    const { work, events } = read([page(1, 1)], { offset: 1, limit: 1 }, 3, { shareId: 'x' });
    expect([await work, events]).toEqual([['1'], [count(1, 1, 'records of the shared report')]]);
  });

  it('are not asked for beyond the end, but those of an empty report are', async () => {
    expect(await read([page(3, 1)], { offset: 3 }).work).toEqual([]);
    const { work, events } = read([page(0, 0, 0)], {}, 0);
    expect([await work, events]).toEqual([[], [count(0, 0)]]);
  });

  const broken = (code: string, got: number, line: string) => ({
    ...{ code, message: `the records of the report ${ID} are incomplete: got ${got} of 3`, lines: [line] },
    ...{ hints: [{ next: 'list-reports' }], target: { got: String(got), of: '3' } },
  });
  it('are too few where the pages end early', async () => {
    expect(await failure(read([page(0, 2)]).work)).toEqual(broken('SHORT', 2, 'the pages ended too early'));
  });

  it('do not fit where the pages have more than the summary', async () => {
    const line = 'its summary has 3 records, but its pages have 4';
    expect(await failure(read([page(0, 2), page(2, 2, 4)]).work)).toEqual(broken('PAGING', 2, line));
    // Fewer show in the end.
    expect(await read([page(0, 3, 2)]).work).toHaveLength(3);
  });
});

describe('a report that is not found by its word', () => {
  const entry = (id: string, more: Partial<ReportEntry> = {}): ReportEntry => ({
    ...{ engine: 'platform', id, status: 'COMPLETED', created: 1, ...more },
  });
  const resolve = (word: string, ...entries: readonly ReportEntry[]) =>
    resolveReport(word, [sourceOf({ list: async () => entries })], NEVER);
  const LIST = { next: 'list-reports' };

  it.each([
    ['latest', 'there are no reports yet'],
    ['99999999', 'report "99999999" not found; it may have expired'],
    [`local-${ID}`, `report "local-${ID}" not found; it may have expired`],
  ])('%s', async (word, message) => {
    expect(await failure(resolve(word))).toEqual({
      code: 'NOT_FOUND',
      message,
      hints: [LIST],
      target: { report: word },
    });
  });

  it('is looked for in at least one place', async () => {
    expect(await failure(resolveReport(ID, [], NEVER))).toMatchObject({ code: 'NOT_FOUND', target: { report: ID } });
  });

  it.each([
    ['nope', '"nope"'],
    ['x'.repeat(81), `"${'x'.repeat(80)}"`],
    ['xshare:c2hhcmVkaWQ=', '"xshare:c2hhcmVkaWQ="'],
  ])('%s is none', async (word, shown) => {
    const hint = 'use a report ID, its first 8 or more characters, latest, or share:ID';
    expect(await failure(resolve(word))).toEqual({
      ...{ code: 'USAGE', message: `${shown} is not a report`, hints: [hint, LIST] },
    });
  });

  it.each([
    ['share:', '"share:" has no share ID after "share:"'],
    ['share:1234567', '"share:1234567" has a malformed share ID'],
    ['share:!12345678', '"share:!12345678" has a malformed share ID'],
    ['share:12345678!', '"share:12345678!" has a malformed share ID'],
    ['share:12345678\nx', '"share:12345678\\nx" has a malformed share ID'],
  ])('%s is no share ID', async (word, message) => {
    const hint =
      'a share ID has 8 or more letters, digits, _, - and =; use the whole one that was printed when it was shared';
    expect(await failure(resolve(word))).toEqual({ code: 'USAGE', message, hints: [hint] });
  });

  it('is not guessed where several begin so, which are all named, the newest one first', async () => {
    const ids = Array.from({ length: 6 }, (_, at) => `12345678-${at}`);
    const all = ids.map((id, at) => entry(id, { created: at, ...(at === 0 && { name: 'one' }) }));
    expect(await errorOf(resolve('12345678', ...all))).toMatchObject({
      ...{ code: 'USAGE', message: '"12345678" matches 6 reports' },
      all: [...ids]
        .reverse()
        .map((id, at) => ({ id, status: 'COMPLETED', at: 5 - at, name: at === 5 ? 'one' : undefined })),
    });
  });

  it('has nothing about other places where all of them were looked at', async () => {
    expect('off' in (await resolve('latest', entry(ID)))).toBe(false);
  });
});

describe('the newer of two reports', () => {
  it('was created later, by its id where that is known', () => {
    const at = (created: number, createdMillis?: number): ReportEntry => ({
      ...{ engine: 'runs', id: `${created} ${createdMillis ?? ''}`, status: 'COMPLETED', created },
      ...(createdMillis !== undefined && { createdMillis }),
    });
    const all = [at(1, 1999), at(2), at(2, 2001), at(2, 2002), at(3)];
    expect([...all].sort(newestFirst).map(({ id }) => id)).toEqual(['3 ', '2 2002', '2 2001', '2 ', '1 1999']);
  });

  it.each([
    // The name space of domain names (RFC 4122).
    ['6ba7b810-9dad-11d1-80b4-00c04fd430c8', Date.parse('1998-02-04T22:13:53.151Z')],
    ['6ba7b810-9dad-41d1-80b4-00c04fd430c8', undefined],
    ['x6ba7b810-9dad-11d1-80b4-00c04fd430c8', undefined],
    ['', undefined],
  ])('has the time of the id %s', (id, milliseconds) => {
    const time = timeOfId(id);
    expect(time && Math.floor(time)).toBe(milliseconds);
  });
});
