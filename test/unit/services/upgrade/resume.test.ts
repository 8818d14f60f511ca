import { describe, expect, it } from 'vitest';
import type { UpgradeEntry } from '../../../../src/state/upgrade-journal.js';
import { recordKey, type UpgradeRecord } from '../../../../src/state/read-upgrade-journal.js';
import { olderPipeline, oneStep, stepArtifacts } from '../../../support/sites/upgrade-seed.js';
import { answer, inMemory, upgradeOf, type InMemory } from './in-memory.js';

const ORDERS = 'etl/apps/orders';
const CRON = `${ORDERS}/schedules/dataPipelineSchedule`;
const OLDER = olderPipeline('6.11.0', 'etl', 'orders', oneStep('Copy'));
const THEIRS = olderPipeline('6.11.0', 'etl', 'orders', oneStep('Copy', { since: 'then' }));

/** One pipeline, whose schedule is active. */
async function active(): Promise<InMemory> {
  const site = inMemory({ namespaces: ['etl'], artifacts: stepArtifacts('6.11.0'), applications: [OLDER] });
  await site.call('POST', `${CRON}/resume`);
  return site;
}

const statuses = async (site: InMemory): Promise<readonly string[]> =>
  (await site.call<{ status: string }[]>('GET', `${ORDERS}/schedules`)).map(({ status }) => status);

/** What a journal says, as if it had been read from a file. */
function recordsOf(journal: readonly UpgradeEntry[]): ReadonlyMap<string, UpgradeRecord> {
  const sent = journal.findLast((entry) => entry.type === 'sending');
  const last = journal.at(-1);
  const ended = last?.type === 'ended' ? last : undefined;
  const state = ended?.state ?? 'sending';
  const sending = async () => sent;
  return new Map([[recordKey('etl', 'orders'), { namespace: 'etl', pipeline: 'orders', state, ended, sending }]]);
}

/** The journal of a run whose deploy suspended the schedule, had no other effect and was cut off. */
async function cutOff(site: InMemory): Promise<ReturnType<typeof recordsOf>> {
  const other = await active();
  const { plan, execute, journal } = await upgradeOf(other);
  await execute(await plan());
  await site.call('POST', `${CRON}/suspend`);
  return recordsOf(journal.slice(0, 1));
}

describe('a run that goes on', () => {
  it('does not take as its own what somebody changed since it looked', async () => {
    const site = await active();
    const first = await upgradeOf(site);
    await first.execute(await first.plan());
    const records = recordsOf(first.journal.slice(0, 1));
    const { plan, execute, journal } = await upgradeOf(site, { records });
    const planned = await plan();
    expect(planned).toMatchObject([{ state: 'settle' }]);
    await site.call('PUT', ORDERS, THEIRS);
    expect(await execute(planned)).toEqual([['orders', 'CHANGED_MEANWHILE']]);
    expect(journal).toMatchObject([{ type: 'ended', state: 'failed', schedules: 'open' }]);
  });

  it.each([
    ['is as it was left, without a look', undefined, 'earlier', 0],
    ['was taken back', OLDER, 'upgrade', 1],
  ] as const)('counts as done what %s', async (_, since, state, looks) => {
    const site = await active();
    const first = await upgradeOf(site);
    await first.execute(await first.plan());
    if (since !== undefined) await site.call('PUT', ORDERS, since);
    const { plan } = await upgradeOf(site, { records: recordsOf(first.journal) });
    const asked = site.asked.length;
    expect(await plan()).toMatchObject([{ state }]);
    expect(site.asked.slice(asked).filter(({ line }) => line.endsWith('/apps/orders'))).toHaveLength(looks);
  });

  it('looks at what changed only its plugins, as its artifact does not tell that it was taken back', async () => {
    const artifact = { ...(OLDER['artifact'] as object), version: '6.11.0' };
    const current = { ...OLDER, artifact };
    const site = inMemory({
      namespaces: ['etl'],
      artifacts: stepArtifacts('6.11.0'),
      applications: [current],
    });
    const selection = { includeCurrent: true };
    const first = await upgradeOf(site, { selection });
    expect(await first.execute(await first.plan())).toEqual([['orders', 'upgraded']]);
    const again = await upgradeOf(site, { selection, records: recordsOf(first.journal) });
    expect(await again.plan()).toMatchObject([{ state: 'earlier' }]);
    await site.call('PUT', ORDERS, current);
    expect(await again.plan()).toMatchObject([{ state: 'upgrade' }]);
  });
});

