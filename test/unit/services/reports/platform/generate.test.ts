import { describe, expect, it } from 'vitest';
import { CliError } from '../../../../../src/core/errors.js';
import { generateReport, isStuck } from '../../../../../src/services/reports/platform/generate.js';
import { afterFailure, isExpired, type FailedPage } from '../../../../../src/services/reports/platform/page-errors.js';
import { expiryWarning, isSaved, saveOnce } from '../../../../../src/services/reports/platform/save.js';
import { shareIdOf } from '../../../../../src/services/reports/platform/share.js';
import { shortId, stateWords, waitForReport } from '../../../../../src/services/reports/platform/wait.js';
import { clockAt, NEVER } from '../../../../support/clock.js';
import { codeOf, errorOf } from '../../../../support/errors.js';
import { failure } from '../../pipelines/support.js';
import { fakeService, held, idOf, NOW, type HeldReport } from '../fake-service.js';
import type { FakeAnswer } from '../fake-platform.js';

const POST = 'POST /v3/namespaces/system/apps/ReportGenerationApp/spark/ReportGenerationSpark/methods/reports';
const LIST = POST.replace('POST', 'GET');
const request = { name: 'nightly', start: 1, end: 2, fields: ['run'], filters: [] };
const lost = (sent: 'no' | 'unknown' = 'unknown') => new CliError('NET_RESET', 'broke', { sent, serverSaid: 'x' });
const made = (n: number, name = 'nightly'): HeldReport => ({ id: idOf(n), name, created: NOW, status: 'RUNNING' });

/** A request for a report that is answered as told; `appear` are the reports that are there afterwards. */
function generate(sent: FakeAnswer | Error, appear: readonly HeldReport[] = [], list?: FakeAnswer) {
  const reports: HeldReport[] = [];
  const fake = fakeService(reports, (asking) => {
    if (asking === LIST && list !== undefined && reports.length === 0) return list;
    if (asking !== POST) return undefined;
    reports.push(...appear);
    return sent;
  });
  return { ...fake, reports, id: generateReport(fake.service, request, fake.watching, NEVER) };
}

describe('a report whose request had no answer', () => {
  it('is told by the id that was found by its name', async () => {
    const { id, events, clock } = generate(lost(), [made(2, 'other'), made(1)]);
    expect(await id).toBe(idOf(1));
    const message = `the response was lost, but the report was found by name: ${idOf(1)}`;
    expect(events).toEqual([{ type: 'warning', code: 'LOST_ANSWER', message }]);
    expect(clock.monotonic()).toBe(0);
  });

  it.each<[string, readonly HeldReport[], number]>([
    ['none appears in three looks', [], 2000],
    ['two appear', [made(1), made(2)], 0],
  ])('is of unknown outcome where %s', async (_, appear, passed) => {
    const { id, clock } = generate(lost(), appear);
    expect(await failure(id)).toEqual({
      code: 'UNKNOWN_OUTCOME',
      message: 'the report "nightly" was requested, but it is unknown whether it is being generated',
      ...{ serverSaid: 'x', lines: ['the response was lost: broke'] },
      hints: [{ next: 'list-reports', by: 'name' }, 'if it is not listed, run the same command again'],
    });
    expect(clock.monotonic()).toBe(passed);
  });

  it('is of unknown outcome where the reports cannot be listed afterwards, and says why', async () => {
    const answers = new Map([
      [LIST, [undefined, { status: 403 }]],
      [POST, [lost()]],
    ]);
    const { service, watching } = fakeService([], (asking) => answers.get(asking)?.shift());
    expect(await failure(generateReport(service, request, watching, NEVER))).toMatchObject({
      code: 'UNKNOWN_OUTCOME',
      lines: ['the response was lost: broke', expect.stringContaining('the reports cannot be listed: ')],
    });
  });

  it('is of unknown outcome where nobody can tell what was there before', async () => {
    const broken = { status: 500, body: 'broken' };
    expect(await codeOf(generate(lost(), [made(1)], broken).id)).toBe('UNKNOWN_OUTCOME');
    expect(await generate({ body: { id: idOf(7) } }, [], broken).id).toBe(idOf(7));
  });

  it('is not looked for where the request never left, or was refused', async () => {
    expect(await codeOf(generate(lost('no'), [made(1)]).id)).toBe('NET_RESET');
    expect(await codeOf(generate({ status: 403 }, [made(1)]).id)).toBe('FORBIDDEN');
    expect(await codeOf(generate({ body: { id: idOf(1) } }, [], { status: 403 }).id)).toBe('FORBIDDEN');
  });

  it('is a bug of ours where it fails in another way', async () => {
    await expect(generate(new TypeError('bug')).id).rejects.toThrow(new TypeError('bug'));
  });
});

