import { expect, it } from 'vitest';
import { failureOfMetrics, warnOfMissing, warnOfSums } from '../../../../src/flows/watching/metrics-show.js';
import type { FoundMetrics } from '../../../../src/services/metrics/read.js';
import { fakeTerminal } from '../../../support/processes/terminal.js';

const seen = (stages: FoundMetrics['stages']): FoundMetrics =>
  ({ pipeline: 'etl/orders', found: { series: [] }, stages, missing: [], held: [] }) as unknown as FoundMetrics;

it.each([
  [{ stage: 'a', errors: 5 }, undefined],
  [{ stage: 'a', processTimeAvgMicros: 3 }, undefined],
  [{ stage: 'a' }, 'NOT_FOUND'],
])('stages of which something was counted are a result: %o', (stage, code) => {
  expect(failureOfMetrics(seen([stage as never]), true)?.code).toBe(code);
});

it.each([
  ['user.nope', 'unknown metric user.nope; to list metrics with data: cdapctl metrics list etl/orders'],
  ['user.nope*', 'no metric matches user.nope*; to list metrics with data: cdapctl metrics list etl/orders'],
])('what names no metric is told of with the list of its pipeline: %s', (name, message) => {
  const terminal = fakeTerminal();
  warnOfMissing({ ...seen([]), missing: [{ name, known: false }] }, terminal);
  expect(terminal.warnings).toEqual([{ code: 'METRIC_UNKNOWN', message }]);
});

it('a sum of averages is told of, with what shows the average', () => {
  const terminal = fakeTerminal();
  const argv = ['metrics', 'get', 'orders', '--context', 'prod'];
  warnOfSums(seen([]), { argv, terminal });
  warnOfSums({ ...seen([]), summed: ['user.a.process.time.avg'] }, { argv, terminal });
  const message =
    'the platform adds up the values of all runs for user.a.process.time.avg; to see one run: --run latest; the average of all: cdapctl metrics top etl/orders --context prod';
  expect(terminal.warnings).toEqual([{ code: 'METRIC_SUM', message }]);
});

it('a condition that is met is told of with the number that met it', () => {
  const held = [{ condition: 'user.a>0', found: ['user.a is 5'] }];
  expect(failureOfMetrics({ ...seen([]), held }, false)?.message).toBe('condition met: user.a>0 (user.a is 5)');
});
