import type { Emit } from '../../../../../src/core/events.js';
import { describe, expect, it } from 'vitest';
import { CliError } from '../../../../../src/core/errors.js';
import type { Clock } from '../../../../../src/core/clock.js';
import {
  awaitService,
  enableService,
  planEnable,
  stopService,
} from '../../../../../src/services/reports/service/enable.js';
import { collects, isUpToDate, knownFreshness } from '../../../../../src/services/reports/service/freshness.js';
import { reportService, reportsOff } from '../../../../../src/services/reports/service/service-ready.js';
import { serviceStatus } from '../../../../../src/services/reports/service/status.js';
import { stoppedAgain } from '../../../../../src/services/reports/service/stopped.js';
import { NEVER } from '../../../../support/clock.js';
import { codeOf } from '../../../../support/errors.js';
import { failure, platformWith, type Replies, type Reply } from '../../pipelines/support.js';

const APP = '/v3/namespaces/system/apps/ReportGenerationApp';
const PROGRAM = `${APP}/spark/ReportGenerationSpark`;
const STATUS = `GET ${PROGRAM}/status`;
const HEALTH = `GET ${PROGRAM}/methods/health`;
const ARTIFACTS = 'GET /v3/namespaces/default/artifacts';
const NEWEST = `GET ${PROGRAM}/runs?limit=1`;
const is = (status: string): Reply => ({ json: { status } });
const artifact = { name: 'cdap-program-report', version: '6.11.0', scope: 'SYSTEM' };
const shipped: Replies = { [ARTIFACTS]: { json: [artifact] } };
const lost = (sent: 'no' | 'unknown' = 'unknown') => new CliError('NET_RESET', 'broke', { sent, serverSaid: 'x' });
const FROM_RUNS = { next: 'make-from-runs' };
const SHOW = { next: 'report-service' };

function work(replies: Replies, version = '6.1.1') {
  const { platform, asked } = platformWith(replies);
  const events: object[] = [];
  const warnings: string[] = [];
  let now = 0;
  const clock: Clock = {
    now: () => now,
    monotonic: () => 1_000_000 + now,
    sleep: async (milliseconds) => void (now += milliseconds),
  };
  const emit: Emit = (event) => {
    if (event.type === 'warning') warnings.push(event.message);
    else events.push(event);
  };
  const deps = { platform, url: platform.base, version, clock, emit, signal: NEVER };
  return { deps, asked, events, warnings, passed: () => now };
}

describe('the report service that is off', () => {
  it.each([
    ['no-artifact', 'is not available: this platform has no report service', []],
    ['absent', 'is not running (application not deployed)', [{ next: 'enable-report-service' }]],
    ['stopped', 'is not running (application deployed, program stopped)', [{ next: 'enable-report-service' }]],
    ['starting', 'is starting and does not respond yet', [SHOW]],
    ['running', 'does not respond although its program is running', [SHOW]],
  ] as const)('%s', async (state, words, hints) => {
    expect(await failure(Promise.reject(reportsOff(state)))).toEqual({
      ...{
        code: 'REPORTS_OFF',
        message: `the report service ${words}`,
        hints: [...hints, FROM_RUNS],
        target: { state },
      },
    });
    expect(await failure(Promise.reject(reportsOff(state, lost())))).toMatchObject({ serverSaid: 'x' });
  });

  const ask = (replies: Replies) => {
    const { deps, passed, events } = work(replies);
    const service = reportService(deps.platform, deps);
    const endpoint = { method: 'GET', path: () => '/x', maxBytes: 100, answer: async () => 'said' } as never;
    return { said: () => service.call<object, unknown>(endpoint, {}, NEVER), service, endpoint, passed, events };
  };
  const up: Replies = { [STATUS]: is('RUNNING'), [HEALTH]: { status: 200 } };
  const gone = (text: string): Replies => ({ ...up, 'GET /x': { status: 503, text } });

  it('is waited for while it starts', async () => {
    const { said, passed, events } = ask({
      ...up,
      [STATUS]: [is('STARTING'), is('RUNNING')],
      'GET /x': { status: 200 },
    });
    expect([await said(), passed()]).toEqual(['said', 2000]);
    expect(events).toEqual([{ type: 'state', what: 'report service', state: 'STARTING' }]);
  });

  it('is used by whom may not look at its program', async () => {
    expect(await ask({ [STATUS]: { status: 403 }, 'GET /x': { status: 200 } }).said()).toBe('said');
    expect(await codeOf(ask({ [STATUS]: { status: 401 } }).said())).toBe('AUTH');
  });

  it.each(['No discoverable found for x', 'No endpoint strategy found for x'])(
    'is told by the router: %s',
    async (text) => {
      expect(await failure(ask(gone(text)).said())).toMatchObject({
        code: 'REPORTS_OFF',
        target: { state: 'running' },
      });
      const { service, endpoint } = ask(gone(text));
      expect(await codeOf(service.find(endpoint, {}, NEVER))).toBe('REPORTS_OFF');
    },
  );

  it.each(['x No discoverable found', 'Service Unavailable'])('is not told by others: %s', async (text) => {
    expect(await codeOf(ask(gone(text)).said())).toBe('UNAVAILABLE');
  });

  it('may be had where it is deployed or shipped', async () => {
    const plan = (replies: Replies) => planEnable(work(replies).deps, NEVER);
    expect(await plan(shipped)).toEqual(['deploy', 'start']);
    expect(await plan({ [STATUS]: is('STOPPED') })).toEqual(['start']);
    expect(await plan({ [STATUS]: is('STARTING') })).toEqual([]);
    expect(await failure(plan({}))).toMatchObject({ code: 'REPORTS_OFF', target: { state: 'no-artifact' } });
  });
});

