import fc from 'fast-check';
import type { CliError } from '../../../../../src/core/errors.js';
import { describe, expect, it } from 'vitest';
import type { Clock } from '../../../../../src/core/clock.js';
import { reportPages } from '../../../../../src/services/reports/platform/pages.js';
import type { RecordPage } from '../../../../../src/services/reports/source/record.js';
import type { RecordRange, ReportRef } from '../../../../../src/services/reports/source/source.js';
import { hintsOf } from '../../../../support/errors.js';
import { pageOf, pageServer, rowsOf, type PageAnswer, type PageAsked, type Row } from '../page-server.js';

const { signal } = new AbortController();
const ref: ReportRef = { id: 'fb6e8934' };
const whole: RecordRange = { offset: 0 };

/** What came before the end, and the error at the end. */
async function read(pages: AsyncIterable<RecordPage>): Promise<{ rows: Row[]; pages: number; error?: unknown }> {
  const rows: Row[] = [];
  let count = 0;
  try {
    for await (const { records } of pages) {
      rows.push(...records);
      count += 1;
    }
    return { rows, pages: count };
  } catch (error) {
    return { rows, pages: count, error };
  }
}

const serving = (rows: readonly Row[]) => pageServer((asked) => pageOf(rows, asked));

/** A clock that only counts what it was asked to wait. */
function countingClock(): Clock & { waits: number[] } {
  const waits: number[] = [];
  return {
    waits,
    now: () => 0,
    monotonic: () => 0,
    sleep: async (milliseconds) => {
      waits.push(milliseconds);
    },
  };
}

describe('the pages of a report', () => {
  it('are 2,500 records each and all of them', async () => {
    const rows = rowsOf(5005);
    const { platform, asked } = serving(rows);
    const came = await read(reportPages(platform, ref, whole, signal));
    expect(came).toMatchObject({ pages: 3 });
    expect(came.rows).toEqual(rows);
    expect(asked.map(({ id, offset, limit }) => [id, offset, limit])).toEqual([
      ['fb6e8934', 0, 2500],
      ['fb6e8934', 2500, 2500],
      ['fb6e8934', 5000, 5],
    ]);
  });

  it.each([{}, { limit: 0 }])(
    'are as many as were asked for where the service says of its largest page %j',
    async (limit) => {
      const rows = rowsOf(2501);
      const { platform } = pageServer(({ offset }) => ({
        status: 200,
        text: JSON.stringify({ offset, ...limit, total: 2501, details: rows.slice(offset, offset + 2500) }),
      }));
      expect(await read(reportPages(platform, ref, whole, signal))).toEqual({ rows, pages: 2 });
    },
  );

  it('are asked for by the id that was shared', async () => {
    const { platform, asked } = serving(rowsOf(1));
    await read(reportPages(platform, { shareId: 'a_b-c=' }, whole, signal));
    expect(asked).toMatchObject([{ id: null, shareId: 'a_b-c=' }]);
  });

  it('are as small as the service wants them, any part of any report', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.nat(60),
        fc.integer({ min: 1, max: 20 }),
        fc.nat(70),
        fc.option(fc.integer({ min: 1, max: 70 }), { nil: undefined }),
        async (count, most, offset, limit) => {
          const rows = rowsOf(count);
          const { platform, asked } = pageServer((one) =>
            one.limit > most ? { status: 400, text: `limit must cannot be larger than ${most}` } : pageOf(rows, one),
          );
          const came = await read(reportPages(platform, ref, { offset, limit }, signal));
          expect(came.error).toBeUndefined();
          expect(came.rows).toEqual(rows.slice(offset, limit === undefined ? undefined : offset + limit));
          expect(asked.filter((one) => one.limit > most).length).toBeLessThan(2);
        },
      ),
      { numRuns: 60 },
    );
  });

  it('are asked for one ahead of the reader and no further', async () => {
    const { platform, asked } = serving(rowsOf(12_500));
    const pages = reportPages(platform, ref, whole, signal);
    await pages.next();
    expect(asked).toHaveLength(2);
    await pages.next();
    expect(asked).toHaveLength(3);
    await pages.return();
    expect(asked).toHaveLength(3);
  });

  it.each([true, false])('have no request left when the reader has enough (all: %s)', async (isAll) => {
    const { platform } = serving(rowsOf(5005));
    const signals: AbortSignal[] = [];
    const call: typeof platform.call = (endpoint, parameters, stop) => {
      signals.push(stop);
      return platform.call(endpoint, parameters, stop);
    };
    for await (const { offset } of reportPages({ ...platform, call }, ref, whole, signal))
      if (offset === 0 && !isAll) break;
    expect(signals.map(({ aborted }) => aborted)).toEqual(isAll ? [true, true, true] : [true, true]);
  });

  it('may hold what a page of the service says to be all it gives', async () => {
    const rows = rowsOf(25);
    const { platform } = pageServer((asked) => pageOf(rows, { ...asked, limit: Math.min(10, asked.limit) }));
    expect((await read(reportPages(platform, ref, whole, signal))).rows).toEqual(rows);
  });

  it('end with the reason of the signal', async () => {
    const controller = new AbortController();
    const { platform } = serving(rowsOf(12_500));
    const pages = reportPages(platform, ref, whole, controller.signal);
    await pages.next();
    controller.abort(new Error('enough'));
    await expect(pages.next().then(() => pages.next())).rejects.toThrow('enough');
  });
});

