import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { CliError } from '../../../../src/core/errors.js';
import { deleteReports, failureOfDeletions } from '../../../../src/services/reports/delete.js';
import { generateReport } from '../../../../src/services/reports/platform/generate.js';
import { resolveReport, type FoundReport } from '../../../../src/services/reports/resolve.js';
import { expiryWarning, saveOnce } from '../../../../src/services/reports/platform/save.js';
import { shareIdOf } from '../../../../src/services/reports/platform/share.js';
import type { ReportEntry, ReportSource } from '../../../../src/services/reports/source/source.js';
import { waitForReport } from '../../../../src/services/reports/platform/wait.js';
import { fakeService, held, idOf, lost, NOW, type HeldReport } from './fake-service.js';
import { errorOf, hintsOf } from '../../../support/errors.js';

const { signal } = new AbortController();
const POST = 'POST /v3/namespaces/system/apps/ReportGenerationApp/spark/ReportGenerationSpark/methods/reports';
const LIST = POST.replace('POST', 'GET');
const away = { status: 503, body: 'No discoverable found for request GET / HTTP/1.1' };
const stopped = new CliError('INTERRUPTED', 'stopped by Ctrl-C');
const request = { name: 'nightly', start: 1, end: 2, fields: ['run'], filters: [] };

describe('the reports of a platform', () => {
  it('are listed newest first and once each, also when one is made between two pages', async () => {
    const reports = Array.from({ length: 2300 }, (_, n) => held(n + 1)).reverse();
    const { service, asked } = fakeService(reports, (asking) => {
      if (asking === LIST && asked.filter((line) => line.startsWith(LIST)).length === 2) reports.unshift(held(9999));
      return undefined;
    });
    const listed = await service.list(signal);
    expect(new Set(listed.map(({ id }) => id)).size).toBe(listed.length);
    expect(listed.length).toBe(2300);
    expect(listed.map(({ created }) => created)).toEqual(
      [...listed.map(({ created }) => created)].sort((a, b) => b - a),
    );
  });

  it('name the broken report when the list fails over it', async () => {
    const words = `Failed to list reports because of error: /data/ReportFileset/system/${idOf(7)}/_START (No such file or directory)`;
    const { service } = fakeService([], (asking) => (asking === LIST ? { status: 500, body: words } : undefined));
    const error = await errorOf(service.list(signal));
    expect(error.message).toContain('one of them is broken');
    expect(hintsOf(error)).toContain(`cdapctl report delete ${idOf(7)} --force`);
  });

  it.for(['6.1.1', '6.11.0'])('are understood as platform %s tells of them', async (version) => {
    const file = join(import.meta.dirname, '../../../fixtures/recordings', version, 'reports.json');
    const all = JSON.parse(readFileSync(file, 'utf8')) as {
      request: { path: string };
      response: { status: number; body: string; bodyNote?: string };
    }[];
    // A body that was cut for the recording is no JSON.
    const answers = all.filter(
      ({ request: { path }, response: { status, bodyNote } }) =>
        path.includes('/info?') && status === 200 && bodyNote === undefined,
    );
    expect(answers.length).toBeGreaterThan(10);
    for (const { response } of answers) {
      const { service } = fakeService([], (asking) =>
        asking === `${LIST}/info` ? { body: response.body } : undefined,
      );
      const told = JSON.parse(response.body) as { status: string; request: { start: number }; summary?: object };
      const detail = await service.get({ id: idOf(1) }, signal);
      expect(detail).toMatchObject({ status: told.status, request: { start: told.request.start } });
      expect(detail?.summary).toEqual(told.summary);
    }
  });

  it('are not there for a share id that is none', async () => {
    const words = 'Error while decoding shareId abc, due to exception : ';
    const { service } = fakeService([], (asking) =>
      asking === `${LIST}/info` ? { status: 500, body: words } : undefined,
    );
    expect((await errorOf(service.get({ shareId: 'abc' }, signal))).code).toBe('NOT_FOUND');
  });
});

