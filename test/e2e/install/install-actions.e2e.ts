import { createHash } from 'node:crypto';
import { describe, expect } from 'vitest';
import { hubPackage, signedHub } from '../../support/sites/hub-tree.js';
import { it, openSite, sampleHub, type Logged, type Site } from '../../support/sites/install-site.js';

const SPACE = '/v3/namespaces/default';
const DRIVER_CLASS = 'org.example.jdbc.MemoryDriver';

interface Detail {
  readonly properties: Readonly<Record<string, string>>;
  readonly parents: readonly { readonly name: string }[];
  readonly classes: { readonly plugins: readonly { readonly name: string; readonly type: string }[] };
}

const sha256 = (content: string | Buffer): string => createHash('sha256').update(content).digest('hex');

async function published(path: string): Promise<Buffer> {
  const bytes = (await sampleHub()).files.get(`packages/${path}`);
  if (bytes === undefined) throw new Error(`the sample hub has no ${path}`);
  return bytes;
}

/** The requests to the platform in order, without the question for its version. */
async function sent(site: Site): Promise<readonly Logged[]> {
  return (await site.requests()).filter(({ port, path }) => port === 'platform' && path !== '/v3/version');
}

const lines = (requests: readonly Logged[]): string[] => requests.map(({ method, path }) => `${method} ${path}`);

describe('informational', () => {
  it('shows its steps and asks the platform for nothing but its version and the namespace', async ({ site }) => {
    const { files, key } = await signedHub({ packages: [hubPackage()], now: Date.now() });
    site.publish({ files });
    await site.pin(key);
    const { item, stderr } = await site.install('test-package');
    expect(item).toMatchObject({
      state: 'installed',
      actions: [{ type: 'informational', state: 'done', texts: ['One step'], requests: [] }],
    });
    expect(stderr).toContain('  1. One step\n');
    expect(lines(await sent(site))).toEqual([`GET ${SPACE}`]);
  });
});

describe('one_step_deploy_plugin', () => {
  it('uploads the JAR with version and parents, checks its classes, writes its properties', async ({ site }) => {
    const { item } = await site.install('example-trim-fields@1.10.0', '-y');
    const artifact = `${SPACE}/artifacts/example-trim-fields`;
    expect(item).toMatchObject({
      state: 'installed',
      trust: { policy: 'require', verified: true, indexSequence: 1 },
      actions: [
        {
          n: 1,
          state: 'done',
          target: { kind: 'artifact', name: 'example-trim-fields', version: '1.10.0' },
          requests: [
            { method: 'POST', path: artifact, status: 200 },
            { method: 'PUT', path: `${artifact}/versions/1.10.0/properties`, status: 200 },
          ],
        },
      ],
    });
    const [upload, properties] = (await sent(site)).filter(({ method }) => method !== 'GET');
    const config = JSON.parse(
      (await published('example-trim-fields/1.10.0/example-trim-fields-1.10.0.json')).toString(),
    ) as { parents: string[]; properties: Record<string, string> };
    expect(upload).toMatchObject({
      headers: {
        'artifact-version': '1.10.0',
        'artifact-extends': config.parents.join('/'),
        'content-type': 'application/octet-stream',
      },
      bodySha256: sha256(await published('example-trim-fields/1.10.0/example-trim-fields-1.10.0.jar')),
    });
    expect(upload?.headers).not.toHaveProperty('artifact-plugins');
    expect(properties?.bodySha256).toBe(sha256(JSON.stringify(config.properties)));
    const detail = await site.call<Detail>('GET', '/artifacts/example-trim-fields/versions/1.10.0');
    expect(detail.properties).toEqual(config.properties);
    expect(detail.classes.plugins.map(({ name }) => name).sort()).toEqual(['PadFields', 'TrimFields']);
    expect(detail.parents.map(({ name }) => name)).toEqual(['cdap-data-pipeline', 'cdap-data-streams']);
  });

  it('reads before it writes and reads again what was stored', async ({ site }) => {
    await site.install('example-trim-fields@1.10.0', '-y');
    const version = `${SPACE}/artifacts/example-trim-fields/versions/1.10.0`;
    const seen = lines(await sent(site));
    const post = seen.indexOf(`POST ${SPACE}/artifacts/example-trim-fields`);
    const put = seen.indexOf(`PUT ${version}/properties`);
    expect(seen.slice(0, post)).toContain(`GET ${version}`);
    expect(seen.slice(post + 1, put)).toEqual([`GET ${version}`]);
  });
});

describe('create_plugin_artifact', () => {
  it('uploads the JAR of the package', async ({ site }) => {
    const { item } = await site.install('example-mask-values', '-y');
    expect(item?.actions.map(({ type, state }) => `${type} ${state}`)).toEqual([
      'informational done',
      'create_plugin_artifact done',
    ]);
    expect(await site.writes()).toEqual([
      `POST ${SPACE}/artifacts/example-mask-values 200`,
      `PUT ${SPACE}/artifacts/example-mask-values/versions/1.0.0/properties 200`,
    ]);
    const detail = await site.call<Detail>('GET', '/artifacts/example-mask-values/versions/1.0.0');
    expect(detail.classes.plugins).toMatchObject([{ name: 'MaskValues', type: 'transform' }]);
  });
});

