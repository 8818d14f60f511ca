import { describe, expect } from 'vitest';
import { classesJar } from './jars.js';
import { DOES, LINE, noApplication, noPlugin } from './line.js';
import { configured, deploy, passingThrough, PIPELINE, SOURCE, withSource, type AppRecord } from './pipeline.js';
import { expectEmpty, expectText, it, json, JSON_TYPE, NO_TYPE, STREAM_TYPE, type Space } from './suite.js';

interface AppDetail {
  readonly name: string;
  readonly appVersion: string;
  readonly configuration: string;
  readonly artifact: AppRecord['artifact'];
  readonly change: Readonly<Record<string, unknown>>;
  readonly programs: readonly Record<string, string>[];
  readonly plugins: readonly Record<string, string>[];
}

interface Page {
  readonly applications: readonly AppRecord[];
  readonly nextPageToken?: string;
}

const { old: OLD, new: NEW } = LINE.pipeline;
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-1[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}$/u;
const VERSION = DOES.makeVersions ? (expect.stringMatching(UUID) as string) : '-SNAPSHOT';

const LIST_TYPE = DOES.page ? STREAM_TYPE : JSON_TYPE;
const names = (records: readonly AppRecord[]): string[] => records.map(({ name }) => name).sort();

async function detail(space: Space, name: string): Promise<AppDetail> {
  return json<AppDetail>(await space.call('GET', `/apps/${name}`));
}

async function appVersions(space: Space, name: string): Promise<string[]> {
  return json<string[]>(await space.call('GET', `/apps/${name}/versions`));
}

describe('deploying a pipeline (6.11)', () => {
  it.runIf(DOES.tellRecords)(
    'answers with a record that tells the version and nothing of the configuration',
    async ({ space }) => {
      const record = await deploy(space.call, 'orders');
      expect(record).toEqual({
        type: 'App',
        name: 'orders',
        version: VERSION,
        description: 'Data Pipeline Application',
        artifact: PIPELINE.artifact,
        ...(DOES.makeVersions && {
          change: { author: expect.any(String) as string, creationTimeMillis: expect.any(Number) as number },
        }),
      });
    },
  );

  it.skipIf(DOES.tellRecords)('answers with two words', async ({ space }) => {
    expectText(await space.call('PUT', '/apps/orders', { body: PIPELINE }), 200, 'Deploy Complete');
  });

  it('can be read back', async ({ space }) => {
    const record = await deploy(space.call, 'orders');
    const app = await detail(space, 'orders');
    expect(app).toMatchObject({ name: 'orders', appVersion: VERSION, artifact: PIPELINE.artifact });
    expect(app.appVersion).toBe(record.version);
    expect(app.change).toEqual(DOES.makeVersions ? { ...record.change, latest: true } : undefined);
    expect(app.programs).toContainEqual(
      expect.objectContaining({ type: 'Workflow', app: 'orders', name: 'DataPipelineWorkflow' }),
    );
    expect(app.plugins).toContainEqual({ id: 'src', name: SOURCE, type: 'batchsource' });
  });

  it('keeps a configuration byte for byte that is sent as a text', async ({ space }) => {
    const ours = '{ "big": 12345678901234567, "none": null, "sign": "<&=\'>é", "number": 512 }';
    const config = `  ${JSON.stringify({ ...PIPELINE.config, ours: 0 }, null, 3).replace('"ours": 0', `"ours": ${ours}`)}\n`;
    expect(config).toContain('12345678901234567');
    await deploy(space.call, 'orders', { ...PIPELINE, config });
    expect((await detail(space, 'orders')).configuration).toBe(config);
  });

  it('writes a configuration anew that is sent as an object', async ({ space }) => {
    await deploy(
      space.call,
      'orders',
      configured({ ours: { none: null, list: [null, 1], time: 1700000000123, sign: "<&='>" } }),
    );
    const { configuration } = await detail(space, 'orders');
    expect(JSON.parse(configuration)).toEqual({
      ...PIPELINE.config,
      ours: { list: [null, 1], time: 1700000000123, sign: "<&='>" },
    });
    expect(configuration).toContain('"memoryMB":512.0');
    expect(configuration).toContain('"time":1.700000000123E12');
    expect(configuration).toContain('\\u003c\\u0026\\u003d\\u0027\\u003e');
    expect(Object.keys(JSON.parse(configuration) as object)).toEqual([...Object.keys(PIPELINE.config), 'ours']);
  });

  it('ignores members that it does not know, such as those of an export', async ({ space }) => {
    await deploy(space.call, 'orders', { ...PIPELINE, name: 'other', description: 'mine', __ui__: { draftId: '1' } });
    expect(await detail(space, 'orders')).toMatchObject({ name: 'orders', description: 'Data Pipeline Application' });
  });

  it.for([
    ['[6.0.0,7.0.0)', NEW],
    ['[6.0.0, 7.0.0)', NEW],
    [`[6.0.0,${NEW})`, OLD],
    [`[${OLD},${OLD}]`, OLD],
    [OLD, OLD],
  ] as const)('takes the highest artifact in %s, the scope in any case', async ([version, chosen], { space }) => {
    const record = await deploy(space.call, 'orders', {
      ...PIPELINE,
      artifact: { name: 'cdap-data-pipeline', version, scope: 'system' },
    });
    expect(record.artifact).toEqual({ name: 'cdap-data-pipeline', version: chosen, scope: 'SYSTEM' });
  });

  it('finds plugins that the user uploaded, and misses them as long as they are not there', async ({ space }) => {
    const request = passingThrough(PIPELINE);
    expectText(await space.call('PUT', '/apps/orders', { body: request }), 400, noPlugin('pass', 'Bare', 'transform'));
    const headers = { 'Artifact-Extends': 'system:cdap-data-pipeline[6.0.0,7.0.0)' };
    const body = classesJar({ 'Bundle-Version': '1.0.0', 'Export-Package': 'example' }, { passThrough: true });
    expectText(await space.call('POST', '/artifacts/plugin', { body, headers }), 200, 'Artifact added successfully');
    await deploy(space.call, 'orders', request);
    expect((await detail(space, 'orders')).plugins).toContainEqual({ id: 'pass', name: 'Bare', type: 'transform' });
    expectEmpty(await space.call('DELETE', '/artifacts/plugin/versions/1.0.0'));
    expect(await detail(space, 'orders')).toMatchObject({ name: 'orders' });
  });
});