describe('a report service that is off', () => {
  it('is told of at once, with its state and the next step', async () => {
    const fake = fakeService([]);
    fake.state = 'STOPPED';
    const error = await errorOf(fake.service.list(signal));
    expect(error).toMatchObject({
      code: 'REPORTS_OFF',
      exitCode: 7,
      message: 'the report service is not running (application deployed, program stopped)',
    });
    expect(hintsOf(error)[0]).toBe('cdapctl report service enable');
    expect(fake.asked).toHaveLength(1);
  });

  it('is waited for while it starts', async () => {
    const fake = fakeService([held(1)], (asking) => {
      if (asking.endsWith('/status') && fake.clock.monotonic() >= 6000) fake.state = 'RUNNING';
      return undefined;
    });
    fake.state = 'STARTING';
    expect(await fake.service.list(signal)).toHaveLength(1);
    expect(fake.clock.monotonic()).toBe(6000);
    fake.state = 'STARTING';
  });

  it('is not waited for beyond a minute', async () => {
    const fake = fakeService([]);
    fake.state = 'STARTING';
    expect((await errorOf(fake.service.list(signal))).message).toContain('is starting and does not respond yet');
    expect(fake.clock.monotonic()).toBe(60_000);
  });

  it('is noticed when it goes away later', async () => {
    let gone = false;
    const fake = fakeService([held(1)], (asking) => (gone && asking === LIST ? away : undefined));
    await fake.service.list(signal);
    [gone, fake.state] = [true, 'STOPPED'];
    expect(await errorOf(fake.service.list(signal))).toMatchObject({ code: 'REPORTS_OFF' });
  });
});

describe('a report that is asked for', () => {
  it('is sent once and gives its id', async () => {
    const { service, watching, asked } = fakeService([]);
    expect(await generateReport(service, request, watching, signal)).toBe(idOf(1));
    expect(asked.filter((line) => line === POST)).toHaveLength(1);
  });

  it.for([{}, { id: '' }, { id: '\u001b[31m1' }, { id: '-O' }])(
    'P25: with %j for an answer breaks the contract',
    async (body) => {
      const { service, watching } = fakeService([], (asking) => (asking === POST ? { body } : undefined));
      expect(await errorOf(generateReport(service, request, watching, signal))).toMatchObject({ code: 'BAD_ANSWER' });
    },
  );

  it('is found by its name when the answer was lost, and not asked for again', async () => {
    const reports = [held(1, { name: 'nightly' })];
    const fake = fakeService(reports, (asking) => {
      if (asking !== POST) return undefined;
      reports.unshift({ id: idOf(2), name: 'nightly', created: NOW, status: 'RUNNING' });
      return lost();
    });
    expect(await generateReport(fake.service, request, fake.watching, signal)).toBe(idOf(2));
    expect(fake.asked.filter((line) => line === POST)).toHaveLength(1);
    expect(fake.events).toMatchObject([{ type: 'warning', code: 'LOST_ANSWER' }]);
  });

  it.for([0, 2])('is with unknown outcome when the answer was lost and %i new ones have its name', async (count) => {
    const reports = [held(1, { name: 'nightly' })];
    const { service, watching, asked } = fakeService(reports, (asking) => {
      if (asking !== POST) return undefined;
      for (let n = 2; n < 2 + count; n++)
        reports.unshift({ id: idOf(n), name: 'nightly', created: NOW, status: 'RUNNING' });
      return lost();
    });
    expect(await errorOf(generateReport(service, request, watching, signal))).toMatchObject({
      code: 'UNKNOWN_OUTCOME',
      exitCode: 16,
    });
    expect(asked.filter((line) => line === POST)).toHaveLength(1);
  });

  it('is not sent while three are being made; ones that are stuck do not count', async () => {
    const running = (n: number, age: number): HeldReport => held(n, { status: 'RUNNING', created: NOW - age });
    const busy = fakeService([running(1, 5), running(2, 6), running(3, 7)]);
    expect(await errorOf(generateReport(busy.service, request, busy.watching, signal))).toMatchObject({
      code: 'UNAVAILABLE',
    });
    expect(busy.asked).not.toContain(POST);
    const stuck = fakeService([running(1, 5), running(2, 6), running(3, 4000)]);
    expect(await generateReport(stuck.service, request, stuck.watching, signal)).toBe(idOf(4));
  });

  it('leaves nothing behind when the service has too much to do', async () => {
    const reports = [held(1, { name: 'nightly', status: 'RUNNING' })];
    const { service, watching } = fakeService(reports, (asking) => {
      if (asking !== POST) return undefined;
      reports.unshift({ id: idOf(2), name: 'nightly', created: NOW, status: 'RUNNING' });
      return { status: 500, body: 'Task x rejected from java.util.concurrent.ThreadPoolExecutor@1' };
    });
    expect(await errorOf(generateReport(service, request, watching, signal))).toMatchObject({ code: 'UNAVAILABLE' });
    expect(reports.map(({ id }) => id)).toEqual([idOf(1)]);
  });

  it('is looked for when the run is stopped while it is asked for, and its id is told', async () => {
    const stop = new AbortController();
    const reports: HeldReport[] = [];
    const { service, watching } = fakeService(reports, (asking) => {
      if (asking !== POST) return undefined;
      reports.unshift({ id: idOf(1), name: 'nightly', created: NOW, status: 'RUNNING' });
      stop.abort(stopped);
      return lost();
    });
    expect(await generateReport(service, request, watching, stop.signal)).toBe(idOf(1));
  });

  it('is not asked for by a run that was stopped before', async () => {
    const stop = new AbortController();
    const { service, watching, asked } = fakeService([], (asking) => {
      if (asking === LIST) stop.abort(stopped);
      return undefined;
    });
    expect(await errorOf(generateReport(service, request, watching, stop.signal))).toBe(stopped);
    expect(asked).not.toContain(POST);
  });

  it('is refused in the words of the platform', async () => {
    const { service, watching } = fakeService([], (asking) =>
      asking === POST ? { status: 400, body: 'no' } : undefined,
    );
    const error = await errorOf(generateReport(service, request, watching, signal));
    expect(error).toMatchObject({ code: 'REMOTE_FAILED', details: { serverSaid: 'no' } });
  });
});

