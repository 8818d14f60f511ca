import { describe, expect, it } from 'vitest';
import { CliError } from '../../../../src/core/errors.js';
import { deleteReports, failureOfDeletions, type Deletion } from '../../../../src/services/reports/delete.js';
import type { FoundReport } from '../../../../src/services/reports/resolve.js';
import type { ReportDetail, ReportSource } from '../../../../src/services/reports/source/source.js';
import { NEVER } from '../../../support/clock.js';

const NOW = 1_700_000_000;
const ID = '00000001-e56c-11f1-8e61-acde48001122';
const request = { name: 'x', start: 1, end: 2, fields: [], filters: [] };
const detail: ReportDetail = { engine: 'platform', id: ID, name: 'nightly', status: 'COMPLETED', created: 1, request };
const running = (age: number): ReportDetail => ({ ...detail, status: 'RUNNING', created: NOW - age });
const never = (): never => {
  throw new Error('not asked');
};

/** A report that is looked at and removed as told; `removed` are the ids that were to be deleted. */
function report(looked: ReportDetail | undefined | Error, { isThere = true, listed = true } = {}) {
  const removed: string[] = [];
  const source: ReportSource = {
    engine: 'platform',
    list: never,
    pages: never,
    get: async () => {
      if (looked instanceof Error) throw looked;
      return looked;
    },
    remove: async (id) => {
      removed.push(id);
      return isThere;
    },
  };
  return {
    found: { source, ref: { id: ID }, ...(listed && { entry: { ...detail, id: ID } }) } satisfies FoundReport,
    removed,
  };
}
const remove = (found: readonly FoundReport[], force = false, stop = NEVER) =>
  deleteReports(found, { force, now: NOW * 1000 }, stop);
const told = ({ error, ...rest }: Deletion) => ({ ...rest, error: error && { code: error.code, ...error.details } });
const one = async (looked: ReportDetail | undefined | Error, force = false, more?: Parameters<typeof report>[1]) => {
  const { found, removed } = report(looked, more);
  return { told: (await remove([found], force)).map(told), removed };
};

describe('a report that is deleted', () => {
  it('is told by its id and name', async () => {
    expect(await one(detail)).toEqual({ told: [{ id: ID, name: 'nightly', state: 'deleted' }], removed: [ID] });
  });

  it('has the name that it has now, which may be another one than in the list', async () => {
    const { told: all } = await one({ ...detail, name: 'new' });
    expect(all).toEqual([{ id: ID, name: 'new', state: 'deleted' }]);
    expect((await one({ ...detail, name: undefined })).told).toEqual([{ id: ID, name: 'nightly', state: 'deleted' }]);
  });

  it('may be gone when it is to be deleted, or when it is looked at', async () => {
    const gone = [{ id: ID, name: 'nightly', state: 'gone' }];
    expect(await one(detail, false, { isThere: false })).toEqual({ told: gone, removed: [ID] });
    expect(await one(undefined)).toEqual({ told: gone, removed: [] });
  });

  it('is an error where it was named by its id and is not there', async () => {
    const message = `the report ${ID} not found or expired`;
    expect((await one(undefined, false, { listed: false })).told).toEqual([
      {
        ...{ id: ID, state: 'failed', message },
        error: { code: 'NOT_FOUND', hints: [{ next: 'list-reports' }], target: { report: ID } },
      },
    ]);
  });

  const made = `the report ${ID} is being generated; deleting it now would break the list of reports`;
  const stuck = `the report ${ID} has been RUNNING for more than 30 minutes; if it is stuck, it can be deleted`;
  it.each([
    [1800, false, made, 'wait-for-report'],
    [1800, true, `${made}, even when forced`, 'wait-for-report'],
    [1801, false, stuck, 'delete-stuck-report'],
  ])('is refused where it has been RUNNING for %i s, forced: %s', async (age, force, message, next) => {
    expect(await one(running(age), force)).toEqual({
      told: [
        {
          ...{ id: ID, name: 'nightly', state: 'refused', message },
          error: { code: 'RUNNING', hints: [{ next, report: ID }] },
        },
      ],
      removed: [],
    });
  });

  it('is deleted where it is stuck and that is forced', async () => {
    expect((await one(running(1801), true)).told).toEqual([{ id: ID, name: 'nightly', state: 'deleted' }]);
  });

  const answered = (status: number | undefined) =>
    new CliError('REMOTE_FAILED', 'no', { ...(status && { request: { method: 'GET', url: 'x', status } }) });
  it.each([
    [500, true, 'deleted'],
    [500, false, 'failed'],
    [400, true, 'failed'],
    [undefined, true, 'failed'],
  ])('that cannot be looked at (%s) with force %s is %s', async (status, force, state) => {
    const { told: all } = await one(answered(status), force);
    expect(all.map(({ id, name, state: became }) => [id, name, became])).toEqual([[ID, 'nightly', state]]);
  });

  it('is a bug of ours where it fails with another kind of error', async () => {
    await expect(remove([report(new TypeError('bug')).found], true)).rejects.toThrow(new TypeError('bug'));
  });

  it('is not begun once the run is stopped', async () => {
    const { found, removed } = report(detail);
    const stopped = new CliError('INTERRUPTED', 'stopped');
    expect(await remove([found], false, AbortSignal.abort(stopped))).toEqual([]);
    expect(removed).toEqual([]);
    expect(await remove([report(stopped).found], false, NEVER)).toMatchObject([{ state: 'failed' }]);
  });
});

