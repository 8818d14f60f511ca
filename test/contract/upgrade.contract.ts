import { describe, expect } from 'vitest';
import { applicationJar } from './application-jar.js';
import { classesJar } from './jars.js';
import { DOES, LINE, noApplication } from './line.js';
import {
  configured,
  deploy,
  deployed,
  passingThrough,
  PIPELINE,
  withSource,
  type PipelineRequest,
} from './pipeline.js';
import { expectEmpty, expectText, it, json, NO_TYPE, STREAM_TYPE, type Space } from './suite.js';

interface Selector {
  readonly scope: string;
  readonly name: string;
  readonly version: string;
}
interface Stage {
  readonly name: string;
  readonly plugin: { readonly artifact?: Selector };
}
interface Config {
  readonly [member: string]: unknown;
  readonly stages: readonly Stage[];
  readonly postActions: readonly Stage[];
}
interface Detail {
  readonly appVersion: string;
  readonly configuration: string;
  readonly artifact: Selector;
}
interface Item {
  readonly statusCode: number;
  readonly error?: string;
  readonly appId: { readonly application: string; readonly version: string };
}

const EMAIL = {
  name: 'mail',
  plugin: {
    name: 'Email',
    type: 'postaction',
    artifact: { name: 'core-plugins', version: LINE.plugins.old, scope: 'SYSTEM' },
    properties: { recipients: 'a@example.com', sender: 'b@example.com', subject: 's', message: 'm' },
  },
};

const upgrade = async ({ call }: Space, name: string, query = ''): Promise<Item> =>
  json<Item>(await call('POST', `/apps/${name}/upgrade${query}`));
const detail = async ({ call }: Space, name: string): Promise<Detail> =>
  json<Detail>(await call('GET', `/apps/${name}`));
const configOf = async (space: Space, name: string): Promise<Config> =>
  JSON.parse((await detail(space, name)).configuration) as Config;

/** The artifacts of the stages and post-actions by name, the pipeline's own as `pipeline`. */
async function versions(space: Space, name: string): Promise<Record<string, string>> {
  const { artifact, configuration } = await detail(space, name);
  const { stages, postActions } = JSON.parse(configuration) as Config;
  const parts = [...stages, ...postActions].map(({ name: part, plugin }) => {
    const own = plugin.artifact;
    return [part, own === undefined ? 'none' : `${own.scope} ${own.name} ${own.version}`];
  });
  return { ...(Object.fromEntries(parts) as Record<string, string>), pipeline: artifact.version };
}

async function upload({ call }: Space, version: string, className?: string): Promise<void> {
  const headers = {
    'Artifact-Extends': 'system:cdap-data-pipeline[6.0.0,7.0.0)',
    'Artifact-Version': version,
  };
  const plugin = { passThrough: true, ...(className !== undefined && { className }) };
  const body = classesJar({ 'Export-Package': 'example' }, plugin);
  expectText(await call('POST', '/artifacts/plugin', { body, headers }), 200, 'Artifact added successfully');
}

const stagesAt = (plugins: string, pipeline: string) => {
  const artifact = `SYSTEM core-plugins ${plugins}`;
  return { src: artifact, sink: artifact, pipeline };
};
const OLD = stagesAt(LINE.plugins.old, LINE.pipeline.old);
const NEW = stagesAt(LINE.plugins.new, LINE.pipeline.new);