describe('waiting for a report', () => {
  const patience = { timeout: 10_000, interval: 3000 };

  it('ends when it is COMPLETED', async () => {
    const report = held(1, { status: 'RUNNING' });
    const fake = fakeService([report], () => {
      if (fake.clock.monotonic() >= 6000) report.status = 'COMPLETED';
      return undefined;
    });
    const found = { source: fake.service, ref: { id: idOf(1) } };
    expect(await waitForReport(found, patience, fake.watching, signal)).toMatchObject({ status: 'COMPLETED' });
    expect(fake.events).toMatchObject([{ type: 'state', state: 'RUNNING' }]);
  });

  it('P26: fails with the first line of what the platform says', async () => {
    const { service, watching } = fakeService([
      held(1, { status: 'FAILED', error: 'java.lang.X: \u001b[31m\n\tat y' }),
    ]);
    const error = await errorOf(waitForReport({ source: service, ref: { id: idOf(1) } }, patience, watching, signal));
    expect(error).toMatchObject({
      code: 'REPORT_FAILED',
      exitCode: 11,
      details: { serverSaid: 'java.lang.X: \u001b[31m' },
    });
  });

  it('P27: ends at the limit and names the command that goes on', async () => {
    const { service, watching, clock } = fakeService([held(1, { status: 'RUNNING' })]);
    const error = await errorOf(waitForReport({ source: service, ref: { id: idOf(1) } }, patience, watching, signal));
    expect(error).toMatchObject({ code: 'STILL_RUNNING', exitCode: 8 });
    expect(hintsOf(error)).toEqual([`cdapctl report wait ${idOf(1)}`]);
    expect(clock.monotonic()).toBe(10_000);
  });

  it('ends when the report is gone', async () => {
    const { service, watching } = fakeService([]);
    const error = await errorOf(waitForReport({ source: service, ref: { id: idOf(1) } }, patience, watching, signal));
    expect(error.code).toBe('NOT_FOUND');
  });
});

