import { describe, expect, it } from 'vitest';
import { planRollback, rollBackOne } from '../../../../src/services/upgrade/rollback.js';
import { runPipelines } from '../../../../src/services/upgrade/run.js';
import type { UpgradeEntry } from '../../../../src/state/upgrade-journal.js';
import { recordKey, type UpgradeRecord } from '../../../../src/state/upgrade-journals.js';
import { olderPipeline, oneStep, stepArtifacts } from '../../../support/upgrade-seed.js';
import { answer, inMemory, NEVER, shownAs, upgradeOf, type InMemory } from './in-memory.js';

const NAMES = ['a', 'b', 'c'];

/** What a journal says, as if it had been read from a file. */
function recordsOf(journal: readonly UpgradeEntry[]): ReadonlyMap<string, UpgradeRecord> {
  const records = new Map<string, UpgradeRecord>();
  for (const ended of journal) {
    if (ended.type !== 'ended') continue;
    const { namespace, pipeline, state } = ended;
    const sending = journal.find((entry) => entry.type === 'sending' && entry.pipeline === pipeline);
    const read = () => Promise.resolve(sending?.type === 'sending' ? sending : undefined);
    records.set(recordKey(namespace, pipeline), { namespace, pipeline, state, ended, sending: read });
  }
  return records;
}

async function upgradedSite(more: Parameters<typeof upgradeOf>[1] = {}) {
  const applications = NAMES.map((name) => olderPipeline('6.11.0', 'etl', name, oneStep('Copy')));
  const site = inMemory({ namespaces: ['etl'], artifacts: stepArtifacts('6.11.0'), applications });
  await site.call('POST', 'etl/apps/a/schedules/dataPipelineSchedule/resume');
  const before = await Promise.all(NAMES.map((name) => shownAs(site, `etl/${name}`)));
  const run = await upgradeOf(site, more);
  await run.execute(await run.plan());
  return { site, run, before, records: recordsOf(run.journal) };
}

const planOf = ({ platform }: InMemory, records: ReadonlyMap<string, UpgradeRecord>) =>
  planRollback(records.values(), { platform, concurrency: 2, emit: () => undefined, signal: NEVER });

describe('taking an upgrade back', () => {
  it('puts back artifact and configuration as they were, schedules as they are', async () => {
    const { site, run, before, records } = await upgradedSite();
    const planned = await planOf(site, records);
    expect(planned[0]).toMatchObject({
      state: 'upgrade',
      to: { version: '6.10.0' },
      changes: [{ from: '2.0.0', to: '1.0.0' }],
    });
    const outcomes = await runPipelines(planned, run.running({ records }), rollBackOne);
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
    const outcomes = await runPipelines(planned, run.running({ records }), rollBackOne);
    expect([...outcomes.values()].map(({ state, error }) => error?.code ?? state)).toEqual([
      'CHANGED_MEANWHILE',
      'rolled-back',
      'rolled-back',
    ]);
    expect((await shownAs(site, 'etl/a')).configuration).toContain('since');
  });

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
