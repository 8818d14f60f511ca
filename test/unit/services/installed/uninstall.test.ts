import { describe, expect, it } from 'vitest';
import { isMeant, findInstall } from '../../../../src/services/installed/find.js';
import { executeUninstall } from '../../../../src/services/installed/execute.js';
import { gatherFacts } from '../../../../src/services/installed/facts.js';
import type { Decision } from '../../../../src/services/installed/plan.js';
import { verifyInstall } from '../../../../src/services/installed/verify.js';
import { standingOf } from '../../../../src/services/install/things/table.js';
import type { LookDeps } from '../../../../src/services/install/thing-kind.js';
import { hubAddress } from '../../../../src/state/base-address.js';
import { InstallEntry } from '../../../../src/state/install-journal.js';
import type { LedgerInstall, LedgerItem } from '../../../../src/state/ledger.js';
import type { Emit } from '../../../../src/core/events.js';
import { saidBy, thrownBy } from '../../../support/errors.js';
import { oneStep, stepArtifacts } from '../../../support/sites/upgrade-seed.js';
import { answer, CLOCK, inMemory, NEVER, type InMemory } from '../in-memory-platform.js';

const USER = { scope: 'USER' };
const PIPELINE = { name: 'cdap-data-pipeline', version: '6.11.0', scope: 'SYSTEM' };
const SHOP = { name: 'shop', version: '1.0.0', ...USER };
const plugin = { type: 'action', name: 'Till', className: 'example.Till' };
const program = { type: 'Workflow', name: 'Sale', description: '' } as const;

/** A platform with a plugin artifact, an application from its JAR, and pipelines with and without the plugin. */
function shop(...withTill: readonly string[]): InMemory {
  const till = { name: 'till', version: '2.0.0', scope: 'USER' };
  const config = oneStep('Copy', {}, '2.0.0');
  const stages = [
    { name: 'step', plugin: { name: 'Till', type: 'action', label: 'step', artifact: till, properties: {} } },
  ];
  return inMemory({
    artifacts: [
      ...stepArtifacts('6.11.0'),
      { name: 'till', version: '2.0.0', parents: 'system:cdap-data-pipeline[6.0.0,7.0.0)', plugins: [plugin] },
      { name: 'shop', version: '1.0.0', applications: [{ className: 'example.Shop', programs: [program] }] },
    ],
    applications: [
      { name: 'Shop', artifact: SHOP, config: {} },
      { name: 'copy', artifact: PIPELINE, config },
      ...withTill.map((name) => ({ name, artifact: PIPELINE, config: { ...config, stages } })),
    ],
  });
}

const looking = (site: InMemory): LookDeps => {
  const { platform, capabilities } = site;
  return { platform, namespace: 'default', capabilities, signal: NEVER };
};

const THINGS = {
  till: { kind: 'artifact', name: 'till', version: '2.0.0' },
  shop: { kind: 'application', name: 'shop', version: '1.0.0' },
  copy: { kind: 'pipeline', name: 'copy' },
  gone: { kind: 'pipeline', name: 'gone' },
  other: { kind: 'dataset', name: 'other' },
} as const;

/** A thing that an install made, as it is on a site now. */
async function itemOn(
  site: InMemory,
  name: keyof typeof THINGS,
  changes: Partial<LedgerItem> = {},
): Promise<LedgerItem> {
  const now = await standingOf(THINGS[name], looking(site));
  const as = now.state === 'present' ? { as: now.as } : {};
  return { ...THINGS[name], actions: [1], origin: 'created', standing: 'live', ...as, ...changes };
}

const installOf = (items: readonly LedgerItem[], changes: Partial<LedgerInstall> = {}): LedgerInstall => ({
  file: '/installs/a',
  platform: 'http://platform.example',
  namespace: 'default',
  hub: hubAddress('https://hub.example/v2'),
  hubName: 'acme',
  package: 'till',
  version: '2.0.0',
  at: '2024-05-02T22:00:00.000Z',
  state: 'installed',
  items,
  ...changes,
});