describe('a change of the report service', () => {
  it('is told step by step', async () => {
    const replies: Replies = {
      ...shipped,
      [`PUT ${APP}`]: { status: 200 },
      [`POST ${PROGRAM}/start`]: { status: 200 },
    };
    const { deps, events, warnings } = work(replies);
    expect(await enableService(deps, NEVER)).toEqual(['deploy', 'start']);
    expect([events, warnings]).toEqual([
      [
        { type: 'state', what: 'report service', state: 'deploying', detail: 'cdap-program-report 6.11.0' },
        { type: 'state', what: 'report service', state: 'starting' },
      ],
      [],
    ]);
  });

  it.each([artifact.name, 'other'])('is sent again where its answer is lost and %s is deployed', async (name) => {
    const app = { json: { name: 'ReportGenerationApp', artifact: { ...artifact, name } } };
    const put: Reply[] = [lost(), { status: 200 }];
    const { deps, asked, warnings } = work({
      ...shipped,
      [`PUT ${APP}`]: put,
      [`GET ${APP}`]: app,
      [`POST ${PROGRAM}/start`]: { status: 200 },
    });
    await enableService(deps, NEVER);
    const isOurs = name === artifact.name;
    expect(asked.filter((line) => line.startsWith('PUT'))).toHaveLength(isOurs ? 1 : 2);
    const again = 'the deploy of the report service: the response was lost and nothing was applied; sending it again';
    expect(warnings).toEqual(isOurs ? [] : [again]);
  });

  it('is not begun once the run is stopped', async () => {
    const { deps, asked } = work({ ...shipped, [`PUT ${APP}`]: { status: 200 } });
    const stop = AbortSignal.abort(new CliError('INTERRUPTED', 'stopped'));
    expect(await codeOf(enableService(deps, stop))).toBe('INTERRUPTED');
    expect(asked.filter((line) => line.startsWith('POST'))).toEqual([]);
  });

  it.each<[string, Reply, number, readonly string[]]>([
    ['shows no sign for ten seconds', is('STOPPED'), 12_000, []],
    ['cannot be looked for', new CliError('FORBIDDEN', 'not yours'), 0, ['its status cannot be read: not yours']],
    ['cannot be looked for at times', new CliError('NET_RESET', 'again'), 12_000, []],
  ])('has an unknown outcome where a start %s', async (_, status, least, told) => {
    const { deps, passed } = work({ [STATUS]: [is('STOPPED'), status], [`POST ${PROGRAM}/start`]: lost() });
    expect(await failure(enableService(deps, NEVER))).toEqual({
      code: 'UNKNOWN_OUTCOME',
      message: 'the start of the report service was sent, but there is no sign of it',
      ...{ serverSaid: 'x', lines: ['the response was lost: broke', ...told] },
      hints: [{ ...SHOW, later: true }, 'starting it again could start a second run'],
    });
    expect(passed()).toBe(least);
  });

  it('fails at once where a start never left or is refused', async () => {
    for (const [reply, code] of [
      [lost('no'), 'NET_RESET'],
      [{ status: 403 }, 'FORBIDDEN'],
    ] as const) {
      const { deps, passed } = work({ [STATUS]: is('STOPPED'), [`POST ${PROGRAM}/start`]: reply });
      expect([await codeOf(enableService(deps, NEVER)), passed()]).toEqual([code, 0]);
    }
  });
});

