import { describe, expect, it } from 'vitest';
import { checkArguments } from '../../../../src/services/preferences/arguments.js';
import { configuredMacros } from '../../../../src/services/preferences/configured.js';
import { runLayers } from '../../../../src/services/preferences/run-layers.js';
import type { Layer } from '../../../../src/services/preferences/resolve.js';
import { NEVER } from '../../../support/clock.js';
import { failure, foundPipeline, ORDERS, platformWith, RUN, type Replies } from '../pipelines/support.js';

const artifact = { name: 'core', version: '2.0' };
const plugin = (properties: object, more: object = {}) => ({
  name: 'File',
  type: 'source',
  artifact,
  properties,
  ...more,
});
const configOf = (stages: readonly unknown[], postActions: readonly unknown[] = []) =>
  JSON.stringify({ stages, postActions });
const offers = (scope = 'system', type = 'source', name = 'File'): string =>
  `GET /v3/namespaces/etl/artifacts/cdap-data-pipeline/versions/6.11.0/extensions/${type}/plugins/${name}?scope=${scope}`;
const offer = (version: string, ...literal: readonly string[]) => ({
  ...{ name: 'File', type: 'source', artifact: { name: 'core', version, scope: 'SYSTEM' } },
  properties: Object.fromEntries(literal.map((name) => [name, { macroSupported: false }])),
});