describe('what is known of the things of an install', () => {
  const nothing = { applications: [], running: [], scheduled: [], neededBy: [], usedBy: [] };
  it('is how they stand, who uses them, and what of them is at work', async () => {
    const site = shop('sales');
    await site.call('POST', 'default/apps/copy/schedules/dataPipelineSchedule/resume');
    await site.call('POST', 'default/apps/Shop/workflows/Sale/start');
    const [till, shopItem, copy] = [await itemOn(site, 'till'), await itemOn(site, 'shop'), await itemOn(site, 'copy')];
    site.asked.length = 0;
    const facts = await gatherFacts(installOf([till, shopItem, copy]), [], looking(site));
    const present = ({ as = '' }: LedgerItem) => ({ state: 'present', as });
    expect(facts).toEqual([
      { ...nothing, item: till, standing: present(till), usedBy: [{ kind: 'application', name: 'sales' }] },
      {
        ...nothing,
        item: shopItem,
        standing: present(shopItem),
        applications: ['Shop'],
        running: ['Shop/workflows/Sale'],
      },
      {
        ...nothing,
        item: copy,
        standing: present(copy),
        applications: ['copy'],
        scheduled: ['copy'],
      },
    ]);
    expect(site.writes()).toEqual([]);
  });

  it.each<[string, Partial<LedgerItem>]>([
    ['was found', { origin: 'found' }],
    ['was changed', { as: 'f'.repeat(64) }],
    ['may not be its own', { origin: 'creating' }],
  ])('is not asked for where the thing %s', async (_, changes) => {
    const site = shop('sales');
    const till = await itemOn(site, 'till', changes);
    const copy = await itemOn(site, 'copy', changes);
    const facts = await gatherFacts(installOf([till, copy]), [], looking(site));
    expect(facts).toMatchObject([nothing, nothing]);
  });

  it('says what is gone, and what is of a kind that is not known', async () => {
    const site = shop();
    const items = [await itemOn(site, 'gone'), await itemOn(site, 'other')];
    const facts = await gatherFacts(installOf(items), [], looking(site));
    expect(facts).toEqual([
      { ...nothing, item: items[0], standing: { state: 'absent' } },
      { ...nothing, item: items[1], standing: { state: 'unknown' } },
    ]);
  });

  it('names the other installs that still want a thing, an application for its artifact', async () => {
    const site = shop();
    const [till, deployed] = [await itemOn(site, 'till'), await itemOn(site, 'shop')];
    const other = (name: string, ...items: readonly LedgerItem[]) => installOf(items, { package: name });
    const others = [
      other('one', { ...till, origin: 'found' }),
      other('two', { ...till, standing: 'left' }),
      other('three', { ...till, version: '3.0.0' }),
      other('four', { ...deployed, kind: 'artifact' }),
      other('five', { ...till, kind: 'pipeline' }),
    ];
    const facts = await gatherFacts(installOf([till, deployed]), others, looking(site));
    expect(facts.map(({ neededBy }) => neededBy)).toEqual([['package one 2.0.0'], ['package four 2.0.0']]);
  });

  it('is read of every version of an application where a platform has several', async () => {
    const artifact = { name: 'till', version: '2.0.0', ...USER };
    const site = inMemory(
      {
        artifacts: [{ name: 'till', version: '2.0.0', applications: [{ className: 'example.Till' }] }],
        applications: [{ name: 'Till', artifact, config: {} }],
      },
      '6.1.1',
    );
    const till = await itemOn(site, 'till');
    const [facts] = await gatherFacts(installOf([till]), [], looking(site));
    expect(facts?.usedBy).toEqual([{ kind: 'application', name: 'Till' }]);
  });
});

describe('the present state of what an install made', () => {
  it('is told for each thing', async () => {
    const site = shop();
    const items = [
      await itemOn(site, 'till'),
      await itemOn(site, 'copy', { as: 'f'.repeat(64) }),
      { ...THINGS.shop, actions: [1], origin: 'found', standing: 'live' } as const,
      await itemOn(site, 'gone'),
      await itemOn(site, 'other'),
    ];
    const verified = await verifyInstall(installOf(items), looking(site));
    expect(verified.map(({ item, now }) => `${item.name} ${now ?? ''}`)).toEqual([
      'till same',
      'copy changed',
      'shop there',
      'gone gone',
      'other not-known',
    ]);
    expect(await verifyInstall(installOf(items), undefined)).toEqual(items.map((item) => ({ item })));
  });
});

