import { describe, expect, it } from 'vitest';
import { parseRange } from '../../../../../../src/core/version-range.js';
import { getDraft, listDrafts, putDraft } from '../../../../../../src/platform/drafts.js';
import { draftTexts, getUserSettings, putUserSettings, withDraft } from '../../../../../../src/platform/user-store.js';
import { draftKind } from '../../../../../../src/services/install/things/draft/kind.js';
import { draftStep } from '../../../../../../src/services/install/things/draft/step.js';
import { NEVER } from '../../../../../support/clock.js';
import { errorOf, saidBy } from '../../../../../support/errors.js';
import { answer, inMemory, type InMemory, loseAnswer } from '../../../in-memory-platform.js';
import { contextOn } from '../../support.js';

const CONFIG = '{"engine":"spark","stages":[],"connections":[],"n":1.0}';
const artifact = { name: 'cdap-data-pipeline', version: '6.11.0', scope: 'SYSTEM' } as const;
const range = parseRange('6.11.0');

/** The step of a draft `Orders`; what is wanted of it may be another. */
function orders(
  changes: { configuration?: string; artifact?: Partial<Record<'name' | 'version' | 'scope', string>> } = {},
) {
  if (range === undefined) throw new Error('the range cannot be read');
  const { configuration = CONFIG } = changes;
  return draftStep({
    n: 3,
    name: 'Orders',
    artifact: { ...artifact, range, ...(changes.artifact as object) },
    configuration,
  });
}

const absent = { state: 'absent', effect: '' } as const;
const differs = { state: 'differs', effect: '', consent: '' } as const;
const namespace = 'default';

interface Place {
  readonly title: string;
  readonly open: () => InMemory;
  readonly put: (site: InMemory, id: string, draft: object) => Promise<unknown>;
  /** The texts of the drafts by their ids. */
  readonly drafts: (site: InMemory) => Promise<readonly (readonly [id: string, text: string])[]>;
  /** The line of the request that writes a draft. */
  readonly line: (id: string) => string;
}

const settingsOf = ({ platform }: InMemory): Promise<string> => platform.call(getUserSettings, {}, NEVER);
const STUDIO = '/v3/namespaces/system/apps/pipeline/services/studio/methods/v1/contexts/default/drafts';
const studio: Place = {
  title: 'the studio',
  open: () => inMemory({}),
  put: ({ platform }, id, draft) => platform.call(putDraft, { namespace, id, draft: JSON.stringify(draft) }, NEVER),
  drafts: async ({ platform }) => {
    const listed = await platform.call(listDrafts, { namespace }, NEVER);
    const texts = listed.map(async ({ id }) => {
      const { name, artifact: of, config } = await platform.call(getDraft, { namespace, id }, NEVER);
      return [id, JSON.stringify({ name, artifact: of, config })] as const;
    });
    return Promise.all(texts);
  },
  line: (id) => `PUT ${STUDIO}/${id}`,
};
const userStore: Place = {
  title: 'the user store',
  open: () => inMemory({}, '6.1.1'),
  put: async (site, id, draft) => {
    const settings = withDraft(await settingsOf(site), namespace, id, JSON.stringify(draft));
    return site.platform.call(putUserSettings, { settings }, NEVER);
  },
  drafts: async (site) => [...draftTexts(await settingsOf(site), namespace)],
  line: () => 'PUT /v3/configuration/user',
};

const SAME = { name: 'Orders', artifact, config: { ...(JSON.parse(CONFIG) as object), engine: 'SPARK' } };
const OTHER = { ...SAME, config: { engine: 'SPARK', stages: [{ name: 'in' }], connections: [] } };

/** A place with drafts, by their ids. */
async function placeWith(place: Place, drafts: Readonly<Record<string, object>> = {}): Promise<InMemory> {
  const site = place.open();
  // The studio keeps an engine in upper case only.
  const kept = (draft: object): object =>
    draft === SAME && place !== studio ? { ...draft, config: JSON.parse(CONFIG) as object } : draft;
  for (const [id, draft] of Object.entries(drafts)) await place.put(site, id, kept(draft));
  site.asked.length = 0;
  return site;
}

it('the step of a draft is one of its name, its artifact and its configuration', () => {
  const { title, target, material } = orders();
  expect({ title, target, material }).toEqual({
    title: 'draft Orders',
    target: { kind: 'draft', name: 'Orders' },
    material: { name: 'Orders', artifact, configuration: CONFIG },
  });
});

