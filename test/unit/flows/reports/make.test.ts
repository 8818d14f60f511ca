import { expect, it } from 'vitest';
import { tellDone } from '../../../../src/flows/reports/make.js';

it.each([
  [0, '0 runs'],
  [1, '1 run'],
  [2, '2 runs'],
])('a report of %d runs is finished with "%s"', (recordCount, detail) => {
  const said: unknown[] = [];
  const request = { name: 'nightly', start: 1, end: 2, fields: ['run'], filters: [] };
  const summary = { recordCount } as NonNullable<Parameters<typeof tellDone>[0]['summary']>;
  const report = { id: 'r', name: 'nightly', engine: 'runs', status: 'COMPLETED', request, summary } as const;
  const found = { ref: { id: 'r' } } as Parameters<typeof tellDone>[1];
  const watching = { emit: (event: object) => said.push(event) } as unknown as Parameters<
    typeof tellDone
  >[2]['watching'];
  tellDone({ ...report, created: 1 } as Parameters<typeof tellDone>[0], found, { watching });
  expect(said).toEqual([expect.objectContaining({ type: 'state', state: 'COMPLETED', detail })]);
});
