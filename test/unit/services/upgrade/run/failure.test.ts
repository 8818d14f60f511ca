import { describe, expect, it } from 'vitest';
import { CliError } from '../../../../../src/core/errors.js';
import { plannedAs } from '../../../../../src/services/upgrade/plan/plan.js';
import { failureOfUpgrade } from '../../../../../src/services/upgrade/run/failure.js';
import { plannedResult, summaryOf, upgradedPipeline } from '../../../../../src/services/upgrade/plan/planned-result.js';
import { resultOf } from '../../../../../src/services/upgrade/run/result.js';
import type { PipelineOutcome } from '../../../../../src/services/upgrade/pipeline.js';
import type { UpgradedPipeline, UpgradeResult } from '../../../../../src/services/upgrade/upgrade-result.js';
import { NEVER } from '../../../../support/clock.js';
import { told } from '../../pipelines/support.js';
import { artifact } from '../support.js';

const TARGET = { url: 'http://platform.example', namespaceFrom: 'flag', platformVersion: '6.11.0' };
const planned = (name: string) =>
  plannedAs({ namespace: 'etl', name, artifact: artifact('cdap-data-pipeline 6.10.0'), version: undefined }, 'upgrade');
const pipeline = (name: string, state: UpgradedPipeline['state'], more: Partial<UpgradedPipeline> = {}) => ({
  ...upgradedPipeline(planned(name), 'upgrade'),
  ...{ state, ...more },
});
const interrupted = new CliError('INTERRUPTED', 'stopped by Ctrl-C');
const record = {
  journal: 'j',
  commands: { resume: 'retry open j', retryFailed: 'retry failed j', undo: 'undo newest' },
};

describe('the error that an upgrade ends with', () => {
  const end = (
    pipelines: readonly UpgradedPipeline[],
    more: Partial<UpgradeResult> = {},
    { ignore = false, stop = NEVER } = {},
  ) => {
    const result: UpgradeResult = {
      ...{ command: 'upgrade', target: TARGET, engine: 'client', state: 'partial' },
      ...{ summary: summaryOf(pipelines), pipelines, ...more },
    };
    const error = failureOfUpgrade(
      result,
      { stop, undo: (more.elsewhere ?? []).map(({ journal }) => `undo ${journal}`) },
      ignore,
    );
    if (error === undefined) return undefined;
    expect(error.details.item).toBe(result);
    return Object.fromEntries(Object.entries(told(error)).filter(([name]) => name !== 'item'));
  };
  const good = pipeline('good', 'upgraded');
  const bad = pipeline('bad', 'failed', { detail: 'no', errorFile: '/errors/bad.json' });
  const blocked = pipeline('blocked', 'blocked', { errorFile: '/errors/blocked.json' });
  const unknown = pipeline('unknown', 'unknown', { detail: 'who knows' });
  const open = pipeline('open', 'not-run');
  const lines = ['etl/bad: failed: no', 'etl/blocked: blocked: '];
  const see = 'for the reasons, see /errors/index.json';

  it('is none where all is done, or failures are to be ignored', () => {
    expect(end([good])).toBeUndefined();
    expect(end([good, bad], {}, { ignore: true })).toBeUndefined();
  });

  it('says of a retry that it needs a change where all that failed is blocked', () => {
    expect(end([good, blocked], { retry: 'again' })).toMatchObject({
      ...{ message: '1 upgraded, 1 failed (1 blocked)', hints: [see, 'again  # when the cause is resolved'] },
    });
  });

  it('names what failed, where the reasons are and what tries it again', () => {
    expect(end([good, bad, blocked], { retry: 'again' })).toEqual({
      ...{ code: 'PARTIAL', message: '1 upgraded, 2 failed (1 blocked)', lines, hints: [see, 'again'] },
    });
    expect(end([pipeline('x', 'rolled-back'), bad], { command: 'rollback' })).toMatchObject({
      message: '1 rolled back, 1 failed',
    });
  });

  it('is what was not tried, which cannot be ignored', () => {
    expect(end([good, bad, open], {}, { ignore: true })).toEqual({
      ...{ code: 'PARTIAL', message: '1 upgraded, 1 failed, 1 not tried', lines: lines.slice(0, 1), hints: [see] },
    });
  });

  it('is an unknown outcome before all else', () => {
    const message =
      'for some pipelines it is unknown whether the write was applied: 0 upgraded, 1 failed, 1 with unknown outcome';
    const stop = AbortSignal.abort(interrupted);
    expect(end([unknown, bad], { state: 'cancelled' }, { stop, ignore: true })).toEqual({
      ...{
        code: 'UNKNOWN_OUTCOME',
        message,
        lines: ['etl/unknown: unknown: who knows', ...lines.slice(0, 1)],
        hints: [see],
      },
    });
  });

  it('is that of the signal that stopped it', () => {
    const stop = AbortSignal.abort(interrupted);
    expect(end([good, open], { state: 'cancelled' }, { stop })).toEqual({
      ...{ code: 'INTERRUPTED', message: 'stopped by Ctrl-C: 1 upgraded, 0 failed, 1 not tried', lines: [], hints: [] },
    });
    // It came too late to stop anything.
    expect(end([good], { state: 'done' }, { stop })).toBeUndefined();
  });

  it('tells of other runs that a rollback left', () => {
    const elsewhere = [{ journal: 'j.ndjson', pipelines: [{ namespace: 'etl', name: 'a' }] }];
    expect(end([good], { elsewhere })).toEqual({
      ...{ code: 'PARTIAL', message: '1 upgraded, 0 failed, 1 of another run not rolled back' },
      ...{ lines: [], hints: ['undo j.ndjson'] },
    });
  });

  it('names ten of many', () => {
    const many = Array.from({ length: 11 }, (_, at) => pipeline(`p${at}`, 'failed'));
    const all = many.map(({ name }) => `etl/${name}: failed: `);
    expect(end(many)).toMatchObject({ lines: [...all.slice(0, 10), 'and 1 more'] });
    expect(end(many.slice(1))).toMatchObject({ lines: all.slice(1) });
  });
});

