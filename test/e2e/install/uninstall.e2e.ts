import { describe, expect, it } from 'vitest';
import { PLATFORMS } from '../../../src/emulator/store/generation.js';
import { openAppSite } from '../../support/sites/app-hub.js';
import { openDataSite, STREAM } from '../../support/sites/data-site.js';
import { openDraftSite, PACKAGE, STORE } from '../../support/sites/draft-site.js';
import { openSite, sampleHub, type Site } from '../../support/sites/install-site.js';

const SPACE = '/v3/namespaces/default';
const SHOP = [`DELETE ${SPACE}/apps/Shop`, `DELETE ${SPACE}/artifacts/shop/versions/1.0.0`] as const;
const NOTHING: string[] = [];

interface Answer {
  readonly code: number | undefined;
  readonly item: {
    readonly state: string;
    readonly items: readonly { state: string; reason?: string; message?: string }[];
  };
}

async function uninstall(site: Site, name: string): Promise<Answer> {
  await site.forget();
  const { code, stdout } = await site.cdapctl(['installed', 'uninstall', name, '-u', site.through, '-y', '--json']);
  return { ...(JSON.parse(stdout) as Answer), code };
}

async function installed(site: Site, name: string): Promise<void> {
  const { code, stdout } = await site.install(name, '-y');
  expect(code, stdout).toBe(0);
}

async function inSite<S extends Site & { close(): Promise<void> }>(
  opened: Promise<S>,
  use: (site: S) => Promise<void>,
): Promise<void> {
  const site = await opened;
  try {
    await use(site);
  } finally {
    await site.close();
  }
}

async function stateOf(site: Site): Promise<readonly string[]> {
  const lists = ['/apps', '/artifacts?scope=user'].map((path) => site.call<{ name: string }[]>('GET', path));
  return (await Promise.all(lists)).flat().map(({ name }) => name);
}

describe.each(PLATFORMS)('on a platform %s', (platform) => {
  it('an application goes before its artifact, and can be installed again', () =>
    inSite(openAppSite(platform), async (site) => {
      const before = await stateOf(site);
      await installed(site, 'shop@1.0.0');
      expect(await uninstall(site, 'shop')).toMatchObject({ code: 0, item: { state: 'removed' } });
      expect(await site.writes()).toEqual(SHOP.map((line) => `${line} 200`));
      expect(await stateOf(site)).toEqual(before);
      await installed(site, 'shop@1.0.0');
      expect(await stateOf(site)).toEqual(['Shop', 'shop']);
    }));

  it('an application whose artifact could not be removed is half gone, and the same command goes on', () =>
    inSite(openAppSite(platform), async (site) => {
      await installed(site, 'shop@1.0.0');
      await site.fail({
        match: { method: 'DELETE', path: '/artifacts/' },
        kind: 'status',
        when: 'before',
        status: 500,
      });
      expect(await uninstall(site, 'shop')).toMatchObject({ code: 10, item: { state: 'partial' } });
      await site.heal();
      expect(await uninstall(site, 'shop')).toMatchObject({ code: 0, item: { state: 'removed' } });
      expect(await site.writes()).toEqual([`${SHOP[1]} 200`]);
      await installed(site, 'shop@1.0.0');
    }));
});

