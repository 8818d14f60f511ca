import { describe, expect, vi } from 'vitest';
import { applicationJar } from './application-jar.js';
import { classesJar } from './jars.js';
import { DOES } from './line.js';
import { deployed, type AppRecord } from './pipeline.js';
import { expectText, it, json, type Answer, type Space } from './suite.js';

interface Detail {
  readonly appVersion: string;
  readonly configuration: string;
  readonly programs: readonly unknown[];
  readonly artifact: unknown;
}

interface Sent {
  readonly name?: string;
  readonly body?: Uint8Array | string;
  readonly headers?: Readonly<Record<string, string>>;
}

const ARTIFACT = { name: 'shop', version: '1.0.0', scope: 'USER' };

const post = (
  { call }: Space,
  { name = 'shop-1.0.0.jar', body = applicationJar(), headers = {} }: Sent = {},
): Promise<Answer> =>
  call('POST', '/apps', {
    body,
    headers: { 'Content-Type': 'application/octet-stream', 'X-Archive-Name': name, ...headers },
  });

const deploy = async (space: Space, sent?: Sent): Promise<AppRecord> =>
  deployed(await post(space, sent), space.call, 'Shop', 'Successfully deployed app Shop');

const artifacts = async ({ call }: Space): Promise<unknown> => json(await call('GET', '/artifacts?scope=user'));
const detail = async ({ call }: Space): Promise<Detail> => json<Detail>(await call('GET', '/apps/Shop'));