describe('the macros of a configuration', () => {
  const read = async (configuration: string | undefined, replies: Replies = {}, scope = 'SYSTEM') => {
    const { platform, asked } = platformWith(replies);
    const { detail } = foundPipeline(configuration);
    const deps = { platform, signal: NEVER };
    const found = configuredMacros('etl', { ...detail, artifact: { ...detail.artifact, scope } }, deps);
    return { found, asked };
  };

  it('are those of stages and post-run actions, in their order', async () => {
    const stages = [
      { name: 'a', plugin: plugin({ path: '${path}', plain: 'x', number: 7, escaped: '\\${x}' }) },
      { name: 'b', plugin: plugin({ plain: 'x' }) },
    ];
    const { found, asked } = await read(configOf(stages, [{ name: 'mail', plugin: plugin({ to: 'me ${to}' }) }]));
    expect(await found).toEqual({
      properties: [
        { stage: 'a', property: 'path', text: '${path}' },
        { stage: 'mail', property: 'to', text: 'me ${to}' },
      ],
      setters: [],
    });
    // A plugin is asked about once.
    expect(asked).toEqual([offers()]);
  });

  it.each<[string, readonly object[], readonly string[]]>([
    ['its version', [offer('1.0', 'b'), offer('2.0', 'a')], ['b']],
    ['the first one where its version is absent', [offer('1.0', 'b'), offer('3.0', 'a')], ['a']],
    ['nothing', [], ['a', 'b']],
  ])('are not those of properties in which the plugin takes none, by %s', async (_, list, properties) => {
    const configuration = configOf([{ name: 's', plugin: plugin({ a: '${a}', b: '${b}' }) }]);
    const found = await (await read(configuration, { [offers()]: { json: list } })).found;
    expect(found.properties.map(({ property }) => property)).toEqual(properties);
  });

  it('are all of them where the plugin takes macros', async () => {
    const json = [{ ...offer('2.0'), properties: { a: { macroSupported: true } } }];
    const found = (await read(configOf([{ name: 's', plugin: plugin({ a: '${a}' }) }]), { [offers()]: { json } }))
      .found;
    expect((await found).properties).toHaveLength(1);
  });

  it.each([
    ['USER', 'user'],
    ['user', 'user'],
    ['system', 'system'],
    ['odd', 'user'],
  ])('are asked about in the scope of the pipeline: %s', async (scope, word) => {
    const { found, asked } = await read(configOf([{ name: 's', plugin: plugin({ a: '${a}' }) }]), {}, scope);
    await found;
    expect(asked).toEqual([offers(word)]);
  });

  it.each<[string, object]>([
    ['another name', { name: 'Other' }],
    ['another type', { type: 'sink' }],
    ['another version', { artifact: { name: 'core', version: '3.0' } }],
    ['no artifact', { artifact: undefined }],
  ])('are asked about again for a plugin with %s', async (_, other) => {
    const stage = (name: string, more?: object) => ({ name, plugin: plugin({ a: '${a}' }, more) });
    const { found, asked } = await read(configOf([stage('a'), stage('b', other)]));
    expect([(await found).properties.length, asked.length]).toEqual([2, 2]);
  });

  it('may be set by actions while the pipeline runs', async () => {
    const stage = (name: string, more: object) => ({ name, plugin: plugin({}, more) });
    const { found } = await read(
      configOf([
        stage('a', { name: 'ArgumentSetter', type: 'action' }),
        stage('b', { name: 'GCSArgumentSetter', type: 'action' }),
        stage('c', { name: 'ArgumentSetter', type: 'source' }),
        stage('d', { name: 'Delete', type: 'action' }),
      ]),
    );
    expect((await found).setters).toEqual(['a', 'b']);
  });

  it('are read around what is not a stage', async () => {
    const odd = [7, { name: 'x' }, { plugin: plugin({}) }, { name: 'y', plugin: { name: 'n' } }];
    const properties = { name: 'p', plugin: { ...plugin({}), properties: 7 } };
    const good = { name: 'z', plugin: { name: 'n', type: 't', artifact: 7, properties: { a: '${a}' } } };
    const { found } = await read(configOf([...odd, properties, good]));
    expect(await found).toEqual({ properties: [{ stage: 'z', property: 'a', text: '${a}' }], setters: [] });
  });

  it.each(['{}', '{"stages":7}'])('are none in %s', async (text) => {
    expect(await (await read(text)).found).toEqual({ properties: [], setters: [] });
  });

  it.each([
    ['7', { code: 'BAD_ANSWER', message: 'the configuration of "orders" is not that of a pipeline' }],
    ['[]', { code: 'BAD_ANSWER', message: 'the configuration of "orders" is not that of a pipeline' }],
  ])('are an error in %s', async (text, error) => {
    expect(await failure((await read(text)).found)).toEqual({ ...error, target: { pipeline: 'orders' } });
  });

  it.each([undefined, '', '{'])('are an error where the configuration is no JSON: %j', async (text) => {
    expect(await failure((await read(text)).found)).toMatchObject({
      code: 'BAD_JSON',
      message: expect.stringContaining('the configuration') as unknown,
    });
  });
});

