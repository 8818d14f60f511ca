import { setImmediate } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { CliError } from '../../../../../src/core/errors.js';
import { oneStep, olderPipeline, stepArtifacts, verdictSeed } from '../../../../support/sites/upgrade-seed.js';
import { answer, inMemory, SECRET, shownAs, upgradeOf, type InMemory } from '../in-memory.js';

const SEED = verdictSeed('6.11.0');

/** What somebody else sends over `orders`. */
const CHANGED = olderPipeline('6.11.0', 'etl', 'orders', oneStep('Copy', { since: 'then' }));

/** A namespace `etl` with this many safe pipelines: `p00`, `p01` and so on. */
function many(count: number): InMemory {
  const names = Array.from({ length: count }, (_, at) => `p${String(at).padStart(2, '0')}`);
  const applications = names.map((name) => olderPipeline('6.11.0', 'etl', name, oneStep('Copy')));
  return inMemory({ namespaces: ['etl'], artifacts: stepArtifacts('6.11.0'), applications });
}

const countOf = (ended: readonly (readonly (string | undefined)[])[], state: string): number =>
  ended.filter(([, found]) => found === state).length;

describe('running an upgrade', () => {
  it('P17: one that the platform refuses is failed, its request is kept with the words of the platform, the others are upgraded', async () => {
    const site = inMemory(SEED);
    site.breaking(async ({ line }) =>
      line.startsWith('PUT') && line.endsWith('/orders') ? answer(400, 'no, never') : undefined,
    );
    const { plan, execute, saved } = await upgradeOf(site, { force: false, selection: { exclude: ['legacy'] } });
    expect(await execute(await plan())).toEqual([
      ['clicks', 'upgraded'],
      ['orders', 'REMOTE_FAILED'],
    ]);
    expect(saved).toMatchObject([
      { name: 'orders', serverSaid: 'no, never', change: { made: { artifact: { version: '6.11.0' } } } },
    ]);
    expect((await shownAs(site, 'etl/orders')).version).toBe('6.10.0');
  });

  it('P11: what is kept of the words of the platform has no secrets in it', async () => {
    const site = inMemory(SEED);
    site.breaking(async ({ line }) =>
      line.startsWith('PUT') ? answer(400, `${SECRET}, Authorization: Bearer abcdefgh`) : undefined,
    );
    const { plan, execute, saved } = await upgradeOf(site, { selection: { match: ['orders'] } });
    await execute(await plan());
    expect(saved).toMatchObject([{ serverSaid: '***, Authorization: ***' }]);
  });

  it('P18: one that cannot be read is failed, the others are upgraded', async () => {
    const site = inMemory(SEED);
    site.breaking(async ({ line }) =>
      line === 'GET /v3/namespaces/etl/apps/clicks' ? answer(500, 'broken') : undefined,
    );
    const { plan, execute, journal } = await upgradeOf(site, { selection: { exclude: ['legacy'] } });
    const planned = await plan();
    expect(planned.map(({ state }) => state)).toEqual(['failed', 'upgrade']);
    expect(await execute(planned)).toEqual([
      ['clicks', 'REMOTE_FAILED'],
      ['orders', 'upgraded'],
    ]);
    expect(journal.find((entry) => 'pipeline' in entry && entry.pipeline === 'clicks')).toMatchObject({
      state: 'failed',
    });
  });

  it('P20: one that was deleted since it was planned is GONE and is not made anew', async () => {
    const site = inMemory(SEED);
    const { plan, execute } = await upgradeOf(site, { selection: { exclude: ['legacy'] } });
    const planned = await plan();
    await site.call('DELETE', 'etl/apps/orders');
    expect(await execute(planned)).toEqual([
      ['clicks', 'upgraded'],
      ['orders', 'GONE'],
    ]);
    expect(site.writes()).toEqual(['PUT /v3/namespaces/etl/apps/clicks']);
  });

  it('one that was upgraded by someone else since it was planned is current, and nothing is sent', async () => {
    const site = inMemory(SEED);
    const { plan, execute } = await upgradeOf(site, { selection: { match: ['orders'] } });
    const planned = await plan();
    const artifact = { name: 'cdap-data-pipeline', version: '6.11.0', scope: 'SYSTEM' };
    await site.call('PUT', 'etl/apps/orders', { ...CHANGED, artifact });
    expect(await execute(planned)).toEqual([['orders', 'current']]);
    expect(site.writes()).toEqual([]);
  });

  it('P21: one that was changed since it was planned is not overwritten, and its upgrade as it is now is kept', async () => {
    const site = inMemory(SEED);
    const { plan, execute, saved } = await upgradeOf(site, { selection: { exclude: ['legacy'] } });
    const planned = await plan();
    await site.call('PUT', 'etl/apps/orders', CHANGED);
    expect(await execute(planned)).toEqual([
      ['clicks', 'upgraded'],
      ['orders', 'CHANGED_MEANWHILE'],
    ]);
    expect((await shownAs(site, 'etl/orders')).version).toBe('6.10.0');
    expect(JSON.stringify(saved)).toContain('since');
  });

  it('P21: one that somebody changes between the last look and the write is refused by the platform, not overwritten', async () => {
    const site = inMemory(SEED);
    const { plan, execute, journal } = await upgradeOf(site, { selection: { match: ['orders'] } });
    const planned = await plan();
    let once = true;
    site.breaking(async ({ line }) => {
      if (line.startsWith('PUT') && once) {
        once = false;
        await site.call('PUT', 'etl/apps/orders', CHANGED);
      }
      return undefined;
    });
    expect(await execute(planned)).toEqual([['orders', 'CHANGED_MEANWHILE']]);
    expect((await shownAs(site, 'etl/orders')).configuration).toContain('since');
    expect(journal.at(-1)).toMatchObject({ type: 'ended', state: 'failed', untouched: true });
  });

  it('a blocked one is not sent, is in the journal and in the folder of failures with its stage', async () => {
    const site = inMemory(SEED);
    const { plan, execute, saved, journal } = await upgradeOf(site, { selection: { match: ['legacy'] } });
    expect(await execute(await plan())).toEqual([['legacy', 'BLOCKED']]);
    expect(site.writes()).toEqual([]);
    expect(saved).toMatchObject([
      { name: 'legacy', stage: 'step', message: expect.stringContaining('salt') as string },
    ]);
    expect(journal).toMatchObject([{ type: 'ended', pipeline: 'legacy', state: 'blocked' }]);
  });

  it('a blocked one that is forced is sent', async () => {
    const site = inMemory(SEED);
    const { plan, execute, saved } = await upgradeOf(site, { force: true, selection: { match: ['legacy'] } });
    expect(await execute(await plan())).toEqual([['legacy', 'REMOTE_FAILED']]);
    expect(site.writes()).toHaveLength(1);
    expect(saved[0]?.serverSaid).toContain('salt');
  });

  it('P39: works on as many side by side as it may, and on no more', async () => {
    const site = many(30);
    const [most, now] = [{ value: 0 }, new Set<string>()];
    site.breaking(async ({ line }, itself) => {
      now.add(line);
      most.value = Math.max(most.value, now.size);
      await setImmediate();
      const answered = await itself();
      now.delete(line);
      return answered;
    });
    const { plan, execute } = await upgradeOf(site, { concurrency: 4 });
    expect(countOf(await execute(await plan()), 'upgraded')).toBe(30);
    expect(most.value).toBe(4);
  });

  it('P40: starts nothing new once the token is rejected', async () => {
    const site = many(20);
    const { plan, execute, journal } = await upgradeOf(site, { concurrency: 1 });
    const planned = await plan();
    let sent = 0;
    site.breaking(async ({ line }) => {
      if (line.startsWith('PUT')) sent += 1;
      return sent > 10 ? answer(401) : undefined;
    });
    const ended = await execute(planned);
    expect(['upgraded', 'AUTH', 'not-run'].map((state) => countOf(ended, state))).toEqual([10, 1, 9]);
    expect(journal.filter((entry) => entry.type === 'ended' && entry.state === 'done')).toHaveLength(10);
  });

  it('starts nothing new after more failures than allowed, and nothing when it is asked to stop', async () => {
    const site = many(10);
    const { plan, execute } = await upgradeOf(site, { concurrency: 1 });
    const planned = await plan();
    const stop = new AbortController();
    stop.abort();
    expect(countOf(await execute(planned, { stop: stop.signal }), 'not-run')).toBe(10);
    site.breaking(async ({ line }) => (line.startsWith('PUT') ? answer(500, 'no') : undefined));
    const ended = await execute(planned, { maxFailures: 2 });
    expect(['REMOTE_FAILED', 'not-run'].map((state) => countOf(ended, state))).toEqual([3, 7]);
  });

  it('a journal that cannot be written ends the run before anything is sent', async () => {
    const site = many(5);
    const { plan, execute } = await upgradeOf(site, { concurrency: 1 });
    const journal = { append: () => Promise.reject(new CliError('DISK_FULL', 'the disk is full')) };
    const ended = await execute(await plan(), { journal });
    expect(['DISK_FULL', 'not-run'].map((state) => countOf(ended, state))).toEqual([1, 4]);
    expect(site.writes()).toEqual([]);
  });
});
