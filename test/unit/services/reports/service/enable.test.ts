import { describe, expect, it } from 'vitest';
import type { Clock } from '../../../../../src/core/clock.js';
import { CliError } from '../../../../../src/core/errors.js';
import { awaitService, enableService, stopService } from '../../../../../src/services/reports/service/enable.js';
import { capabilityFile } from '../../../../../src/services/reports/service/stopped.js';
import { fakePlatform } from '../fake-platform.js';
import { codeOf, errorOf, hintsOf } from '../../../../support/errors.js';

const APP = '/v3/namespaces/system/apps/ReportGenerationApp';
const PROGRAM = `${APP}/spark/ReportGenerationSpark`;

interface Site {
  readonly version: string;
  readonly deployed?: boolean;
  readonly running?: boolean;
  /** Milliseconds from a start until it shows, until it runs, and until the platform stops it again. */
  readonly shows?: number;
  readonly runs?: number;
  readonly stops?: number;
  readonly endsAs?: string;
  /** The answer of a start is lost; `applied` or not. */
  readonly lost?: 'applied' | 'never';
  /** The answer of a stop is lost; milliseconds until it stops all the same. */
  readonly stopLost?: number;
}

/** A platform with a report service that takes its time on a clock which only sleeping moves. */
function site({
  version,
  shows = 0,
  runs = 5000,
  stops = Infinity,
  endsAs = 'KILLED',
  lost,
  stopLost,
  ...given
}: Site) {
  let now = 0;
  let deployed = given.deployed ?? false;
  let started: number | undefined = given.running === true ? -60_000 : undefined;
  const clock: Clock = {
    now: () => now,
    monotonic: () => now,
    sleep: async (milliseconds, signal) => {
      signal.throwIfAborted();
      now += milliseconds;
    },
  };
  let ends = Infinity;
  const age = (): number => (started === undefined ? -1 : now - started);
  const status = (): string => {
    if (age() < shows || age() >= stops || now >= ends) return 'STOPPED';
    return age() < runs ? 'STARTING' : 'RUNNING';
  };
  const { platform, asked } = fakePlatform((request, _, sent) => {
    switch (request) {
      case 'GET /v3/namespaces/default/artifacts':
        return { body: [{ name: 'cdap-program-report', version, scope: 'SYSTEM' }] };
      case `GET ${APP}`: {
        const artifact = { name: 'cdap-program-report', version, scope: 'SYSTEM' };
        return deployed ? { body: { name: 'ReportGenerationApp', artifact } } : undefined;
      }
      case `PUT ${APP}`:
        expect(JSON.parse(sent ?? '')).toEqual({ artifact: { name: 'cdap-program-report', version, scope: 'SYSTEM' } });
        deployed = true;
        return { body: 'Deploy Complete' };
      case `GET ${PROGRAM}/status`:
        return deployed ? { body: { status: status() } } : undefined;
      case `GET ${PROGRAM}/methods/health`:
        return status() === 'RUNNING' ? {} : { status: 503, body: 'No discoverable found' };
      case `GET ${PROGRAM}/runs`:
        return { body: [{ runid: 'r1', starting: (started ?? 0) / 1000, status: endsAs, properties: {} }] };
      case `POST ${PROGRAM}/start`:
        if (lost !== 'never') started = now;
        if (lost !== undefined) throw new CliError('NET_RESET', 'the connection broke');
        return {};
      case `POST ${PROGRAM}/stop`:
        if (stopLost !== undefined) {
          ends = now + stopLost;
          throw new CliError('NET_RESET', 'the connection broke');
        }
        started = undefined;
        return {};
      default:
        return undefined;
    }
  });
  const { signal } = new AbortController();
  const work = { platform, url: platform.base, version, clock, emit: () => undefined, signal };
  return { work, asked, clock, writes: () => asked.filter((line) => !line.startsWith('GET')), signal };
}

async function enabled(given: Site, timeout = 60_000) {
  const one = site(given);
  const steps = await enableService(one.work, one.signal);
  await awaitService(one.work, timeout);
  return { ...one, steps };
}