describe('a report service that is busy', () => {
  const busy = {
    ...{ code: 'UNAVAILABLE', message: 'the report service is busy with 3 reports' },
    hints: ['try again when one of them is finished', { next: 'list-reports', by: 'running' }],
  };
  const rejected = { status: 500, body: 'Task x rejected from java.util.concurrent.ThreadPoolExecutor@1' };

  it('is not asked', async () => {
    const { service, watching } = fakeService([made(1), made(2), made(3)]);
    expect(await failure(generateReport(service, request, watching, NEVER))).toEqual(busy);
  });

  it('leaves nothing where it is plain what it has rejected', async () => {
    const one = generate(rejected, [made(1), made(2, 'other')]);
    expect(await failure(one.id)).toEqual({ ...busy, serverSaid: rejected.body });
    expect(one.reports.map(({ id }) => id)).toEqual([idOf(2)]);
    const done = generate(rejected, [{ ...made(1), status: 'COMPLETED' }]);
    expect([await codeOf(done.id), done.reports.length]).toEqual(['UNAVAILABLE', 1]);
    const two = generate(rejected, [made(1), made(2)]);
    expect([await codeOf(two.id), two.reports.length]).toEqual(['UNAVAILABLE', 2]);
  });

  it.each([
    ['RUNNING', 1800, false],
    ['RUNNING', 1801, true],
    ['COMPLETED', 1801, false],
  ] as const)('does not count one that is %s for %i s: stuck %s', (status, age, stuck) => {
    expect(isStuck({ status, created: NOW - age }, NOW * 1000)).toBe(stuck);
  });
});

describe('a report that is waited for', () => {
  const wait = (report: HeldReport, timeout = 5000) => {
    const { service, watching, ...fake } = fakeService([report]);
    const found = { source: service, ref: { id: report.id } };
    return { ...fake, ended: waitForReport(found, { timeout, interval: 3000 }, watching, NEVER) };
  };

  it('is told of once, and let go after the time', async () => {
    const { ended, events, clock } = wait(made(1));
    expect(await failure(ended)).toEqual({
      ...{ code: 'STILL_RUNNING', message: `the report ${idOf(1)} is not finished after 5s; the platform continues` },
      ...{ hints: [{ next: 'wait-for-report', report: idOf(1) }], target: { report: idOf(1) } },
    });
    expect([events, clock.monotonic()]).toEqual([
      [{ type: 'state', what: 'report 00000001  "nightly"', state: 'RUNNING' }],
      5000,
    ]);
  });

  it.each([
    ['nightly', { id: idOf(1) }, 'report 00000001  "nightly"'],
    ['', { id: idOf(1) }, 'report 00000001'],
    [undefined, { id: `local-${idOf(1)}` }, 'report local-00000001'],
    [undefined, { shareId: 'x' }, 'report share'],
  ])('and is called %s is named in progress', (name, ref, words) => {
    expect(stateWords({ name }, ref)).toBe(words);
    expect(shortId('0123456789')).toBe('01234567');
  });

  it('has nothing to say where it failed without words', async () => {
    const error = await failure(wait({ ...made(1), status: 'FAILED', error: '\nsecond' }).ended);
    expect([error, 'serverSaid' in error]).toEqual([expect.objectContaining({ code: 'REPORT_FAILED' }), false]);
  });
});