describe('waiting for the report service', () => {
  it('tells how long it still watches a platform that may stop it', async () => {
    const replies: Replies = { [STATUS]: is('RUNNING'), [HEALTH]: { status: 200 }, [NEWEST]: { json: [] } };
    const { deps, events, passed } = work(replies, '6.11.0');
    await awaitService(deps, 60_000);
    expect(passed()).toBe(20_000);
    const told = { type: 'state', what: 'report service', state: 'RUNNING', detail: 'watching that it keeps running' };
    expect(events).toEqual(Array.from({ length: 10 }, (_, at) => ({ ...told, left: 20_000 - at * 2000 })));
  });

  it.each([
    [39_999, 20_000],
    [40_000, 0],
  ])('watches a run of %i ms for %i ms more', async (age, watched) => {
    const run = { runid: 'r', status: 'RUNNING', starting: -age / 1000 };
    const replies: Replies = { [STATUS]: is('RUNNING'), [HEALTH]: { status: 200 }, [NEWEST]: { json: [run] } };
    const { deps, passed } = work(replies, '6.11.0');
    await awaitService(deps, 60_000);
    expect(passed()).toBe(watched);
  });

  it('ends after its time', async () => {
    const { deps, events, passed } = work({ [STATUS]: is('STARTING') });
    expect(await failure(awaitService(deps, 5000))).toEqual({
      ...{ code: 'STILL_RUNNING', message: 'the report service was started, but does not respond after 5s' },
      hints: [SHOW, { next: 'enable-report-service', longer: true }],
    });
    expect([passed(), events.at(-1)]).toEqual([5000, { type: 'state', what: 'report service', state: 'STARTING' }]);
  });

  it('takes a program that does not show for one that was stopped after ten seconds', async () => {
    const { deps, passed } = work({ [STATUS]: is('STOPPED'), [NEWEST]: { json: [] } });
    expect(await codeOf(awaitService(deps, 60_000))).toBe('REPORTS_STOPPED');
    expect(passed()).toBe(12_000);
    // One that was seen and is gone, at once.
    const seen = work({ [STATUS]: [is('STARTING'), is('STOPPED')], [NEWEST]: { json: [] } });
    expect(await codeOf(awaitService(seen.deps, 60_000))).toBe('REPORTS_STOPPED');
    expect(seen.passed()).toBe(2000);
  });
});

describe('a service that does not run although it was started', () => {
  const target = { application: 'ReportGenerationApp', program: 'ReportGenerationSpark' };
  const run = (status: string): Replies => ({ [NEWEST]: { json: [{ runid: 'r1', status }] } });
  const told = async (replies: Replies, version: string) => {
    const { platform } = platformWith(replies);
    return failure(stoppedAgain(platform, version, NEVER).then((error) => Promise.reject(error)));
  };

  it('failed', async () => {
    expect(await told(run('FAILED'), '6.11.0')).toEqual({
      ...{ code: 'REMOTE_FAILED', message: 'the report service was started, but failed' },
      hints: [`for the reason, see its log: GET http://platform.example${PROGRAM}/runs/r1/logs`, FROM_RUNS],
      target: { ...target, run: 'r1', status: 'FAILED' },
    });
  });

  it('was stopped by a platform that stops none by itself', async () => {
    expect(await told({}, '6.1.1')).toEqual({
      ...{ code: 'REPORTS_STOPPED', message: 'the platform stopped the report service again' },
      ...{ hints: [SHOW, FROM_RUNS], target },
    });
  });

  it.each([
    ['6.4.1', []],
    ['6.11.0', [{ next: 'delete-report-app' }]],
  ])('was stopped by a platform %s, which needs a file', async (version, first) => {
    const error = (await told({ ...run('KILLED'), ...shipped }, version)) as { readonly lines: readonly string[] };
    expect(error).toMatchObject({
      code: 'REPORTS_STOPPED',
      message: 'the platform stopped the report service again: no capability file of its server lists it',
      hints: [...first, { next: 'write-capability-file' }, FROM_RUNS],
      target: { ...target, run: 'r1', status: 'KILLED' },
    });
    const [ask, ...file] = error.lines;
    expect(ask).toBe('ask an administrator of the server to add this file to its folder capability.config.dir:');
    expect(JSON.parse(file.join('\n'))).toMatchObject({ applications: [{ artifact }] });
  });
});

describe('stopping the report service', () => {
  const STOP = `POST ${PROGRAM}/stop`;
  const stop = (replies: Replies) => {
    const { deps, ...seen } = work(replies);
    return { stopped: stopService(deps, 4000), ...seen };
  };

  it('leaves one that is absent', async () => {
    const { stopped, asked } = stop({});
    expect([await stopped, asked]).toEqual([false, [STATUS]]);
  });

  it('waits until it has stopped, and says so', async () => {
    const { stopped, events, passed } = stop({
      [STATUS]: [is('RUNNING'), is('STOPPING'), is('STOPPED')],
      [STOP]: { status: 200 },
    });
    expect([await stopped, passed()]).toEqual([true, 2000]);
    expect(events).toEqual([{ type: 'state', what: 'report service', state: 'STOPPING' }]);
  });

  it('ends after its time', async () => {
    const { stopped, passed } = stop({ [STATUS]: is('RUNNING'), [STOP]: { status: 200 } });
    expect(await failure(stopped)).toEqual({
      ...{ code: 'STILL_RUNNING', message: 'the report service has not stopped after 4s', hints: [SHOW] },
    });
    expect(passed()).toBe(4000);
  });

  it('is done where it ended by itself meanwhile, else what was refused is an error', async () => {
    expect(await stop({ [STATUS]: [is('RUNNING'), is('STOPPED')], [STOP]: { status: 400 } }).stopped).toBe(true);
    expect(await codeOf(stop({ [STATUS]: is('RUNNING'), [STOP]: { status: 403 } }).stopped)).toBe('FORBIDDEN');
    expect(await codeOf(stop({ [STATUS]: is('RUNNING'), [STOP]: lost('no') }).stopped)).toBe('NET_RESET');
  });
});