describe('enabling the report service', () => {
  it('deploys its application, starts its program once and waits until it answers', async () => {
    const { steps, writes, clock } = await enabled({ version: '6.1.1', shows: 1400 });
    expect(steps).toEqual(['deploy', 'start']);
    expect(writes()).toEqual([`PUT ${APP}`, `POST ${PROGRAM}/start`]);
    expect(clock.now()).toBeLessThan(10_000);
  });

  it('only starts what is deployed, and does nothing about what runs', async () => {
    expect((await enabled({ version: '6.1.1', deployed: true })).writes()).toEqual([`POST ${PROGRAM}/start`]);
    expect((await enabled({ version: '6.1.1', deployed: true, running: true })).writes()).toEqual([]);
  });

  it('is over when the run shows, so that the next one does not start a second', async () => {
    const { work, signal, writes } = site({ version: '6.1.1', deployed: true, shows: 1400 });
    expect(await enableService(work, signal)).toEqual(['start']);
    expect(await enableService(work, signal)).toEqual([]);
    expect(writes()).toEqual([`POST ${PROGRAM}/start`]);
  });

  it('asks no more after the start when it is stopped', async () => {
    const { work, asked, clock } = site({ version: '6.1.1', deployed: true, shows: 9000 });
    const stop = new AbortController();
    const sleep: Clock['sleep'] = async (milliseconds, signal) => {
      stop.abort();
      await clock.sleep(milliseconds, signal);
    };
    const failure: unknown = await enableService({ ...work, clock: { ...clock, sleep } }, stop.signal).catch(
      (error: unknown) => error,
    );
    expect([failure, asked.slice(-2)]).toEqual([
      stop.signal.reason,
      [`POST ${PROGRAM}/start`, `GET ${PROGRAM}/status`],
    ]);
  });

  it('starts once although the answer is lost, when the run shows', async () => {
    const { writes } = await enabled({ version: '6.1.1', deployed: true, lost: 'applied', shows: 1400 });
    expect(writes()).toEqual([`POST ${PROGRAM}/start`]);
  });

  it('never starts a second time when nobody knows about the first', async () => {
    const { work, signal, writes } = site({ version: '6.1.1', deployed: true, lost: 'never' });
    expect(await codeOf(enableService(work, signal))).toBe('UNKNOWN_OUTCOME');
    expect(writes()).toEqual([`POST ${PROGRAM}/start`]);
  });

  it('tells of a platform that stops it again, with the capability file of its version', async () => {
    const failure = await enabled({ version: '6.11.0', stops: 14_000 }).catch((error: unknown) => error);
    expect(failure).toMatchObject({ code: 'REPORTS_STOPPED', exitCode: 11 });
    const { lines = [], hints = [] } = (failure as CliError).details;
    expect(lines.join('\n')).toContain(capabilityFile('6.11.0').trimEnd());
    expect(hints[0]).toEqual({ next: 'delete-report-app' });
  });

  it('asks to delete the application only where its versions stand in the way of the file', async () => {
    const failure = await errorOf(enabled({ version: '6.4.1', stops: 14_000 }));
    expect(failure.code).toBe('REPORTS_STOPPED');
    const hints = hintsOf(failure).join('\n');
    expect(hints).toContain('--capability-file FILE');
    expect(hints).not.toContain('DELETE');
  });

  it('watches a platform of 6.3 and later for 20 seconds more, an older one not', async () => {
    expect((await enabled({ version: '6.4.1' })).clock.now()).toBeGreaterThanOrEqual(25_000);
    expect((await enabled({ version: '6.1.1' })).clock.now()).toBeLessThan(10_000);
    expect((await enabled({ version: '6.4.1', deployed: true, running: true })).clock.now()).toBe(0);
  });

  it('tells of a program that failed', async () => {
    await expect(enabled({ version: '6.1.1', stops: 3000, endsAs: 'FAILED' })).rejects.toMatchObject({
      code: 'REMOTE_FAILED',
    });
  });

  it('ends with 8 when the service does not answer in time', async () => {
    await expect(enabled({ version: '6.1.1', runs: 90_000 })).rejects.toMatchObject({
      code: 'STILL_RUNNING',
      exitCode: 8,
    });
  });

  it('is REPORTS_OFF where the platform ships without reports', async () => {
    const { platform } = fakePlatform((request) => (request.endsWith('/artifacts') ? { body: [] } : undefined));
    const { work, signal } = site({ version: '6.1.1' });
    expect(await codeOf(enableService({ ...work, platform }, signal))).toBe('REPORTS_OFF');
  });
});

describe('stopping the report service', () => {
  it('stops what runs, once, and leaves alone what does not', async () => {
    const up = site({ version: '6.1.1', deployed: true, running: true });
    expect(await stopService(up.work, 60_000)).toBe(true);
    expect(up.writes()).toEqual([`POST ${PROGRAM}/stop`]);
    const down = site({ version: '6.1.1', deployed: true });
    expect(await stopService(down.work, 60_000)).toBe(false);
    expect(down.writes()).toEqual([]);
  });

  it('waits for what it stopped when the answer is lost', async () => {
    const { work, writes, clock } = site({ version: '6.1.1', deployed: true, running: true, stopLost: 7000 });
    expect(await stopService(work, 60_000)).toBe(true);
    expect(writes()).toEqual([`POST ${PROGRAM}/stop`]);
    expect(clock.now()).toBeGreaterThanOrEqual(7000);
  });
});

describe('the capability file', () => {
  it('lists the application and its program', () => {
    expect(JSON.parse(capabilityFile('6.11.0'))).toEqual({
      label: 'Reports',
      status: 'ENABLED',
      capability: 'reports',
      applications: [
        {
          namespace: 'system',
          name: 'ReportGenerationApp',
          version: '-SNAPSHOT',
          artifact: { name: 'cdap-program-report', version: '6.11.0', scope: 'SYSTEM' },
          config: {},
        },
      ],
      programs: [
        {
          type: 'SPARK',
          application: 'ReportGenerationApp',
          name: 'ReportGenerationSpark',
          namespace: 'system',
          version: '-SNAPSHOT',
          args: {},
        },
      ],
    });
  });
});