describe('the result of an upgrade', () => {
  const deps = (stop = NEVER, command: 'upgrade' | 'rollback' = 'upgrade') => ({
    ...{ command, target: TARGET, engine: 'client' as const, stop },
  });
  const plan = [planned('a'), planned('b')];
  const outcome = (state: PipelineOutcome['state'], error?: CliError): PipelineOutcome => ({
    ...{ state, durationMs: 1 },
    ...(error && { error }),
  });
  const ended = (one: PipelineOutcome, other: PipelineOutcome) =>
    new Map([one, other].map((end, at) => [plan[at] ?? planned(''), end]));
  const facts = (result: UpgradeResult) => {
    const given = ['target', 'engine', 'command', 'pipelines', 'summary'];
    const rest = Object.fromEntries(Object.entries(result).filter(([name]) => !given.includes(name)));
    return { ...rest, states: result.pipelines.map(({ state }) => state) };
  };

  it('is a plan at first', () => {
    const result = plannedResult(plan, deps());
    expect(facts(result)).toEqual({ state: 'planned', states: ['planned', 'planned'] });
    expect([result.target, result.engine, result.command, result.summary.planned]).toEqual([
      TARGET,
      'client',
      'upgrade',
      2,
    ]);
  });

  const done = outcome('upgraded');
  it.each<[string, PipelineOutcome, typeof record | undefined, AbortSignal, object]>([
    ['done', done, record, NEVER, { state: 'done', undo: 'undo newest' }],
    [
      'partly failed',
      outcome('failed'),
      record,
      NEVER,
      { state: 'partial', retry: 'retry failed j', undo: 'undo newest' },
    ],
    [
      'partly open',
      outcome('not-run'),
      record,
      NEVER,
      { state: 'partial', retry: 'retry open j', undo: 'undo newest' },
    ],
    ['not known', outcome('unknown'), record, NEVER, { state: 'partial', retry: 'retry open j', undo: 'undo newest' }],
    [
      'stopped',
      done,
      record,
      AbortSignal.abort(),
      { state: 'cancelled', retry: 'retry failed j', undo: 'undo newest' },
    ],
    ['without a journal', outcome('failed'), undefined, NEVER, { state: 'partial' }],
  ])('may be %s', (_, other, kept, stop, expected) => {
    const journal = kept && { journal: 'j' };
    const found = facts(resultOf(plan, ended(done, other), deps(stop), kept));
    expect(found).toEqual({ ...journal, ...expected, states: ['upgraded', other.state] });
    for (const name of ['retry', 'undo', 'journal'])
      expect([name, name in found]).toEqual([name, name in { ...journal, ...expected }]);
  });

  it('cannot be undone where nothing was done, or it is undone', () => {
    const failed = outcome('failed', new CliError('REMOTE_FAILED', 'no'));
    const result = resultOf(plan, ended(failed, failed), deps(), record);
    expect(['undo' in result, result.pipelines[0]?.error?.message]).toEqual([false, 'no']);
    expect('undo' in resultOf(plan, ended(outcome('rolled-back'), failed), deps(NEVER, 'rollback'), record)).toBe(
      false,
    );
  });
});
