import { appendFileSync, mkdtempSync, readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { CliError } from '../../../../src/core/errors.js';
import type { CatalogEntry } from '../../../../src/hub/catalog.js';
import { folderSource } from '../../../../src/hub/folder-source.js';
import type { CatalogRequest } from '../../../../src/hub/source.js';
import { listPackages, matchesText, type ListQuery } from '../../../../src/services/catalog/list.js';
import type { CatalogCache, NamedHub } from '../../../../src/services/catalog/load.js';
import { digestOf, readCached, readCachedHead, writeCached } from '../../../../src/state/cache.js';
import { memoryHub } from './support/memory-hub.js';
import { codeOf, errorOf } from '../../../support/errors.js';

const SAMPLES = resolve(import.meta.dirname, '../../../fixtures/hub');
const { signal } = new AbortController();
const HEAD = { fetchedAt: 1, sha256: '' };
const full = (entry: object) => ({
  label: '',
  description: '',
  author: '',
  org: '',
  created: 1,
  categories: [],
  ...entry,
});
const names = (list: { items: Iterable<{ name: string; version: string }> }) =>
  [...list.items].map(({ name, version }) => `${name} ${version}`);

let samples: NamedHub;
beforeAll(async () => {
  samples = { name: 'samples', source: await folderSource(SAMPLES, 'samples', new AbortController().signal) };
});
const list = (query: ListQuery) => listPackages([samples], query, signal);

describe('listPackages over the samples', () => {
  it('shows all of them when nothing is asked for', async () => {
    const all = await list({});
    expect(all).toMatchObject({ total: 12, hidden: 0, failed: [], synthesized: ['samples'] });
    expect(new Set([...all.items].map(({ name }) => name)).size).toBe(11);
  });

  it('gives an item with all that the catalog says', async () => {
    const { items } = await list({ text: 'sendgrid', platformVersion: '6.11.0' });
    expect([...items]).toEqual([
      {
        hub: 'samples',
        name: 'plugin-sendgrid',
        version: '1.0.0',
        label: 'Sendgrid Plugins',
        description: 'Sendgrid plugins to send emails as well as run analytics on your Sendgrid activity.',
        author: 'Cask',
        org: 'Cask Data, Inc.',
        cdapVersion: '[6.1.0,7.0.0-SNAPSHOT)',
        created: 1587517127,
        categories: ['hydrator-plugin'],
        beta: true,
        preview: false,
        paid: true,
        paidLink: 'https://sendgrid.com/',
        license: undefined,
        compatible: true,
        compatibility: { platform: '6.11.0', reason: 'IN_RANGE', compatible: true },
        actions: undefined,
      },
    ]);
  });

  it.each([
    [['usecase'], 4],
    [['EDW Offloading'], 3],
    [['EDW Offloading', 'Directives'], 4],
    [['usecase', 'EDW Offloading'], 5],
    [['Usecase'], 0],
    [[], 12],
  ])('of the categories %j has %i', async (categories, count) => {
    expect((await list({ categories })).total).toBe(count);
  });

  it.each([
    ['4.0.0', ['hydrator-plugin-date-transform 1.0.0', 'example-log-analysis 4.0.0']],
    ['4.1.0', ['solution-incremental-data-ingest 1.0.0']],
    ['4.2.0-SNAPSHOT', ['solution-bulk-data-transfer 1.2.0', 'example-log-analysis 4.2.0']],
    [
      '5.1.2',
      [
        'solution-bulk-data-transfer 1.2.0',
        'solution-cdc-oracle-to-kudu 2.0.0',
        'directive-image-exif 1.0.0',
        'example-log-analysis 4.2.0',
      ],
    ],
    ['6.1.3', ['plugin-sendgrid 1.0.0']],
  ])(
    'for platform %s shows those for it and those without a range, and counts the hidden',
    async (platformVersion, expected) => {
      const shown = await list({ platformVersion });
      const always = ['jdbc-driver-oracle 12c', 'datapack-tweets-sample-labeled 1.0.0'];
      expect(names(shown).filter((name) => !always.includes(name))).toEqual(expected);
      expect(names(shown)).toEqual(expect.arrayContaining(always));
      expect(shown.hidden).toBe(12 - shown.total);
      expect(await list({ platformVersion, all: true })).toMatchObject({ total: 12, hidden: 0 });
    },
  );

  it.each([
    [['create_driver_artifact'], ['solution-bulk-data-transfer 1.2.0', 'jdbc-driver-oracle 12c']],
    [['create_pipeline_draft'], ['solution-cdc-oracle-to-kudu 2.0.0', 'solution-incremental-data-ingest 1.0.0']],
    [
      ['deploy_app', 'one_step_deploy_app'],
      ['example-log-analysis 4.0.0', 'example-log-analysis 4.2.0'],
    ],
    [['brew_coffee'], []],
  ])('of the action types %j', async (actionTypes, expected) => {
    expect(names(await list({ actionTypes }))).toEqual(expected);
  });

  it('names the actions when asked', async () => {
    const { items } = await list({ withActions: true, text: 'plugin-pivot' });
    expect([...items][0]?.actions).toEqual(['one_step_deploy_plugin']);
  });

  it.each([
    ['SPAM', 1],
    ['oracle', 2],
    ['kudu', 1],
    ['cask data', 12],
    ['3rd-party', 1],
    ['nothing like it', 0],
  ])('holding the text %s', async (text, count) => {
    expect((await list({ text })).total).toBe(count);
  });

  it('keeps the latest version of each name', async () => {
    const latest = await list({ latest: true });
    expect(latest.total).toBe(11);
    expect(names(latest)).toContain('example-log-analysis 4.2.0');
    expect(names(await list({ latest: true, platformVersion: '4.0.0' }))).toContain('example-log-analysis 4.0.0');
    expect(names(await list({ latest: true, platformVersion: '4.0.0', all: true }))).toContain(
      'example-log-analysis 4.0.0',
    );
  });

  it('marks what is installed, by version', async () => {
    const installed = new Map([[samples, new Map([['plugin-sendgrid@1.0.0', 'partial' as const]])]]);
    const { items } = await list({ installed });
    expect([...items].flatMap((one) => (one.installed === undefined ? [] : [[one.name, one.installed]]))).toEqual([
      ['plugin-sendgrid', 'partial'],
    ]);
  });

  it('separates beta from the rest', async () => {
    expect(names(await list({ beta: true }))).toEqual(['plugin-sendgrid 1.0.0']);
    expect((await list({ beta: false })).total).toBe(11);
  });

  it('sorts by name, by label, or the newest first', async () => {
    const byName = names(await list({ sort: 'name' }));
    expect(byName).toEqual([...byName].sort());
    expect(names(await list({ sort: 'label' }))).toEqual(names(await list({})));
    const created = [...(await list({ sort: 'created' })).items].map((item) => item.created ?? 0);
    expect(created).toEqual([...created].sort((a, b) => b - a));
  });

  it('refuses a platform version that is none', async () => {
    expect(await codeOf(list({ platformVersion: 'six' }))).toBe('USAGE');
  });
});

describe('listPackages over several hubs', () => {
  const down = new CliError('NET_REFUSED', 'nothing listens');

  it('keeps the hubs apart and in their order', async () => {
    const one = memoryHub('one', [full({ name: 'a', version: '1.0.0' })]);
    const two = memoryHub('two', [full({ name: 'a', version: '1.0.0' })]);
    const { items } = await listPackages([two.hub, one.hub], { latest: true }, signal);
    expect([...items].map(({ hub, name }) => `${hub}/${name}`)).toEqual(['two/a', 'one/a']);
  });

  it('goes on without a hub that fails and tells of it', async () => {
    const good = memoryHub('good', [full({ name: 'a', version: '1.0.0' })]);
    const list = await listPackages([memoryHub('bad', down).hub, good.hub], {}, signal);
    expect(list.failed).toEqual([{ hub: 'bad', error: down }]);
    expect(list.total).toBe(1);
  });

  it('ends with the reason when no hub can be read', async () => {
    await expect(listPackages([memoryHub('bad', down).hub], {}, signal)).rejects.toBe(down);
  });

  it('tells the problems of a catalog with the hub they are in', async () => {
    const { hub } = memoryHub('odd', [
      full({ name: 'a', version: '1.0.0' }),
      full({ name: 'a', version: '1.0.0' }),
      full({ version: '2' }),
    ]);
    const list = await listPackages([hub], {}, signal);
    expect(list.problems.map(({ hub: where, severity, code }) => [where, severity, code])).toEqual([
      ['odd', 'warning', 'AMBIGUOUS'],
      ['odd', 'skipped', 'BAD_FIELD'],
    ]);
    expect(list.total).toBe(2);
  });

  it('warns of a specification that cannot be read when the actions are asked for', async () => {
    const { hub, unread } = memoryHub(
      'odd',
      [full({ name: 'a', version: '1' }), full({ name: 'b', version: '1' }), full({ name: 'c', version: '1' })],
      {
        'a/1/spec.json': '{"actions":[{"type":"x"}]}',
        'b/1/spec.json': 'nonsense',
      },
    );
    const list = await listPackages([hub], { actionTypes: ['x'] }, signal);
    expect(names(list)).toEqual(['a 1']);
    expect(list.problems.map(({ name, code }) => [name, code])).toEqual([
      ['b', 'BAD_JSON'],
      ['c', 'PACKAGE_NOT_FOUND'],
    ]);
    expect(unread()).toBe(0);
  });

  /** What an earlier run stored of a hub. */
  async function storedOf({ source: { base } }: NamedHub, etag: string): Promise<CatalogCache> {
    const folder = mkdtempSync(join(tmpdir(), 'cdapctl-catalog-'));
    const bytes = Buffer.from(JSON.stringify([full({ name: 'stored', version: '1' })]));
    await writeCached(folder, base, { bytes, etag, fetchedAt: 1 });
    return { folder, head: await readCachedHead(folder, base), clock: { now: () => 2 } };
  }

  it('uses the stored catalog when the hub says that it holds, and stores a new one', async () => {
    const { hub } = memoryHub('one', [full({ name: 'fresh', version: '1' })]);
    const cache = await storedOf(hub, '"same"');
    const unchanged = await listPackages([{ ...hub, cache }], {}, signal);
    const kept = () => readCachedHead(cache.folder, hub.source.base);
    expect([names(unchanged), unchanged.stored, await kept()]).toEqual([['stored 1'], ['one'], cache.head]);
    const changed = await listPackages([{ ...hub, cache: { ...cache, head: { ...HEAD, etag: '"old"' } } }], {}, signal);
    expect([names(changed), changed.stored]).toEqual([['fresh 1'], []]);
    expect(await kept()).toMatchObject({ etag: '"new"', fetchedAt: 2 });
  });

  it('asks again for a catalog that is stored when it is told to', async () => {
    const { hub } = memoryHub('one', [full({ name: 'fresh', version: '1' })]);
    const cache = await storedOf(hub, '"same"');
    expect(names(await listPackages([{ ...hub, cache, refresh: true }], {}, signal))).toEqual(['fresh 1']);
  });

  const damage: readonly (readonly [string, (cache: CatalogCache, base: string) => Promise<void>])[] = [
    [
      'longer',
      async ({ folder }) => {
        for (const file of readdirSync(folder)) appendFileSync(join(folder, file), ' ');
      },
    ],
    [
      'empty',
      ({ folder }, base) => writeCached(folder, base, { bytes: new Uint8Array(), etag: '"same"', fetchedAt: 1 }),
    ],
    [
      'no list',
      ({ folder }, base) => writeCached(folder, base, { bytes: Buffer.from('{}'), etag: '"same"', fetchedAt: 1 }),
    ],
  ];
  it.each(damage)('fetches a catalog again whose stored copy is damaged (%s), and stores it', async (_, spoil) => {
    const { hub } = memoryHub('one', [full({ name: 'fresh', version: '1' })]);
    const cache = await storedOf(hub, '"same"');
    await spoil(cache, hub.source.base);
    expect(await errorOf(listPackages([{ ...hub, offline: true, cache }], {}, signal))).toMatchObject({
      code: 'HUB_NOT_FOUND',
      details: { hints: [{ next: 'cache-catalog', hub: 'one' }] },
    });
    const list = await listPackages([{ ...hub, cache }], {}, signal);
    expect([names(list), list.stored]).toEqual([['fresh 1'], []]);
    expect(names(await listPackages([{ ...hub, offline: true, cache }], {}, signal))).toEqual(['fresh 1']);
  });

  it('replaces a damaged copy by the same catalog', async () => {
    const { hub } = memoryHub('one', [full({ name: 'fresh', version: '1' })]);
    const { bytes } = await hub.source.catalog({}, signal);
    const cache = await storedOf(hub, '"same"');
    const head = { etag: '"same"', sha256: digestOf(bytes), fetchedAt: 1 };
    const source = {
      ...hub.source,
      catalog: async (asked: CatalogRequest, both: AbortSignal) => ({
        ...(await hub.source.catalog(asked, both)),
        etag: '"same"',
      }),
    };
    for (const file of readdirSync(cache.folder)) appendFileSync(join(cache.folder, file), ' ');
    await listPackages([{ ...hub, source, cache: { ...cache, head } }], {}, signal);
    expect((await readCached(cache.folder, hub.source.base))?.bytes).toEqual(bytes);
  });

  it('asks nobody offline', async () => {
    const { hub } = memoryHub('one', new CliError('INTERNAL', 'asked'));
    const cache = await storedOf(hub, '"any"');
    expect(names(await listPackages([{ ...hub, offline: true, cache }], {}, signal))).toEqual(['stored 1']);
    expect(await codeOf(listPackages([{ ...hub, offline: true }], {}, signal))).toBe('HUB_NOT_FOUND');
  });
});

describe('listPackages over a hub like the public one', () => {
  const RANGES: readonly (readonly [string | undefined, number])[] = [
    [undefined, 23],
    ['[4.0.0,4.1.0-SNAPSHOT)', 40],
    ['[4.1.0,4.1.0]', 30],
    ['[4.2.0-SNAPSHOT, 6.0.0-SNAPSHOT)', 90],
    ['[6.1.0,7.0.0-SNAPSHOT)', 100],
    ['(6.1.0-SNAPSHOT, 6.1.0-SNAPSHOT)', 6],
    ['[6.1.2,6.1.2)', 4],
    ['[6.0.0,6.0.0-SNAPSHOT)', 1],
    ['[2.3.0-SNAPSHOT,3.0.0-SNAPSHOT)', 1],
  ];
  const catalog = RANGES.flatMap(([cdapVersion, count], range) =>
    Array.from({ length: count }, (_, index) =>
      full({ name: `p-${range}-${index >> 1}`, version: `1.${index % 2 === 0 ? 6 : 10}.0`, cdapVersion }),
    ),
  );

  it.each([
    ['4.0.0', 23 + 40],
    ['4.1.0-SNAPSHOT', 23],
    ['4.1.0', 23 + 30],
    ['5.1.2', 23 + 90],
    ['6.0.0', 23],
    ['6.1.2', 23 + 100],
    ['7.0.0-SNAPSHOT', 23],
    ['10.0.0', 23],
  ])('shows for platform %s the %i packages that are for it', async (platformVersion, count) => {
    const { hub } = memoryHub('public', catalog);
    expect(await listPackages([hub], { platformVersion }, signal)).toMatchObject({
      total: count,
      hidden: catalog.length - count,
    });
  });

  it('takes 1.10.0 for later than 1.6.0', async () => {
    const { hub } = memoryHub('public', catalog);
    const { items } = await listPackages([hub], { platformVersion: '6.1.2', latest: true }, signal);
    expect([...items].filter(({ version }) => version === '1.6.0').map(({ name }) => name)).toEqual(['p-0-11']);
    expect([...items]).toHaveLength(12 + 50);
  });
});

describe('a search', () => {
  const entry = {
    name: 'order-import',
    label: 'Orders',
    author: 'Jane Doe',
    categories: ['usecase'],
  } as unknown as CatalogEntry;

  it.each([
    ['ORDER', true],
    ['import order', true],
    ['jane  usecase', true],
    ['order export', false],
    ['orderimport', false],
  ])('for %j finds it: %s', (text, found) => {
    expect(matchesText(entry, text)).toBe(found);
  });
});
