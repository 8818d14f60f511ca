import { setImmediate } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { CliError } from '../../../../src/core/errors.js';
import type { ServiceEvent } from '../../../../src/core/events.js';
import type { Platform } from '../../../../src/platform/client.js';
import { KeptErrors } from '../../../../src/services/upgrade/files/local-failures.js';
import {
  blockedBy,
  changed,
  changedMeanwhile,
  gone,
  unproved,
} from '../../../../src/services/upgrade/pipeline-errors.js';
import { isRunning, lookForRuns } from '../../../../src/services/upgrade/plan/active-runs.js';
import { plannedAs, type PlannedPipeline } from '../../../../src/services/upgrade/plan/plan.js';
import { upgradedPipeline } from '../../../../src/services/upgrade/plan/planned-result.js';
import type { PipelineOutcome } from '../../../../src/services/upgrade/pipeline.js';
import { NEVER } from '../../../support/clock.js';
import { platformWith, told } from '../pipelines/support.js';
import { artifact } from './support.js';

const REF = { namespace: 'etl', name: 'a', artifact: artifact('cdap-data-pipeline 6.10.0'), version: undefined };
const target = { namespace: 'etl', pipeline: 'a' };
const finding = (level: 'risky' | 'blocked', reason: string, stage = 's') => ({ level, stage, plugin: 'p', reason });

describe('the errors of a pipeline', () => {
  const answered = new CliError('REMOTE_FAILED', 'no', { serverSaid: 'words', hints: ['look'] });

  it('that is another one than was planned', () => {
    expect(told(changed(REF))).toEqual({
      code: 'CHANGED_MEANWHILE',
      message: 'pipeline a was changed by someone else since the plan; it was not overwritten',
      target,
    });
  });

  it('that the pre-check blocks have every reason', () => {
    const findings = [finding('risky', 'odd'), finding('blocked', 'gone'), finding('blocked', 'old', 't "1"')];
    expect(told(blockedBy({ ref: REF, findings }))).toEqual({
      ...{ code: 'BLOCKED', message: 'stage "s": gone', lines: ['stage "t \\"1\\"": old'], target },
    });
    expect(told(blockedBy({ ref: REF, findings: [] }))).toEqual({
      ...{ code: 'BLOCKED', message: 'blocked by the pre-check', lines: [], target },
    });
  });

  it('that is no longer there', () => {
    expect(told(gone(REF))).toEqual({ code: 'GONE', message: 'pipeline a was deleted since it was planned', target });
    expect(gone(REF, 'read').message).toBe('pipeline a was deleted since it was read');
  });

  it('that someone else deployed', () => {
    const message = 'pipeline a was changed by someone else since it was read; it was not overwritten';
    expect(told(changedMeanwhile(REF))).toEqual({ code: 'CHANGED_MEANWHILE', message });
    expect(told(changedMeanwhile(REF, answered))).toEqual({ code: 'CHANGED_MEANWHILE', message, serverSaid: 'words' });
  });

  it('that was sent and cannot be proved', () => {
    const unknown = new CliError('UNKNOWN_OUTCOME', 'x');
    expect(unproved('a', unknown, 'resume')).toBe(unknown);
    const code = 'UNKNOWN_OUTCOME';
    const message = 'pipeline a was sent, but the check was interrupted: no';
    expect(told(unproved('a', answered, 'resume'))).toEqual({
      ...{ code, message, serverSaid: 'words', hints: ['resume', 'look'] },
    });
    expect(told(unproved('a', new CliError('AUTH', 'no'), 'resume'))).toEqual({ code, message, hints: ['resume'] });
  });
});

describe('what cannot be kept on this machine', () => {
  const full = new CliError('DISK_FULL', 'full');
  const keeping = () => {
    const events: ServiceEvent[] = [];
    return { events, kept: new KeptErrors((event) => void events.push(event)) };
  };
  const warning = (message: string) => ({ type: 'warning', code: 'UPGRADE', message });

  it('is a warning each time, and the first one is the error', async () => {
    const { kept, events } = keeping();
    await kept.attempt(() => Promise.resolve());
    expect([kept.error, events]).toEqual([undefined, []]);
    await kept.attempt(() => Promise.reject(full));
    await kept.attempt(() => Promise.reject(new CliError('LOCAL_IO', 'gone')));
    expect([kept.error, events, kept.halted.aborted]).toEqual([full, [warning('full'), warning('gone')], false]);
  });

  it('may end the run', () => {
    const { kept, events } = keeping();
    kept.halt(full);
    expect([kept.error, events, kept.halted.reason]).toEqual([full, [warning('full')], full]);
  });

  it('may be known already', () => {
    const { kept, events } = keeping();
    kept.blame(full);
    kept.blame(new CliError('LOCAL_IO', 'x'));
    expect([kept.error, events]).toEqual([full, []]);
  });
});