/** Removes things from a site; what is emitted and what the journal holds. */
async function remove(
  site: InMemory,
  items: readonly LedgerItem[],
  changes: Partial<Parameters<typeof executeUninstall>[1]> = {},
) {
  const [entries, facts]: [InstallEntry[], Parameters<Emit>[0][]] = [[], []];
  const journal = {
    file: '',
    entries,
    append: async (entry: InstallEntry) => void entries.push(InstallEntry.parse(entry)),
    close: async () => undefined,
  };
  const decisions = items.map((item): Decision => ({ item, action: 'remove' }));
  const { outcomes } = await executeUninstall(decisions, {
    ...looking(site),
    journal,
    clock: CLOCK,
    emit: (fact) => void facts.push(fact),
    stop: NEVER,
    ...changes,
  });
  const states = outcomes.map(({ decision, state, error }) =>
    [decision.item.name, state, error?.code].filter(Boolean).join(' '),
  );
  return { outcomes, states, entries, facts };
}

const at = '2024-05-02T22:00:00.000Z';

describe('a removal', () => {
  it('takes away each thing in its order, and notes it before and after', async () => {
    const site = shop();
    const items = [
      await itemOn(site, 'copy', { actions: [3] }),
      await itemOn(site, 'shop', { actions: [2] }),
      await itemOn(site, 'till', { actions: [1, 4] }),
    ];
    const { states, outcomes, entries, facts } = await remove(site, items);
    expect(states).toEqual(['copy removed', 'shop removed', 'till removed']);
    const [copy, application, artifact] = [
      'DELETE /v3/namespaces/default/apps/copy',
      'DELETE /v3/namespaces/default/apps/Shop',
      'DELETE /v3/namespaces/default/artifacts/shop/versions/1.0.0',
    ];
    expect(site.writes()).toEqual([
      copy,
      application,
      artifact,
      'DELETE /v3/namespaces/default/artifacts/till/versions/2.0.0',
    ]);
    expect(outcomes[0]?.requests).toEqual([
      { method: 'DELETE', path: '/v3/namespaces/default/apps/copy', status: 200, ms: 0 },
    ]);
    const target = (n: number, { kind, name, ...more }: object & { kind: string; name: string }, state: string) => {
      return { v: 1, type: 'target', n, kind, name, ...more, state, at };
    };
    const { copy: c, shop: s, till: t } = THINGS;
    expect(entries).toEqual([
      ...[target(3, c, 'removing'), target(3, c, 'absent')],
      ...[target(2, s, 'removing'), target(2, s, 'absent')],
      ...[target(1, t, 'removing'), target(4, t, 'removing'), target(1, t, 'absent'), target(4, t, 'absent')],
      { v: 1, type: 'uninstalled', at },
    ]);
    expect(facts).toEqual([
      { type: 'stepStarted', n: 1, of: 3, title: 'pipeline copy' },
      { type: 'stepDone', n: 1, title: 'pipeline copy', milliseconds: 0 },
      { type: 'stepStarted', n: 2, of: 3, title: 'application shop 1.0.0' },
      { type: 'stepDone', n: 2, title: 'application shop 1.0.0', milliseconds: 0 },
      { type: 'stepStarted', n: 3, of: 3, title: 'artifact till 2.0.0' },
      { type: 'stepDone', n: 3, title: 'artifact till 2.0.0', milliseconds: 0 },
    ]);
    for (const name of ['copy', 'shop', 'till'] as const)
      expect(await standingOf(THINGS[name], looking(site))).toEqual({ state: 'absent' });
  });

  it('counts what is gone already', async () => {
    const site = shop();
    const { states, facts, entries } = await remove(site, [await itemOn(site, 'gone')]);
    expect(states).toEqual(['gone gone']);
    expect(facts).toEqual([
      { type: 'stepStarted', n: 1, of: 1, title: 'pipeline gone' },
      { type: 'stepSkipped', n: 1, title: 'pipeline gone', reason: 'gone already' },
    ]);
    expect(entries.map(({ type }) => type)).toEqual(['target', 'uninstalled']);
  });

  it('stops at what was changed since the plan was shown', async () => {
    const site = shop();
    const copy = await itemOn(site, 'copy', { as: 'f'.repeat(64) });
    const { states, outcomes, facts, entries } = await remove(site, [copy, await itemOn(site, 'till')]);
    expect(states).toEqual(['copy failed CONFLICT', 'till not-run']);
    const [{ error } = {}] = outcomes;
    expect(error && saidBy(error)).toEqual({
      code: 'CONFLICT',
      message: 'pipeline copy was changed by someone else since the plan was shown',
      hints: ['run the same command again to make a new plan'],
      target: { pipeline: 'copy' },
    });
    expect(facts.at(-1)).toEqual({ type: 'stepFailed', n: 1, title: 'pipeline copy', message: error?.message });
    expect([entries, site.writes()]).toEqual([[], []]);
  });

  it('begins nothing more once it is stopped', async () => {
    const site = shop();
    const stop = AbortSignal.abort();
    const { states, entries } = await remove(site, [await itemOn(site, 'till')], { stop });
    expect([states, entries]).toEqual([['till not-run'], []]);
  });

  it.each([
    ['answered by 404', 404, 'copy removed', 1],
    ['lost, and had its effect', 502, 'copy removed', 1],
  ])('that is %s is done', async (_, status, state, writes) => {
    const site = shop();
    site.breaking(async ({ line }, itself) => {
      if (!line.startsWith('DELETE')) return undefined;
      await itself();
      return answer(status);
    });
    const { states } = await remove(site, [await itemOn(site, 'copy')]);
    expect([states, site.writes().length]).toEqual([[state], writes]);
  });

  it('that had no effect although it was accepted is an error', async () => {
    const site = shop();
    site.breaking(async ({ line }) => (line.startsWith('DELETE') ? answer(200) : undefined));
    const { outcomes } = await remove(site, [await itemOn(site, 'till')]);
    const [{ error } = {}] = outcomes;
    expect(error && saidBy(error)).toEqual({
      code: 'BAD_ANSWER',
      message: 'the platform removed till 2.0.0, but still returns it',
    });
  });

  it('of a kind that is not known is a defect', async () => {
    const site = shop();
    await expect(remove(site, [await itemOn(site, 'other')])).resolves.toMatchObject({
      states: ['other failed INTERNAL'],
    });
  });
});