describe('refusing a pipeline (6.11)', () => {
  const artifact = PIPELINE.artifact;
  const noArtifact = (space: string, version: string): string =>
    `'${space}:cdap-data-pipeline${DOES.nameWithoutVersion ? ` ${version}` : ''}' was not found.`;

  it.for([
    ['an artifact version that is not there', { ...artifact, version: '6.9.9' }, 404, noArtifact('system', '6.9.9')],
    ['a range without a match', { ...artifact, version: '[7.0.0,8.0.0)' }, 404, noArtifact('system', '[7.0.0,8.0.0)')],
    ['an artifact of the user that is not there', { ...artifact, scope: 'USER' }, 404, noArtifact('NS', OLD)],
    ['an artifact without a scope', { name: artifact.name, version: artifact.version }, 404, noArtifact('NS', OLD)],
    ['a version that is none', { ...artifact, version: 'abc' }, 400, "Could not parse 'null' as an artifact version."],
    [
      'a range upside down',
      { ...artifact, version: '[7.0.0,6.0.0]' },
      400,
      'Invalid version range [7.0.0,6.0.0]. Lower version 7.0.0 is greater than upper version 6.0.0.',
    ],
    [
      'an artifact that is no application',
      { name: 'core-plugins', version: LINE.plugins.old, scope: 'SYSTEM' },
      400,
      /^No application class found in artifact /u,
    ],
  ] as const)('names %s', async ([, wrong, status, text], { space }) => {
    const expected = typeof text === 'string' ? text.replace('NS', space.name) : text;
    expectText(await space.call('PUT', '/apps/orders', { body: { ...PIPELINE, artifact: wrong } }), status, expected);
    expectText(await space.call('GET', '/apps/orders'), 404, /was not found\.$/u);
  });

  it.for([
    ['without an artifact', { config: PIPELINE.config }],
    ['without an artifact version', { ...PIPELINE, artifact: { name: artifact.name, scope: artifact.scope } }],
    ['of nothing', ''],
    ['of null', 'null'],
  ] as const)('says nothing about a request %s', async ([, body], { space }) => {
    expectEmpty(await space.call('PUT', '/apps/orders', { body }), 400);
  });

  it.for([
    ['an unknown plugin', withSource({ name: 'Nope' }), noPlugin('src', 'Nope', 'batchsource')],
    [
      'a plugin of another artifact version',
      withSource({ artifact: { name: 'core-plugins', version: '1.0.0', scope: 'SYSTEM' } }),
      noPlugin('src', SOURCE, 'batchsource'),
    ],
    [
      'a pipeline without a stage',
      configured({ stages: [], connections: [] }),
      'A pipeline must contain at least one stage.',
    ],
    [
      'a configuration that is no JSON',
      { ...PIPELINE, config: '{' },
      'Invalid JSON configuration was provided. Please check the syntax.',
    ],
    [
      'an unknown plugin of a post-action',
      configured({
        postActions: [{ name: 'mail', plugin: { ...PIPELINE.config.stages[0]?.plugin, type: 'postaction' } }],
      }),
      noPlugin('mail', SOURCE, 'postaction'),
    ],
    [
      'a schedule that is none',
      configured({ schedule: 'x' }),
      "Invalid cron entry format in 'x'. Cron entry must contain 5 or 6 fields.",
    ],
  ] as const)('names %s', async ([, body, text], { space }) => {
    expectText(await space.call('PUT', '/apps/orders', { body }), 400, text);
  });

  it.for(['a b', 'a.b', 'a+b', 'é'])('takes no name "%s"', async (name, { space }) => {
    for (const method of ['PUT', 'GET', 'DELETE']) {
      expectText(
        await space.call(method, `/apps/${encodeURIComponent(name)}`, method === 'PUT' ? { body: PIPELINE } : {}),
        400,
        `Invalid app name '${name}'`,
      );
    }
  });

  it('says what was not found', async ({ space }) => {
    expectText(await space.call('GET', '/apps/nope'), 404, noApplication(space.name, 'nope'));
    expectText(
      await space.call('GET', '/apps/nope/versions'),
      404,
      `'application:${space.name}.nope.-SNAPSHOT' was not found.`,
    );
    expectText(await space.call('DELETE', '/apps/nope'), 404, noApplication(space.name, 'nope'));
  });
});