describe('pipelines of a plan that run', () => {
  const STATUS = 'POST /v3/namespaces/etl/status';
  const status = (appId: string, word?: string) => ({
    ...{
      appId,
      programType: 'Workflow',
      programId: 'DataPipelineWorkflow',
      statusCode: word === undefined ? 404 : 200,
    },
    ...(word !== undefined && { status: word }),
  });
  const plan = (name: string, state: PlannedPipeline['state'] = 'upgrade', namespace = 'etl') =>
    plannedAs({ ...REF, name, namespace }, state);
  const replies = {
    [STATUS]: { json: [status('a', 'RUNNING'), status('b', 'STOPPED'), status('c')] },
    'POST /v3/namespaces/dev/status': { json: [status('b', 'STARTING')] },
  };
  const look = async (what: 'warn' | 'skip' | 'fail', planned: readonly PlannedPipeline[]) => {
    const { platform, asked } = platformWith(replies);
    const found = await lookForRuns(planned, { running: what, concurrency: 4 }, { platform, signal: NEVER });
    return { found, asked };
  };
  const all = [plan('a'), plan('b'), plan('c'), plan('b', 'upgrade', 'dev'), plan('d', 'current')];

  it('are marked, skipped or failed', async () => {
    const [a, b, c, dev, d] = all;
    const { found, asked } = await look('warn', all);
    expect(found).toEqual([{ ...a, isRunning: true }, b, c, { ...dev, isRunning: true }, d]);
    const item = (appId: string) => ({ appId, programType: 'Workflow', programId: 'DataPipelineWorkflow' });
    expect(asked).toEqual([
      `${STATUS} ${JSON.stringify(['a', 'b', 'c'].map(item))}`,
      `POST /v3/namespaces/dev/status ${JSON.stringify([item('b')])}`,
    ]);
    const skipped = { ...plannedAs(REF, 'skipped'), reason: 'is running', isLeftOut: true };
    expect((await look('skip', [plan('a'), plan('b')])).found).toEqual([skipped, b]);
    const [failed] = (await look('fail', [plan('a')])).found;
    expect(failed?.state).toBe('failed');
    expect(failed?.error && told(failed.error)).toEqual({ code: 'RUNNING', message: 'pipeline a is running', target });
  });

  it('are asked for a hundred at a time', async () => {
    const { asked } = await look(
      'warn',
      Array.from({ length: 101 }, (_, at) => plan(`p${at}`)),
    );
    expect(asked.map((line) => line.split('appId').length - 1)).toEqual([100, 1]);
  });

  it('are asked for with several requests at once, and not with more than are allowed', async () => {
    let [open, most] = [0, 0];
    const call = async (): Promise<never[]> => {
      most = Math.max(most, ++open);
      await setImmediate();
      open -= 1;
      return [];
    };
    const platform = { call } as unknown as Platform;
    const planned = Array.from({ length: 401 }, (_, at) => plan(`p${at}`));
    await lookForRuns(planned, { running: 'warn', concurrency: 3 }, { platform, signal: NEVER });
    expect([open, most]).toEqual([0, 3]);
  });

  it('are asked for one by one, too', async () => {
    const { platform } = platformWith({
      [STATUS]: [{ json: [status('a', 'RUNNING')] }, { json: [status('a', 'STOPPED')] }],
    });
    const runs = () => isRunning(REF, { platform, signal: NEVER });
    expect([await runs(), await runs()]).toEqual([true, false]);
  });
});