describe('a report that is saved', () => {
  const as = { name: 'kept', description: 'audit' };
  const save = (report: HeldReport, sent?: (report: HeldReport) => FakeAnswer | Error | undefined) => {
    const fake = fakeService([report], (asking) => (asking.endsWith('/save') ? sent?.(report) : undefined));
    return { ...fake, saved: saveOnce(fake.service, report.id, as, fake.watching, NEVER) };
  };
  const kept = (): HeldReport => {
    const report = held(1, { name: 'a "b"' });
    delete report.expiry;
    return report;
  };

  it('was saved before', async () => {
    const told = (name: string) => ({
      code: 'CONFLICT',
      message: `the report ${idOf(1)} is already saved${name}; a report can be saved only once`,
      hints: [{ next: 'download-report', report: idOf(1) }],
    });
    expect(await failure(save(kept()).saved)).toEqual(told(' as "a \\"b\\""'));
    const nameless = kept();
    delete nameless.name;
    expect(await failure(save(nameless).saved)).toEqual(told(''));
  });

  it('is not finished, or gone', async () => {
    expect(await failure(save(made(1)).saved)).toEqual({
      code: 'RUNNING',
      message: `the report ${idOf(1)} is still being generated; it can be saved when it is COMPLETED`,
      hints: [{ next: 'wait-for-report', report: idOf(1) }],
    });
    const { service, watching } = fakeService([]);
    expect(await codeOf(saveOnce(service, idOf(1), as, watching, NEVER))).toBe('NOT_FOUND');
  });

  it.each([
    [{ name: 'other', description: 'audit' }, 2],
    [{ name: 'kept', description: 'other' }, 2],
    [{ name: 'kept', description: 'audit' }, 1],
  ])('and lost its answer is sent again unless it is saved as told: %j', async (found, times) => {
    let sent = 0;
    const { saved, asked, events } = save(held(1), (report) => {
      if ((sent += 1) > 1) return undefined;
      Object.assign(report, found);
      delete report.expiry;
      return lost();
    });
    expect(await saved).toMatchObject(as);
    expect(asked.filter((line) => line.endsWith('/save'))).toHaveLength(times);
    const message = `saving the report ${idOf(1)}: the response was lost and nothing was applied; sending it again`;
    expect(events).toEqual(times === 1 ? [] : [{ type: 'warning', code: 'RETRY', message }]);
  });

  it.each([
    ['platform', 'COMPLETED', undefined, true],
    ['platform', 'COMPLETED', 5, false],
    ['platform', 'FAILED', undefined, false],
    ['runs', 'COMPLETED', undefined, false],
  ] as const)('of %s, %s with the expiry %s: %s', (engine, status, expiry, saved) => {
    expect(isSaved({ engine, status, expiry })).toBe(saved);
  });

  it('still expires', () => {
    const words = (when: string): string =>
      `saving does not extend the expiry: the platform deletes the report at ${when}; to keep it, download it`;
    expect(expiryWarning({}, String)).toBe(words('its expiry'));
  });

  it('is shared, or refused at once', async () => {
    const share = (answer: FakeAnswer | Error) => {
      const fake = fakeService([held(1)], (asking) => (asking.endsWith('/share') ? answer : undefined));
      return { ...fake, shared: shareIdOf(fake.service, idOf(1), NEVER) };
    };
    const refused = share({ status: 403 });
    expect(await codeOf(refused.shared)).toBe('FORBIDDEN');
    expect(refused.asked.filter((line) => line.endsWith('/share'))).toHaveLength(1);
    expect(await codeOf(share(lost()).shared)).toBe('NET_RESET');
  });
});