describe.runIf(DOES.makeVersions)('versions of a pipeline (6.9)', () => {
  it('are made by every deploy, also of the very same request, newest first', async ({ space }) => {
    const first = await deploy(space.call, 'orders');
    const second = await deploy(space.call, 'orders');
    expect(await appVersions(space, 'orders')).toEqual([second.version, first.version]);
    const old = json<AppDetail>(await space.call('GET', `/apps/orders/versions/${first.version}`));
    expect(old).toMatchObject({ appVersion: first.version, change: { latest: false } });
    const latest = json<AppDetail>(await space.call('GET', '/apps/orders/versions/-SNAPSHOT'));
    expect(latest).toMatchObject({ appVersion: second.version, change: { latest: true } });
    expectText(
      await space.call('GET', '/apps/orders/versions/zz'),
      404,
      `'application:${space.name}.orders.zz' was not found.`,
    );
  });

  it('follow the parent that the request names, or are refused', async ({ space }) => {
    const first = await deploy(space.call, 'orders');
    const { appVersion } = await detail(space, 'orders');
    expect(appVersion).toBe(first.version);
    const second = await deploy(space.call, 'orders', {
      ...PIPELINE,
      change: { parentVersion: appVersion, description: 'why' },
    });
    expect(second.change).toMatchObject({ parentVersion: first.version, description: 'why' });
    expectText(
      await space.call('PUT', '/apps/orders', { body: { ...PIPELINE, change: { parentVersion: first.version } } }),
      409,
      `Cannot deploy the application because parent version '${first.version}' does not match the latest version '${second.version}'.`,
    );
    expect(await appVersions(space, 'orders')).toEqual([second.version, first.version]);
  });

  it('begin without a look at the parent that the request names', async ({ space }) => {
    const record = await deploy(space.call, 'orders', {
      ...PIPELINE,
      change: { parentVersion: '00000000-0000-1000-8000-000000000000' },
    });
    expect(await appVersions(space, 'orders')).toEqual([record.version]);
  });

  it('are deleted all at once, not one by one', async ({ space }) => {
    const { version } = await deploy(space.call, 'orders');
    await deploy(space.call, 'orders');
    expectText(
      await space.call('DELETE', `/apps/orders/versions/${version}`),
      403,
      'Deletion of specific app version is not allowed.',
    );
    expectEmpty(await space.call('DELETE', '/apps/orders'));
    expectText(
      await space.call('GET', '/apps/orders/versions'),
      404,
      `'application:${space.name}.orders.-SNAPSHOT' was not found.`,
    );
  });
});

