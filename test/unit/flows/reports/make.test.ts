import { expect, it } from 'vitest';
import { tellDone } from '../../../../src/flows/reports/make.js';

it.each([
  [0, '0 runs, expires 2026-11-24 23:29Z'],
  [1, '1 run, expires 2026-11-24 23:29Z'],
  [2, '2 runs, expires 2026-11-24 23:29Z'],
])('a report of %d runs is finished with "%s"', (recordCount, detail) => {
  const said: unknown[] = [];
  const request = { name: 'nightly', start: 1, end: 2, fields: ['run'], filters: [] };
  const summary = { recordCount } as NonNullable<Parameters<typeof tellDone>[0]['summary']>;
  const report = { id: 'r', name: 'nightly', engine: 'runs', status: 'COMPLETED', request, summary } as const;
  const look = { terminal: false, color: false, columns: undefined, unicode: true, utc: true };
  const expiry = Date.UTC(2026, 10, 24, 23, 29) / 1000;
  const found = { ref: { id: 'r' } } as Parameters<typeof tellDone>[1];
  const watching = { emit: (event: object) => said.push(event) } as unknown as Parameters<
    typeof tellDone
  >[2]['watching'];
  tellDone({ ...report, created: 1, expiry }, found, { watching }, look);
  expect(said).toEqual([expect.objectContaining({ type: 'state', state: 'COMPLETED', detail })]);
});
