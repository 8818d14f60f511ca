import { describe, expect, it } from 'vitest';
import { CliError } from '../../../../../src/core/errors.js';
import { plannedAs, type PlannedPipeline } from '../../../../../src/services/upgrade/plan/plan.js';
import { summaryOf, upgradedPipeline } from '../../../../../src/services/upgrade/plan/planned-result.js';
import type { PipelineOutcome } from '../../../../../src/services/upgrade/pipeline.js';
import { artifact } from '../support.js';

const REF = { namespace: 'etl', name: 'a', artifact: artifact('cdap-data-pipeline 6.10.0'), version: undefined };
const to = artifact('cdap-data-pipeline 6.11.0');
const planned = (state: PlannedPipeline['state'], more: Partial<PlannedPipeline> = {}): PlannedPipeline => ({
  ...plannedAs(REF, state),
  to,
  ...more,
});
const outcome = (state: PipelineOutcome['state'], more: Partial<PipelineOutcome> = {}): PipelineOutcome => ({
  state,
  durationMs: 5,
  ...more,
});
const finding = (level: 'risky' | 'blocked', reason: string) => ({ level, stage: 's', plugin: 'p', reason });
const refused = new CliError('REMOTE_FAILED', 'the platform refused it', {
  request: { method: 'PUT', url: 'u', status: 400 },
});

describe('a pipeline of the result', () => {
  it.each([
    ['safe', planned('upgrade'), undefined, { state: 'planned', verdict: 'safe', to: '6.11.0' }],
    [
      'risky',
      planned('upgrade', { findings: [finding('risky', 'odd')] }),
      undefined,
      { verdict: 'risky', detail: 'stage "s": odd' },
    ],
    [
      'blocked, whatever else was found before',
      planned('blocked', { findings: [finding('risky', 'odd'), finding('blocked', 'gone')] }),
      undefined,
      { state: 'blocked', verdict: 'blocked', detail: 'stage "s": gone' },
    ],
    [
      'running',
      planned('upgrade', { isRunning: true }),
      outcome('upgraded'),
      { state: 'upgraded', running: true, detail: 'is running; the new version applies from the next start' },
    ],
    ['skipped', plannedAs(REF, 'skipped', { reason: 'why' }), undefined, { state: 'skipped', detail: 'why' }],
    [
      'refused',
      planned('upgrade'),
      outcome('failed', { error: refused, errorFile: 'f' }),
      {
        state: 'failed',
        error: { code: 'REMOTE_FAILED', status: 400, message: 'the platform refused it' },
        errorFile: 'f',
        durationMs: 5,
      },
    ],
    ['not tried', planned('upgrade'), outcome('not-run'), { state: 'not-run' }],
    ['done by an earlier run', planned('earlier'), undefined, { state: 'upgraded' }],
    ['only told of', planned('upgrade', { notes: [{ message: 'left' }] }), undefined, { detail: 'left' }],
  ] as const)('is told when it is %s', (_, plan, ended, expected) => {
    expect(upgradedPipeline(plan, 'upgrade', ended)).toMatchObject(expected);
  });

  it('has no verdict in a rollback, which judges nothing', () => {
    expect(upgradedPipeline(planned('upgrade'), 'rollback')).not.toHaveProperty('verdict');
  });

  it('has its digest in a plan only', () => {
    const plan = planned('upgrade', { digest: 'd' });
    expect(upgradedPipeline(plan, 'upgrade')).toHaveProperty('digest', 'd');
    expect(upgradedPipeline(plan, 'upgrade', outcome('upgraded'))).not.toHaveProperty('digest');
  });
});

describe('the counts of the result', () => {
  it('count every pipeline once, blocked ones and those with unknown outcome as failed', () => {
    const states = ['upgraded', 'failed', 'blocked', 'unknown', 'not-run', 'rolled-back', 'current'] as const;
    const tried = states.map((state) => upgradedPipeline(planned('upgrade'), 'upgrade', outcome(state)));
    const all = [
      ...tried,
      upgradedPipeline(planned('upgrade'), 'upgrade'),
      upgradedPipeline(plannedAs(REF, 'skipped'), 'upgrade'),
    ];
    expect(summaryOf(all)).toEqual({
      total: 9,
      planned: 1,
      upgraded: 2,
      failed: 3,
      current: 1,
      skipped: 1,
      notRun: 1,
    });
  });
});