describe('deploying an application from its JAR', () => {
  it('makes an artifact, and an application with the name of its class', async ({ space }) => {
    const record = await deploy(space);
    expect(record).toMatchObject({ type: 'App', name: 'Shop', artifact: ARTIFACT });
    expect(await artifacts(space)).toEqual([ARTIFACT]);
    const found = await detail(space);
    expect(found).toMatchObject({ appVersion: record.version, configuration: '', artifact: ARTIFACT });
    expect(found.programs).toEqual([{ type: 'Workflow', app: 'Shop', name: 'Nightly', description: '' }]);
    const stored = json<{ classes: unknown }>(await space.call('GET', '/artifacts/shop/versions/1.0.0'));
    expect(stored.classes).toMatchObject({ apps: [{ className: 'example.Shop' }], plugins: [] });
  });

  it('gives programs that start and come to their end', { timeout: 900_000 }, async ({ space }) => {
    await deploy(space);
    const program = { appId: 'Shop', programType: 'Workflow', programId: 'Nightly' };
    const [started] = json<{ runId?: string }[]>(await space.call('POST', '/start', { body: [program] }));
    await vi.waitFor(
      async () => {
        const run = await space.call('GET', `/apps/Shop/workflows/Nightly/runs/${started?.runId ?? ''}`);
        expect(json<{ status: string }>(run).status).toBe('COMPLETED');
      },
      { timeout: 600_000, interval: 500 },
    );
  });

  it('refuses the same JAR again; the artifact that is there serves instead', async ({ space }) => {
    await deploy(space);
    const told = `Artifact 'artifact:${space.name}.shop.1.0.0' already exists. Please use the API that creates an application from an existing artifact.`;
    expect(await post(space)).toMatchObject({ status: 409, text: expect.stringContaining(told) as string });
    const answer = await space.call('PUT', '/apps/second', { body: { artifact: ARTIFACT } });
    const record = await deployed(answer, space.call, 'second');
    expect(record).toMatchObject({ name: 'second', artifact: ARTIFACT });
  });

  it('takes a snapshot again and again', async ({ space }) => {
    const name = 'shop-2.0.0-SNAPSHOT.jar';
    const first = await deploy(space, { name });
    const second = await deploy(space, { name });
    expect(second.version === first.version).toBe(!DOES.makeVersions);
    expect(await artifacts(space)).toEqual([{ ...ARTIFACT, version: '2.0.0-SNAPSHOT' }]);
  });

  it('keeps the configuration of the header as the text that was sent', async ({ space }) => {
    await deploy(space, { headers: { 'X-App-Config': '{"a":  512}' } });
    expect((await detail(space)).configuration).toBe('{"a":  512}');
  });

  it.for([
    ['a-b-1.2-c-3.0.jar', 'a-b', '1.2-c-3.0'],
    ['a1-2b-3.jar', 'a1-2b', '3'],
  ] as const)(
    'reads name and version from %s: the version starts at the first hyphen that can start one',
    async ([name, artifact, version], { space }) => {
      expect((await deploy(space, { name })).artifact).toEqual({ name: artifact, version, scope: 'USER' });
    },
  );

  it.for([
    ['shop.jar', "Artifact name 'shop' is not of the form {name}-{version}.jar"],
    ['shop-12c.jar', "Artifact name 'shop-12c' is not of the form {name}-{version}.jar"],
    ['shop-1.0.0', "Artifact name 'shop-1.0.0' does not end in .jar"],
    ['shop-1.0.0.JAR', "Artifact name 'shop-1.0.0.JAR' does not end in .jar"],
    ['folder/shop-1.0.0.jar', 'Invalid artifact name.'],
  ] as const)('refuses the archive name %s', async ([name, text], { space }) => {
    expectText(await post(space, { name }), 400, text);
  });

  it('refuses to go without an archive name', async ({ space }) => {
    const told = 'X-Archive-Name header not present. Please include the header and set its value to the jar name.';
    expectText(await space.call('POST', '/apps', { body: applicationJar() }), 400, told);
  });

  it.for([
    [
      'a JAR without an application',
      (): Buffer => classesJar(),
      400,
      /^No application class found in artifact 'ArtifactId\{name='shop', version=1\.0\.0, scope='USER'\}'/u,
    ],
    [
      'an application that its manifest does not name',
      (): Buffer => applicationJar({ mainClass: undefined }),
      400,
      /^No application class found/u,
    ],
    [
      'a main class that is no application',
      (): Buffer => applicationJar({ mainClass: 'example.Nightly' }),
      400,
      /^No application class found/u,
    ],
    [
      'a main class that the JAR does not have',
      (): Buffer => applicationJar({ mainClass: 'example.Gone' }),
      400,
      /^Could not find Application main class example\.Gone in artifact artifact:\w+\.shop\.1\.0\.0\.$/u,
    ],
    [
      'an application of an older generation',
      (): Buffer => applicationJar({ api: 'co/cask/cdap' }),
      404,
      /^co\.cask\.cdap\.api\.app\.AbstractApplication$/u,
    ],
    [
      'what is no JAR',
      (): string => 'no zip',
      400,
      /^Couldn't unzip artifact artifact:\w+\.shop\.1\.0\.0, please check it is a valid jar file\.$/u,
    ],
  ] as const)('refuses %s and leaves no artifact', async ([, body, status, text], { space }) => {
    expectText(await post(space, { body: body() }), status, text);
    expect(await artifacts(space)).toEqual([]);
  });

  it.for(['nojson', '[]', '5'])('refuses the configuration %s and leaves no artifact', async (config, { space }) => {
    const refused = await post(space, { headers: { 'X-App-Config': config } });
    expectText(refused, 400, 'Invalid JSON configuration was provided. Please check the syntax.');
    expect(await artifacts(space)).toEqual([]);
  });

  it('refuses an unknown namespace', async ({ call }) => {
    const headers = { 'X-Archive-Name': 'shop-1.0.0.jar' };
    expectText(
      await call('POST', '/v3/namespaces/nowhere/apps', { body: applicationJar(), headers }),
      404,
      "'namespace:nowhere' was not found.",
    );
  });

  it('finds the application of an uploaded artifact too', async ({ space }) => {
    expectText(
      await space.call('POST', '/artifacts/shop', { body: applicationJar() }),
      200,
      'Artifact added successfully',
    );
    const answer = await space.call('PUT', '/apps/mine', { body: { artifact: ARTIFACT } });
    expect((await deployed(answer, space.call, 'mine')).name).toBe('mine');
  });
});