describe('a draft', () => {
  const MINE = '{"choice":512.0,"hydratorDrafts":{"default":{"d1":{"name":"mine","big":12345678901234567890}}}}';

  it.each(['6.1.1', '4.3.5'] as const)('in the user store of a platform %s goes alone', (platform) =>
    inSite(openDraftSite(platform), async (site) => {
      await site.putSettings(MINE);
      await installed(site, PACKAGE);
      expect(await uninstall(site, PACKAGE)).toMatchObject({ code: 0, item: { state: 'removed' } });
      expect(await site.writes()).toEqual([`PUT ${STORE} 200`]);
      expect(await site.settings()).toBe(MINE);
    }),
  );

  it('in the user store that somebody worked on stays', () =>
    inSite(openDraftSite('6.1.1'), async (site) => {
      await installed(site, `${PACKAGE}@1.0.0`);
      const [draft] = await site.drafts();
      await site.putDraft(draft?.id ?? '', { ...draft, config: { ...draft?.config, description: 'mine now' } });
      const before = await site.settings();
      const answer = await uninstall(site, PACKAGE);
      expect(answer).toMatchObject({ code: 6, item: { items: [{ state: 'left', reason: 'changed' }] } });
      expect(await site.writes()).toEqual(NOTHING);
      expect(await site.settings()).toBe(before);
    }));
});

describe('a stream', () => {
  it('goes with the events of the install', () =>
    inSite(openDataSite(), async (site) => {
      await installed(site, 'clicks');
      expect(await uninstall(site, 'clicks')).toMatchObject({ code: 0, item: { state: 'removed' } });
      expect(await site.writes()).toEqual([`DELETE ${SPACE}/streams/${STREAM} 200`]);
      expect(await site.statusOf(`/streams/${STREAM}`)).toBe(404);
    }));

  it('stays where somebody appended an event', () =>
    inSite(openDataSite(), async (site) => {
      await installed(site, 'clicks');
      const before = await site.events();
      await site.append('mine');
      expect(await uninstall(site, 'clicks')).toMatchObject({ code: 6, item: { items: [{ reason: 'changed' }] } });
      expect(await site.writes()).toEqual(NOTHING);
      expect(await site.events()).toEqual([...before, 'mine']);
    }));
});

describe('what somebody changed stays theirs when the package is installed again', () => {
  const left = { code: 6, item: { state: 'left', items: [{ state: 'left', reason: 'changed' }] } };

  async function expectTheirs(site: Site, name: string): Promise<void> {
    expect(await uninstall(site, name)).toMatchObject(left);
    expect((await site.install(name, '-y')).item?.state).toBe('already-present');
    expect(await uninstall(site, name)).toMatchObject(left);
    expect(await site.writes()).toEqual(NOTHING);
  }

  it('as an event in a stream', () =>
    inSite(openDataSite(), async (site) => {
      await installed(site, 'stream');
      await site.append('mine');
      await expectTheirs(site, 'stream');
      expect(await site.events()).toEqual(['mine']);
    }));

  it('as the configuration of an application', () =>
    inSite(openAppSite(), async (site) => {
      await installed(site, 'shop@1.0.0');
      const artifact = { name: 'shop', version: '1.0.0', scope: 'USER' };
      await site.call('PUT', '/apps/Shop', { artifact, config: '{"mine":true}' });
      await expectTheirs(site, 'shop@1.0.0');
    }));
});

describe('a pipeline', () => {
  const COPY = 'example-csv-copy';

  async function pipelineSite(use: (site: Site, name: string) => Promise<void>): Promise<void> {
    await inSite(openSite(), async (site) => {
      await site.pin(await sampleHub());
      await installed(site, COPY);
      await use(site, (await site.call<{ name: string }[]>('GET', '/apps'))[0]?.name ?? '');
    });
  }

  it('that runs by its schedule stays until that is suspended', () =>
    pipelineSite(async (site, name) => {
      const schedule = `/apps/${name}/schedules/dataPipelineSchedule`;
      await site.call('POST', `${schedule}/resume`);
      const left = {
        state: 'left',
        reason: 'used',
        message: expect.stringContaining(`suspend the schedules of default/${name} first`) as string,
      };
      expect(await uninstall(site, COPY)).toMatchObject({ code: 6, item: { items: [left] } });
      expect(await site.writes()).toEqual(NOTHING);
      await site.call('POST', `${schedule}/suspend`);
      expect(await uninstall(site, COPY)).toMatchObject({ code: 0, item: { state: 'removed' } });
    }));
});
