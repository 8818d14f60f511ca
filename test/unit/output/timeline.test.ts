import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Look } from '../../../src/output/look.js';
import { timelineLines } from '../../../src/output/timeline-lines.js';
import { ticksOf } from '../../../src/output/timeline-scale.js';
import { displayWidth } from '../../../src/output/width.js';
import { missedItem } from '../../../src/services/dashboard/item.js';
import { atWork, dashboardOf, HOUR, itemsOf, NOW, record, startAt } from '../services/dashboard/support.js';

const terminal: Look = { terminal: true, color: false, columns: 80, unicode: true, utc: true };
const ascii: Look = { ...terminal, unicode: false };

const day = dashboardOf([
  ...itemsOf(
    record({ start: NOW - 10 * HOUR, end: NOW - 10 * HOUR + 60 }),
    record({ run: 'b', status: 'FAILED', start: NOW - 9 * HOUR, end: NOW - 7 * HOUR }),
    record({ run: 'c', status: 'KILLED', start: NOW - 5 * HOUR, end: NOW - 5 * HOUR + 60 }),
    atWork({ run: 'd', start: NOW - 3 * HOUR, application: { name: 'clicks', version: 'x' } }),
    startAt(NOW + 2 * HOUR),
    startAt(NOW + 5 * HOUR),
  ),
  missedItem(record(), 'dataPipelineSchedule', NOW - 2 * HOUR),
]);

describe('a timeline in a terminal', () => {
  it('is readable without colour and without unicode at 80 columns', () => {
    expect(timelineLines(day, ascii)).toEqual([
      '                    12:00   15:00   18:00      now  05-03    03:00   06:00',
      '               -----+-------+-------+-------+--v----+--------+-------+-------+--',
      'clicks                                 -------->',
      'orders-hourly       o  -----x     k       !    |    .        .',
      'x failed  ! missed  > running  o completed  k killed  . scheduled  | now, 22:00',
    ]);
  });

  it('has other signs where there is unicode', () => {
    const lines = timelineLines(day, terminal);
    expect(lines[3]).toBe('orders-hourly       ●  ─────✗     ⊘       !    │    ○        ○');
    expect(lines[4]).toBe('✗ failed  ! missed  ▶ running  ● completed  ⊘ killed  ○ scheduled  │ now, 22:00');
  });

  it.each([40, 80, 100, 200])('is never wider than %i columns', (columns) => {
    const named = itemsOf(record({ application: { name: 'a name that is much too long '.repeat(9), version: 'x' } }));
    const wide = itemsOf(record({ run: 'w', application: { name: '管道'.repeat(40), version: 'x' } }));
    const items = [...day.items, ...named, ...wide];
    for (const look of [terminal, ascii])
      for (const line of timelineLines(dashboardOf(items, { namespaces: ['a', 'b'] }), { ...look, columns }).slice(
        0,
        -1,
      ))
        expect(displayWidth(line)).toBeLessThanOrEqual(columns);
  });

  it('names the namespace where there are several', () => {
    expect(timelineLines({ ...day, namespaces: ['etl', 'default'] }, ascii)[2]).toMatch(/^etl\/clicks {2}/u);
  });

  it('lets nothing of a name reach the terminal as it is', () => {
    const items = itemsOf(record({ application: { name: '\u001b[2Jgone', version: 'x' } }));
    expect(timelineLines(dashboardOf(items), terminal).join('')).not.toContain('\u001b');
  });

  it('is nothing where there is nothing', () => {
    expect(timelineLines(dashboardOf([]), terminal)).toEqual([]);
  });

  it('shows first what failed and what runs where there is no room for all, and says how many are left out', () => {
    const many = Array.from({ length: 50 }, (_, at) => ({ name: `p${String(at).padStart(2, '0')}`, version: 'x' }));
    const items = itemsOf(
      ...many.map((application, at) =>
        record({ run: `r${at}`, application, status: at === 40 ? 'FAILED' : 'COMPLETED' }),
      ),
      atWork({ run: 'x', application: { name: 'zz', version: 'x' } }),
    );
    const lines = timelineLines(dashboardOf(items), ascii, { most: 3, hint: ': --timeline shows all' });
    expect(lines.slice(2, -1).map((line) => line.split(' ')[0])).toEqual(['p00', 'p40', 'zz', '48']);
    expect(lines).toContain('48 more pipelines: --timeline shows all');
    expect(timelineLines(dashboardOf(items), ascii, { most: 50 })).toContain('1 more pipeline');
  });

  it('shows a failure before a success in the same place', () => {
    const items = itemsOf(record({ run: 'b', status: 'FAILED' }), record(), record({ run: 'c', status: 'KILLED' }));
    expect(timelineLines(dashboardOf(items), ascii)[2]).toMatch(/^orders-hourly +x +\|$/u);
  });

  it('has no line for now in another time', () => {
    const lines = timelineLines({ ...day, window: { start: NOW - 12 * HOUR, end: NOW - 4 * HOUR } }, ascii);
    expect(lines.join('\n')).not.toMatch(/now|\|/u);
  });

  it('is coloured where colour is wanted, with the same signs', () => {
    const plain = timelineLines(day, terminal);
    const colored = timelineLines(day, { ...terminal, color: true });
    expect(colored.join('\n')).toContain('\u001b[31m✗');
    expect(colored.map((line) => line.replaceAll(/\u001b\[\d+m/gu, ''))).toEqual(plain);
  });
});

describe('the scale of a timeline', () => {
  it('has round times, of which there are never too many', () => {
    const length = fc.integer({ min: 2, max: 3650 * 24 * HOUR });
    fc.assert(
      fc.property(length, fc.integer({ min: 1, max: 40 }), fc.integer({ min: 0, max: 2e9 }), (seconds, most, start) => {
        const window = { start, end: start + seconds };
        const ticks = ticksOf(window, most, { utc: true });
        expect(ticks.length).toBeLessThanOrEqual(most + 1);
        for (const [number, { at }] of ticks.entries()) {
          expect(at).toBeGreaterThanOrEqual(number === 0 ? start : (ticks[number - 1]?.at ?? 0) + 1);
          expect(at).toBeLessThanOrEqual(window.end);
        }
      }),
    );
  });

  it('has the date at midnight', () => {
    const ticks = ticksOf({ start: NOW - 3 * HOUR, end: NOW + 3 * HOUR }, 6, { utc: true });
    expect(ticks.map(({ label }) => label)).toEqual(['19:00', '20:00', '21:00', '22:00', '23:00', '05-03', '01:00']);
  });
});