describe('the arguments of a run', () => {
  const stored: Replies = {
    'GET /v3/preferences': { json: { 'app.memory': '1', region: 'eu', spare: '1' } },
    'GET /v3/namespaces/etl/preferences': { json: { region: 'us' } },
    'GET /v3/namespaces/etl/apps/orders/preferences': { json: { 'spark.x': '2', unused: '3', day: 'monday' } },
    [`GET ${ORDERS}/preferences`]: { json: { late: '4' } },
  };
  const check = (stages: readonly unknown[], given: readonly Layer[] = [], replies = stored) =>
    checkArguments(foundPipeline(configOf(stages)), given, { platform: platformWith(replies).platform, signal: NEVER });
  const layer = (from: 'run' | 'token', values: Readonly<Record<string, string>>): Layer => ({
    ...{ from, place: from, values: new Map(Object.entries(values)) },
  });

  it('are what is stored and what is given, the nearest first', async () => {
    const { values } = await check(
      [],
      [layer('run', { region: 'asia', day: 'monday' }), layer('token', { late: '5' })],
    );
    expect(values.map(({ key, value, from, hides }) => [key, value, from, hides.map((one) => one.value)])).toEqual([
      ['app.memory', '1', 'instance', []],
      // A run has all that was stored when it started: only what differs is its own.
      ['day', 'monday', 'app', []],
      ['late', '5', 'token', ['4']],
      ['region', 'asia', 'run', ['us', 'eu']],
      ['spare', '1', 'instance', []],
      ['spark.x', '2', 'app', []],
      ['unused', '3', 'app', []],
    ]);
  });

  it('are unused where they are set for the pipeline alone and no macro uses them', async () => {
    const stage = { name: 's', plugin: plugin({ path: '${day}/${late}' }) };
    const run = layer('run', { extra: '1', 'system.profile.name': 'x', 'my.app.x': '2' });
    expect((await check([stage], [run])).unused).toEqual(['extra', 'my.app.x', 'unused']);
    expect((await check([stage], [layer('token', { extra: '1' })])).unused).toEqual(['unused']);
  });

  it('are missing for macros without a value, in the order of the text, once for each property', async () => {
    const stages = [
      { name: 'a', plugin: plugin({ path: '${one}/${day}/${two}/${one}', other: '${one}' }) },
      { name: 'b', plugin: plugin({ path: '${one}' }) },
    ];
    const one = { macro: 'one', fault: 'no-value', via: [] };
    expect((await check(stages)).missing).toEqual([
      { ...one, stage: 'a', property: 'path' },
      { ...one, macro: 'two', stage: 'a', property: 'path' },
      { ...one, stage: 'a', property: 'other' },
      { ...one, stage: 'b', property: 'path' },
    ]);
  });

  it('that are missing may be set by another stage while the pipeline runs', async () => {
    const setter = { name: 'set', plugin: plugin({ path: '${x}' }, { name: 'ArgumentSetter', type: 'action' }) };
    const again = { ...setter, name: 'again', plugin: { ...setter.plugin, properties: {} } };
    const { missing } = await check([setter, again, { name: 'a', plugin: plugin({ path: '${x}' }) }]);
    const open = { macro: 'x', fault: 'no-value', via: [], property: 'path' };
    expect(missing).toEqual([
      { ...open, stage: 'set' },
      { ...open, stage: 'a', setBy: 'set' },
    ]);
    expect(missing.map((one) => 'setBy' in one)).toEqual([false, true]);
  });
});

describe('what a run was given', () => {
  const pipeline = foundPipeline();
  const token = `GET ${ORDERS}/runs/${RUN}/token`;
  const value = (text: string) => ({ node: 'n', value: text });
  const record = { runid: RUN, status: 'RUNNING', properties: { runtimeArgs: '{"a":"1","scheduleName":"x"}' } };
  const layers = async (replies: Replies, run = record, found = pipeline) => {
    const { platform, asked } = platformWith(replies);
    const all = await runLayers(found, run, { platform, signal: NEVER });
    return { asked, all: all.map(({ from, place, values }) => [from, place, Object.fromEntries(values)]) };
  };

  it('is its arguments and what its workflow has put into its token', async () => {
    const json = {
      ...{ key: [value('old'), value('new')], none: [] },
      ...{ 'field.operations': [value('x')], 'resolved.plugin.properties.map': [value('y')] },
    };
    expect((await layers({ [token]: { json } })).all).toEqual([
      ['run', 'run 5933a68e', { a: '1' }],
      ['token', 'token of run 5933a68e', { key: 'new' }],
    ]);
  });

  it('is nothing where there is neither', async () => {
    const bare = { ...record, properties: { runtimeArgs: '' } };
    expect((await layers({}, bare)).all.map(([, , values]) => values)).toEqual([{}, {}]);
  });

  it('has no token where the program is no workflow', async () => {
    const spark = { ...pipeline, place: { ...pipeline.place, type: 'spark' } };
    const { all, asked } = await layers({}, record, spark);
    expect([all[1], asked]).toEqual([['token', 'token of run 5933a68e', {}], []]);
  });
});