describe('a page that is cut off', () => {
  it.each([0, 1, 100, 5000])('after %i bytes is asked for again, and nothing is lost or doubled', async (cutAt) => {
    const rows = rowsOf(5005);
    const { platform, asked } = pageServer((one) => ({ ...pageOf(rows, one), ...(one.n % 2 === 1 && { cutAt }) }));
    expect((await read(reportPages(platform, ref, whole, signal))).rows).toEqual(rows);
    expect(asked.map(({ offset }) => offset)).toEqual([0, 0, 2500, 2500, 5000, 5000]);
  });

  it('for ever is an error after four tries', async () => {
    const { platform, asked } = pageServer((one) => ({ ...pageOf(rowsOf(5), one), cutAt: 20 }));
    expect(await read(reportPages(platform, ref, whole, signal))).toMatchObject({ error: { code: 'NET_SHORT' } });
    expect(asked).toHaveLength(4);
  });
});

describe('a service that wakes up', () => {
  const away: PageAnswer = { status: 503, text: 'No discoverable found for request GET / HTTP/1.1' };

  it('is waited for', async () => {
    const clock = countingClock();
    const { platform } = pageServer((one) => (one.n < 5 ? away : pageOf(rowsOf(3), one)));
    expect((await read(reportPages(platform, ref, whole, signal, clock))).rows).toHaveLength(3);
    expect(clock.waits).toEqual([2000, 2000, 2000, 2000]);
  });

  it('is not waited for without end', async () => {
    const clock = countingClock();
    const { platform } = pageServer(() => away);
    expect(await read(reportPages(platform, ref, whole, signal, clock))).toMatchObject({
      error: { code: 'UNAVAILABLE', details: { hints: [{ next: 'report-service' }] } },
    });
    expect(clock.waits).toHaveLength(15);
  });
});

describe('pages that do not fit', () => {
  const rows = rowsOf(5000);
  const second = (answer: (asked: PageAsked) => PageAnswer) => (asked: PageAsked) =>
    asked.offset === 0 ? pageOf(rows, asked) : answer(asked);
  const text = (page: object): PageAnswer => ({ status: 200, text: JSON.stringify(page) });

  it.each<[string, string, RegExp, number, (asked: PageAsked) => PageAnswer]>([
    [
      'are short',
      'SHORT',
      /got 90 of 100/u,
      90,
      () => text({ offset: 0, limit: 2500, total: 100, details: rowsOf(90) }),
    ],
    ['are empty at once', 'SHORT', /got 0 of 100/u, 0, () => text({ offset: 0, limit: 2500, total: 100, details: [] })],
    ['shrink', 'SHORT', /got 4990 of 5000/u, 4990, second((asked) => pageOf(rows.slice(0, -10), asked))],
    ['grow', 'PAGING', /got 2500 of 5000/u, 2500, second((asked) => pageOf(rowsOf(5010), asked))],
    [
      'repeat',
      'PAGING',
      /got 2500 of 5000/u,
      2500,
      second((asked) => ({
        ...pageOf(rows, { ...asked, offset: 0 }),
        text: pageOf(rows, { ...asked, offset: 0 }).text.replace('"offset":0', `"offset":${asked.offset}`),
      })),
    ],
    [
      'overlap',
      'PAGING',
      /got 2500 of 5000/u,
      2500,
      second((asked) => pageOf([...rows.slice(0, 2499), ...rows.slice(2498, -1)], asked)),
    ],
    [
      'have one new record and then those of the page before',
      'PAGING',
      /got 2500 of 5000/u,
      2500,
      second((asked) => pageOf([...rows.slice(0, 2501), ...rows.slice(0, 2499)], asked)),
    ],
    [
      'end with a record of the page before',
      'PAGING',
      /got 2500 of 5000/u,
      2500,
      second((asked) => pageOf([...rows.slice(0, 4999), ...rows.slice(9, 10)], asked)),
    ],
    [
      'have a record twice',
      'PAGING',
      /got 0 of 5000/u,
      0,
      (asked) => pageOf([...rows.slice(0, 2), ...rows.slice(1, -1)], asked),
    ],
    [
      'come from elsewhere',
      'PAGING',
      /got 2500 of 5000/u,
      2500,
      second((asked) => pageOf(rows, { ...asked, offset: 7 })),
    ],
    [
      'make no progress',
      'PAGING',
      /got 2500 of 5000/u,
      2500,
      second((asked) => pageOf(rows.slice(0, 2500), asked, 5000)),
    ],
    [
      'are too long',
      'PAGING',
      /got 2500 of 5000/u,
      2500,
      second((asked) => pageOf(rowsOf(7500), { ...asked, limit: 2501 }, 5000)),
    ],
  ])('because they %s are %s', async (_, code, words, kept, answer) => {
    const { platform } = pageServer(answer);
    const { error, rows: came } = await read(reportPages(platform, ref, whole, signal));
    expect(error).toMatchObject({ code, message: expect.stringMatching(words) as string });
    expect(hintsOf(error as CliError)[0]).toContain('report generate --like fb6e8934');
    expect(came).toHaveLength(kept);
  });

  it('do not fit when a page much earlier comes again, which is named by its first run', async () => {
    const many = rowsOf(12_500);
    const again = [...many.slice(0, 10_000), ...many.slice(2500, 5000)];
    const came = await read(reportPages(pageServer((one) => pageOf(again, one)).platform, ref, whole, signal));
    expect(came.error).toMatchObject({
      code: 'PAGING',
      details: { lines: ['the page at record 10000 repeats the run run-2500'] },
    });
    expect(came.rows).toHaveLength(10_000);
  });

  it('do fit when runs that are not known look alike', async () => {
    const alike = Array.from({ length: 2501 }, () => ({ run: null, program: 'phase-1' }));
    expect((await read(reportPages(serving(alike).platform, ref, whole, signal))).rows).toHaveLength(2501);
  });

  it('do fit when records without run ids look alike', async () => {
    const alike = Array.from({ length: 2501 }, () => ({ program: 'phase-1', status: 'FAILED' }));
    expect((await read(reportPages(serving(alike).platform, ref, whole, signal))).rows).toHaveLength(2501);
  });
});