describe.each([studio, userStore])('a draft in $title', (place) => {
  const done = { state: 'done', effect: 'already exists with this configuration' };
  const refusal = 'another draft has this name';
  it.each<[string, Readonly<Record<string, object>>, object, object]>([
    ['is made where none is', {}, {}, { state: 'absent', effect: `create in ${place.title}` }],
    [
      'is made beside one of another name',
      { a: { ...SAME, name: 'orders' } },
      {},
      { state: 'absent', effect: `create in ${place.title}` },
    ],
    ['is there', { a: SAME }, {}, done],
    ['is there beside another of the name', { a: OTHER, b: SAME }, {}, done],
    ['is not written over without --force', { a: OTHER }, {}, { state: 'refused', effect: refusal }],
    [
      'of another version is another one',
      { a: SAME },
      { artifact: { version: '6.10.0' } },
      { state: 'refused', effect: refusal },
    ],
    [
      'of another scope is another one',
      { a: SAME },
      { artifact: { scope: 'USER' } },
      { state: 'refused', effect: refusal },
    ],
    [
      'of another artifact is another one',
      { a: SAME },
      { artifact: { name: 'cdap-data-streams' } },
      { state: 'refused', effect: refusal },
    ],
  ])('%s', async (_, drafts, changes, expected) => {
    const site = await placeWith(place, drafts);
    expect(await orders(changes).observe(contextOn(site))).toMatchObject(expected);
    expect(site.writes()).toEqual([]);
  });

  it('is written over with --force', async () => {
    const site = await placeWith(place, { a: OTHER });
    const observed = { state: 'differs', effect: `overwrite in ${place.title}`, consent: 'overwrite draft Orders' };
    expect(await orders().observe(contextOn(site, { force: true }))).toEqual(observed);
    await orders().apply(contextOn(site, { force: true }), differs);
    expect(site.writes()).toEqual([place.line('a')]);
    expect(await orders().observe(contextOn(site))).toEqual(done);
  });

  it.each([
    [
      'one other',
      { a: OTHER },
      false,
      {
        message: 'draft Orders already exists with other content',
        hints: [{ next: 'rename-thing', n: 3, mayForce: true }],
      },
    ],
    [
      'two others, with --force',
      { a: OTHER, b: { ...OTHER, artifact: { ...artifact, version: '1' } } },
      true,
      {
        message: 'there are 2 other drafts with the name Orders',
        hints: [{ next: 'rename-thing', n: 3 }],
      },
    ],
  ])('leaves %s alone', async (_, drafts, force, expected) => {
    const site = await placeWith(place, drafts);
    const whole = { code: 'CONFLICT', ...expected, final: true, target: { draft: 'Orders', namespace } };
    const observed = await orders().observe(contextOn(site, { force }));
    expect(observed.state === 'refused' && saidBy(observed.error)).toEqual(whole);
    expect(saidBy(await errorOf(orders().apply(contextOn(site, { force }), differs)))).toEqual(whole);
    expect(site.writes()).toEqual([]);
  });

  it('is written under an id of its own that is always the same, which a renamed draft keeps', async () => {
    const site = await placeWith(place);
    await orders().apply(contextOn(site), absent);
    const again = await placeWith(place);
    await orders().apply(contextOn(again), absent);
    const [[first, text] = ['', '{}']] = await place.drafts(site);
    expect((await place.drafts(again)).map(([id]) => id)).toEqual([first]);
    expect(first).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-5[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/u);
    expect(JSON.parse(text)).toMatchObject({ name: 'Orders', artifact });
    await place.put(site, first, { ...SAME, name: 'Renamed' });
    await orders().apply(contextOn(site), absent);
    const drafts = await place.drafts(site);
    expect(drafts.map(([, draft]) => (JSON.parse(draft) as { name: string }).name).sort()).toEqual([
      'Orders',
      'Renamed',
    ]);
    expect(new Set(drafts.map(([id]) => id)).size).toBe(2);
  });

  it('is not written where it appeared since the plan was shown', async () => {
    const same = await placeWith(place, { a: SAME });
    await orders().apply(contextOn(same), absent);
    const other = await placeWith(place, { a: OTHER });
    expect(saidBy(await errorOf(orders().apply(contextOn(other, { force: true }), absent)))).toEqual({
      code: 'CONFLICT',
      message: 'draft Orders was created or changed by someone else since the plan was shown',
      hints: ['run the same command again to see what it overwrites'],
      target: { draft: 'Orders' },
    });
    expect([...same.writes(), ...other.writes()]).toEqual([]);
  });

  it.each([
    ['not written again where the answer was lost and it is there', true, 1],
    ['written again where the answer was lost and it is not there', false, 2],
  ])('is %s', async (_, arrives, writes) => {
    const site = await placeWith(place);
    loseAnswer(site, 'PUT', arrives);
    const context = contextOn(site);
    await orders().apply(context, absent);
    expect(site.writes()).toHaveLength(writes);
    const warning = 'draft Orders: the response was lost and nothing was applied; sending it again';
    expect(context.warnings.filter((line) => !line.includes('took more'))).toEqual(arrives ? [] : [warning]);
    expect(await orders().observe(context)).toEqual(done);
  });

  it('is found, compared and removed', async () => {
    const site = await placeWith(place, { b: SAME, a: OTHER, c: { ...SAME, name: 'Other' } });
    const thing = { kind: 'draft', name: 'Orders' };
    const both = await draftKind.look(thing, contextOn(site));
    const turned = await placeWith(place, { a: OTHER, b: SAME });
    expect(await draftKind.look(thing, contextOn(turned))).toEqual(both);
    expect(await draftKind.look(thing, contextOn(await placeWith(place, { a: OTHER, b: OTHER })))).not.toEqual(both);
    expect(both).toEqual({ state: 'present', as: expect.stringMatching(/^[0-9a-f]{64}$/u) as string });
    expect(await draftKind.applications(thing, contextOn(site))).toEqual([]);
    await draftKind.remove(thing, contextOn(site));
    expect((await place.drafts(site)).map(([id]) => id)).toEqual(['c']);
    expect(await draftKind.look(thing, contextOn(site))).toEqual({ state: 'absent' });
  });
});