describe('create_driver_artifact', () => {
  it('declares the class in a header and takes the version from the manifest', async ({ site }) => {
    await site.install('example-memory-driver', '-y');
    expect(await site.writes()).toEqual([`POST ${SPACE}/artifacts/example-memory-driver 200`]);
    const upload = (await sent(site)).find(({ method }) => method === 'POST');
    expect(upload?.headers['artifact-version']).toBe('1.0.0');
    expect(upload?.headers).not.toHaveProperty('artifact-extends');
    expect(JSON.parse(upload?.headers['artifact-plugins'] ?? '')).toEqual([
      {
        name: 'example-memory',
        type: 'jdbc',
        className: DRIVER_CLASS,
        description: 'Driver of the example memory database',
      },
    ]);
    const detail = await site.call<Detail>('GET', '/artifacts/example-memory-driver/versions/1.0.0');
    expect(detail.classes.plugins).toMatchObject([{ name: 'example-memory', type: 'jdbc', className: DRIVER_CLASS }]);
  });

  it('writes what is not ASCII so that the platform keeps it', async () => {
    const jar = await published('example-memory-driver/1.0.0/example-memory-driver-1.0.0.jar');
    const description = 'Treiber für Größen, 駆動, \u{1f600}';
    const config = JSON.stringify({
      plugins: [{ name: 'words', type: 'jdbc', className: DRIVER_CLASS, description }],
    });
    const site = await siteWith(
      [{ type: 'create_driver_artifact', arguments: { name: 'words', config: 'words.json', jar: 'words.jar' } }],
      { 'words.json': config, 'words.jar': jar },
    );
    const done = await site.install('test-package', '-y');
    expect(done.error).toBeUndefined();
    expect((await sent(site)).find(({ method }) => method === 'POST')?.headers['artifact-plugins']).toMatch(
      /^[\x20-\x7e]+$/u,
    );
    const detail = await site.call<{ classes: { plugins: object[] } }>('GET', '/artifacts/words/versions/1.0.0');
    expect(detail.classes.plugins).toMatchObject([{ description }]);
    await site.close();
  });

  it('refuses headers that the platform would drop in silence, before it sends anything', async () => {
    const jar = await published('example-memory-driver/1.0.0/example-memory-driver-1.0.0.jar');
    const config = JSON.stringify({
      plugins: [{ name: 'words', type: 'jdbc', className: DRIVER_CLASS, description: 'x'.repeat(8000) }],
    });
    const site = await siteWith(
      [{ type: 'create_driver_artifact', arguments: { name: 'words', config: 'words.json', jar: 'words.jar' } }],
      { 'words.json': config, 'words.jar': jar },
    );
    const { error } = await site.install('test-package', '-y');
    expect(error).toMatchObject({ code: 'BAD_ACTION', exitCode: 12 });
    expect(error.message).toContain('8000');
    expect(await site.writes()).toEqual([]);
    await site.close();
  });
});

describe('create_pipeline', () => {
  it('sends the configuration byte for byte in one PUT, which makes one version', async ({ site }) => {
    const { item } = await site.install('example-csv-copy', '-y');
    expect(item?.actions).toMatchObject([
      { state: 'done', target: { kind: 'pipeline', name: 'CsvCopy' }, requests: [{ method: 'PUT', status: 200 }] },
    ]);
    const config = (await published('example-csv-copy/1.0.0/pipeline.json')).toString();
    const artifact = { name: 'cdap-data-pipeline', version: '[6.11.0, 7.0.0)', scope: 'SYSTEM' };
    expect(await site.writes()).toEqual([`PUT ${SPACE}/apps/CsvCopy 200`]);
    expect((await sent(site)).find(({ method }) => method === 'PUT')?.bodySha256).toBe(
      sha256(JSON.stringify({ artifact, config })),
    );
    const pipeline = await site.pipeline('CsvCopy');
    expect(pipeline).toMatchObject({ configuration: config, artifact: { version: '6.11.0' } });
    expect(await site.call('GET', '/apps/CsvCopy/versions')).toHaveLength(1);
    expect(await site.schedules('CsvCopy')).toEqual(['dataPipelineSchedule SUSPENDED']);
  });
});

