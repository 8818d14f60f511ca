import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { PLATFORMS } from '../../src/emulator/generation.js';
import {
  CONFIGURATION,
  NAME,
  openDraftSite,
  PACKAGE,
  STORE,
  STUDIO,
  textOf,
  type DraftSite,
} from '../support/draft-site.js';
import { documentOf, type Install } from '../support/install-site.js';
import { ENTER, startPty } from '../support/pty.js';
import { startStallingProxy } from '../support/stalling-proxy.js';

const it = test.extend<{ current: DraftSite; older: DraftSite; first: DraftSite }>({
  // eslint-disable-next-line no-empty-pattern -- vitest reads the names of what a fixture needs from its parameter
  current: async ({}, use) => withSite('6.11.0', use),
  // eslint-disable-next-line no-empty-pattern -- as above
  older: async ({}, use) => withSite('6.1.1', use),
  // eslint-disable-next-line no-empty-pattern -- as above
  first: async ({}, use) => withSite('4.3.5', use),
});

async function withSite(platform: DraftSite['platform'], use: (site: DraftSite) => Promise<void>): Promise<void> {
  const site = await openDraftSite(platform);
  try {
    await use(site);
  } finally {
    await site.close();
  }
}

const ID = /^[0-9a-f]{8}-[0-9a-f]{4}-5[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/u;
const ARTIFACT = { name: 'cdap-data-pipeline', version: '6.1.1', scope: 'SYSTEM' };
const OTHER = { artifact: ARTIFACT, name: NAME, config: { stages: [], connections: [], resources: { memoryMB: 1 } } };
const V1 = `${PACKAGE}@1.0.0`;
const V2 = `${PACKAGE}@2.0.0`;

/** Settings of somebody, written in ways that a number or an object of a program would not survive. */
const SETTINGS =
  '{"choice":512.0,"hydratorDrafts":{"other":{"x":{"n":1e3,"none":null}},"default":{"d1":{"name":"mine","big":12345678901234567890}}},"2":[1,null],"1":"é<>&\'="}';

const messages = ({ warnings }: Install): string => warnings.map(({ message }) => message).join('\n');

describe.concurrent.for(PLATFORMS)('a draft on a platform %s', (platform) => {
  const isStudio = platform === '6.11.0';
  const write = (site: { id: string } | undefined): string =>
    isStudio ? `PUT ${STUDIO}/${site?.id ?? ''} 200` : `PUT ${STORE} 200`;

  test('is created by one write, and a second run writes nothing', async () => {
    await withSite(platform, async (site) => {
      const { item } = await site.install(V1, '-y');
      expect(item).toMatchObject({
        state: 'installed',
        actions: [{ state: 'done', target: { kind: 'draft', name: NAME }, requests: [{ method: 'PUT', status: 200 }] }],
      });
      const [draft, ...more] = await site.drafts();
      expect(more).toEqual([]);
      expect(draft?.id).toMatch(ID);
      expect(draft).toMatchObject({ name: NAME, artifact: ARTIFACT, config: { numOfRecordsPreview: 100 } });
      expect(draft?.config['engine']).toBe(isStudio ? 'SPARK' : 'spark');
      expect(await site.writes()).toEqual([write(draft)]);
      await site.forget();
      expect((await site.install(V1, '-y')).item).toMatchObject({
        state: 'already-present',
        actions: [{ state: 'already-present', effect: 'already there with this configuration', writes: false }],
      });
      expect(await site.writes()).toEqual([]);
    });
  });

  test('P08 that is there from another machine is already there', async () => {
    await withSite(platform, async (site) => {
      const elsewhere = { home: join(site.home, 'elsewhere') };
      expect((await site.cdapctl(site.line([V1, '-y']), elsewhere)).code).toBe(0);
      await site.forget();
      const { code, item } = await site.install(V1, '-y');
      expect({ code, state: item?.state }).toEqual({ code: 0, state: 'already-present' });
      expect(await site.writes()).toEqual([]);
    });
  });

  test('of the same name with other content is refused with 6, and overwritten with --force', async () => {
    await withSite(platform, async (site) => {
      await site.putDraft('d1', OTHER);
      await site.putDraft('d2', { ...OTHER, name: 'another' });
      const before = await site.drafts();
      const refused = await site.install(V1, '-y');
      expect(refused.error).toMatchObject({ code: 'CONFLICT', exitCode: 6 });
      expect(refused.error.hints.join()).toMatch(/--set 1\.name=.*--force/u);
      expect(await site.writes()).toEqual([]);
      expect(await site.drafts()).toEqual(before);
      expect((await site.install(V1, '--force')).error).toMatchObject({ code: 'INPUT_MISSING' });
      const asked = await site.install(V1, '--force', '--set', `1.name=${NAME}`);
      expect(asked.error).toMatchObject({ code: 'CONSENT_MISSING', exitCode: 13 });
      expect(asked.error.message).toContain(`overwrite draft ${NAME}`);
      expect((await site.install(V1, '-y', '--force')).item?.state).toBe('installed');
      const after = await site.drafts();
      expect(after.map(({ id, name }) => `${id} ${name}`)).toEqual([`d1 ${NAME}`, 'd2 another']);
      expect(after[0]?.config['stages']).toHaveLength(2);
      expect(after[1]?.config).toEqual(before[1]?.config);
      expect((await site.install(V2, '-y')).error).toMatchObject({ code: 'CONFLICT', exitCode: 6 });
    });
  });

  test('is not chosen among several of its name, one of which is as it should be or none', async () => {
    await withSite(platform, async (site) => {
      await site.putDraft('d1', OTHER);
      await site.putDraft('d2', OTHER);
      expect((await site.install(V1, '-y', '--force')).error).toMatchObject({ code: 'CONFLICT', exitCode: 6 });
      expect(await site.writes()).toEqual([]);
      await site.putDraft('d3', {
        ...OTHER,
        config: JSON.parse(CONFIGURATION.replace('"spark"', '"SPARK"')) as object,
      });
      expect((await site.install(V1, '-y')).code).toBe(isStudio ? 0 : 6);
    });
  });

  test('that somebody renamed keeps its content when the package is installed again', async () => {
    await withSite(platform, async (site) => {
      await site.install(V1, '-y');
      const [draft] = await site.drafts();
      await site.putDraft(draft?.id ?? '', { ...OTHER, name: 'renamed' });
      await site.install(V1, '-y');
      const names = (await site.drafts()).map(({ id, name }) => ({ isFirst: id === draft?.id, name }));
      expect(names).toHaveLength(2);
      expect(names).toContainEqual({ isFirst: true, name: 'renamed' });
      expect(names).toContainEqual({ isFirst: false, name: NAME });
    });
  });

  test('takes its name from --set', async () => {
    await withSite(platform, async (site) => {
      const missing = await site.install(V1);
      expect(missing.error).toMatchObject({ code: 'INPUT_MISSING', exitCode: 2 });
      expect(missing.item?.missing).toMatchObject([{ kind: 'argument', n: 1, flag: '--set 1.name=VALUE' }]);
      await site.install(V1, '-y', '--set', '1.name=Täglich / "neu"');
      expect((await site.drafts()).map(({ name }) => name)).toEqual(['Täglich / "neu"']);
    });
  });

  test('is planned and not written by a dry run', async () => {
    await withSite(platform, async (site) => {
      const { item } = await site.install(V1, '-y', '--dry-run');
      expect(item?.actions.map(({ effect, writes }) => [effect, writes])).toEqual([
        [`create in the ${isStudio ? 'studio' : 'user store'}`, true],
      ]);
      expect(await site.writes()).toEqual([]);
    });
  });

  test.for([
    ['lost before its effect', 'reset', 'before', 2],
    ['lost after its effect', 'reset', 'after', 1],
    ['an answer of a gateway before its effect', 'status', 'before', 2],
    ['an answer of a gateway after its effect', 'status', 'after', 1],
  ] as const)('is read back after an answer that was %s', async ([, kind, when, sent]) => {
    await withSite(platform, async (site) => {
      await site.fail({ match: { port: 'platform', method: 'PUT' }, kind, when, times: 1 });
      expect((await site.install(V1, '-y')).item?.state).toBe('installed');
      expect((await site.drafts()).map(({ name }) => name)).toEqual([NAME]);
      expect(await site.writes()).toHaveLength(sent);
    });
  });
});

describe.skipIf(!existsSync('/usr/bin/script'))('the name of a draft', () => {
  it('is asked for in a terminal', async ({ current }) => {
    const pty = startPty(current.line([V1]), current.home, join(current.home, 'result'));
    await pty.see('name (--set 1.name=...)');
    await pty.see(NAME);
    pty.type(`Orders two${ENTER}`);
    await pty.see('draft Orders two');
    await pty.see('Install? (-y)');
    pty.type(ENTER);
    expect(await pty.end(), pty.shown()).toBe(0);
    expect(await readFile(join(current.home, 'result'), 'utf8')).toMatch(/^Installed orders 1\.0\.0 in default/u);
    expect((await current.drafts()).map(({ name }) => name)).toEqual(['Orders two']);
  });
});

describe('the studio', () => {
  const APP = '/v3/namespaces/system/apps/pipeline$';
  const storeRequests = async (site: DraftSite): Promise<unknown[]> =>
    (await site.requests()).filter(({ path, headers }) => path === STORE && 'user-agent' in headers);

  it('is waited for when it is not up, and never taken for the user store', async ({ current }) => {
    await current.fail({ match: { path: APP }, kind: 'status', when: 'before', status: 503, times: 2 });
    expect((await current.install(V1, '-y')).code).toBe(0);
    expect(await storeRequests(current)).toEqual([]);
    expect(await current.drafts()).toHaveLength(1);
  });

  it('that is missing on a platform that should have it is an error', async ({ current }) => {
    await current.fail({ match: { path: APP }, kind: 'status', when: 'before', status: 404, times: 9 });
    expect((await current.install(V1, '-y')).error).toMatchObject({ code: 'UNAVAILABLE', exitCode: 7 });
    expect(await storeRequests(current)).toEqual([]);
  });

  it('has no drafts of other artifacts than pipelines', async ({ current, first }) => {
    expect((await current.install('odd-artifact', '-y')).error).toMatchObject({ code: 'INCOMPATIBLE', exitCode: 6 });
    expect(await current.writes()).toEqual([]);
    expect((await first.install('odd-artifact', '-y')).item?.state).toBe('installed');
  });

  it('with a draft without a name is an error that says so', async ({ current }) => {
    await current.putDraft('nameless', { artifact: ARTIFACT });
    const { error } = await current.install(V1, '-y');
    expect(error).toMatchObject({ code: 'REMOTE_FAILED', exitCode: 11 });
    expect(error.hints.join()).toContain('without a name');
  });
});

describe.concurrent('the user store', () => {
  it.for(['6.1.1', '4.3.5'] as const)(
    'of a platform %s keeps to the character what others have in it',
    async (platform) => {
      await withSite(platform, async (site) => {
        await site.putSettings(SETTINGS);
        const before = await site.settings();
        await site.install(V1, '-y');
        const after = await site.settings();
        const own = new RegExp(
          `,"${(await site.drafts())[1]?.id ?? '?'}":\\{"artifact":.*?"big":12345678901234567890\\}\\}`,
          'u',
        );
        expect(after).toMatch(own);
        expect(after.replace(own, '')).toBe(before);
        expect(own.exec(after)?.[0]).toContain('"memoryMB":512.0');
        // A platform 4.3.5 drops null members of whatever is written, those of the draft too.
        expect(own.exec(after)?.[0].includes('"none":null')).toBe(platform === '6.1.1');
      });
    },
  );

  it.for([
    ['a list', '[]'],
    ['a text', '"x"'],
    ['drafts that are a list', '{"hydratorDrafts":[1],"a":1}'],
    ['drafts of the namespace that are a text', '{"hydratorDrafts":{"default":"x"}}'],
  ] as const)('that holds %s is left alone', async ([, settings], { older }) => {
    await older.putSettings(settings);
    expect((await older.install(V1, '-y')).error).toMatchObject({ code: 'CONFLICT', exitCode: 6 });
    expect(await older.writes()).toEqual([]);
    expect(await older.settings()).toBe(settings);
  });

  it.for([
    ['null', 'null'],
    ['null for the drafts', '{"hydratorDrafts":null,"a":1}'],
  ] as const)('that holds %s holds nothing', async ([, settings], { older }) => {
    await older.putSettings(settings);
    expect((await older.install(V1, '-y')).code).toBe(0);
    expect(await older.drafts()).toHaveLength(1);
  });

  it.for([
    ['half an answer', '{"id":"","property":{"a":'],
    ['the page of a gateway', '<html>'],
    ['another document', '{"a":1}'],
  ] as const)('is not written after %s', async ([, body], { older }) => {
    await older.putSettings(SETTINGS);
    const before = await older.settings();
    await older.fail({
      match: { method: 'GET', path: STORE },
      kind: 'status',
      when: 'before',
      status: 200,
      body,
      times: 9,
    });
    expect((await older.install(V1, '-y')).error).toMatchObject({ code: 'BAD_ANSWER', exitCode: 12 });
    await older.heal();
    expect(await older.writes()).toEqual([]);
    expect(await older.settings()).toBe(before);
  });
});

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
    expect(messages(result)).toContain('overwritten by somebody');
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
    expect(messages(result)).toContain('put back: hydratorDrafts.default.d1');
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
    expect(messages(result)).toContain('removed from the user store meanwhile: choice');
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