describe('a draft in the studio', () => {
  it('is kept with its engine in upper case, and all else as the package wrote it', async () => {
    const site = await placeWith(studio);
    await orders().apply(contextOn(site), absent);
    expect(site.asked.find(({ line }) => line.startsWith('PUT'))?.body).toBe(
      `{"name":"Orders","artifact":${JSON.stringify(artifact)},"config":{"engine":"SPARK","stages":[],"connections":[],"n":1.0}}`,
    );
  });

  it.each(['{"stages":[]}', '{"engine":null,"stages":[]}'])(
    'with the configuration %s goes as it is',
    async (configuration) => {
      const site = await placeWith(studio);
      await orders({ configuration }).apply(contextOn(site), absent);
      expect(site.asked.find(({ line }) => line.startsWith('PUT'))?.body).toContain(`"config":${configuration}}`);
    },
  );

  it('can only be one of an artifact that the studio opens', async () => {
    const step = orders({ artifact: { name: 'cdap-etl-batch' } });
    expect(saidBy(await errorOf(step.observe(contextOn(studio.open()))))).toEqual({
      code: 'INCOMPATIBLE',
      message: 'this platform supports drafts of cdap-data-pipeline and cdap-data-streams, not of cdap-etl-batch',
    });
  });

  it('that is not kept as it was sent is an error', async () => {
    const site = studio.open();
    site.breaking(async ({ line }) => (line.startsWith('PUT') ? answer(200) : undefined));
    expect(saidBy(await errorOf(orders().apply(contextOn(site), absent)))).toEqual({
      code: 'BAD_ANSWER',
      message: 'the platform accepted draft Orders, but returns different content',
    });
  });

  it.each([
    [
      'a draft without a name',
      'Exception occurred while handling request: string',
      ['a draft without a name breaks the list of a namespace until that draft is deleted by its id'],
    ],
    ['anything else', 'out of memory', undefined],
  ])('is not looked for where the list is broken by %s', async (_, said, hints) => {
    const site = studio.open();
    site.breaking(async ({ line }) => (line === `GET ${STUDIO}` ? answer(500, said) : undefined));
    const { code, details } = await errorOf(orders().observe(contextOn(site)));
    expect([code, details.serverSaid, details.hints]).toEqual(['REMOTE_FAILED', said, hints]);
  });
});

it.each([
  [studio, 'DELETE'],
  [userStore, 'PUT'],
])('a draft in $title is removed again where the answer was lost and it is still there', async (place, method) => {
  const site = await placeWith(place, { a: SAME });
  loseAnswer(site, method, false);
  const context = contextOn(site);
  await draftKind.remove({ kind: 'draft', name: 'Orders' }, context);
  expect(await place.drafts(site)).toEqual([]);
  expect(context.warnings.filter((line) => !line.includes('took more'))).toEqual([
    'the removal of draft Orders: the response was lost and nothing was applied; sending it again',
  ]);
});