describe('an install that is meant by its name', () => {
  const one = installOf([], { at: '1' });
  const ref = { hub: undefined, name: 'till', version: undefined };
  it.each<[object, boolean]>([
    [{}, true],
    [{ name: 'shop' }, false],
    [{ version: '2.0.0' }, true],
    [{ version: '2.0.1' }, false],
    [{ hub: 'acme' }, true],
    [{ hub: 'other' }, false],
    [{ hub: 'https://hub.example/v2/' }, true],
    [{ hub: 'https://hub.example/v3' }, false],
  ])('%j: %s', (changes, expected) => {
    expect(isMeant({ ...ref, ...changes }, one)).toBe(expected);
  });

  it('is the one of which something is there, or else the newest', async () => {
    const item = { kind: 'pipeline', name: 'a', actions: [1], origin: 'created', standing: 'live' } as const;
    const [there, also, later] = [installOf([item]), installOf([item], { namespace: 'b' }), installOf([], { at: '2' })];
    const problem = 'there are several installs of till';
    expect(findInstall(ref, [one, there, later])).toEqual({ all: [there], problem });
    expect(findInstall(ref, [there, also, later])).toEqual({ all: [there, also], problem });
    expect(findInstall(ref, [one, later])).toEqual({ all: [later], problem });
  });

  it.each([
    [undefined, 'no install of till is known here'],
    ['3.0.0', 'no install of till 3.0.0 is known here'],
  ])('in version %s is not found where there is none', async (version, message) => {
    expect(saidBy(thrownBy(() => findInstall({ ...ref, version }, version === undefined ? [] : [one])))).toEqual({
      code: 'PACKAGE_NOT_FOUND',
      message,
      hints: [{ next: 'list-installed' }],
      target: { package: 'till' },
    });
  });
});
