import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { PLATFORMS } from '../../../src/emulator/store/generation.js';
import {
  ARTIFACT,
  CONFIGURATION,
  draftTest as it,
  NAME,
  OTHER,
  PACKAGE,
  SETTINGS,
  STORE,
  STUDIO,
  withSite,
  type DraftSite,
} from '../../support/sites/draft-site.js';
import { ENTER, startPty } from '../../support/processes/pty.js';

const ID = /^[0-9a-f]{8}-[0-9a-f]{4}-5[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/u;
const V1 = `${PACKAGE}@1.0.0`;
const V2 = `${PACKAGE}@2.0.0`;

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
        actions: [{ state: 'already-present', effect: 'already exists with this configuration', writes: false }],
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
      expect((await site.unasked(V1, '--force')).error).toMatchObject({ code: 'INPUT_MISSING' });
      const asked = await site.unasked(V1, '--force', '--set', `1.name=${NAME}`);
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
      const missing = await site.unasked(V1);
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
    await pty.see('into namespace default');
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
