import { describe, expect, it } from 'vitest';
import type { DashboardRecord } from '../../../../src/platform/dashboard.js';
import { parseCondition } from '../../../../src/core/condition.js';
import { changesBetween } from '../../../../src/services/dashboard/changes.js';
import { groupItems } from '../../../../src/services/dashboard/groups.js';
import { isOver, itemOf, missedItem, SECTIONS, STATES } from '../../../../src/services/dashboard/item.js';
import { countedOf, holdingConditions, summaryOf } from '../../../../src/services/dashboard/summary.js';
import { HOUR, itemsOf, NOW, record, startAt } from './support.js';

describe('a whole item', () => {
  it('of a run has each time twice', () => {
    const given = { suspend: NOW - 1000, resume: NOW - 900 };
    expect(itemOf(record(given), NOW)).toEqual({
      ...{ ...record(given), pipeline: 'orders-hourly', state: 'COMPLETED', scheduled: false, missed: false },
      ...{ startAt: '2024-05-02T21:00:00Z', runningAt: '2024-05-02T21:00:04Z', endAt: '2024-05-02T21:01:35Z' },
      ...{ suspendAt: '2024-05-02T21:43:20Z', resumeAt: '2024-05-02T21:45:00Z' },
      ...{ waitedSeconds: 4, durationSeconds: 95 },
    });
  });

  it('of a start to come has no more than that', () => {
    const item = itemOf(startAt(NOW + HOUR), NOW);
    expect(item).toEqual({
      ...{ ...startAt(NOW + HOUR), pipeline: 'orders-hourly', state: 'scheduled', scheduled: true, missed: false },
      startAt: '2024-05-02T23:00:00Z',
    });
    expect(Object.keys(item).filter((key) => /run|end|suspend|resume|Seconds/u.test(key))).toEqual([]);
  });

  it('of a missed start names its schedule', () => {
    const { namespace, application, type, program } = record();
    expect(missedItem(record(), 'nightly', NOW)).toEqual({
      ...{ namespace, application, type, program, start: NOW, schedule: 'nightly', startMethod: 'SCHEDULED' },
      ...{ pipeline: 'orders-hourly', state: 'missed', scheduled: false, missed: true },
      startAt: '2024-05-02T22:00:00Z',
    });
  });

  it('never has a time below nothing, where clocks differ', () => {
    const item = itemOf(record({ start: NOW, running: NOW - 2, end: NOW - 1 }), NOW);
    expect([item.waitedSeconds, item.durationSeconds]).toEqual([0, 0]);
  });

  it('without a status is of a state that is not known', () => {
    const bare: Partial<DashboardRecord> = record();
    delete bare.status;
    expect(itemOf(bare as DashboardRecord, NOW)).toMatchObject({ state: 'UNKNOWN', scheduled: false });
  });

  it.each(STATES.map((state) => [state, ['COMPLETED', 'FAILED', 'KILLED', 'REJECTED'].includes(state)] as const))(
    'in state %s is over: %s',
    (state, over) => {
      expect(isOver(state)).toBe(over);
    },
  );

  it('is listed by what is most urgent', () => {
    expect(SECTIONS).toEqual(['failed', 'missed', 'running', 'completed', 'killed', 'scheduled']);
    expect(isOver(undefined)).toBe(false);
  });
});

describe('counts', () => {
  const none = summaryOf([]);
  it.each([
    ['PENDING', { total: 1, active: 1, pending: 1 }],
    ['STARTING', { total: 1, active: 1, pending: 1 }],
    ['RUNNING', { total: 1, active: 1, running: 1 }],
    ['RESUMING', { total: 1, active: 1, running: 1 }],
    ['STOPPING', { total: 1, active: 1, running: 1 }],
    ['SUSPENDED', { total: 1, active: 1, suspended: 1 }],
    ['COMPLETED', { total: 1, completed: 1 }],
    ['FAILED', { total: 1, failed: 1 }],
    ['KILLED', { total: 1, killed: 1 }],
    ['REJECTED', { total: 1, rejected: 1 }],
    ['scheduled', { scheduled: 1 }],
    ['missed', { missed: 1 }],
    ['NEW_WORD', { total: 1 }],
  ])('of %s', (state, counts) => {
    expect(summaryOf([{ state }])).toEqual({ ...none, ...counts });
  });

  it('that can change where only some states are looked at', () => {
    expect(countedOf([])).toBeUndefined();
    expect(countedOf(['FAILED', 'STARTING'])).toEqual(['total', 'active', 'pending', 'failed']);
    expect(countedOf(['missed'])).toEqual(['missed']);
  });

  it('hold conditions in their own words', () => {
    const conditions = [' total>0 ', 'nothing>0', 'failed>1'].map((text) => parseCondition(text, 'x>0'));
    expect(holdingConditions(conditions, { ...none, total: 2, failed: 1 })).toEqual(['total>0 (total is 2)']);
  });
});

