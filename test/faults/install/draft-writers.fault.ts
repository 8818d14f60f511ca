import { join } from 'node:path';
import { describe, expect } from 'vitest';
import {
  draftTest as it,
  messages,
  NAME,
  OTHER,
  PACKAGE,
  SETTINGS,
  STORE,
  textOf,
  type DraftSite,
} from '../../support/sites/draft-site.js';
import { documentOf, type Install } from '../../support/sites/install-site.js';
import { startStallingProxy } from '../../support/stalling-proxy.js';

const V1 = `${PACKAGE}@1.0.0`;

/** Installs while somebody else writes to the user store as soon as a write of ours has had its effect. */
async function disturbed(site: DraftSite, after: (count: number) => Promise<void>): Promise<Install> {
  let count = 0;
  const proxy = await startStallingProxy(site.url, async (method) => {
    if (method === 'PUT') await after((count += 1));
  });
  site.through = proxy.url;
  try {
    return await documentOf(await site.cdapctl([...site.line([V1, '-y']), '--json'], { timeout: 60_000 }));
  } finally {
    await proxy.close();
  }
}

describe.concurrent('two who write the user store at once', () => {
  const mine = '{"hydratorDrafts":{"default":{"d1":{"name":"mine"}}},"choice":1}';

  it('lose nothing when the other writes what it read before', async ({ older }) => {
    await older.putSettings('{"choice":1}');
    const result = await disturbed(older, async (count) => {
      if (count === 1) await older.putSettings(mine);
    });
    expect(result.item?.state).toBe('installed');
    expect(messages(result)).toContain('overwritten by someone else');
    expect((await older.drafts()).map(({ name }) => name)).toEqual(['mine', NAME]);
    expect(await older.settings()).toContain('"choice":1');
    expect(await older.writes()).toHaveLength(2);
  });

  it('lose nothing that an old state of a third brings to an end', async ({ older }) => {
    await older.putSettings(mine);
    const result = await disturbed(older, async (count) => {
      if (count === 1) await older.putSettings('{"choice":2,"hydratorDrafts":{"default":{"old":{"name":"old"}}}}');
    });
    expect(result.item?.state).toBe('installed');
    expect(messages(result)).toContain('restored: hydratorDrafts.default.d1');
    expect((await older.drafts()).map(({ name }) => name).sort()).toEqual([NAME, 'mine', 'old'].sort());
    expect(await older.settings()).toContain('"choice":2');
  });

  it('do not bring back what was wiped', async ({ older }) => {
    await older.putSettings(mine);
    const result = await disturbed(older, async (count) => {
      if (count === 1) await textOf(older.url + STORE, 'DELETE');
    });
    expect(result.item?.state).toBe('installed');
    expect((await older.drafts()).map(({ name }) => name)).toEqual([NAME]);
  });

  it('hear of what was removed by somebody who knew of the draft', async ({ older }) => {
    await older.putSettings(mine);
    const result = await disturbed(older, async () => {
      const { hydratorDrafts } = JSON.parse(await older.settings()) as { hydratorDrafts: unknown };
      await older.putSettings(JSON.stringify({ hydratorDrafts }));
    });
    expect(result.item?.state).toBe('installed');
    expect(messages(result)).toContain('removed from the user store: choice');
    expect(await older.writes()).toHaveLength(1);
  });

  it('end with an error when one of them writes without end', async ({ older }) => {
    const result = await disturbed(older, () => older.putSettings(mine));
    expect(result.error).toMatchObject({ code: 'INSTALL_PARTIAL', exitCode: 10 });
    expect(result.error.details + result.error.message + (result.item?.actions[0]?.message ?? '')).toContain(
      'was written 10 times and overwritten every time',
    );
    expect(await older.writes()).toHaveLength(10);
    expect(await older.settings()).toBe(mine);
  });

  it('do not fight over one draft with two contents', async ({ older }) => {
    const result = await disturbed(older, async () => {
      const [draft] = await older.drafts();
      await older.putDraft(draft?.id ?? '', OTHER);
    });
    expect(result.error).toMatchObject({ code: 'INSTALL_PARTIAL' });
    expect(result.item?.actions[0]?.message).toContain('with other content');
    expect(await older.writes()).toHaveLength(1);
  });

  it('are told when a slow platform leaves it open', async ({ older }) => {
    await older.fail({ match: { method: 'PUT', path: STORE }, kind: 'delay', when: 'before', milliseconds: 1500 });
    const result = await older.install(V1, '-y');
    expect(result.item?.state).toBe('installed');
    expect(messages(result)).toContain('more than 1 s');
  });

  it('are several installs of one moment, all of whose drafts stay', async ({ older }) => {
    await older.putSettings(SETTINGS);
    const names = ['a', 'b', 'c'];
    let [arrived, release] = [0, (): void => undefined];
    const everybody = new Promise<void>((resolve) => (release = resolve));
    // Nobody writes before all have read what they write into.
    const proxy = await startStallingProxy(older.url, undefined, async (method) => {
      if (method === 'PUT' && (arrived += 1) === names.length) release();
      if (method === 'PUT') await everybody;
    });
    older.through = proxy.url;
    const install = (name: string) =>
      older.cdapctl(older.line([V1, '-y', '--set', `1.name=${name}`]), {
        home: join(older.home, name),
        timeout: 60_000,
      });
    const runs = await Promise.all(names.map(install));
    await proxy.close();
    expect(runs.map(({ code }) => code)).toEqual(names.map(() => 0));
    expect((await older.drafts()).map(({ name }) => name).sort()).toEqual([...names, 'mine']);
    expect(await older.settings()).toContain('"choice":512.0');
    expect((await older.writes()).length).toBeGreaterThan(names.length);
  });
});