describe('saving and sharing', () => {
  const as = { name: 'kept', description: 'audit' };

  it('saves once, reads back, and says when the data expire all the same', async () => {
    const summary = {
      namespaces: [],
      start: 1,
      end: 2,
      artifacts: [],
      durations: { min: 0, max: 0, average: 0 },
      starts: { oldest: 0, newest: 0 },
      owners: [],
      startMethods: [],
      recordCount: 0,
      creationTimeMillis: NOW * 1000,
      expirationTimeMillis: (NOW + 172_800) * 1000 + 5,
    };
    const { service, watching } = fakeService([held(1, { summary })]);
    const detail = await saveOnce(service, idOf(1), as, watching, signal);
    expect(detail).toMatchObject({ name: 'kept', description: 'audit', expiry: undefined });
    const told = (time: Date): string => `<${String(time.getTime())}>`;
    expect(expiryWarning(detail, told)).toContain(`at <${String((NOW + 172_800) * 1000)}>; to keep it, download it`);
    const again = await errorOf(saveOnce(service, idOf(1), as, watching, signal));
    expect(again).toMatchObject({ code: 'CONFLICT', exitCode: 6 });
    expect(again.message).toContain('already saved as "kept"');
  });

  it.for([
    ['RUNNING', 'RUNNING'],
    ['FAILED', 'REPORT_FAILED'],
  ] as const)('does not save a report that is %s', async ([status, code]) => {
    const { service, watching, asked } = fakeService([held(1, { status })]);
    expect(await errorOf(saveOnce(service, idOf(1), as, watching, signal))).toMatchObject({ code });
    expect(asked.filter((line) => line.startsWith('POST'))).toEqual([]);
  });

  it('does not save again what was saved although the answer was lost', async () => {
    const report = held(1);
    const { service, watching, asked } = fakeService([report], (asking) => {
      if (!asking.endsWith('/save')) return undefined;
      Object.assign(report, as);
      delete report.expiry;
      return lost();
    });
    expect(await saveOnce(service, idOf(1), as, watching, signal)).toMatchObject({ name: 'kept' });
    expect(asked.filter((line) => line.endsWith('/save'))).toHaveLength(1);
  });

  it.each([{}, { name: 'kept', description: 'audit' }, { name: 'kept', expiry: undefined }])(
    'T26: is BAD_ANSWER when the platform took it and then returns %j',
    async (change) => {
      const report = held(1);
      const { service, watching, asked } = fakeService([report], (asking) => {
        if (!asking.endsWith('/save')) return undefined;
        Object.assign(report, change);
        return { body: 'Report is saved' };
      });
      const error = await errorOf(saveOnce(service, idOf(1), as, watching, signal));
      expect(error).toMatchObject({ code: 'BAD_ANSWER', exitCode: 12 });
      expect(asked.filter((line) => line.endsWith('/save'))).toHaveLength(1);
    },
  );

  it('looks whether it saved although the run is stopped meanwhile', async () => {
    const stop = new AbortController();
    const report = held(1);
    const { service, watching } = fakeService([report], (asking) => {
      if (!asking.endsWith('/save')) return undefined;
      Object.assign(report, as);
      delete report.expiry;
      stop.abort(stopped);
      return lost();
    });
    expect(await saveOnce(service, idOf(1), as, watching, stop.signal)).toMatchObject({ name: 'kept' });
  });

  it('T33: refuses a share id that could move a terminal', async () => {
    const { service } = fakeService([held(1)], (asking) =>
      asking.endsWith('/share') ? { body: { shareId: 'c2hh\u001b[2J' } } : undefined,
    );
    expect(await errorOf(shareIdOf(service, idOf(1), signal))).toMatchObject({ code: 'BAD_ANSWER' });
  });

  it('asks once more for a share id whose answer was lost', async () => {
    let tries = 0;
    const { service } = fakeService([held(1)], (asking) =>
      asking.endsWith('/share') && ++tries === 1 ? lost() : undefined,
    );
    expect(await shareIdOf(service, idOf(1), signal)).toBe('c2hhcmVk');
  });
});