describe('a report that cannot be read', () => {
  const said = (status: number, text: string) => pageServer(() => ({ status, text }));
  const failing = async (server: ReturnType<typeof said>): Promise<unknown> =>
    (await read(reportPages(server.platform, ref, whole, signal))).error;

  it('is RUNNING, with the command that waits', async () => {
    const error = await failing(said(202, 'ReportId : fb6e8934 is still being generated, please retry later.'));
    expect(error).toMatchObject({
      code: 'RUNNING',
      details: { hints: [{ next: 'wait-for-report', report: 'fb6e8934' }, { next: 'wait-here' }] },
    });
  });

  it('is not there', async () => {
    const error = await failing(said(404, 'Report with ReportId : fb6e8934 does not exist.'));
    expect(error).toMatchObject({ code: 'NOT_FOUND', message: 'the report fb6e8934 not found or expired' });
  });

  it('expires in the middle', async () => {
    const rows = rowsOf(7500);
    const { platform } = pageServer((asked) =>
      asked.offset < 5000 ? pageOf(rows, asked) : { status: 404, text: 'does not exist.' },
    );
    const { error, rows: came } = await read(reportPages(platform, ref, whole, signal));
    expect(error).toMatchObject({
      code: 'NOT_FOUND',
      message: 'the report fb6e8934 has expired or was deleted while it was read: got 5000 of 7500',
    });
    expect(came).toHaveLength(5000);
  });

  it('has failed', async () => {
    const words = 'Reading details of the ReportId : fb6e8934 with failed status is not allowed.';
    expect(await failing(said(400, words))).toMatchObject({ code: 'REPORT_FAILED' });
  });

  it.each([
    ['no JSON', '{"offset":0'],
    ['no list', '{"offset":0,"limit":1,"total":1,"details":{}}'],
    ['a record that is a list', '{"offset":0,"limit":1,"total":1,"details":[[]]}'],
    ['a record that is nothing', '{"offset":0,"limit":1,"total":1,"details":[null]}'],
    ['a broken total', '{"offset":0,"limit":1,"total":-1,"details":[]}'],
    ['too many levels', `{"offset":0,"limit":1,"total":1,"details":[{"a":${'['.repeat(70)}${']'.repeat(70)}}]}`],
  ])('breaks its contract: %s', async (_, text) => {
    expect(await failing(said(200, text))).toMatchObject({ code: 'BAD_ANSWER' });
  });

  it('is refused for another reason, which stays as it is', async () => {
    expect(await failing(said(400, 'limit must be a positive integer'))).toMatchObject({ code: 'REMOTE_FAILED' });
  });
});
