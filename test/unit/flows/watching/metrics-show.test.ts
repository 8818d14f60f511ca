import { expect, it } from 'vitest';
import { failureOfMetrics } from '../../../../src/flows/watching/metrics-show.js';
import type { FoundMetrics } from '../../../../src/services/metrics/read.js';

const seen = (stages: FoundMetrics['stages']): FoundMetrics =>
  ({ found: { series: [] }, stages, missing: [], held: [] }) as unknown as FoundMetrics;

it.each([
  [{ stage: 'a', errors: 5 }, undefined],
  [{ stage: 'a', processTimeAvg: 3 }, undefined],
  [{ stage: 'a' }, 'NOT_FOUND'],
])('stages of which something was counted are a result: %o', (stage, code) => {
  expect(failureOfMetrics(seen([stage as never]), true)?.code).toBe(code);
});