describe('a whole pipeline of the result', () => {
  const to = artifact('cdap-data-pipeline 6.11.0');
  const planned = (state: PlannedPipeline['state'], more: Partial<PlannedPipeline> = {}): PlannedPipeline => ({
    ...plannedAs(REF, state),
    ...{ to, ...more },
  });
  const outcome = (state: PipelineOutcome['state'], more: Partial<PipelineOutcome> = {}): PipelineOutcome => ({
    ...{ state, durationMs: 5, ...more },
  });
  const base = {
    ...{ namespace: 'etl', name: 'a', artifact: 'cdap-data-pipeline', from: '6.10.0', to: '6.11.0' },
    ...{ changes: [], findings: [], notes: [], durationMs: 0 },
  };

  it('that is planned', () => {
    const change = { stage: 's', plugin: 'p', artifact: 'x', from: '1', to: '2' } as never;
    const plan = planned('upgrade', {
      ...{ digest: 'd', changes: [change], isRunning: true },
      staysBehind: [{ version: '1.0', artifact: artifact('cdap-data-pipeline 6.1.1') }] as never,
    });
    expect(upgradedPipeline(plan, 'upgrade')).toEqual({
      ...{ ...base, state: 'planned', verdict: 'safe', running: true, digest: 'd', changes: [change] },
      staysBehind: [{ version: '1.0', artifact: 'cdap-data-pipeline', from: '6.1.1' }],
      detail: 'is running; the new version applies from the next start',
    });
  });

  it.each<[string, PlannedPipeline, PipelineOutcome | undefined, object]>([
    ['is current', plannedAs(REF, 'current'), undefined, { state: 'current', to: undefined }],
    [
      'was sent by an interrupted run',
      planned('settle'),
      outcome('upgraded', { settled: true }),
      { state: 'upgraded', detail: 'was sent by the interrupted run', durationMs: 5 },
    ],
    ['is done', planned('earlier'), undefined, { state: 'upgraded', detail: 'by an earlier run of this journal' }],
    ['is to be settled', planned('settle'), undefined, { state: 'planned' }],
    [
      'cannot be judged',
      planned('upgrade', { isUnjudged: true }),
      undefined,
      { state: 'planned', verdict: 'unjudged' },
    ],
    [
      'is skipped when it is its turn',
      planned('upgrade'),
      outcome('skipped', { reason: 'is running' }),
      { state: 'skipped', verdict: 'safe', detail: 'is running', leftOut: true, durationMs: 5 },
    ],
    [
      'is left out by the plan',
      plannedAs(REF, 'skipped', { reason: 'r', isLeftOut: true }),
      undefined,
      { state: 'skipped', detail: 'r', leftOut: true, to: undefined },
    ],
    [
      'became something to know',
      planned('upgrade', { notes: [{ message: 'to come' }] }),
      outcome('upgraded', { notes: [{ message: 'first', stage: 's' }, { message: 'second' }] }),
      {
        ...{ state: 'upgraded', verdict: 'safe', detail: 'stage "s": first (and 1 more in json)', durationMs: 5 },
        notes: [{ message: 'first', stage: 's' }, { message: 'second' }],
      },
    ],
    [
      'became nothing to know',
      planned('upgrade', { notes: [{ message: 'to come' }] }),
      outcome('upgraded', { notes: [] }),
      { state: 'upgraded', verdict: 'safe', durationMs: 5 },
    ],
    [
      'failed in the plan',
      planned('failed', { error: new CliError('BAD_JSON', 'no JSON', { serverSaid: 'line 1\nline 2' }) }),
      undefined,
      { state: 'failed', detail: 'no JSON: line 1', error: { code: 'BAD_JSON', message: 'no JSON' } },
    ],
  ])('that %s', (_, plan, ended, expected) => {
    const found = upgradedPipeline(plan, 'upgrade', ended);
    expect(found).toEqual({ ...base, ...expected });
    const optional = [
      'verdict',
      'detail',
      'running',
      'leftOut',
      'staysBehind',
      'digest',
      'error',
      'errorFile',
    ] as const;
    for (const name of optional) expect([name, name in found]).toEqual([name, name in expected]);
  });

  it.each([
    [[], 'safe'],
    [[finding('risky', 'a')], 'risky'],
    [[finding('blocked', 'b'), finding('risky', 'a')], 'blocked'],
  ] as const)('with the findings %j is %s', (findings, verdict) => {
    expect(upgradedPipeline(planned('upgrade', { findings }), 'upgrade').verdict).toBe(verdict);
  });
});