describe('a package of four actions that need each other', () => {
  it('runs them in order, and a second run sends no write at all', async ({ site }) => {
    const jar = await driverJar(site);
    const first = await site.install('example-order-import', '--jar', `2=${jar}`, '-y');
    expect(first.item).toMatchObject({ state: 'installed' });
    expect(first.item?.actions.map(({ n, type, state }) => `${n} ${type} ${state}`)).toEqual([
      '1 informational done',
      '2 create_driver_artifact done',
      '3 one_step_deploy_plugin done',
      '4 create_pipeline done',
    ]);
    expect(await site.writes()).toEqual([
      `POST ${SPACE}/artifacts/example-orders-driver 200`,
      `POST ${SPACE}/artifacts/example-order-tools 200`,
      `PUT ${SPACE}/artifacts/example-order-tools/versions/2.0.1/properties 200`,
      `PUT ${SPACE}/apps/OrderImport 200`,
    ]);
    await site.forget();
    const second = await site.install('example-order-import', '--jar', `2=${jar}`, '-y');
    expect(second.item).toMatchObject({ state: 'already-present' });
    expect(await site.writes()).toEqual([]);
    await site.forget();
    await site.install('example-order-import', '--jar', `2=${jar}`, '-y', '--again');
    expect(await site.writes()).toEqual([]);
  });

  it('writes nothing before every file of the package was read from the hub', async ({ site }) => {
    await site.install('example-order-import', '--jar', `2=${await driverJar(site)}`, '-y');
    const all = await site.requests();
    const firstWrite = all.findIndex(({ method }) => method !== 'GET');
    expect(firstWrite).toBeGreaterThan(0);
    expect(all.slice(firstWrite).filter(({ port }) => port === 'hub')).toEqual([]);
  });

  it('installs the same from a folder on disk', async ({ site }) => {
    const folder = await folderOf(site, 'example-trim-fields', '1.10.0');
    const { item } = await site.install(folder, '--verify', 'off', '-y');
    expect(item).toMatchObject({ state: 'installed', trust: { policy: 'off', verified: false } });
    expect(await site.statusOf('/artifacts/example-trim-fields/versions/1.10.0')).toBe(200);
  });
});

describe('formats and exit codes', () => {
  it.for([
    ['a success', ['example-csv-copy', '-y'], 0],
    ['an unknown package', ['no-such-package'], 5],
    ['an unknown version', ['example-csv-copy@9.9.9'], 5],
    ['missing input', ['example-csv-copy'], 2],
    ['a range that the platform is not in', ['example-hidden-plugin', '-y'], 6],
    ['a wrong action number', ['example-csv-copy', '-y', '--skip', '9'], 2],
    ['a draft', ['example-draft-report', '-y'], 0],
    ['a plugin that is not found, and later the same', ['example-old-interface', '-y'], 10, 11],
    ['a namespace that is not there', ['example-csv-copy', '-y', '-n', 'nowhere'], 5],
    ['parents that are not there', ['example-bare-parent', '-y'], 6],
  ] as const)('%s has the same exit code in text, json and ndjson', async ([, words, code, later = code], { site }) => {
    const text = await site.cdapctl(site.line([...words]));
    expect(text.code, text.stderr).toBe(code);
    expect(text.stderr).not.toMatch(/\n\s+at /u);
    if (code !== 0) expect(text.stdout).toBe('');
    const json = await site.unasked(...words);
    expect(json.code).toBe(later);
    const ndjson = await site.cdapctl([...site.line([...words]), '-o', 'ndjson']);
    expect(ndjson.code).toBe(later);
    const events = ndjson.stdout
      .trimEnd()
      .split('\n')
      .map((line) => (JSON.parse(line) as { type: string }).type);
    expect(events.filter((type) => type === 'result' || type === 'error')).toEqual([later === 0 ? 'result' : 'error']);
    expect(['result', 'error']).toContain(events.at(-1));
  });
});

async function driverJar(site: Site): Promise<string> {
  return site.file('driver.jar', await published('example-memory-driver/1.0.0/example-memory-driver-1.0.0.jar'));
}

async function folderOf(site: Site, name: string, version: string): Promise<string> {
  const { mkdir } = await import('node:fs/promises');
  await mkdir(`${site.home}/${name}/${version}`, { recursive: true });
  for (const [path, bytes] of (await sampleHub()).files) {
    const start = `packages/${name}/${version}/`;
    if (path.startsWith(start)) await site.file(`${name}/${version}/${path.slice(start.length)}`, bytes);
  }
  return `${site.home}/${name}/${version}`;
}

interface PlainAction {
  readonly type: string;
  readonly arguments: Readonly<Record<string, unknown>>;
}

/** A site whose hub has one package of these actions; nobody may change their arguments. */
async function siteWith(
  actions: readonly PlainAction[],
  resources: Readonly<Record<string, string | Buffer>>,
): Promise<Site & { close(): Promise<void> }> {
  const spec = {
    actions: actions.map(({ type, arguments: values }) => ({
      type,
      arguments: Object.entries(values).map(([name, value]) => ({ name, value, canModify: false })),
    })),
  };
  const { files, key } = await signedHub({ packages: [hubPackage({ spec, resources })], now: Date.now() });
  const site = await openSite({ ...key, files });
  await site.pin(key);
  return site;
}
