import { describe, expect, it } from 'vitest';
import { CliError } from '../../../../src/core/errors.js';
import { FailureLimit } from '../../../../src/services/upgrade/failure-limit.js';
import { upgradedPipeline } from '../../../../src/services/upgrade/plan/planned-result.js';
import { runPipelines, upgrading } from '../../../../src/services/upgrade/run/run.js';
import { olderPipeline, oneStep, stepArtifacts } from '../../../support/sites/upgrade-seed.js';
import { answer, inMemory, NEVER, upgradeOf, type InMemory } from './in-memory.js';
import { warningsTo } from '../../../support/warnings.js';

const COUNT = 14;
const NAMES = Array.from({ length: COUNT }, (_, at) => `p${String(at).padStart(2, '0')}`);
const [, HURT = ''] = NAMES;

function many(): InMemory {
  const applications = NAMES.map((name) => olderPipeline('6.11.0', 'etl', name, oneStep('Copy')));
  return inMemory({ namespaces: ['etl'], artifacts: stepArtifacts('6.11.0'), applications });
}

const isDeploy = (line: string): boolean => /^PUT .*\/apps\/[^/]+$/u.test(line);
const url = 'http://platform.example';
const failure = (code: 'NET_TIMEOUT' | 'UNAVAILABLE' | 'NET_REFUSED', method: string): CliError =>
  new CliError(code, 'no answer', { request: { method, url, status: 503 } });

describe('a deploy whose outcome is unknown', () => {
  it.each([502, 503, 504])('because of %i is that of its pipeline; the others are upgraded', async (status) => {
    const site = many();
    const { plan, execute, warnings } = await upgradeOf(site, { concurrency: 1 });
    const planned = await plan();
    site.breaking(async ({ line }) => (isDeploy(line) && line.endsWith(HURT) ? answer(status, 'gateway') : undefined));
    const expected = NAMES.map((name) => [name, name === HURT ? 'UNKNOWN_OUTCOME' : 'upgraded']);
    expect(await execute(planned)).toEqual(expected);
    expect(warnings.filter((text) => text.startsWith('stopping: '))).toEqual([]);
  });

  it('stops the run when that is so of eight in a row', async () => {
    const site = many();
    const { plan, execute, warnings } = await upgradeOf(site, { concurrency: 1 });
    const planned = await plan();
    let left = 1;
    site.breaking(async ({ line }) => {
      if (!isDeploy(line) || (line.endsWith('p03') && left-- > 0)) return undefined;
      return answer(504, 'gateway');
    });
    const ended = (await execute(planned)).map(([, state]) => state);
    expect(ended.slice(0, 4)).toEqual(['UNKNOWN_OUTCOME', 'UNKNOWN_OUTCOME', 'UNKNOWN_OUTCOME', 'upgraded']);
    expect(ended.slice(4)).toEqual([...Array<string>(8).fill('UNKNOWN_OUTCOME'), 'not-run', 'not-run']);
    expect(warnings.at(-1)).toContain('stopping: ');
  });

  it('stops the run when the platform cannot be read any more either', async () => {
    const site = many();
    const { plan, execute } = await upgradeOf(site, { concurrency: 1 });
    const planned = await plan();
    let isAway = false;
    site.breaking(async ({ line }) => {
      isAway ||= isDeploy(line) && line.endsWith(HURT);
      return isAway ? answer(503, 'gateway') : undefined;
    });
    const ended = (await execute(planned)).map(([, state]) => state);
    expect(ended.slice(0, 3)).toEqual(['upgraded', 'UNKNOWN_OUTCOME', 'not-run']);
  });
});

describe('the brake', () => {
  it.each([
    ['a read that a patient one gave up', failure('UNAVAILABLE', 'GET'), true],
    ['a write that is answered 503', failure('UNAVAILABLE', 'PUT'), false],
    ['a question for runs that is answered 503', failure('UNAVAILABLE', 'POST'), false],
    ['a read without an answer in time', failure('NET_TIMEOUT', 'GET'), true],
    ['a write without an answer in time', failure('NET_TIMEOUT', 'PUT'), false],
    ['nothing that listens', failure('NET_REFUSED', 'PUT'), true],
    ['a token that is rejected', new CliError('AUTH', 'rejected'), true],
    ['a full disk', new CliError('DISK_FULL', 'full'), true],
    ['a journal that became a link', new CliError('SYMLINK', 'a link'), true],
    ['a refusal', new CliError('REMOTE_FAILED', 'no'), false],
  ] as const)('is put on, or not, by %s', (_, error, isOn) => {
    const brake = new FailureLimit({ stop: NEVER, maxFailures: Infinity, ...warningsTo([]) });
    brake.see(error);
    expect([brake.isOn, brake.failed]).toEqual([isOn, 1]);
  });
});

