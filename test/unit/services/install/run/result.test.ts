import { describe, expect, it } from 'vitest';
import { CliError } from '../../../../../src/core/errors.js';
import type { ActionOutcome } from '../../../../../src/services/install/run/result.js';
import type { Observation } from '../../../../../src/services/install/action.js';
import { planInstall } from '../../../../../src/services/install/plan/plan.js';
import { plannedResult, trustOf } from '../../../../../src/services/install/plan/planned-result.js';
import { failureOfInstall, resultOf } from '../../../../../src/services/install/run/result.js';
import { action, errorWith, observed, outcome, prepared, request } from '../support.js';
import { saidBy, thrownBy } from '../../../../support/errors.js';

const AGAIN = 'cdapctl install p';
const identity = {
  package: { name: 'p', version: '1', hub: 'h', label: 'P' },
  target: { url: 'u', namespace: 'default', namespaceFrom: 'the default' },
};
const actions = [1, 2, 3].map((n) => action(n, 'create_pipeline'));
const steps = [1, 2, 3].map((n) => prepared(n, `p${n}`));
const looked = new Map([1, 2, 3].map((n) => [n, observed('absent')] as const));
const plan = planInstall(identity, actions, steps, looked, false);
const trust = trustOf('require', [], undefined);
const shown = plannedResult(plan, trust);

const judge = (outcomes: readonly ActionOutcome[], interrupted?: unknown) => {
  const result = resultOf(shown, outcomes, AGAIN);
  const error = failureOfInstall(result, { outcomes }, AGAIN, interrupted);
  return [result.state, error?.code, error?.exitCode, result.retry !== undefined];
};
/** What a person reads: the sentence, the lines below it, and what to do. */
const tell = (outcomes: readonly ActionOutcome[], interrupted: CliError) => {
  const error = failureOfInstall(resultOf(shown, outcomes, AGAIN), { outcomes }, AGAIN, interrupted);
  expect(error?.cause).toBeUndefined();
  return [error?.message, error?.details.lines, error?.details.hints];
};
const done = (n: number): ActionOutcome => outcome(n, 'done', { requests: [request(200)] });
const present = (n: number): ActionOutcome => outcome(n, 'already-present');
const lostRead = new CliError('NET_RESET', 'gone', { request: { method: 'GET', url: 'u' } });
const failed = (n: number, code: Parameters<typeof errorWith>[0], ...statuses: readonly number[]): ActionOutcome =>
  outcome(n, 'failed', { error: errorWith(code), requests: statuses.map((status) => request(status)) });

describe('an install that was stopped', () => {
  const stop = new CliError('INTERRUPTED', 'stopped by Ctrl-C');

  it('says what was done and what was not, and how it goes on', () => {
    expect(tell([done(1), present(2), outcome(3, 'not-run')], stop)).toEqual([
      'stopped by Ctrl-C; completed actions stay applied',
      ['1  done       pipeline p1', '2  exists     pipeline p2', '3  not tried  pipeline p3'],
      ['cdapctl install p'],
    ]);
  });

  it('says when nothing was changed', () => {
    expect(tell([present(1), outcome(2, 'not-run')], stop)).toEqual([
      'stopped by Ctrl-C; nothing was changed',
      [],
      ['cdapctl install p'],
    ]);
  });
});

it('an install that did all, which its journal could not take, says what was done and carries it', () => {
  const outcomes = [done(1), present(2), outcome(3, 'done')];
  const result = resultOf(shown, outcomes, AGAIN);
  const unwritten = new CliError('DISK_FULL', 'no space for the journal', { hints: ['free some'] });
  expect(failureOfInstall(result, { outcomes, unwritten }, AGAIN, undefined)).toMatchObject({
    code: 'DISK_FULL',
    message: 'no space for the journal; completed actions stay applied',
    details: {
      item: { state: 'installed' },
      lines: ['1  done    pipeline p1', '2  exists  pipeline p2', '3  done    pipeline p3'],
      hints: ['free some', AGAIN],
    },
  });
});

it('says of a write that stopped it whether that was sent', () => {
  const error = new CliError('NET_REFUSED', 'nobody is there', { sent: 'no' });
  const outcomes = [outcome(1, 'failed', { error }), outcome(2, 'not-run'), outcome(3, 'not-run')];
  const result = resultOf(shown, outcomes, AGAIN);
  expect(failureOfInstall(result, { outcomes }, AGAIN, undefined)?.details.sent).toBe('no');
});

it('no command for a retry where the same command would end the same way', () => {
  const error = new CliError('CONFLICT', 'in the way', { hints: ['to overwrite it: --force'], final: true });
  const outcomes = [done(1), outcome(2, 'failed', { error }), outcome(3, 'not-run')];
  const result = resultOf(shown, outcomes, AGAIN);
  expect(result).not.toHaveProperty('retry');
  expect(failureOfInstall(result, { outcomes }, AGAIN, undefined)?.details.hints).toEqual(['to overwrite it: --force']);
});