describe('a draft in the user store', () => {
  it('is not written where another run has written it since it was looked for', async () => {
    const other = await placeWith(userStore);
    await orders().apply(contextOn(other), absent);
    const [settings, site] = [await settingsOf(other), await placeWith(userStore)];
    let reads = 0;
    site.breaking(async ({ line }) => {
      if (line !== 'GET /v3/configuration/user' || (reads += 1) !== 2) return undefined;
      await site.platform.call(putUserSettings, { settings }, NEVER);
      return undefined;
    });
    await orders().apply(contextOn(site), absent);
    expect(site.writes()).toEqual([userStore.line('')]);
    expect(await settingsOf(site)).toBe(settings);
  });

  it('is kept as the user interface does it, beside all else, as the package wrote it', async () => {
    const site = await placeWith(userStore);
    await site.platform.call(
      putUserSettings,
      { settings: '{"choice":1e3,"hydratorDrafts":{"other":{"x":{}}}}' },
      NEVER,
    );
    const context = contextOn(site);
    await orders().apply(context, absent);
    const [[id, text] = ['', '']] = await userStore.drafts(site);
    expect(text).toBe(
      `{"artifact":${JSON.stringify(artifact)},"name":"Orders","__ui__":{"draftId":"${id}"},"config":${CONFIG}}`,
    );
    expect(await settingsOf(site)).toBe(
      `{"choice":1e3,"hydratorDrafts":{"other":{"x":{}},"default":{"${id}":${text}}}}`,
    );
    expect(context.waits).toContain(1500);
  });

  /** Writes the draft while somebody else changes the settings behind each write of ours. */
  async function writeAgainst(other: (settings: string, writes: number) => string | undefined) {
    const site = await placeWith(userStore);
    await site.platform.call(
      putUserSettings,
      { settings: '{"a":1,"hydratorDrafts":{"default":{"x":{"name":"X"}}}}' },
      NEVER,
    );
    let writes = 0;
    const again: Parameters<typeof site.breaking>[0] = async ({ line, body }, itself) => {
      if (!line.startsWith('PUT')) return undefined;
      const done = await itself();
      const next = other(body, (writes += 1));
      site.breaking(async () => undefined);
      if (next !== undefined) await site.platform.call(putUserSettings, { settings: next }, NEVER);
      site.breaking(again);
      return done;
    };
    site.breaking(again);
    const context = contextOn(site, {
      wait: async (milliseconds) => (milliseconds === 1000 ? new Promise(() => undefined) : undefined),
    });
    const end = await errorOf(orders().apply(context, absent)).catch(() => undefined);
    return { end: end && saidBy(end), warnings: context.warnings, writes, settings: await settingsOf(site) };
  }
  const overwritten = 'draft Orders was overwritten by someone else writing the user store';
  const before = '{"a":1,"hydratorDrafts":{"default":{"x":{"name":"X"}}}}';

  it('is written again where another write undid it', async () => {
    const { end, warnings, writes, settings } = await writeAgainst((_, count) => (count === 1 ? before : undefined));
    expect([end, warnings, writes]).toEqual([undefined, [overwritten], 2]);
    expect(settings).toContain('"name":"Orders"');
  });

  it('brings back what an older state of the settings took away', async () => {
    const { end, warnings, settings } = await writeAgainst((_, count) =>
      count === 1 ? '{"a":1,"hydratorDrafts":{"default":{}}}' : undefined,
    );
    expect([end, warnings]).toEqual([
      undefined,
      [overwritten, 'someone else wrote an older state of the user store; restored: hydratorDrafts.default.x'],
    ]);
    expect(settings).toContain('"x":{"name":"X"}');
  });

  it('leaves settings wiped that somebody wiped', async () => {
    const { warnings, settings } = await writeAgainst((_, count) => (count === 1 ? '{}' : undefined));
    expect(warnings).toEqual([overwritten]);
    expect(settings).not.toContain('"a":1');
  });

  it('tells what somebody removed beside it', async () => {
    const { end, warnings } = await writeAgainst((text) => text.replace('"a":1,', ''));
    expect([end, warnings]).toEqual([undefined, ['someone else removed from the user store: a']]);
  });

  it('is given up after ten writes', async () => {
    const { end, warnings, writes } = await writeAgainst(() => before);
    expect([warnings, writes]).toEqual([Array.from({ length: 10 }, () => overwritten), 10]);
    expect(end).toEqual({
      code: 'CONFLICT',
      message: 'draft Orders was written 10 times and overwritten every time',
      hints: ['run the same command again when no one else is changing drafts or settings'],
      target: { draft: 'Orders', namespace },
    });
  });

  it('is not written over what somebody else puts under its id', async () => {
    const { end, writes } = await writeAgainst((text) => text.replace('"n":1.0', '"n":2'));
    expect(writes).toBe(1);
    expect(end).toEqual({
      code: 'CONFLICT',
      message: 'someone else is writing draft Orders with other content',
      hints: ['run the same command again when no one else is changing drafts'],
    });
  });
});
