import { describe, expect, vi } from 'vitest';
import { DOES, LINE } from './line.js';
import { expectEmpty, it as base, json, JSON_TYPE, type Answer, type Call, type Space } from './suite.js';

const STUDIO = '/v3/namespaces/system/apps/pipeline/services/studio/methods/v1/contexts';
const READY = { timeout: 600_000, interval: 500 };
const STORED: Answer = { status: 200, type: 'text/plain', text: '' };
const ARTIFACT = { name: 'cdap-data-pipeline', version: LINE.pipeline.old, scope: 'SYSTEM' };
const DRAFT = { name: 'orders', artifact: ARTIFACT, config: { stages: [], connections: [] } };

interface Draft {
  readonly id: string;
  readonly name?: string;
  readonly createdTimeMillis: number;
  readonly updatedTimeMillis: number;
  readonly configHash: number;
  readonly artifact: Readonly<Record<string, string>>;
  readonly config?: unknown;
}

const it = base.extend<{ drafts: Call }>({
  drafts: async ({ call, space }: { call: Call; space: Space }, use: (drafts: Call) => Promise<void>) => {
    const drafts: Call = (method, path, sent) => call(method, `${STUDIO}/${space.name}/drafts${path}`, sent);
    // The service comes up after the artifacts of a platform that has just started.
    await vi.waitFor(async () => {
      expect((await drafts('GET', '')).status).not.toBe(503);
    }, READY);
    await use(drafts);
  },
});

const error = (status: number, text: string): Answer => ({ status, type: 'text/plain; charset=UTF-8', text });

async function stored(drafts: Call, id: string, body: unknown): Promise<Draft> {
  expect(await drafts('PUT', `/${id}`, { body })).toEqual(STORED);
  return json<Draft>(await drafts('GET', `/${id}`));
}

describe('the studio', () => {
  it('is an application of the namespace system, by which a client knows that drafts go there', async ({ call }) => {
    const studio = json<{ name: string; programs: unknown[] }>(
      await call('GET', '/v3/namespaces/system/apps/pipeline'),
    );
    expect(studio.name).toBe('pipeline');
    expect(studio.programs).toMatchObject([{ type: 'Service', app: 'pipeline', name: 'studio' }]);
  });

  it('answers 503 for a service that does not run', async ({ call }) => {
    const path = '/v3/namespaces/system/apps/pipeline/services/other/methods/v1/x';
    expect(await call('GET', path)).toMatchObject({
      status: 503,
      text: `No discoverable found for request GET ${path} HTTP/1.1`,
    });
  });
});

