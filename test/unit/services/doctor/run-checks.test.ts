import { describe, expect, it } from 'vitest';
import type { Clock } from '../../../../src/core/clock.js';
import { CliError } from '../../../../src/core/errors.js';
import { failed, runChecks, type Check } from '../../../../src/services/doctor/run-checks.js';
import { servicesNotOk } from '../../../../src/services/doctor/system-services.js';
import { NEVER } from '../../../support/clock.js';
import { codeOf } from '../../../support/errors.js';
import { platformWith } from '../pipelines/support.js';

const forever = (signal: AbortSignal): Promise<never> =>
  new Promise((_, reject) => {
    signal.addEventListener('abort', () => {
      reject(new Error('told to end'));
    });
  });

/** A clock whose limit passes at once or never; `naps` are the limits and whether somebody still waits for them. */
function clockThat(passes: boolean) {
  const naps: { readonly milliseconds: number; readonly signal: AbortSignal | undefined }[] = [];
  let now = 0;
  const clock: Clock = {
    now: () => now,
    monotonic: () => (now += 1.4),
    sleep: (milliseconds, signal) => {
      naps.push({ milliseconds, signal });
      return passes ? Promise.resolve() : forever(signal);
    },
  };
  return { clock, naps };
}
const check = (id: string, run: Check['run']): Check => ({ id, run });

describe('checks', () => {
  it('are told in their order, with their time, except those with nothing to check', async () => {
    const { clock, naps } = clockThat(false);
    const checks = [
      check('slow', async () => {
        await Promise.resolve();
        return { state: 'warn', message: 'old', fix: 'update' };
      }),
      check('none', async () => undefined),
      check('good', async () => ({ state: 'ok', message: 'fine' })),
    ];
    const findings = await runChecks(checks, { clock, signal: NEVER });
    expect(findings.map(({ ms, ...finding }) => [Number.isInteger(ms) && ms > 0, finding])).toEqual([
      [true, { id: 'slow', state: 'warn', message: 'old', fix: 'update' }],
      [true, { id: 'good', state: 'ok', message: 'fine' }],
    ]);
    expect(naps.map(({ milliseconds }) => milliseconds)).toEqual([15_000, 15_000, 15_000]);
    // Nobody waits for their limits any more.
    expect(naps.every(({ signal }) => signal?.aborted)).toBe(true);
  });

  it('fail after their time limit, and are told to end', async () => {
    let told: unknown;
    const late = check('late', (signal) => {
      signal.addEventListener('abort', () => {
        told = signal.reason;
      });
      return forever(NEVER);
    });
    expect(await runChecks([late], { clock: clockThat(true).clock, signal: NEVER })).toEqual([
      { id: 'late', state: 'fail', message: 'no result within 15 s', ms: 1 },
    ]);
    expect(told).toMatchObject({ code: 'NET_TIMEOUT', message: 'no result within 15 s' });
  });

  it('fail with their error, and the others go on', async () => {
    const { clock } = clockThat(false);
    const broken = check('broken', () => Promise.reject(new CliError('AUTH', 'no token')));
    const good = check('good', async () => ({ state: 'ok', message: 'fine' }));
    expect((await runChecks([broken, good], { clock, signal: NEVER })).map(({ id, state }) => [id, state])).toEqual([
      ['broken', 'fail'],
      ['good', 'ok'],
    ]);
  });

  it('run the checks that one finds, each on its own', async () => {
    const { clock } = clockThat(false);
    const good = check('good', async () => ({ state: 'ok', message: 'fine' }));
    const bad = check('bad', () => Promise.reject(new CliError('AUTH', 'no token')));
    const group = check('group', async () => ({ checks: [bad, good] }));
    expect((await runChecks([group, good], { clock, signal: NEVER })).map(({ id }) => id)).toEqual([
      ...['bad', 'good', 'good'],
    ]);
  });

  it('end where the run is stopped', async () => {
    const stop = new AbortController();
    const work = runChecks([check('a', forever)], { clock: clockThat(false).clock, signal: stop.signal });
    stop.abort(new CliError('INTERRUPTED', 'stopped'));
    expect(await codeOf(work)).toBe('INTERRUPTED');
  });
});

describe('an error of a check', () => {
  it.each([
    ['no hint', new CliError('AUTH', 'no token'), undefined],
    ['the first hint', new CliError('AUTH', 'no token', { hints: ['log in', { next: 'give-token-file' }] }), 'log in'],
    [
      'the first hint, also one without words',
      new CliError('AUTH', 'no token', { hints: [{ next: 'give-token-file' }, 'log in'] }),
      { next: 'give-token-file' },
    ],
  ])('has %s as what mends it', (_, error, fix) => {
    expect(failed(error)).toEqual({ state: 'fail', message: 'no token', ...(fix !== undefined && { fix }) });
    expect('fix' in failed(error)).toBe(fix !== undefined);
  });
});

describe('the services of a platform', () => {
  it('that are not well are told with their status', async () => {
    const json = { appfabric: 'OK', explore: 'NOTOK', metrics: '' };
    const { platform } = platformWith({ 'GET /v3/system/services/status': { json } });
    expect(await servicesNotOk(platform, NEVER)).toEqual(['explore NOTOK', 'metrics ']);
  });
});
