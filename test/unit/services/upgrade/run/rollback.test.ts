import { describe, expect, it } from 'vitest';
import { planRollback, rollingBack } from '../../../../../src/services/upgrade/run/rollback.js';
import { runPipelines } from '../../../../../src/services/upgrade/run/run.js';
import { recordKey, type UpgradeRecord } from '../../../../../src/state/read-upgrade-journal.js';
import { olderPipeline, oneStep, stepArtifacts } from '../../../../support/sites/upgrade-seed.js';
import { answer, inMemory, planningOf, recordsOf, shownAs, upgradeOf, type InMemory } from '../in-memory.js';

const NAMES = ['a', 'b', 'c'];

async function upgradedSite(more: Parameters<typeof upgradeOf>[1] = {}) {
  const applications = NAMES.map((name) => olderPipeline('6.11.0', 'etl', name, oneStep('Copy')));
  const site = inMemory({ namespaces: ['etl'], artifacts: stepArtifacts('6.11.0'), applications });
  await site.call('POST', 'etl/apps/a/schedules/dataPipelineSchedule/resume');
  const before = await Promise.all(NAMES.map((name) => shownAs(site, `etl/${name}`)));
  const run = await upgradeOf(site, more);
  await run.execute(await run.plan());
  return { site, run, before, records: recordsOf(run.journal) };
}

const planOf = (
  site: InMemory,
  records: ReadonlyMap<string, UpgradeRecord>,
  earlier: ReadonlyMap<string, UpgradeRecord> = new Map(),
) => planRollback(records.values(), planningOf(site, earlier));