describe('the upgrade of a pipeline by the platform (6.11)', () => {
  it('moves the pipeline, its stages and post-actions to the newest artifacts, in a new version if it makes any', async ({
    space,
  }) => {
    const { version } = await deploy(space.call, 'orders', configured({ postActions: [EMAIL] }));
    expect(await versions(space, 'orders')).toEqual({ ...OLD, mail: OLD.src });
    const answer = await upgrade(space, 'orders');
    const { appVersion } = await detail(space, 'orders');
    expect(appVersion === version).toBe(!DOES.makeVersions);
    const appId = { application: 'orders', version: appVersion, namespace: space.name, entity: 'APPLICATION' };
    expect(answer).toEqual({ statusCode: 200, appId });
    expect(await versions(space, 'orders')).toEqual({
      ...NEW,
      mail: DOES.upgradeParts ? NEW.src : OLD.src,
    });
    expect(json(await space.call('GET', '/apps/orders/versions'))).toEqual(
      DOES.makeVersions ? [appVersion, version] : ['-SNAPSHOT'],
    );
  });

  it('drops members that it does not know, and writes whole numbers again', async ({ space }) => {
    const config = { __ui__: { k: 1 }, custom: 7, description: 'mine', numOfRecordsPreview: 42 };
    await deploy(space.call, 'orders', configured(config));
    await upgrade(space, 'orders');
    const after = await configOf(space, 'orders');
    expect(after).not.toHaveProperty('custom');
    expect(after).not.toHaveProperty('__ui__');
    expect(after).not.toHaveProperty('rangeRecordsPreview');
    const description = DOES.keepDescriptions ? { description: 'mine' } : {};
    expect(after).toMatchObject({ ...description, schedule: PIPELINE.config['schedule'], engine: 'spark' });
    expect((await detail(space, 'orders')).configuration).toContain('"numOfRecordsPreview":42,');
  });

  it.runIf(DOES.makeVersions)('makes a version also of a pipeline that is the newest already', async ({ space }) => {
    await deploy(space.call, 'orders');
    const first = await upgrade(space, 'orders');
    const second = await upgrade(space, 'orders');
    expect(json<string[]>(await space.call('GET', '/apps/orders/versions')).slice(0, 2)).toEqual([
      second.appId.version,
      first.appId.version,
    ]);
  });

  it('leaves all schedules as they are', async ({ space }) => {
    await deploy(space.call, 'orders');
    const path = '/apps/orders/schedules';
    const [own] = json<Record<string, unknown>[]>(await space.call('GET', path));
    expectEmpty(await space.call('PUT', `${path}/extra`, { body: { ...own, name: 'extra' } }));
    for (const name of ['dataPipelineSchedule', 'extra']) await space.call('POST', `${path}/${name}/resume`);
    const before = json(await space.call('GET', path));
    await upgrade(space, 'orders');
    expect(json(await space.call('GET', path))).toEqual(before);
  });

  it('widens a range of versions, and names no artifact where there was none', async ({ space }) => {
    const ranged = withSource({
      artifact: { name: 'core-plugins', version: `[2.0.0,${LINE.plugins.new})`, scope: 'SYSTEM' },
    });
    await deploy(space.call, 'ranged', ranged);
    await upgrade(space, 'ranged');
    expect(await versions(space, 'ranged')).toEqual({ ...NEW, src: `SYSTEM core-plugins [2.0.0,${LINE.plugins.new}]` });
    await deploy(space.call, 'bare', withSource({ artifact: undefined }));
    await upgrade(space, 'bare');
    expect(await versions(space, 'bare')).toEqual({ ...NEW, src: 'none' });
  });
});

describe('the upgrade of plugins of the user (6.11)', () => {
  const request: PipelineRequest = passingThrough(PIPELINE);

  it.for([
    ['', { ...NEW, pass: 'USER plugin 1.1.0' }],
    ['?artifactScope=system', { ...NEW, pass: 'USER plugin 1.0.0' }],
    ['?artifactScope=USER', { ...OLD, pass: 'USER plugin 1.1.0' }],
    ['?artifactScope=SYSTEM&artifactScope=USER', { ...NEW, pass: 'USER plugin 1.1.0' }],
    ['?allowSnapshot=true', { ...NEW, pass: 'USER plugin 2.0.0-SNAPSHOT' }],
    ['?allowSnapshot=foo', { ...NEW, pass: 'USER plugin 1.1.0' }],
  ] as const)('with the query "%s" changes what that allows', async ([query, expected], { space }) => {
    for (const version of ['1.0.0', '1.1.0', '2.0.0-SNAPSHOT']) await upload(space, version);
    const { version } = await deploy(space.call, 'orders', request);
    if (DOES.upgradeParts || expected.pipeline === NEW.pipeline) {
      await upgrade(space, 'orders', query);
      expect(await versions(space, 'orders')).toEqual(expected);
      return;
    }
    const refused = `Application application:${space.name}.orders.${version} does not support update.`;
    expectText(await space.call('POST', `/apps/orders/upgrade${query}`), 501, refused);
  });

  it('changes nothing when no artifact offers a plugin any more', async ({ space }) => {
    await upload(space, '1.0.0');
    const { version } = await deploy(space.call, 'orders', request);
    expectEmpty(await space.call('DELETE', '/artifacts/plugin/versions/1.0.0'));
    const told = "Errors were encountered during validation. Plugin named 'Bare' of type 'transform' not found.";
    expectText(await space.call('POST', '/apps/orders/upgrade'), 500, told);
    const [item] = json<Item[]>(await space.call('POST', '/upgrade', { body: [{ name: 'orders' }] }), STREAM_TYPE);
    expect(item).toMatchObject({ statusCode: 500, error: 'Upgrade failed due to internal error.' });
    expect((await detail(space, 'orders')).appVersion).toBe(version);
  });
});