describe('a page that could not be had', () => {
  const naps: number[] = [];
  const clock = clockAt(0, async (milliseconds) => void naps.push(milliseconds));
  const failed: FailedPage = { ref: { id: 'r' }, limit: 2500, failures: 1, clock, signal: NEVER };
  const error = (
    code: 'NET_SHORT' | 'NET_RESET' | 'UNAVAILABLE' | 'REMOTE_FAILED' | 'TOO_LARGE',
    status?: number,
    serverSaid?: string,
  ) => new CliError(code, 'no', { ...(status && { request: { method: 'GET', url: 'x', status } }), serverSaid });
  const most = (text: string) => error('REMOTE_FAILED', 400, text);
  const next = (cause: unknown, more: Partial<FailedPage> = {}) => afterFailure(cause, { ...failed, ...more });

  it.each<[string, CliError, Partial<FailedPage>, number]>([
    ['as large as the service allows', most('limit must cannot be larger than 1000'), {}, 1000],
    ['half as large where it is too large', error('TOO_LARGE'), {}, 1250],
    ['half as large, at least one', error('TOO_LARGE'), { limit: 3 }, 2],
    ['again where it was cut off', error('NET_SHORT', 200), {}, 2500],
    ['again for the third time', error('NET_RESET', 200), { failures: 3 }, 2500],
    ['again after a while where the service wakes up', error('UNAVAILABLE', 503), { failures: 15 }, 2500],
  ])('is asked for %s', async (_, cause, more, limit) => {
    expect(await next(cause, more)).toBe(limit);
  });

  it.each<[string, CliError, Partial<FailedPage>]>([
    ['allows no less', most('limit must cannot be larger than 2500'), {}],
    ['allows nothing', most('limit must cannot be larger than 0'), {}],
    ['says it otherwise', most('x limit must cannot be larger than 10'), {}],
    ['says more', most('limit must cannot be larger than 10x'), {}],
    ['says it of something else', error('REMOTE_FAILED', 500, 'limit must cannot be larger than 10'), {}],
    ['cannot send one record', error('TOO_LARGE'), { limit: 1 }],
    ['cut it off four times', error('NET_SHORT', 200), { failures: 4 }],
    ['was not reached', error('NET_RESET'), {}],
    ['answers otherwise', error('UNAVAILABLE', 502), {}],
    ['was away before it was asked', error('UNAVAILABLE'), {}],
    ['failed with 503 and another error', error('REMOTE_FAILED', 503), {}],
  ])('is not asked for again where the service %s', async (_, cause, more) => {
    expect(await errorOf(next(cause, more))).toBe(cause);
  });

  it.each<[string, Partial<FailedPage>]>([
    ['after fifteen times', { failures: 16 }],
    ['without a clock', { clock: undefined }],
  ])('is given up %s, with what shows the service', async (_, more) => {
    expect(await failure(next(error('UNAVAILABLE', 503), more))).toMatchObject({
      ...{ code: 'UNAVAILABLE', message: 'no', hints: [{ next: 'report-service' }] },
    });
  });

  it('is of a report that failed', async () => {
    const said = 'Reading x with failed status is not allowed.';
    expect(await codeOf(next(most(said)))).toBe('REPORT_FAILED');
    expect(await codeOf(next(error('REMOTE_FAILED', 500, said)))).toBe('REMOTE_FAILED');
  });

  it('is nothing to retry for a bug, or once the run is stopped', async () => {
    const bug = new TypeError('bug');
    await expect(next(bug)).rejects.toBe(bug);
    const stopped = new CliError('INTERRUPTED', 'stopped');
    expect(await errorOf(next(error('NET_SHORT', 200), { signal: AbortSignal.abort(stopped) }))).toBe(stopped);
    expect(naps).toEqual([2000]);
  });

  it('may be of a report that has expired', () => {
    expect([isExpired(new CliError('NOT_FOUND', 'x')), isExpired(error('TOO_LARGE')), isExpired(new Error())]).toEqual([
      ...[true, false, false],
    ]);
  });
});