describe('the end of deletions', () => {
  const forbidden = new CliError('FORBIDDEN', 'no', { hints: ['ask'] });
  const busy = new CliError('RUNNING', 'busy', { hints: ['ask', 'wait'] });
  const done: Deletion = { id: 'a', state: 'deleted' };
  const failed: Deletion = { id: 'b', state: 'failed', message: 'no', error: forbidden };
  const refused: Deletion = { id: 'c', state: 'refused', message: 'busy', error: busy };
  const silent: Deletion = { id: 'd', state: 'failed', error: new CliError('FORBIDDEN', 'x') };
  const stopped = new CliError('INTERRUPTED', 'stopped');
  const end = (deletions: readonly Deletion[], wanted: number, by?: unknown) => {
    const error = failureOfDeletions(deletions, { wanted, stopped: by });
    return error && { code: error.code, message: error.message, ...error.details };
  };

  it.each<[string, readonly Deletion[], number, unknown, object | undefined]>([
    ['all are gone', [done, done], 2, undefined, undefined],
    ['all are gone when it was stopped', [done], 1, stopped, undefined],
    ['one of one failed', [failed], 1, undefined, { code: 'FORBIDDEN', message: 'no', hints: ['ask'] }],
    [
      'some failed, with the hints of each once',
      [done, failed, refused, silent],
      4,
      undefined,
      {
        ...{ code: 'PARTIAL', message: '1 of 4 reports were deleted, 3 were not' },
        ...{ lines: ['no', 'busy', ''], hints: ['ask', 'wait'] },
      },
    ],
    [
      'it was stopped in between',
      [done, failed, silent],
      4,
      stopped,
      { code: 'INTERRUPTED', message: 'stopped', lines: ['1 of 4 reports were deleted', 'no', ''] },
    ],
    ['it was stopped by nothing known', [done], 2, undefined, undefined],
    [
      'it was stopped by something else',
      [failed],
      2,
      new Error('x'),
      { code: 'FORBIDDEN', message: 'no', hints: ['ask'] },
    ],
  ])('%s', (_, deletions, wanted, by, error) => {
    expect(end(deletions, wanted, by)).toEqual(error);
  });

  it('is the very error of one report', () => {
    expect(failureOfDeletions([failed], { wanted: 1 })).toBe(forbidden);
  });
});