describe('drafts of the studio', () => {
  it('has none in a new namespace', async ({ drafts }) => {
    expect(json(await drafts('GET', ''))).toEqual([]);
  });

  it('keeps a draft under the id of the caller', async ({ drafts }) => {
    const draft = await stored(drafts, 'd1', { ...DRAFT, description: 'of today' });
    expect(draft).toEqual({
      id: 'd1',
      createdTimeMillis: expect.any(Number) as number,
      updatedTimeMillis: draft.createdTimeMillis,
      configHash: expect.any(Number) as number,
      previousHash: '',
      name: 'orders',
      description: 'of today',
      revision: 0,
      artifact: ARTIFACT,
      config: { stages: [], connections: [] },
    });
    expect(draft.configHash).not.toBe(0);
  });

  it('writes over a draft, whose time of creation stays', async ({ drafts }) => {
    const before = await stored(drafts, 'd1', DRAFT);
    const after = await stored(drafts, 'd1', { ...DRAFT, name: 'renamed' });
    expect(after).toMatchObject({ name: 'renamed', createdTimeMillis: before.createdTimeMillis });
    expect(after.updatedTimeMillis).toBeGreaterThanOrEqual(before.updatedTimeMillis);
    expect(json<Draft[]>(await drafts('GET', '')).map(({ name }) => name)).toEqual(['renamed']);
  });

  it('lists without configurations unless they are asked for, by name, and by the start of a name in any case', async ({
    drafts,
  }) => {
    await stored(drafts, 'z', { ...DRAFT, name: 'Alpha' });
    await stored(drafts, 'a', { ...DRAFT, name: 'beta' });
    const listed = async (query: string): Promise<Draft[]> => json<Draft[]>(await drafts('GET', query));
    const ids = async (query: string): Promise<string[]> => (await listed(query)).map(({ id }) => id);
    expect(await ids('')).toEqual(['z', 'a']);
    expect(await ids('?sortOrder=desc')).toEqual(['a', 'z']);
    expect(await ids('?sortBy=id')).toEqual(['a', 'z']);
    expect(await ids('?filter=BE')).toEqual(['a']);
    expect(await ids('?filter=eta')).toEqual([]);
    expect(await listed('')).toMatchObject([{ configHash: 0 }, { configHash: 0 }]);
    expect((await listed('')).filter((draft) => 'config' in draft)).toEqual([]);
    expect((await listed('?includeConfig=true')).map(({ config }) => config)).toEqual([DRAFT.config, DRAFT.config]);
  });

  it('fails the whole list when one draft has no name, until that draft is deleted', async ({ drafts }) => {
    await stored(drafts, 'named', DRAFT);
    const nameless = await stored(drafts, 'nameless', { ...DRAFT, name: undefined });
    expect(nameless).not.toHaveProperty('name');
    expect(await drafts('GET', '')).toEqual(error(500, 'Exception occurred while handling request: string'));
    expect(await drafts('DELETE', '/nameless')).toEqual(STORED);
    expect(json<Draft[]>(await drafts('GET', '')).map(({ id }) => id)).toEqual(['named']);
  });

  it.for([
    [
      'a scope in lower case',
      { artifact: { ...ARTIFACT, scope: 'system' } },
      { artifact: { name: ARTIFACT.name, version: LINE.pipeline.old } },
    ],
    ['an engine in lower case', { config: { stages: [], engine: 'spark' } }, { config: { stages: [] } }],
    [
      'members that it does not know',
      { config: { stages: [], __ui__: {}, custom: 1 }, __ui__: {} },
      { config: { stages: [] } },
    ],
    [
      'what the interface leaves in stages',
      {
        config: {
          stages: [
            {
              name: 's',
              id: 's',
              _uiPosition: {},
              $$hashKey: 'o:1',
              plugin: { name: 'File', type: 'batchsource', properties: {} },
            },
          ],
        },
      },
      { config: { stages: [{ name: 's', id: 's', plugin: { name: 'File', type: 'batchsource', properties: {} } }] } },
    ],
  ] as const)('drops %s without a word', async ([, change, kept], { drafts }) => {
    const draft = await stored(drafts, 'd1', { ...DRAFT, ...change });
    for (const [member, value] of Object.entries(kept)) expect(draft).toHaveProperty(member, value);
    expect(draft).not.toHaveProperty('__ui__');
  });

  it('keeps an engine in upper case, a version that does not exist and a draft without configuration', async ({
    drafts,
  }) => {
    const config = { stages: [], engine: 'SPARK' };
    expect(await stored(drafts, 'd1', { ...DRAFT, config })).toHaveProperty('config', config);
    const draft = await stored(drafts, 'd2', { name: 'x', artifact: { ...ARTIFACT, version: '[6.0.0, 7.0.0)' } });
    expect(draft.artifact['version']).toBe('[6.0.0, 7.0.0)');
    expect(draft).not.toHaveProperty('config');
  });

  it.for([
    ['no body', undefined, 500, 'Exception occurred while handling request: string'],
    [
      'text that is no JSON',
      '{"a":',
      400,
      'Unable to decode request body: java.io.EOFException: End of input at line 1 column 6',
    ],
    ['no artifact', { name: 'x' }, 400, 'artifact is null'],
    [
      'an artifact that is no pipeline',
      { name: 'x', artifact: { ...ARTIFACT, name: 'shop' } },
      400,
      "Invalid config: artifact 'shop' is not supported, valid options are: 'cdap-data-pipeline' or 'cdap-data-streams'",
    ],
    [
      'a configuration as a string',
      '{"name":"x","artifact":{"name":"cdap-data-pipeline"},"config":"{}"}',
      400,
      'Unable to decode request body: java.lang.IllegalStateException: Expected BEGIN_OBJECT but was STRING at line 1 column 64',
    ],
  ] as const)('refuses %s', async ([, body, status, text], { drafts }) => {
    const answer = await drafts('PUT', '/d1', { body });
    // Later platforms name the place in the document, too.
    expect({ ...answer, text: answer.text.replace(/ path \$\.\w+$/u, '') }).toEqual(error(status, text));
    expect(json(await drafts('GET', ''))).toEqual([]);
  });

  it('tells of a draft and of a namespace that are not there, the latter as JSON', async ({ drafts, call, space }) => {
    const missing = error(404, `Draft 'd1' in namespace '${space.name}' not found.`);
    expect(await drafts('GET', '/d1')).toEqual(missing);
    expect(await drafts('DELETE', '/d1')).toEqual(missing);
    const text = String.raw`"Namespace \u0027nowhere\u0027 does not exist"`;
    expect(await call('GET', `${STUDIO}/nowhere/drafts`)).toEqual(
      DOES.readClosely
        ? { status: 404, type: JSON_TYPE, text }
        : error(500, 'Exception occurred while handling request: string'),
    );
  });

  it('forgets the drafts of a namespace with the namespace', async ({ drafts, call, space }) => {
    await stored(drafts, 'd1', DRAFT);
    expectEmpty(await call('DELETE', `/v3/unrecoverable/namespaces/${space.name}`));
    await call('PUT', `/v3/namespaces/${space.name}`, { body: {} });
    expect(json(await drafts('GET', ''))).toEqual([]);
  });
});