describe.skipIf(DOES.makeVersions)('the version of a pipeline (6.1)', () => {
  it('is one, whatever is deployed over it', async ({ space }) => {
    for (const request of [PIPELINE, PIPELINE, configured({ schedule: '0 5 * * *' })])
      await deploy(space.call, 'orders', request);
    expect(await appVersions(space, 'orders')).toEqual(['-SNAPSHOT']);
    expect((await detail(space, 'orders')).configuration).toContain('"0 5 * * *"');
  });

  it('does not follow a parent', async ({ space }) => {
    const parentVersion = '00000000-0000-1000-8000-000000000000';
    await deploy(space.call, 'orders');
    await deploy(space.call, 'orders', { ...PIPELINE, change: { parentVersion } });
    expect(await appVersions(space, 'orders')).toEqual(['-SNAPSHOT']);
  });

  it('has others beside it that somebody names, each of which is listed and can be deleted', async ({ space }) => {
    const records = async () => json<AppRecord[]>(await space.call('GET', '/apps'), LIST_TYPE);
    await space.call('POST', '/apps/orders/versions/1.0/create', { body: PIPELINE });
    expect(await records()).toMatchObject([{ name: 'orders', version: '1.0' }]);
    expectText(await space.call('GET', '/apps/orders'), 404, noApplication(space.name, 'orders'));
    expect(json(await space.call('GET', '/apps/orders/versions/1.0'))).toMatchObject({ appVersion: '1.0' });
    await deploy(space.call, 'orders');
    expect((await records()).map(({ version }) => version).sort()).toEqual(['-SNAPSHOT', '1.0']);
    expectEmpty(await space.call('DELETE', '/apps/orders/versions/1.0'));
    expect(await appVersions(space, 'orders')).toEqual(['-SNAPSHOT']);
  });
});

describe.skipIf(DOES.page)('the list of pipelines (6.1)', () => {
  it('is one array, whatever page is asked for', async ({ space }) => {
    expect(json(await space.call('GET', '/apps'))).toEqual([]);
    for (const name of ['a', 'b']) await deploy(space.call, name);
    for (const query of ['', '?pageSize=1', '?pageSize=abc', '?pageToken=b.x', '?artifactName=nope,cdap-data-pipeline'])
      expect(names(json<AppRecord[]>(await space.call('GET', `/apps${query}`))), query).toEqual(['a', 'b']);
    expect(json(await space.call('GET', '/apps?artifactName=nope'))).toEqual([]);
  });
});