describe('groups', () => {
  const window = { start: NOW - 2 * HOUR, end: NOW };
  const grouped = (by: 'hour' | 'pipeline' | 'status', items = itemsOf(), within = window) =>
    groupItems(items, by, within).map(({ group }) => group);

  it('have all counts, and a mean where a run has ended', () => {
    const [group] = groupItems(itemsOf(record(), record({ run: 'b', end: NOW - HOUR + 98 })), 'pipeline', window);
    const counts = { ...summaryOf([]), total: 2, completed: 2 };
    expect(group).toEqual({ group: 'etl/orders-hourly', ...counts, meanSeconds: 97 });
    const [open] = groupItems(itemsOf(startAt(NOW)), 'status', window);
    expect(open).toEqual({ group: 'scheduled', ...summaryOf([]), scheduled: 1 });
    expect(Object.keys(open ?? {})).not.toContain('meanSeconds');
  });

  it('of hours are all hours of a window of a month, and those in which something happened of a longer one', () => {
    const start = NOW - 31 * 24 * HOUR + HOUR;
    expect(grouped('hour', itemsOf(record()), { start, end: NOW })).toHaveLength(31 * 24);
    expect(grouped('hour', itemsOf(record()), { start: start - 1, end: NOW })).toEqual(['2024-05-02T21:00:00Z']);
    expect(grouped('hour', [], { start: NOW - 1, end: NOW })).toEqual(['2024-05-02T21:00:00Z', '2024-05-02T22:00:00Z']);
  });

  it('of pipelines are in the order of what went wrong, then by name', () => {
    const of = (name: string, status: string) =>
      itemsOf(record({ run: `${name}${status}`, application: { name, version: 'x' }, status }));
    const missed = missedItem({ ...record(), application: { name: 'm', version: 'x' } }, 's', NOW);
    const items = [
      ...[...of('b', 'COMPLETED'), missed, ...of('a', 'COMPLETED'), ...of('r', 'REJECTED'), ...of('f', 'FAILED')],
      ...[...of('f', 'REJECTED'), ...of('x', 'FAILED')],
    ];
    expect(grouped('pipeline', items)).toEqual(['etl/f', 'etl/r', 'etl/x', 'etl/m', 'etl/a', 'etl/b']);
  });

  it('of states are in the order of lists, then by name', () => {
    const items = [...STATES].reverse().flatMap((status) => itemsOf(record({ run: status, status })));
    expect(grouped('status', items)).toEqual([
      ...['FAILED', 'REJECTED', 'missed', 'PENDING', 'RESUMING', 'RUNNING', 'STARTING', 'STOPPING', 'SUSPENDED'],
      ...['COMPLETED', 'KILLED', 'scheduled'],
    ]);
  });
});

describe('changes of one item', () => {
  const running = record({ run: 'r', status: 'RUNNING' });
  const changed = (given: object): readonly string[] =>
    changesBetween(itemsOf({ ...running }), itemsOf({ ...running, ...given }), 0).map(({ change }) => change);

  it.each([{ status: 'FAILED' }, { running: NOW }, { end: NOW }, { suspend: NOW }, { resume: NOW }])(
    'are %j',
    (given) => {
      expect(changed(given)).toEqual(['changed']);
    },
  );

  it.each([
    { namespace: 'x' },
    { application: { name: 'x', version: 'x' } },
    { type: 'SPARK' },
    { program: 'x' },
    { run: 'x' },
  ])('are none where it is another one: %j', (given) => {
    expect(changed(given)).toEqual(['new', 'gone']);
  });

  it('are not told of what left the window at its old end', () => {
    const gone = (start: number) => changesBetween(itemsOf(record()), [], start).length;
    expect([gone(NOW - HOUR + 95), gone(NOW - HOUR + 96)]).toEqual([1, 0]);
    const next = (start: number) => changesBetween(itemsOf(startAt(NOW)), [], start).length;
    expect([next(NOW), next(NOW + 1)]).toEqual([1, 0]);
  });
});