describe('deleting reports', () => {
  const found = (service: ReportSource, ...numbers: number[]) =>
    numbers.map((n) => ({ source: service, ref: { id: idOf(n) } }));
  const plain = { force: false, now: NOW * 1000 };

  it('deletes the others when one is being made, and says so', async () => {
    const reports = [held(1), held(2, { status: 'RUNNING', created: NOW - 5 }), held(3)];
    const { service } = fakeService(reports);
    const deletions = await deleteReports(found(service, 1, 2, 3, 4), plain, signal);
    expect(deletions.map(({ state }) => state)).toEqual(['deleted', 'refused', 'deleted', 'failed']);
    expect(reports.map(({ id }) => id)).toEqual([idOf(2)]);
    const failure = failureOfDeletions(deletions, { wanted: 4 });
    expect(failure).toMatchObject({ code: 'PARTIAL', exitCode: 10 });
    expect(failureOfDeletions(deletions.slice(1, 2), { wanted: 1 })).toMatchObject({ code: 'RUNNING' });
    expect(failureOfDeletions(deletions.slice(0, 1), { wanted: 1 })).toBeUndefined();
  });

  it('lets a deletion end when the run is stopped, begins no other, and tells what was done', async () => {
    const stop = new AbortController();
    const reports = [held(1), held(2), held(3)];
    const { service } = fakeService(reports, (asking) => {
      if (!asking.startsWith('DELETE')) return undefined;
      reports.shift();
      stop.abort(stopped);
      return lost();
    });
    const deletions = await deleteReports(found(service, 1, 2, 3), plain, stop.signal);
    expect(deletions).toMatchObject([{ id: idOf(1), state: 'deleted' }]);
    expect(reports).toHaveLength(2);
    const failure = failureOfDeletions(deletions, { wanted: 3, stopped });
    expect(failure).toMatchObject({ code: 'INTERRUPTED', details: { lines: ['1 of 3 reports were deleted'] } });
    expect(failureOfDeletions(deletions, { wanted: 1, stopped })).toBeUndefined();
  });

  it('T26: is BAD_ANSWER for one that the platform took and still returns, and goes on', async () => {
    const { service, asked } = fakeService([held(1), held(2)], (asking) =>
      asking === `${LIST.replace('GET', 'DELETE')}/${idOf(1)}` ? {} : undefined,
    );
    const deletions = await deleteReports(found(service, 1, 2), plain, signal);
    expect(deletions).toMatchObject([
      { id: idOf(1), state: 'failed', error: { code: 'BAD_ANSWER', exitCode: 12 } },
      { id: idOf(2), state: 'deleted' },
    ]);
    expect(asked.filter((line) => line.startsWith('DELETE'))).toHaveLength(2);
  });

  it('says what is done when the run is stopped in a look', async () => {
    const stop = new AbortController();
    const { service } = fakeService([held(1), held(2)], (asking) => {
      if (asking !== `${LIST}/info` || !gone) return undefined;
      stop.abort(stopped);
      return stopped;
    });
    const [first, second] = found(service, 1, 2);
    let gone = false;
    const remove: ReportSource['remove'] = async (id, now) => (gone = await service.remove(id, now));
    const sources = [{ ...first, source: { ...service, remove } }, second] as FoundReport[];
    expect(await deleteReports(sources, plain, stop.signal)).toMatchObject([{ id: idOf(1), state: 'deleted' }]);
  });

  it.for([
    [5, false, 'refused'],
    [5, true, 'refused'],
    [4000, false, 'refused'],
    [4000, true, 'deleted'],
  ] as const)('of one that has been RUNNING for %i s, with force %s: %s', async ([age, force, state]) => {
    const { service } = fakeService([held(1, { status: 'RUNNING', created: NOW - age })]);
    const [deletion] = await deleteReports(found(service, 1), { ...plain, force }, signal);
    expect(deletion?.state).toBe(state);
  });

  it.for([
    [false, 'failed'],
    [true, 'deleted'],
  ] as const)('of one that the platform cannot tell anything about, with force %s: %s', async ([force, state]) => {
    const broken = { status: 500, body: 'Failed to get the status for report' };
    const reports = [held(1)];
    const { service } = fakeService(reports, (asking) =>
      asking.endsWith('/info') && reports.length > 0 ? broken : undefined,
    );
    expect((await deleteReports(found(service, 1), { ...plain, force }, signal))[0]?.state).toBe(state);
  });
});