describe('the status of the report service', () => {
  const METRICS = 'POST /v3/metrics/query';
  const QUERY =
    '{"service":{"tags":{"namespace":"system","app":"ReportGenerationApp"},"metrics":["user.run.metadata.last.sync.time.millis","user.program.status.processed"],"timeRange":{"aggregate":"true"}}}';
  const app: Replies = { [`GET ${APP}`]: { json: { name: 'ReportGenerationApp', artifact } } };
  const base = { url: 'http://platform.example', platformVersion: '6.11.0', healthy: false, changes: [] };
  const application = { artifact: 'cdap-program-report', version: '6.11.0' };
  const status = async (replies: Replies) => serviceStatus(work(replies, '6.11.0').deps, NEVER);

  it.each<[string, Replies, object]>([
    ['not shipped', {}, { state: 'no-artifact' }],
    ['not deployed', shipped, { state: 'absent' }],
    ['deployed without a program', { ...shipped, ...app }, { state: 'absent' }],
    ['stopped', { ...app, [STATUS]: is('STOPPED') }, { state: 'stopped', application, program: 'STOPPED' }],
    ['starting', { ...app, [STATUS]: is('STARTING') }, { state: 'starting', application, program: 'STARTING' }],
    [
      'answering although it is not running',
      { ...app, [STATUS]: is('STARTING'), [HEALTH]: { status: 200 } },
      { state: 'starting', application, program: 'STARTING', healthy: true },
    ],
    [
      'silent',
      { ...app, [STATUS]: is('RUNNING'), [HEALTH]: { status: 503 } },
      { state: 'starting', application, program: 'RUNNING' },
    ],
    [
      'running',
      { ...app, [STATUS]: is('RUNNING'), [HEALTH]: { status: 200 } },
      { state: 'running', application, program: 'RUNNING', healthy: true },
    ],
  ])('is %s', async (_, replies, found) => {
    expect(await status(replies)).toEqual({ ...base, ...found });
  });

  it('has what it has collected', async () => {
    const series = (metricName: string, ...values: readonly number[]) => ({
      ...{ metricName, grouping: {}, data: values.map((value) => ({ time: 0, value })) },
    });
    const answer = (...all: readonly object[]): Replies => ({
      [METRICS]: { json: { service: { startTime: 0, endTime: 1, resolution: 'x', series: all } } },
    });
    const { deps, asked } = work(
      answer(
        series('user.run.metadata.last.sync.time.millis', 5, 9),
        series('user.program.status.processed', 3),
        series('x', 99),
      ),
    );
    expect(await knownFreshness(deps.platform, NEVER)).toEqual({ lastSync: 9, processed: 3 });
    expect(asked).toEqual([`${METRICS} ${QUERY}`]);
    expect(Object.keys((await knownFreshness(work(answer()).deps.platform, NEVER)) ?? {})).toEqual([]);
  });

  it.each([
    [{}, false],
    [{ lastSync: 0 }, true],
    [{ processed: 0 }, true],
  ])('%j has collected something: %s', (freshness, has) => {
    expect(collects(freshness)).toBe(has);
  });

  it('is up to date where the last sync is near the end of the report or now', () => {
    const DAY = 86_400_000;
    const now = 100 * DAY;
    expect(isUpToDate({}, 1, now)).toBe(false);
    expect(isUpToDate({ lastSync: now }, now / 1000, now)).toBe(true);
    expect(isUpToDate({ lastSync: now - 900_000 }, now / 1000 + 5, now)).toBe(true);
    expect(isUpToDate({ lastSync: now - 900_001 }, now / 1000 + 5, now)).toBe(false);
    expect(isUpToDate({ lastSync: now - DAY }, (now - DAY) / 1000 + 900, now)).toBe(true);
    expect(isUpToDate({ lastSync: now - DAY }, (now - DAY) / 1000 + 901, now)).toBe(false);
    expect(isUpToDate({ lastSync: now + DAY - 1 }, now / 1000, now)).toBe(true);
    expect(isUpToDate({ lastSync: now + DAY }, now / 1000, now)).toBe(false);
  });
});