describe.runIf(DOES.page)('lists of pipelines (6.7)', () => {
  it('are a stream of records of the latest versions', async ({ space }) => {
    expect(json(await space.call('GET', '/apps'), STREAM_TYPE)).toEqual([]);
    await deploy(space.call, 'orders');
    const record = await deploy(space.call, 'orders');
    expect(json(await space.call('GET', '/apps'), STREAM_TYPE)).toEqual([
      DOES.makeVersions ? { ...record, change: { ...record.change, latest: true } } : record,
    ]);
  });

  it('come in pages when a page size is given', async ({ space }) => {
    for (const name of ['a', 'b', 'c', 'd']) await deploy(space.call, name);
    const first = json<Page>(await space.call('GET', '/apps?pageSize=3'), STREAM_TYPE);
    expect(first.applications).toHaveLength(3);
    const last = first.applications[2];
    expect(first.nextPageToken).toBe(`${last?.name ?? ''}.${last?.version ?? ''}`);
    const rest = json<Page>(
      await space.call('GET', `/apps?pageSize=3&pageToken=${encodeURIComponent(first.nextPageToken ?? '')}`),
      STREAM_TYPE,
    );
    expect(rest.nextPageToken).toBeUndefined();
    expect(names([...first.applications, ...rest.applications])).toEqual(['a', 'b', 'c', 'd']);
  });

  it('end with an empty page after a full one', async ({ space }) => {
    for (const name of ['a', 'b']) await deploy(space.call, name);
    const full = json<Page>(await space.call('GET', '/apps?pageSize=2'), STREAM_TYPE);
    expect(full.nextPageToken).toBeDefined();
    expect(
      json(await space.call('GET', `/apps?pageSize=2&pageToken=${full.nextPageToken ?? ''}`), STREAM_TYPE),
    ).toEqual({ applications: [] });
    expect(json<AppRecord[]>(await space.call('GET', '/apps?pageSize=0'), STREAM_TYPE)).toHaveLength(2);
  });

  const DEPLOYED_AGAIN =
    'go on behind the key of the last pipeline, which may come again when it was deployed meanwhile';

  it.runIf(DOES.makeVersions)(DEPLOYED_AGAIN, async ({ space }) => {
    for (const name of ['a', 'b', 'c']) await deploy(space.call, name);
    const first = json<Page>(await space.call('GET', '/apps?pageSize=2'), STREAM_TYPE);
    expect(first.applications.map(({ name }) => name)).toEqual(['a', 'b']);
    const { version } = await deploy(space.call, 'b');
    const behind = async (token: string): Promise<string[]> => {
      const path = `/apps?artifactName=cdap-data-streams,cdap-data-pipeline&pageSize=2&pageToken=${token}`;
      return json<Page>(await space.call('GET', path), STREAM_TYPE).applications.map(({ name }) => name);
    };
    expect(version).toMatch(UUID);
    // A version begins with the low bits of its time, which start over every 7 minutes: a later one may be the lesser.
    const isBehind = `b.${version}` > (first.nextPageToken ?? '');
    expect(await behind(first.nextPageToken ?? '')).toEqual(isBehind ? ['b', 'c'] : ['c']);
    expect(await behind('b.00000000-0000-1000-8000-000000000000')).toEqual(['b', 'c']);
    expect(await behind('b.ffffffff-ffff-1fff-8000-000000000000')).toEqual(['c']);
    expect(await behind('aa.00000000-0000-1000-8000-000000000000')).toEqual([]);
  });

  it('can be filtered by artifact and by a part of the name', async ({ space }) => {
    await deploy(space.call, 'orders');
    await deploy(space.call, 'clicks', { ...PIPELINE, artifact: { ...PIPELINE.artifact, version: NEW } });
    for (const [query, found] of [
      ['artifactName=cdap-data-pipeline', ['clicks', 'orders']],
      ['artifactName=nope,cdap-data-pipeline', ['clicks', 'orders']],
      ['artifactName=nope', []],
      [`artifactVersion=${NEW}`, ['clicks']],
      ['nameFilter=ORD', ['orders']],
    ] as const) {
      expect(names(json<AppRecord[]>(await space.call('GET', `/apps?${query}`), STREAM_TYPE)), query).toEqual(found);
    }
  });

  it('refuse a page size that is no number without a content type', async ({ space }) => {
    const path = '/apps?pageSize=abc';
    expect(await space.call('GET', path)).toEqual({
      status: 500,
      type: NO_TYPE,
      text: `Error in executing request: GET /v3/namespaces/${space.name}${path}`,
    });
  });
});
