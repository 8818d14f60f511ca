import { describe, expect, it } from 'vitest';
import { keyList } from '../../../../src/output/views/hub/key.js';
import { reportList, type ListedReport } from '../../../../src/output/views/report/list.js';
import { upgradeHistoryView } from '../../../../src/output/views/upgrade-history.js';
import { render } from '../../../../src/output/view.js';
import type { ListResult, View } from '../../../../src/output/view-types.js';

async function at80<T>(view: View<ListResult<T>>, items: readonly T[]): Promise<string> {
  const look = { terminal: true, color: false, columns: 80, unicode: true, utc: true };
  let text = '';
  for await (const piece of render(view, { items }, { format: 'table', look })) text += piece;
  return text;
}

describe('a list at 80 columns', () => {
  it('of reports keeps state and expiry, and tells windows in few words', async () => {
    const report = (name: string): ListedReport => ({
      ...{ engine: 'platform', id: 'fb6e8934', short: 'fb6e8934', name, status: 'COMPLETED' },
      ...{ created: 1_795_239_600, expiry: 1_795_411_900, saved: false, now: 1_795_240_000_000 },
    });
    const text = await at80(reportList, [
      report('all runs 2026-11-21 15:53 to 2026-11-22 15:53 UTC'),
      report('etl FAILED 2026-11-21 15:00 to 2026-11-21 16:00 UTC'),
      report('audit'),
    ]);
    expect(text).toMatch(/^ID +NAME +STATUS +EXPIRES$/mu);
    expect(text).toMatch(/ all runs 11-21 15:53 to 11-22 15:53 UTC +COMPLETED +in 1d 23h$/mu);
    expect(text).toMatch(/ etl FAILED 11-21 15:00 to 16:00 UTC +COMPLETED /mu);
  });

  it('of upgrades keeps what failed', async () => {
    const past = (journal: string) => ({
      ...{ at: '2026-11-21T15:53:00Z', namespace: 'a-namespace-of-some-length', platformVersion: '6.11.0', journal },
      ...{ upgraded: 60, failed: 0, rolledBack: 0, state: 'finished' as const, file: `/state/${journal}` },
    });
    const text = await at80(upgradeHistoryView, [
      past('2026-11-21T15-53-00Z.ndjson'),
      past('2026-11-21T15-53-00Z-2.ndjson'),
    ]);
    expect(text).toMatch(/^JOURNAL .*FAILED +(?:ROLLED BACK +)?STATE$/mu);
  });

  it('of keys keeps whether they still count', async () => {
    const key = {
      hub: 'example-hub-of-corp',
      base: 'http://h',
      userIds: ['Test Hub <test@hub.example.org>'],
      state: 'trusted',
    };
    const text = await at80(keyList, [
      { ...key, ...rest('F385C6B85D2A20A1EEA770CFA142563376F8605B') },
      { ...key, ...rest('A385C6B85D2A20A1EEA770CFA142563376F8605B') },
    ] as never);
    expect(text).toMatch(/^HUB +FINGERPRINT +STATE +.*EXPIRES/mu);
  });
});

const rest = (fingerprint: string): object => ({
  fingerprint,
  algorithm: 'rsa4096',
  createdAt: '2025-06-01T12:00:00Z',
});