describe('a pipeline that could not be planned', () => {
  it('because it was too slow stops no run', async () => {
    const site = many();
    const { plan, execute } = await upgradeOf(site, { concurrency: 1 });
    site.breaking(async ({ line }) => {
      if (line.startsWith('GET') && line.endsWith(`/apps/${HURT}`)) throw failure('NET_TIMEOUT', 'GET');
      return undefined;
    });
    const planned = await plan();
    const expected = NAMES.map((name) => [name, name === HURT ? 'NET_TIMEOUT' : 'upgraded']);
    expect(await execute(planned)).toEqual(expected);
  });

  it('counts for --max-failures', async () => {
    const site = many();
    const { plan, execute } = await upgradeOf(site, { concurrency: 1 });
    site.breaking(async ({ line }) => (line.endsWith(`/apps/${HURT}`) ? answer(500, 'no') : undefined));
    const ended = await execute(await plan(), { maxFailures: 0 });
    expect(ended.slice(0, 3).map(([, state]) => state)).toEqual(['upgraded', 'REMOTE_FAILED', 'not-run']);
  });
});

describe('a stop between the look at a pipeline and its write', () => {
  it('leaves it for the next run', async () => {
    const site = many();
    const { plan, execute, journal } = await upgradeOf(site, { concurrency: 1 });
    const planned = await plan();
    const stop = new AbortController();
    site.breaking(async ({ line }) => {
      if (line === `GET /v3/namespaces/etl/apps/${HURT}`) stop.abort();
      return undefined;
    });
    const ended = (await execute(planned, { stop: stop.signal })).map(([, state]) => state);
    expect(ended.slice(0, 3)).toEqual(['upgraded', 'not-run', 'not-run']);
    expect(site.writes()).toEqual(['PUT /v3/namespaces/etl/apps/p00']);
    expect(journal.map((entry) => 'pipeline' in entry && entry.pipeline)).toEqual(['p00', 'p00']);
  });
});

describe('--running looks again right before the write', () => {
  const start = 'apps/pipeline-00009/spark/DataStreamsSparkStreaming/start';

  it.each([
    ['warn', 'upgraded'],
    ['skip', 'skipped'],
    ['fail', 'RUNNING'],
  ] as const)('%s: a pipeline that was started since the plan is %s', async (running, expected) => {
    const site = inMemory({ pipelines: [{ count: 10 }] });
    const selection = { running, match: ['*8', '*9'] };
    const { plan, execute, saved, journal } = await upgradeOf(site, { namespaces: ['default'], selection });
    const planned = await plan();
    await site.call('POST', `default/${start}`);
    expect(await execute(planned)).toEqual([
      ['pipeline-00008', 'upgraded'],
      ['pipeline-00009', expected],
    ]);
    const isSent = site.writes().some((line) => line.startsWith('PUT') && line.endsWith('/pipeline-00009'));
    expect(isSent).toBe(running === 'warn');
    expect(saved.map(({ change }) => change?.engine)).toEqual(running === 'fail' ? ['client'] : []);
    const ended = journal.filter((entry) => 'pipeline' in entry && entry.pipeline === 'pipeline-00009');
    expect(ended.map((entry) => entry.type === 'ended' && entry.state)).toEqual(
      { warn: [false, 'done'], skip: [], fail: ['failed'] }[running],
    );
  });

  it('says why one is skipped', async () => {
    const site = inMemory({ pipelines: [{ count: 10 }] });
    const { plan, running, judging } = await upgradeOf(site, {
      namespaces: ['default'],
      selection: { running: 'skip', match: ['*9'] },
    });
    const planned = await plan();
    await site.call('POST', `default/${start}`);
    const [[one, outcome] = []] = await runPipelines(planned, running(), upgrading(judging));
    if (one === undefined) throw new Error('nothing was tried');
    expect(upgradedPipeline(one, 'upgrade', outcome)).toMatchObject({ state: 'skipped', detail: 'is running' });
  });
});