describe('what cannot be upgraded (6.11)', () => {
  it('is told', async ({ call, space }) => {
    expectText(await space.call('POST', '/apps/nope/upgrade'), 404, noApplication(space.name, 'nope'));
    expectText(await space.call('POST', '/apps/a%20b/upgrade'), 400, "Invalid app name 'a b'");
    const path = `/v3/namespaces/${space.name}/apps/orders/upgrade`;
    expect(await call('GET', path)).toEqual({ status: 405, type: NO_TYPE, text: path });
    expectText(
      await call('POST', '/v3/namespaces/nowhere/apps/orders/upgrade'),
      404,
      "'namespace:nowhere' was not found.",
    );
    await deploy(space.call, 'orders');
    expectText(await space.call('POST', '/apps/orders/upgrade?artifactScope=foo'), 400, 'Invalid scope foo');
  });

  it('is an application that is no pipeline', async ({ space }) => {
    const headers = { 'X-Archive-Name': 'shop-1.0.0.jar' };
    const answer = await space.call('POST', '/apps', { body: applicationJar(), headers });
    const { version } = await deployed(answer, space.call, 'Shop', 'Successfully deployed app Shop');
    expectText(
      await space.call('POST', '/apps/Shop/upgrade'),
      501,
      `Application application:${space.name}.Shop.${version} does not support update.`,
    );
  });
});

describe('the upgrade of several pipelines (6.11)', () => {
  it('tells what became of each, in the order of the request', async ({ space }) => {
    await deploy(space.call, 'orders');
    const body = ['orders', 'nope', 'orders'].map((name) => ({ name, more: 1 }));
    const items = json<Item[]>(await space.call('POST', '/upgrade', { body }), STREAM_TYPE);
    expect(items.map(({ statusCode, appId }) => `${statusCode} ${appId.application}`)).toEqual([
      '200 orders',
      '404 nope',
      '200 orders',
    ]);
    expect(items[1]).toMatchObject({
      error: noApplication(space.name, 'nope'),
      appId: { version: '-SNAPSHOT' },
    });
    expect((await detail(space, 'orders')).appVersion).toBe(items[2]?.appId.version);
  });

  it.for([
    ['', 400, 'Request body is invalid json, please check that it is a json array.'],
    ['{"name":"orders"}', 400, /Expected BEGIN_ARRAY but was BEGIN_OBJECT/u],
    ['["orders"]', 400, /Expected BEGIN_OBJECT but was STRING at line 1 column 3(?: path \$\[0\])?$/u],
    ['[{}]', 400, 'Path parameter app-id cannot be empty'],
    ['[{"name":"a b"}]', 400, "Invalid app name 'a b'"],
  ] as const)('refuses %s', async ([body, status, text], { space }) => {
    expectText(await space.call('POST', '/upgrade', { body }), status, text);
  });

  it('answers an empty list with an empty list', async ({ space }) => {
    expect(json(await space.call('POST', '/upgrade', { body: [] }), STREAM_TYPE)).toEqual([]);
  });
});