describe('the report that a word names', () => {
  const local: ReportEntry = {
    engine: 'runs',
    id: `local-${idOf(50)}`,
    name: 'mine',
    status: 'COMPLETED',
    created: NOW,
  };
  const never = (): never => {
    throw new Error('not asked');
  };
  const here: ReportSource = {
    engine: 'runs',
    list: async () => [local],
    get: async (ref) => ('id' in ref && ref.id === local.id ? { ...local, request } : undefined),
    pages: never,
    remove: never,
  };
  const twins = [held(1), { ...held(2), id: idOf(1).replace('e56c', 'ffff') }, held(30, { created: 1 })];

  it.for([
    [idOf(9), { id: idOf(9) }],
    [idOf(1).slice(0, 12), { id: idOf(1) }],
    [idOf(30).slice(0, 8), { id: idOf(30) }],
    ['latest', { id: local.id }],
    ['local-0000', { id: local.id }],
    [local.id, { id: local.id }],
    ['share:c2hhcmVkaWQ=', { shareId: 'c2hhcmVkaWQ=' }],
  ] as const)('%s', async ([word, ref]) => {
    const { service } = fakeService(twins);
    expect((await resolveReport(word, [service, here], signal)).ref).toEqual(ref);
  });

  it.for([
    [idOf(1).slice(0, 8), 'USAGE', 'matches 2 reports'],
    ['99999999', 'NOT_FOUND', 'not found'],
    [`local-${idOf(51)}`, 'NOT_FOUND', 'not found'],
    ['0000000', 'USAGE', 'is not a report'],
    ['nightly-run', 'USAGE', 'is not a report'],
    ['share:', 'USAGE', 'has no share ID'],
    ['share:nope', 'USAGE', '"share:nope" has a malformed share ID'],
    ['', 'USAGE', 'is not a report'],
  ] as const)('is refused: %j', async ([word, code, words]) => {
    const { service } = fakeService(twins);
    const error = await errorOf(resolveReport(word, [service, here], signal));
    expect(error.code).toBe(code);
    expect(error.message).toContain(words);
  });

  it('is found on this machine when the service is off, and the service is named when it is not', async () => {
    const off = fakeService([]);
    off.state = 'STOPPED';
    const sources = [off.service, here];
    expect(await resolveReport('latest', sources, signal)).toMatchObject({
      ref: { id: local.id },
      off: { code: 'REPORTS_OFF' },
    });
    expect((await errorOf(resolveReport('12345678', sources, signal))).code).toBe('REPORTS_OFF');
  });

  it('is found without a look at the reports of other places', async () => {
    const broken: ReportSource = { ...here, list: never };
    const { service, asked } = fakeService(twins);
    expect((await resolveReport(local.id, [service, broken], signal)).entry).toMatchObject({ name: 'mine' });
    expect((await resolveReport(idOf(9), [service, broken], signal)).ref).toEqual({ id: idOf(9) });
    expect((await resolveReport(idOf(30).slice(0, 8), [service, broken], signal)).ref).toEqual({ id: idOf(30) });
    const before = asked.length;
    expect((await resolveReport('local-0000', [service, here], signal)).ref).toEqual({ id: local.id });
    expect(asked).toHaveLength(before);
  });
});