describe('taking an upgrade back', () => {
  it('puts back artifact and configuration as they were, schedules as they are', async () => {
    const { site, run, before, records } = await upgradedSite();
    const planned = await planOf(site, records);
    expect(planned[0]).toMatchObject({
      state: 'upgrade',
      to: { version: '6.10.0' },
      changes: [{ from: '2.0.0', to: '1.0.0' }],
    });
    const outcomes = await runPipelines(planned, run.running({ records }), rollingBack(new Map()));
    expect([...outcomes.values()].map(({ state }) => state)).toEqual(['rolled-back', 'rolled-back', 'rolled-back']);
    expect(await Promise.all(NAMES.map((name) => shownAs(site, `etl/${name}`)))).toEqual(before);
    expect(await site.call('GET', 'etl/apps/a/schedules')).toMatchObject([{ status: 'SCHEDULED' }]);
    expect((await planOf(site, records)).map(({ state }) => state)).toEqual(['current', 'current', 'current']);
  });

  it('refuses what somebody changed since, tells what is gone or cannot be read, and holds up no other', async () => {
    const { site, records } = await upgradedSite();
    const changed = olderPipeline('6.11.0', 'etl', 'a', oneStep('Copy', { since: 'then' }));
    await site.call('PUT', 'etl/apps/a', {
      ...changed,
      artifact: { ...(changed['artifact'] as object), version: '6.11.0' },
    });
    await site.call('DELETE', 'etl/apps/b');
    const planned = await planOf(site, records);
    expect(planned.map(({ state, error }) => error?.code ?? state)).toEqual(['CHANGED_MEANWHILE', 'GONE', 'upgrade']);
    site.breaking(async ({ line }) => (line.endsWith('/apps/c') ? answer(500, 'no') : undefined));
    expect((await planOf(site, records)).at(2)).toMatchObject({ state: 'failed', error: { code: 'REMOTE_FAILED' } });
  });

  it('looks once more before it writes', async () => {
    const { site, run, records } = await upgradedSite();
    const planned = await planOf(site, records);
    const changed = olderPipeline('6.11.0', 'etl', 'a', oneStep('Copy', { since: 'then' }));
    await site.call('PUT', 'etl/apps/a', changed);
    const outcomes = await runPipelines(planned, run.running({ records }), rollingBack(new Map()));
    expect([...outcomes.values()].map(({ state, error }) => error?.code ?? state)).toEqual([
      'CHANGED_MEANWHILE',
      'rolled-back',
      'rolled-back',
    ]);
    expect((await shownAs(site, 'etl/a')).configuration).toContain('since');
  });

  it('notes a failed write once, and keeps what was sent', async () => {
    const { site, run, records } = await upgradedSite();
    const planned = await planOf(site, records);
    run.journal.length = 0;
    site.breaking(async ({ line }) => (line === 'PUT /v3/namespaces/etl/apps/b' ? answer(403, 'no') : undefined));
    const outcomes = await runPipelines(planned, run.running({ records }), rollingBack(new Map()));
    expect([...outcomes.values()].map(({ state, errorFile }) => errorFile ?? state)).toEqual([
      'rolled-back',
      'b.json',
      'rolled-back',
    ]);
    expect(run.journal.filter((entry) => entry.type === 'ended' && entry.pipeline === 'b')).toMatchObject([
      { state: 'failed' },
    ]);
    const sending = await records.get(recordKey('etl', 'b'))?.sending();
    const { artifact, configuration } = sending?.before ?? {};
    expect(run.saved).toMatchObject([{ name: 'b', change: { engine: 'client', made: { artifact, configuration } } }]);
  });

  it.each([
    ['was cut off after its deploy', true],
    ['was cut off before its deploy', false],
  ])('ends what an earlier one began that %s: the schedules are as it noted them', async (_, isDeployed) => {
    const { site, run, records, before } = await upgradedSite();
    const first = run.running({ records });
    run.journal.length = 0;
    await runPipelines(await planOf(site, records), first, rollingBack(new Map()));
    const noted = run.journal.filter((entry) => entry.type === 'sending' && entry.pipeline === 'a');
    const earlier = recordsOf(noted);
    await site.call('POST', 'etl/apps/a/schedules/dataPipelineSchedule/suspend');
    if (!isDeployed) {
      const sent = await records.get(recordKey('etl', 'a'))?.sending();
      const { artifact, configuration: config = '' } = sent?.sent ?? {};
      await site.call('PUT', 'etl/apps/a', { artifact, config });
    }
    const planned = await planOf(site, records, earlier);
    expect(planned.map(({ state }) => state)).toEqual([isDeployed ? 'settle' : 'upgrade', 'current', 'current']);
    const outcomes = await runPipelines(planned, run.running({ records }), rollingBack(earlier));
    expect([...outcomes.values()].map(({ state, settled }) => settled ?? state)).toEqual([
      isDeployed ? true : 'rolled-back',
    ]);
    expect(await shownAs(site, 'etl/a')).toEqual(before[0]);
    expect(await site.call('GET', 'etl/apps/a/schedules')).toMatchObject([{ status: 'SCHEDULED' }]);
  });

  it('writes what an earlier one had begun, where nothing is known of that any more', async () => {
    const { site, run, records, before } = await upgradedSite();
    run.journal.length = 0;
    await runPipelines(await planOf(site, records), run.running({ records }), rollingBack(new Map()));
    const noted = run.journal.filter((entry) => entry.type === 'sending' && entry.pipeline === 'a');
    const planned = await planOf(site, records, recordsOf(noted));
    site.asked.length = 0;
    const outcomes = await runPipelines(planned, run.running({ records }), rollingBack(new Map()));
    expect([...outcomes.values()].map(({ state, settled }) => [state, settled])).toEqual([['rolled-back', undefined]]);
    expect(site.writes()).toEqual(['PUT /v3/namespaces/etl/apps/a']);
    expect(await shownAs(site, 'etl/a')).toEqual(before[0]);
  });

  it.each([
    ['done', undefined, 'current'],
    ['failed', undefined, 'current'],
    ['failed', 'open', 'settle'],
  ] as const)(
    'has nothing to do where an earlier one is %s, unless its schedules are %s',
    async (state, schedules, now) => {
      const { site, run, records } = await upgradedSite();
      run.journal.length = 0;
      await runPipelines(await planOf(site, records), run.running({ records }), rollingBack(new Map()));
      const journal = run.journal.map((entry) => (entry.type === 'ended' ? { ...entry, state, schedules } : entry));
      const planned = await planOf(site, records, recordsOf(journal));
      expect(planned.map((one) => one.state)).toEqual([now, now, now]);
    },
  );

  it('leaves out what was never sent', async () => {
    const site = inMemory({ namespaces: ['etl'] });
    const ended = {
      v: 1,
      type: 'ended',
      at: '2024-05-02T22:00:00Z',
      namespace: 'etl',
      pipeline: 'x',
      state: 'blocked',
    } as const;
    expect(await planOf(site, recordsOf([ended]))).toEqual([]);
    expect(site.asked).toEqual([]);
  });
});
