import { describe, expect, it } from 'vitest';
import { keyList } from '../../../../src/output/views/hub/key.js';
import { installedList, type InstalledItem } from '../../../../src/output/views/installed.js';
import type { HubKey } from '../../../../src/services/keys/hub-key.js';
import { pipelineRuns } from '../../../../src/output/views/pipeline/run.js';
import { pipelineList } from '../../../../src/output/views/pipeline/list.js';
import { pipelineStatus } from '../../../../src/output/views/pipeline/status.js';
import { reportList, type ListedReport } from '../../../../src/output/views/report/list.js';
import { scheduleList } from '../../../../src/output/views/schedules.js';
import { upgradeHistoryView } from '../../../../src/output/views/upgrade-history.js';
import { render } from '../../../../src/output/views/view.js';
import type { ListResult, View } from '../../../../src/output/view-types.js';

const LOOK = { terminal: true, color: false, columns: 80, unicode: true, utc: true };
const at80 = <T>(view: View<ListResult<T>>, items: readonly T[]): Promise<string> => atWidth(80, view, items);

async function atWidth<T>(columns: number, view: View<ListResult<T>>, items: readonly T[]): Promise<string> {
  const look = { terminal: true, color: false, columns, unicode: true, utc: true };
  let text = '';
  for await (const piece of render(view, { items }, { format: 'table', look })) text += piece;
  return text;
}

describe('a list at 40 columns', () => {
  const pipeline = (namespace: string, name: string) => ({
    ...{ namespace, name, kind: 'batch' as const, status: 'STOPPED', program: { type: 'workflows', name: 'Flow' } },
    ...{ artifact: { name: 'cdap-data-pipeline', version: '6.11.0', scope: 'SYSTEM' }, runs: [] },
  });
  const several = [pipeline('default', 'orders-hourly'), pipeline('marketing', 'orders-daily')];

  it('of pipelines names them in full where they are of several namespaces', async () => {
    const runs = several.map((one) => ({ ...one, lastRun: { runid: one.name, status: 'COMPLETED' } }));
    expect(await atWidth(40, pipelineList, runs)).toMatch(/^NAME +NAMESPACE +STATUS$/mu);
    const ofOne = runs.map((one) => ({ ...one, namespace: 'etl' }));
    expect(await atWidth(40, pipelineList, ofOne)).toMatch(/^NAME +STATUS +LAST RUN$/mu);
    expect(await atWidth(40, pipelineStatus, several)).toMatch(/^NAME +NAMESPACE +STATUS$/mu);
  });

  it('of schedules names their pipelines', async () => {
    const schedules = several.map(({ namespace, name }) => ({
      ...{ namespace, pipeline: name, schedule: 'nightly', status: 'suspended' as const, cron: '0 1 * * *' },
      detail: { name: 'nightly' },
    }));
    expect(await atWidth(30, scheduleList, schedules)).toMatch(/^NAMESPACE +PIPELINE$/mu);
  });
});

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

  it('of runs keeps times rather than long arguments, although they are the same in all', async () => {
    const run = (run: number) => ({
      ...{ runid: `0000000${run}-e567-11f1-a095-acde48001122`, status: 'COMPLETED', starting: 1_795_239_600 },
      ...{ durationSeconds: 60, runtimeArgs: { 'input.path': '/data/in/2026/11/22/orders', n: String(run) } },
    });
    const text = await at80(pipelineRuns, [run(1), run(2)]);
    expect(text).toMatch(/^RUN +STATUS +REQUESTED +DURATION$/mu);
  });

  it('of statuses shortens ids of runs', async () => {
    const runs = ['c1ad4f10-e567-11f1-a095-acde48001122', 'd2ad4f10-e567-11f1-a095-acde48001122'];
    const item = { namespace: 'etl', name: 'mails-load', kind: 'realtime' as const, status: 'RUNNING', runs };
    expect(await at80(pipelineStatus, [item])).toMatch(/ RUNNING +c1ad4f10,d2ad4f10$/mu);
  });

  it('of installs keeps namespace and state, and cuts no time', async () => {
    const install = (name: string, minute: number): InstalledItem => ({
      ...{ package: name, version: '1.10.0', hub: 'sample', hubUrl: 'http://h', platform: 'http://p', items: [] },
      ...{ namespace: 'default', at: `2026-11-22T23:${minute}:00Z`, state: 'partial' },
    });
    const text = await at80(installedList, [install('example-postgres-driver', 40), install('example-csv-copy', 41)]);
    expect(text).toMatch(/^PACKAGE +VERSION +NAMESPACE +WHEN +STATE$/mu);
    expect(text).toMatch(/^example-postgres-driver +1\.10\.0 +default +2026-11-22 23:40Z +partly installed$/mu);
  });

  it('of upgrades keeps what failed', async () => {
    const past = (journal: string) => ({
      ...{ at: '2026-11-21T15:53:00Z', namespace: 'a-namespace-of-some-length', platformVersion: '6.11.0', journal },
      ...{ upgraded: 60, failed: 0, unknown: 0, rolledBack: 0, state: 'finished' as const, file: `/state/${journal}` },
    });
    const text = await at80(upgradeHistoryView, [
      past('2026-11-21T15-53-00Z.ndjson'),
      past('2026-11-21T15-53-00Z-2.ndjson'),
    ]);
    expect(text).toMatch(/^JOURNAL .*FAILED +UNKNOWN +(?:ROLLED BACK +)?STATE$/mu);
  });

  it('of keys keeps whose they are, what they are trusted for and whether they still count', async () => {
    const key = {
      hub: 'example-hub-of-corp',
      base: 'http://h',
      armored: '',
      ...{ algorithm: 'rsa4096', createdAt: '2025-06-01T12:00:00Z', expiresAt: '2027-06-01T12:00:00Z' },
    };
    const keys: readonly HubKey[] = [
      {
        ...{ ...key, state: 'good', packages: 'example-*', userIds: ['Test Hub <test@hub.example.org>'] },
        ...{ fingerprint: 'F385C6B85D2A20A1EEA770CFA142563376F8605B', keyId: 'A142563376F8605B' },
      },
      {
        ...{ ...key, state: 'revoked', userIds: ['Other Hub <other@hub.example.org>'] },
        ...{ fingerprint: 'A385C6B85D2A20A1EEA770CFB142563376F8605C', keyId: 'B142563376F8605C' },
      },
    ];
    const [head, ...rows] = (await atWidth(80, keyList, keys)).trimEnd().split('\n');
    expect(head).toMatch(/^HUB +KEY ID +STATE +PACKAGES +EXPIRES +USER ID$/u);
    expect(rows).toEqual([
      expect.stringMatching(/^example-hub-o\S* +A142563376F8605B +good +example-\* +2027-06-01 +Test Hub/u),
      expect.stringMatching(/^example-hub-o\S* +B142563376F8605C +revoked +all +2027-06-01 +Other Hub/u),
    ]);
    const left: number[] = [];
    const options = { format: 'table', look: LOOK, onLeftOut: (columns: number) => left.push(columns) } as const;
    for await (const piece of render(keyList, { items: keys }, options)) expect(piece).not.toBe('');
    expect(left).toEqual([1]);
    const wide = await atWidth(200, keyList, keys);
    expect(wide).toMatch(/^HUB +FINGERPRINT +STATE +PACKAGES +EXPIRES +USER ID$/mu);
    expect(wide).toContain('example-hub-of-corp  F385C6B85D2A20A1EEA770CFA142563376F8605B');
  });
});