describe('schedules that a run left open', () => {
  const isSwitch = (line: string): boolean => line.endsWith('/resume');

  it('because they could not be restored after a failure are restored by the next', async () => {
    const site = await active();
    site.breaking(async ({ line }) => {
      if (line.startsWith('PUT')) {
        await site.call('POST', `${CRON}/suspend`);
        return answer(500, 'no');
      }
      return isSwitch(line) ? answer(500, 'no') : undefined;
    });
    const first = await upgradeOf(site);
    expect(await first.execute(await first.plan())).toEqual([['orders', 'REMOTE_FAILED']]);
    expect(first.journal.at(-1)).toMatchObject({ state: 'failed', schedules: 'open' });
    site.breaking(async () => undefined);
    const next = await upgradeOf(site, { records: recordsOf(first.journal) });
    expect(await next.execute(await next.plan())).toEqual([['orders', 'upgraded']]);
    expect(await statuses(site)).toEqual(['SCHEDULED']);
    expect(next.journal.at(-1)).not.toHaveProperty('schedules');
  });

  it.each([
    ['cannot read it', 'REMOTE_FAILED'],
    ['finds it blocked', 'BLOCKED'],
    ['finds it changed', 'CHANGED_MEANWHILE'],
    ['is too late to send it', 'CHANGED_MEANWHILE'],
    ['is refused and cannot restore them', 'FORBIDDEN'],
  ])('are not lost by a run that %s', async (what, code) => {
    const site = await active();
    const records = await cutOff(site);
    const between = await upgradeOf(site, { records });
    const [planned] = await between.plan();
    if (planned === undefined) throw new Error('nothing is planned');
    const finding = { level: 'blocked', stage: 's', plugin: 'p', reason: 'no' } as const;
    const isBlocked = what === 'finds it blocked';
    if (what === 'finds it changed')
      await site.call('PUT', ORDERS, { ...THEIRS, 'app.deploy.update.schedules': false });
    site.breaking(async ({ line }) => {
      if (what === 'cannot read it' && line.endsWith('/apps/orders')) return answer(500, 'no');
      if (what === 'is too late to send it' && line.startsWith('PUT')) return answer(409, 'conflict');
      const isRefused = what === 'is refused and cannot restore them';
      return isRefused && (line.startsWith('PUT') || isSwitch(line)) ? answer(403, 'no') : undefined;
    });
    const one = isBlocked ? { ...planned, state: 'blocked' as const, findings: [finding] } : planned;
    expect(await between.execute([one])).toEqual([['orders', code]]);
    expect(between.journal.at(-1)).toMatchObject({ type: 'ended', schedules: 'open' });
    site.breaking(async () => undefined);
    const noted = await [...records.values()][0]?.sending();
    const all = [...(noted ? [noted] : []), ...between.journal];
    const next = await upgradeOf(site, { records: recordsOf(all) });
    expect(await next.execute(await next.plan())).toEqual([['orders', 'upgraded']]);
    expect(await statuses(site)).toEqual(['SCHEDULED']);
  });

  it('are restored where the next deploy is refused, and are not open then', async () => {
    const site = await active();
    const { plan, execute, journal } = await upgradeOf(site, { records: await cutOff(site) });
    site.breaking(async ({ line }) => (line.startsWith('PUT') ? answer(403, 'no') : undefined));
    expect(await execute(await plan())).toEqual([['orders', 'FORBIDDEN']]);
    expect(await statuses(site)).toEqual(['SCHEDULED']);
    expect(journal.at(-1)).not.toHaveProperty('schedules');
  });
});
