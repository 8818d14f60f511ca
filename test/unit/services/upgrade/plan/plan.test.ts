import { describe, expect, it } from 'vitest';
import { deployedDigest } from '../../../../../src/services/upgrade/plan/plan.js';
import { lookForRuns } from '../../../../../src/services/upgrade/plan/active-runs.js';
import type { SendingEntry } from '../../../../../src/state/upgrade-journal.js';
import { recordKey, type UpgradeRecord } from '../../../../../src/state/read-upgrade-journal.js';
import { verdictSeed } from '../../../../support/sites/upgrade-seed.js';
import { inMemory, NEVER, upgradeOf } from '../in-memory.js';

const statesOf = (planned: readonly { readonly ref: { readonly name: string }; readonly state: string }[]): object =>
  Object.fromEntries(planned.map(({ ref, state }) => [ref.name, state]));

it('a pipeline without a configuration is one of an empty configuration', () => {
  const artifact = { name: 'cdap-data-pipeline', version: '6.11.0', scope: 'SYSTEM' };
  const digests = [{}, { configuration: '' }, { configuration: 'x' }].map((more) =>
    deployedDigest({ name: 'p', artifact, ...more }),
  );
  expect(digests.map((one) => digests.indexOf(one))).toEqual([0, 0, 2]);
});

describe('planning an upgrade', () => {
  it('keeps the order of the list, and reads nothing that the list alone decides', async () => {
    const site = inMemory({ pipelines: [{ count: 20 }] });
    const { plan } = await upgradeOf(site, { namespaces: ['default'], concurrency: 8 });
    const names = (await plan()).map(({ ref }) => ref.name);
    expect(names).toEqual(names.toSorted());
    const read = site.asked.filter(({ line }) => line.includes('/apps/pipeline-'));
    expect(read).toHaveLength(16);
  });

  it('P20: one that is gone since it was listed is GONE, which holds up no other', async () => {
    const site = inMemory(verdictSeed('6.11.0'));
    const { plan, execute } = await upgradeOf(site, { selection: { exclude: ['legacy'] } });
    await site.call('DELETE', 'etl/apps/orders');
    const planned = await plan();
    expect(planned.at(-1)).toMatchObject({ state: 'failed', error: { code: 'GONE' } });
    expect(await execute(planned)).toEqual([
      ['clicks', 'upgraded'],
      ['orders', 'GONE'],
    ]);
  });

  it('goes on where an earlier run stopped: what was sent is settled, what was not is sent', async () => {
    const site = inMemory(verdictSeed('6.11.0'));
    const record = (pipeline: string, state: UpgradeRecord['state'], sending?: SendingEntry) =>
      [
        recordKey('etl', pipeline),
        { namespace: 'etl', pipeline, state, ended: undefined, sending: () => Promise.resolve(sending) },
      ] as const;
    const first = await upgradeOf(site, { selection: { match: ['clicks'] } });
    await first.execute(await first.plan());
    const [sent] = first.journal;
    if (sent?.type !== 'sending') throw new Error('nothing was sent');
    const orders = { ...sent, pipeline: 'orders' };
    const records = new Map([record('clicks', 'sending', sent), record('orders', 'sending', orders)]);
    const { plan, execute, journal } = await upgradeOf(site, { records, selection: { exclude: ['legacy'] } });
    const planned = await plan();
    expect(statesOf(planned)).toEqual({ clicks: 'settle', orders: 'upgrade' });
    const before = site.writes().length;
    expect(await execute(planned)).toEqual([
      ['clicks', 'upgraded'],
      ['orders', 'upgraded'],
    ]);
    expect(site.writes().slice(before)).toEqual(['PUT /v3/namespaces/etl/apps/orders']);
    expect(journal.find((entry) => 'pipeline' in entry && entry.pipeline === 'clicks')).toMatchObject({
      state: 'done',
    });
  });

  it.each([
    ['warn', { state: 'upgrade', isRunning: true }],
    ['skip', { state: 'skipped', reason: 'is running' }],
    ['fail', { state: 'failed', error: { code: 'RUNNING' } }],
  ] as const)('--running %s', async (what, expected) => {
    const site = inMemory({ pipelines: [{ count: 10 }] });
    await site.call('POST', 'default/apps/pipeline-00009/spark/DataStreamsSparkStreaming/start');
    const { plan } = await upgradeOf(site, { namespaces: ['default'] });
    const planned = await lookForRuns(
      await plan(),
      { running: what, concurrency: 1 },
      { platform: site.platform, signal: NEVER },
    );
    expect(planned.at(-1)).toMatchObject(expected);
    expect(planned.slice(0, -1).filter((one) => one.state !== 'current' && one.state !== 'upgrade')).toEqual([]);
    expect(planned.slice(0, -1).some(({ isRunning }) => isRunning)).toBe(false);
  });

  it('asks for runs once for a hundred pipelines', async () => {
    const site = inMemory({ pipelines: [{ count: 140 }] });
    const { plan } = await upgradeOf(site, { namespaces: ['default'], concurrency: 8 });
    await lookForRuns(await plan(), { running: 'warn', concurrency: 8 }, { platform: site.platform, signal: NEVER });
    const asked = site.asked.filter(({ line }) => line === 'POST /v3/namespaces/default/status');
    expect(asked.map(({ body }) => (JSON.parse(body) as unknown[]).length)).toEqual([100, 12]);
  });
});
