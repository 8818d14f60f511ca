import { describe, expect, it } from 'vitest';
import { parseCondition } from '../../../../src/core/condition.js';
import { CliError } from '../../../../src/core/errors.js';
import { isPipelineRun } from '../../../../src/services/dashboard/item.js';
import { changesBetween } from '../../../../src/services/dashboard/changes.js';
import { groupItems } from '../../../../src/services/dashboard/groups.js';
import { itemOf, missedItem, sectionOf } from '../../../../src/services/dashboard/item.js';
import { checkConditions } from '../../../../src/flows/watching/dashboard-conditions.js';
import { holdingConditions, summaryOf } from '../../../../src/services/dashboard/summary.js';
import { HOUR, itemsOf, NOW, record, recorded, startAt } from './support.js';

describe('an item of a dashboard', () => {
  it('has the members of the platform with times beside them, and how long it waited and took', () => {
    expect(itemOf(record(), NOW)).toMatchObject({
      pipeline: 'orders-hourly',
      state: 'COMPLETED',
      scheduled: false,
      start: NOW - HOUR,
      startAt: '2024-05-02T21:00:00Z',
      runningAt: '2024-05-02T21:00:04Z',
      endAt: '2024-05-02T21:01:35Z',
      waitedSeconds: 4,
      durationSeconds: 95,
    });
  });

  it('takes until now while it runs', () => {
    const { run, namespace, application, type, program } = record();
    const running = { run, namespace, application, type, program, startMethod: 'MANUAL', start: NOW - 60 };
    expect(itemOf({ ...running, status: 'RUNNING' }, NOW)).toMatchObject({ durationSeconds: 60, state: 'RUNNING' });
    expect(itemOf({ ...running, status: 'KILLED' }, NOW)).not.toHaveProperty('durationSeconds');
  });

  it('is a start to come where it has neither run nor status', () => {
    const item = itemOf(startAt(NOW + HOUR), NOW);
    expect(item).toMatchObject({ state: 'scheduled', scheduled: true });
    expect(item).not.toHaveProperty('durationSeconds');
  });

  it.each([
    ['past', '6.11.0', 3],
    ['scheduled', '6.11.0', 1],
    ['killed', '6.11.0', 6],
    ['scheduled', '6.1.1', 2],
  ] as const)('is a run of a pipeline, not of what is inside: %s of %s', (id, platform, count) => {
    const records = recorded(platform, id);
    const runs = records.filter(isPipelineRun);
    expect(runs.every(({ type }) => type === 'WORKFLOW')).toBe(true);
    expect(runs).toHaveLength(count);
  });

  it('is a run of a realtime pipeline, too', () => {
    expect(isPipelineRun({ program: 'DataStreamsSparkStreaming' })).toBe(true);
    expect(isPipelineRun({ program: 'phase-1' })).toBe(false);
  });

  it.each([
    ['RUNNING', undefined, 'running'],
    ['PENDING', undefined, 'running'],
    ['NEW_WORD', undefined, 'running'],
    ['NEW_WORD', NOW, 'completed'],
    ['FAILED', NOW, 'failed'],
    ['REJECTED', NOW, 'failed'],
    ['missed', undefined, 'missed'],
    ['KILLED', NOW, 'killed'],
    ['COMPLETED', NOW, 'completed'],
    ['scheduled', undefined, 'scheduled'],
  ])('%s stands in its section', (state, end, section) => {
    expect(sectionOf({ state, ...(end !== undefined && { end }) })).toBe(section);
  });
});

const some = [
  ...itemsOf(record(), record({ run: 'b', status: 'FAILED' }), record({ run: 'c', status: 'RUNNING' })),
  ...itemsOf(record({ run: 'd', status: 'STARTING' }), record({ run: 'e', status: 'NEW_WORD' }), startAt(NOW + HOUR)),
  missedItem(record(), 'dataPipelineSchedule', NOW - 2 * HOUR),
];

describe('the counts of a dashboard', () => {
  it('count runs, starts to come and missed starts apart', () => {
    expect(summaryOf(some)).toEqual({
      ...{ total: 5, active: 2, pending: 1, running: 1, suspended: 0, completed: 1 },
      ...{ failed: 1, killed: 0, rejected: 0, scheduled: 1, missed: 1 },
    });
  });

  it('are what conditions are about', () => {
    const conditions = ['failed>0', 'missed >= 2', 'completed<1', 'scheduled==1'].map((text) =>
      parseCondition(text, 'failed>0'),
    );
    checkConditions(conditions);
    expect(holdingConditions(conditions, summaryOf(some))).toEqual([
      'failed>0 (failed is 1)',
      'scheduled==1 (scheduled is 1)',
    ]);
  });

  it('refuse a name that is not counted, with the nearest one', () => {
    let error: unknown;
    try {
      checkConditions([parseCondition('faild > 0', 'failed>0')]);
    } catch (thrown) {
      error = thrown;
    }
    expect(error).toBeInstanceOf(CliError);
    expect(error).toMatchObject({ code: 'USAGE', details: { hints: ["Did you mean --fail-if 'failed > 0'?"] } });
  });
});

describe('groups', () => {
  it('are counted by hour, by pipeline and by state', () => {
    const items = itemsOf(record(), record({ run: 'b', start: NOW - HOUR + 900, end: NOW, status: 'FAILED' }));
    const more = itemsOf(startAt(NOW + HOUR, 'clicks'));
    const counted = (by: 'hour' | 'pipeline' | 'status') =>
      groupItems([...items, ...more], by, { start: NOW - HOUR, end: NOW + HOUR }).map(
        ({ group, total, failed, scheduled, meanSeconds }) => [group, total, failed, scheduled, meanSeconds],
      );
    expect(counted('hour')).toEqual([
      ['2024-05-02T21:00:00Z', 2, 1, 0, 1398],
      ['2024-05-02T22:00:00Z', 0, 0, 0, undefined],
      ['2024-05-02T23:00:00Z', 0, 0, 1, undefined],
    ]);
    expect(counted('pipeline').map(([group]) => group)).toEqual(['etl/orders-hourly', 'etl/clicks']);
    expect(counted('status').map(([group]) => group)).toEqual(['FAILED', 'COMPLETED', 'scheduled']);
  });
});

describe('changes between two looks', () => {
  const running = record({ run: 'r', status: 'RUNNING' });

  it('are what is new, what became other and what is gone', () => {
    const before = itemsOf(running, startAt(NOW + 60), record({ run: 'same' }));
    const after = itemsOf({ ...running, status: 'FAILED', end: NOW }, record({ run: 'new' }), record({ run: 'same' }));
    const changes = changesBetween(before, after, NOW - 12 * HOUR);
    expect(changes.map(({ change, item }) => [change, item.run ?? item.start])).toEqual([
      ['changed', 'r'],
      ['new', 'new'],
      ['gone', NOW + 60],
    ]);
  });

  it('are not two schedules that missed the same minute', () => {
    const missed = ['hourly', 'daily'].map((schedule) => missedItem(record(), schedule, NOW - HOUR));
    expect(changesBetween(missed, missed, NOW - 12 * HOUR)).toEqual([]);
  });

  it('are not that time goes by', () => {
    const before = [itemOf({ ...running, run: 'x' }, NOW), ...itemsOf(record({ run: 'old', end: NOW - 10 * HOUR }))];
    const after = [itemOf({ ...running, run: 'x' }, NOW + 30)];
    expect(changesBetween(before, after, NOW - 9 * HOUR)).toEqual([]);
  });
});
