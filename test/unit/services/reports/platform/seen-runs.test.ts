import { describe, expect, it } from 'vitest';
import { seenRuns } from '../../../../../src/services/reports/platform/seen-runs.js';

/** Ids as a platform makes them: they differ in some digits of their time. */
const idOf = (at: number): string => `${(0xae713758 + at).toString(16)}-e56c-11f1-a095-acde48001122`;

describe('runs that were seen', () => {
  it('are all known again of as many as most reports have, and no others', () => {
    const seen = seenRuns();
    const ids = Array.from({ length: 80_000 }, (_, at) => idOf(at));
    expect(ids.filter(seen)).toEqual([]);
    expect(ids.filter((id) => !seen(id))).toEqual([]);
    expect(seen('')).toBe(false);
    expect(seen('')).toBe(true);
  });

  it('are not mistaken for others among a million, of which a page that comes again is known', () => {
    const seen = seenRuns();
    let mistaken = 0;
    for (let at = 0; at < 1_000_000; at++) if (seen(idOf(at))) mistaken += 1;
    expect(mistaken).toBe(0);
    expect(Array.from({ length: 2500 }, (_, at) => idOf(at)).some(seen)).toBe(true);
    expect(Array.from({ length: 2500 }, (_, at) => idOf(997_500 + at)).filter(seen).length).toBeGreaterThan(2400);
  });
});
