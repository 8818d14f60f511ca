import { describe, expect, it } from 'vitest';
import { pluginOffers } from '../../../../../src/services/upgrade/plugins/available-plugins.js';
import { artifact, platformAnswering, recorded, recordedOffers } from '../support.js';

const { signal } = new AbortController();
const PARENT = artifact('cdap-data-pipeline 6.10.0');
const LISTING = recorded('6.11.0', 'ext-plugin');

const listing = (properties: unknown) => ({
  status: 200,
  body: JSON.stringify([{ name: 'Noop', type: 'transform', artifact: artifact('noop 1.0.0 user'), properties }]),
});

describe('offers of a plugin', () => {
  it('are asked for as recorded', async () => {
    const { platform, asked } = platformAnswering(LISTING);
    await pluginOffers(platform, signal).of('rec_a1', PARENT, 'transform', 'Noop');
    expect(asked).toEqual([LISTING.path]);
  });

  it('are asked of an artifact of the user scope as such', async () => {
    const { platform, asked } = platformAnswering(LISTING);
    await pluginOffers(platform, signal).of('ns', artifact('mine 1.0.0 user'), 'a type', 'Noop');
    expect(asked).toEqual([
      '/v3/namespaces/ns/artifacts/mine/versions/1.0.0/extensions/a%20type/plugins/Noop?scope=user',
    ]);
  });

  it.each([
    ['4.3.5', ['plug 1.0.0 USER'], { type: 'string', required: true, macroSupported: true, children: [] }, 'path'],
    [
      '6.1.1',
      ['1.0.0', '1.1.0', '1.10.0', '2.0.0-SNAPSHOT', '4.0.0.SNAPSHOT'].map((version) => `noop ${version} USER`),
      { type: 'string', required: false, macroSupported: true, children: [] },
      'field',
    ],
    [
      '6.11.0',
      ['1.0.0', '1.1.0', '1.10.0', '2.0.0-SNAPSHOT', '4.0.0.SNAPSHOT'].map((version) => `noop ${version} USER`),
      { type: 'string', required: false, macroSupported: true, children: [] },
      'field',
    ],
  ])('are read from the answer of %s', async (version, artifacts, property, name) => {
    const offers = await recordedOffers(version, 'ext-plugin');
    const names = offers.map((offer) => `${offer.artifact.name} ${offer.artifact.version} ${offer.artifact.scope}`);
    expect(names.slice(0, artifacts.length)).toEqual(artifacts);
    expect(offers[0]?.properties).toEqual(new Map([[name, property]]));
  });

  it.each([
    ['4.3.5', 'ext-plugin-unknown'],
    ['6.1.1', 'ext-plugin-404'],
    ['6.11.0', 'ext-plugin-404'],
  ])('are none where %s answers 404', async (version, id) => {
    expect(await recordedOffers(version, id)).toEqual([]);
  });

  it('keep which properties a connection brings', async () => {
    const { platform } = platformAnswering(listing({ connection: { type: 'jdbc', children: ['user', 'password'] } }));
    const [offer] = await pluginOffers(platform, signal).of('ns', PARENT, 'transform', 'Noop');
    expect(offer?.properties.get('connection')?.children).toEqual(['user', 'password']);
  });

  it.each([
    ['nothing', {}],
    ['no object', 7],
    ['null', null],
    ['members of other types', { type: 1, required: 'yes', macroSupported: 'no', children: 'none' }],
  ])('demand nothing of a property whose detail is %s', async (_, detail) => {
    const { platform } = platformAnswering(listing({ odd: detail, good: { type: 'int', required: true } }));
    const [offer] = await pluginOffers(platform, signal).of('ns', PARENT, 'transform', 'Noop');
    expect(offer?.properties).toEqual(
      new Map([
        ['odd', { type: 'string', required: false, macroSupported: true, children: [] }],
        ['good', { type: 'int', required: true, macroSupported: true, children: [] }],
      ]),
    );
  });

  it('have no properties where the platform names none', async () => {
    const { platform } = platformAnswering(listing(undefined));
    const [offer] = await pluginOffers(platform, signal).of('ns', PARENT, 'transform', 'Noop');
    expect(offer?.properties).toEqual(new Map());
  });
});

describe('a question for offers', () => {
  it('is sent once, whoever asks, and again for another namespace, parent, type or plugin', async () => {
    const { platform, asked } = platformAnswering(LISTING);
    const offers = pluginOffers(platform, signal);
    await Promise.all(Array.from({ length: 50 }, () => offers.of('a', PARENT, 'transform', 'Noop')));
    await offers.of('a', PARENT, 'transform', 'Noop');
    expect(asked).toHaveLength(1);
    await offers.of('b', PARENT, 'transform', 'Noop');
    await offers.of('a', artifact('cdap-data-pipeline 6.11.0'), 'transform', 'Noop');
    await offers.of('a', PARENT, 'action', 'Noop');
    await offers.of('a', PARENT, 'transform', 'Other');
    expect(asked).toHaveLength(5);
  });

  it('is sent again after it failed, which all who asked are told', async () => {
    const { platform, asked } = platformAnswering({ status: 500, body: 'no' }, LISTING);
    const offers = pluginOffers(platform, signal);
    const both = [offers.of('a', PARENT, 'transform', 'Noop'), offers.of('a', PARENT, 'transform', 'Noop')];
    for (const { status } of await Promise.allSettled(both)) expect(status).toBe('rejected');
    expect(await offers.of('a', PARENT, 'transform', 'Noop')).toHaveLength(6);
    expect(asked).toHaveLength(2);
  });

  it('keeps one copy of the properties that namespaces and versions have in common', async () => {
    const { platform } = platformAnswering(LISTING);
    const offers = pluginOffers(platform, signal);
    const [one, two] = await Promise.all(['a', 'b'].map((name) => offers.of(name, PARENT, 'transform', 'Noop')));
    expect(new Set([...(one ?? []), ...(two ?? [])].map(({ properties }) => properties)).size).toBe(1);
  });
});