describe('the end of an install', () => {
  const stop = errorWith('INTERRUPTED');

  it.each([
    ['all done', [done(1), done(2)], undefined, ['installed', undefined, undefined, false]],
    ['all there', [present(1), present(2)], undefined, ['already-present', undefined, undefined, false]],
    ['text only', [outcome(1, 'done')], undefined, ['installed', undefined, undefined, false]],
    [
      'text, the rest there',
      [outcome(1, 'done'), present(2)],
      undefined,
      ['already-present', undefined, undefined, false],
    ],
    ['some there', [present(1), done(2)], undefined, ['installed', undefined, undefined, false]],
    [
      'refused at once',
      [failed(1, 'REMOTE_FAILED', 400), outcome(2, 'not-run')],
      undefined,
      ['failed', 'REMOTE_FAILED', 11, true],
    ],
    ['refused before a request', [failed(1, 'CONFLICT')], undefined, ['failed', 'CONFLICT', 6, true]],
    [
      'refused behind what was there',
      [present(1), failed(2, 'FORBIDDEN', 403)],
      undefined,
      ['failed', 'FORBIDDEN', 4, true],
    ],
    [
      'refused after a change',
      [done(1), failed(2, 'FORBIDDEN', 403)],
      undefined,
      ['partial', 'INSTALL_PARTIAL', 10, true],
    ],
    ['half a step', [failed(1, 'REMOTE_FAILED', 200, 500)], undefined, ['partial', 'INSTALL_PARTIAL', 10, true]],
    ['accepted and useless', [failed(1, 'REMOTE_FAILED', 200)], undefined, ['partial', 'INSTALL_PARTIAL', 10, true]],
    ['not answered and useless', [failed(1, 'REMOTE_FAILED', 0)], undefined, ['partial', 'INSTALL_PARTIAL', 10, true]],
    ['a gateway, and useless', [failed(1, 'REMOTE_FAILED', 503)], undefined, ['partial', 'INSTALL_PARTIAL', 10, true]],
    [
      'lost but applied, then the platform went away',
      [outcome(1, 'failed', { error: lostRead, requests: [request(0)] })],
      undefined,
      ['partial', 'INSTALL_PARTIAL', 10, true],
    ],
    ['lost, then refused', [failed(1, 'FORBIDDEN', 0, 403)], undefined, ['failed', 'FORBIDDEN', 4, true]],
    [
      'lost but applied, the next write refused',
      [outcome(1, 'failed', { error: errorWith('FORBIDDEN'), requests: [request(0), request(403, '/y')] })],
      undefined,
      ['partial', 'INSTALL_PARTIAL', 10, true],
    ],
    ['lost twice, not applied', [failed(1, 'NET_RESET', 0, 0)], undefined, ['failed', 'NET_RESET', 7, true]],
    ['not known', [failed(1, 'UNKNOWN_OUTCOME', 0)], undefined, ['partial', 'UNKNOWN_OUTCOME', 16, true]],
    [
      'not known after a change',
      [done(1), failed(2, 'UNKNOWN_OUTCOME', 0)],
      undefined,
      ['partial', 'UNKNOWN_OUTCOME', 16, true],
    ],
    ['a full disk after a change', [done(1), failed(2, 'DISK_FULL')], undefined, ['partial', 'DISK_FULL', 15, true]],
    ['stopped before anything', [outcome(1, 'not-run')], stop, ['cancelled', 'INTERRUPTED', 130, true]],
    ['stopped in the middle', [done(1), outcome(2, 'not-run')], stop, ['partial', 'INTERRUPTED', 130, true]],
    ['stopped when all was done', [done(1), done(2)], stop, ['installed', undefined, undefined, false]],
  ] as const)('%s', (_, outcomes, interrupted, expected) => {
    expect(judge(outcomes, interrupted)).toEqual(expected);
  });

  it('counts what was there among what is done', () => {
    const outcomes = [done(1), present(2), failed(3, 'FORBIDDEN', 403)];
    const error = failureOfInstall(resultOf(shown, outcomes, AGAIN), { outcomes }, AGAIN, undefined);
    expect(error?.message).toBe('stopped at action 3: 2 done, 1 failed, 0 not tried; completed actions stay applied');
  });

  it('names the retry among the hints and gives the result with the error', () => {
    const outcomes = [done(1), failed(2, 'FORBIDDEN', 403), outcome(3, 'not-run')];
    const result = resultOf(shown, outcomes, AGAIN);
    const error = failureOfInstall(result, { outcomes }, AGAIN, undefined);
    expect(error?.details).toMatchObject({ item: result, cause: { code: 'FORBIDDEN' } });
    expect(error?.details.hints).toContain(AGAIN);
    expect(error?.message).toBe('stopped at action 2: 1 done, 1 failed, 1 not tried; completed actions stay applied');
  });

  it('has all of its plan, its trust and its actions', () => {
    const texts = ['read this'];
    const [first, ...more] = steps;
    const withText = [...(first ? [{ ...first, texts }] : []), ...more];
    const told = planInstall({ ...identity }, actions, withText, looked, false);
    const requests = [request(200)];
    const outcomes = [done(1), outcome(2, 'failed', { message: 'no', requests }), outcome(3, 'not-run')];
    const actionOf = (n: number, state: string) => ({
      ...{ n, type: 'create_pipeline', label: `Label ${n}`, state, target: { kind: 'pipeline', name: `p${n}` } },
      ...{
        effect: 'absent',
        writes: true,
        inputs: { name: `p${n}` },
        requests: n === 3 ? [] : requests,
        durationMs: 1,
      },
    });
    expect(resultOf(plannedResult(told, trust), outcomes, AGAIN)).toEqual({
      ...identity,
      trust: { policy: 'require', verified: false, fingerprints: [], files: [] },
      state: 'partial',
      actions: [{ ...actionOf(1, 'done'), texts }, { ...actionOf(2, 'failed'), message: 'no' }, actionOf(3, 'not-run')],
      retry: AGAIN,
    });
  });

  it('names the flags that are missing', () => {
    const gap = { n: 1, kind: 'argument', name: 'name', flag: '--set 1.name=VALUE' } as never;
    const open = planInstall(identity, actions, steps, looked, false, [gap]);
    expect(plannedResult(open, trust).missing).toEqual(['--set 1.name=VALUE']);
    expect(plannedResult(plan, trust)).not.toHaveProperty('missing');
  });

  it('without any action is one that was skipped', () => {
    expect(judge([])).toEqual(['skipped', undefined, undefined, false]);
  });

  it('has the reason of the platform, and what it is about', () => {
    const details = { lines: ['line'], serverSaid: 'never', target: { pipeline: 'p1' }, hints: ['look'] };
    const error = new CliError('REMOTE_FAILED', 'refused', details);
    const outcomes = [outcome(1, 'failed', { error, requests: [request(400)] })];
    const result = resultOf(shown, outcomes, AGAIN);
    const end = failureOfInstall(result, { outcomes }, AGAIN, undefined);
    expect(end && saidBy(end)).toEqual({
      ...{ code: 'REMOTE_FAILED', message: 'refused', ...details, hints: ['look', AGAIN], item: result },
    });
  });

  it('tells no actions that stay where none was done before', () => {
    const outcomes = [failed(1, 'REMOTE_FAILED', 200), outcome(2, 'not-run')];
    const error = failureOfInstall(resultOf(shown, outcomes, AGAIN), { outcomes }, AGAIN, undefined);
    expect(error?.message).toBe('stopped at action 1: 0 done, 1 failed, 1 not tried');
  });

  it('is a plan when nothing was tried', () => {
    const result = plannedResult(plan, trust);
    expect(result.state).toBe('planned');
    expect(result.actions.map(({ state, writes }) => [state, writes])).toEqual([1, 2, 3].map(() => ['planned', true]));
  });
});

describe('a plan', () => {
  it('has a line for every action, chosen or not', () => {
    const { actions: lines } = planInstall(identity, actions, steps.slice(1), new Map([[3, observed('done')]]), false);
    expect(lines.map(({ state, effect, writes }) => [state, effect, writes])).toEqual([
      ['skipped', 'skipped', false],
      ['planned', 'not checked (offline)', false],
      ['planned', 'done', false],
    ]);
  });

  it('asks for what overwrites, and for what nobody signed', () => {
    const differs: Observation = { state: 'differs', effect: 'overwrite', consent: 'overwrite pipeline p2' };
    const overwriting = planInstall(identity, actions, steps, new Map([...looked, [2, differs]]), true);
    expect(overwriting.consents).toEqual(['install p 1 without a trusted signature', 'overwrite pipeline p2']);
    expect(overwriting.overwriting).toEqual(new Set([2]));
    expect([plan.consents, plan.overwriting]).toEqual([[], new Set()]);
  });

  it('is refused as a whole by one step that must not be done', () => {
    const refused = { state: 'refused', effect: '', error: errorWith('CONFLICT', 'in the way') } as const;
    const error = thrownBy(() => planInstall(identity, actions, steps, new Map([...looked, [3, refused]]), false));
    expect(error.message).toBe('in the way');
  });
});

describe('what was verified', () => {
  const report = (state: 'valid' | 'missing', fingerprint?: string) => ({
    name: 'spec.json',
    bytes: 1,
    sha256: 'x',
    verdict: { state, reason: state === 'valid' ? 'good' : 'missing', notes: [], fingerprint } as const,
  });

  it.each([
    ['nothing was read', [], false, []],
    ['all good', [report('valid', 'A'), report('valid', 'A')], true, ['A']],
    ['one without a signature', [report('valid', 'A'), report('missing')], false, ['A']],
  ] as const)('%s', (_, reports, verified, fingerprints) => {
    const files = reports.map(({ verdict: { state } }) => ({ name: 'spec.json', bytes: 1, sha256: 'x', state }));
    expect(trustOf('warn', reports, 3)).toEqual({ policy: 'warn', verified, fingerprints, files, indexSequence: 3 });
    expect(trustOf('warn', reports, undefined)).not.toHaveProperty('indexSequence');
  });
});
