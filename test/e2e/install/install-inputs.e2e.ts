import { describe, expect } from 'vitest';
import { hubPackage, signedHub } from '../../support/sites/hub-tree.js';
import { it, openSite, sampleHub, type Install, type Site } from '../../support/sites/install-site.js';

const APPS = '/v3/namespaces/default/apps';

async function memoryJar(site: Site, name = 'driver.jar'): Promise<string> {
  const bytes = (await sampleHub()).files.get('packages/example-memory-driver/1.0.0/example-memory-driver-1.0.0.jar');
  if (bytes === undefined) throw new Error('the sample hub has no driver');
  return site.file(name, bytes);
}

async function expectNothingSent(site: Site): Promise<void> {
  expect(await site.writes()).toEqual([]);
}

const states = ({ item }: Install): unknown => item?.actions.map(({ n, state }) => `${n} ${state}`);

describe('the same inputs', () => {
  const yaml = (jar: string): string =>
    `package: example-order-import@2.0.0\nnamespace: default\nacceptLicense: true\nactions:\n  2: { jar: ${jar} }\n  4:\n    set: { name: NightlyOrders }\n`;
  const json = (jar: string): string =>
    JSON.stringify({ actions: { 'create_driver_artifact[1]': { jar }, 4: { set: { name: 'NightlyOrders' } } } });

  it.for([
    ['flags', async (_: Site, jar: string) => ['--jar', `2=${jar}`, '--set', '4.name=NightlyOrders']],
    [
      'flags by type',
      async (_: Site, jar: string) => [
        '--jar',
        `create_driver_artifact[1]=${jar}`,
        '--set',
        'create_pipeline[1].name=NightlyOrders',
      ],
    ],
    ['a YAML file', async (site: Site, jar: string) => ['-f', await site.file('values.yaml', yaml(jar))]],
    ['a JSON file', async (site: Site, jar: string) => ['-f', await site.file('values.json', json(jar))]],
    [
      'a file for a value',
      async (site: Site, jar: string) => [
        '--jar',
        `2=${jar}`,
        '--set-file',
        `4.name=${await site.file('name', 'NightlyOrders')}`,
      ],
    ],
    [
      'flags over a values file',
      async (site: Site, jar: string) => [
        '-f',
        await site.file('values.yaml', yaml('/no/such.jar').replace('NightlyOrders', 'Other')),
        '--jar',
        `2=${jar}`,
        '--set',
        '4.name=NightlyOrders',
      ],
    ],
  ] as const)('by %s need no terminal and lead to the same state', async ([, words], { site }) => {
    const jar = await memoryJar(site);
    const result = await site.install('example-order-import', '--no-input', ...(await words(site, jar)));
    expect(states(result)).toEqual(['1 done', '2 done', '3 done', '4 done']);
    expect(await site.statusOf('/artifacts/example-orders-driver/versions/1.0.0')).toBe(200);
    expect(await site.statusOf('/apps/NightlyOrders')).toBe(200);
  });

  it('reads values from stdin', async ({ site }) => {
    const stdin = 'actions: { 1: { set: { name: FromStdin } } }';
    const { code } = await site.cdapctl([...site.line(['example-csv-copy', '-y']), '-f', '-'], { stdin });
    expect(code).toBe(0);
    expect(await site.statusOf('/apps/FromStdin')).toBe(200);
  });
});

describe('missing input without a terminal', () => {
  it('lists everything at once with its flags and sends nothing; the command that it proposes works', async ({
    site,
  }) => {
    const result = await site.unasked('example-order-import', '--no-input');
    expect(result.error).toMatchObject({ code: 'INPUT_MISSING', exitCode: 2, message: '2 inputs missing' });
    expect(result.item?.missing).toMatchObject([
      { kind: 'jar', n: 2, flag: '--jar 2=PATH' },
      { kind: 'argument', n: 4, name: 'name', proposal: 'OrderImport', flag: '--set 4.name=VALUE' },
    ]);
    await expectNothingSent(site);
    const [command = ''] = result.error.hints;
    expect(command).toMatch(/^cdapctl install example-order-import .* -y/u);
    const jar = await memoryJar(site);
    const words = command.replace('PATH', jar).split(' ').slice(1);
    expect((await site.cdapctl(words)).code).toBe(0);
    expect(await site.statusOf('/apps/OrderImport')).toBe(200);
  });

  it('names the license, which -y does not accept', async ({ site }) => {
    for (const words of [[], ['-y']]) {
      const result = await site.unasked('example-address-check', ...words);
      expect(result.error.code).toBe('INPUT_MISSING');
      expect(result.item?.missing).toMatchObject([{ kind: 'license', flag: '--accept-license' }]);
    }
    await expectNothingSent(site);
    expect((await site.install('example-address-check', '--accept-license')).item?.state).toBe('installed');
  });

  it('takes proposals with -y', async ({ site }) => {
    await site.install('example-csv-copy', '-y');
    expect(await site.statusOf('/apps/CsvCopy')).toBe(200);
  });
});

describe('wrong input sends nothing', () => {
  it.for([
    ['an unknown member', 'acceptLicence: true', 'acceptLicense'],
    ['an unknown member of an action', 'actions: { 1: { sets: { name: x } } }', 'set'],
    ['a list for an object', 'actions: [1]', undefined],
    ['an action that is not there', 'actions: { 7: { set: { name: x } } }', undefined],
    ['broken YAML', 'actions: {', undefined],
    ['another package', 'package: example-trim-fields', undefined],
    ['another version', 'package: example-csv-copy@0.9.0', undefined],
    ['another namespace', 'namespace: etl', '-n etl'],
  ] as const)('values file with %s', async ([, text, hint], { site }) => {
    const { error } = await site.install('example-csv-copy', '-y', '-f', await site.file('values.yaml', text));
    expect(error).toMatchObject({ code: 'USAGE', exitCode: 2 });
    if (hint !== undefined) expect(error.hints.join(' ')).toContain(hint);
    await expectNothingSent(site);
  });

  it.for([
    ['a fixed argument', ['--set', '1.config=other.json'], 'USAGE', '--force-set'],
    ['an unknown argument', ['--set', '1.nmae=X'], 'USAGE', '--set 1.name=VALUE'],
    ['an unknown action', ['--set', '2.name=X'], 'USAGE', 'hub show'],
    ['no value', ['--set', '1.name'], 'USAGE', undefined],
    ['a JAR for a pipeline', ['--jar', '1=x.jar'], 'USAGE', undefined],
    ['a name that the platform does not take', ['--set', '1.name=a b'], 'USAGE', '--set 1.name=VALUE'],
    ['an empty name', ['--set', '1.name='], 'USAGE', undefined],
    ['a missing file for a value', ['--set-file', '1.name=/no/such/file'], 'LOCAL_IO', undefined],
    ['a missing values file', ['-f', '/no/such/file'], 'LOCAL_IO', undefined],
  ] as const)('%s', async ([, words, code, hint], { site }) => {
    const { error } = await site.install('example-csv-copy', '-y', ...words);
    expect(error.code).toBe(code);
    if (hint !== undefined) expect(error.hints.join(' ')).toContain(hint);
    await expectNothingSent(site);
  });

  it('JARs that are none, or of something else', async ({ site }) => {
    const trim = (await sampleHub()).files.get('packages/example-trim-fields/1.9.0/example-trim-fields-1.9.0.jar');
    const table: readonly (readonly [string, string])[] = [
      [await site.file('words.jar', 'no archive at all'), 'BAD_JAR'],
      [await site.file('other.jar', trim ?? ''), 'BAD_JAR'],
      [site.home, 'BAD_JAR'],
      ['/no/such.jar', 'LOCAL_IO'],
    ];
    for (const [jar, code] of table) {
      const { error } = await site.install('example-order-import', '-y', '--jar', `2=${jar}`);
      expect(error.code, jar).toBe(code);
    }
    const { error } = await site.install('example-order-import', '-y', '--jar', `2=${site.home}/other.jar`);
    expect(error.message).toContain('org.example.jdbc.MemoryDriver');
    await expectNothingSent(site);
  });

  it('a JAR without a version, unless one is given', async () => {
    const { makeJar } = await import('../../../src/emulator/jar/make-jar.js');
    const { makeDriverClass } = await import('../../../src/emulator/jar/make-class.js');
    const name = 'org.example.Plain';
    const jar = makeJar({
      manifest: {},
      entries: [{ name: 'org/example/Plain.class', bytes: makeDriverClass(name) }],
    });
    const config = JSON.stringify({ plugins: [{ name: 'plain', type: 'jdbc', className: name }] });
    const values = { name: 'plain', config: 'plain.json', jar: 'plain.jar' };
    const spec = { actions: [{ type: 'create_driver_artifact', arguments: fixed(values) }] };
    const resources = { 'plain.json': config, 'plain.jar': jar };
    const { files, key } = await signedHub({ packages: [hubPackage({ spec, resources })], now: Date.now() });
    const site = await openSite({ ...key, files });
    await site.pin(key);
    const { error } = await site.install('test-package');
    expect(error).toMatchObject({ code: 'BAD_JAR', hints: ['set one: --set 1.version=VERSION'] });
    await expectNothingSent(site);
    expect((await site.install('test-package', '--set', '1.version=3.1')).item?.state).toBe('installed');
    expect(await site.statusOf('/artifacts/plain/versions/3.1')).toBe(200);
    await site.close();
  });
});

const fixed = (values: Readonly<Record<string, unknown>>): object[] =>
  Object.entries(values).map(([name, value]) => ({ name, value, canModify: false }));

describe('what runs', () => {
  it('changes a fixed argument with --force-set', async ({ site }) => {
    const words = ['example-mask-values', '-y', '--set', '2.name=renamed-mask'];
    expect((await site.install(...words)).error.code).toBe('USAGE');
    expect((await site.install(...words, '--force-set')).item?.state).toBe('installed');
    expect(await site.statusOf('/artifacts/renamed-mask/versions/1.0.0')).toBe(200);
  });

  it.for([
    [
      ['--skip', '2', '--skip', '4'],
      ['1 done', '2 skipped', '3 done', '4 skipped'],
    ],
    [
      ['--only', '3'],
      ['1 skipped', '2 skipped', '3 done', '4 skipped'],
    ],
    [
      ['--only', 'one_step_deploy_plugin[1]'],
      ['1 skipped', '2 skipped', '3 done', '4 skipped'],
    ],
    [
      ['--stop-before', '4', '--skip', '2'],
      ['1 done', '2 skipped', '3 done', '4 skipped'],
    ],
  ] as const)('%j', async ([words, expected], { site }) => {
    expect(states(await site.install('example-order-import', '-y', ...words))).toEqual(expected);
    expect(await site.statusOf('/apps/OrderImport')).toBe(404);
    expect(await site.statusOf('/artifacts/example-orders-driver/versions/1.0.0')).toBe(404);
  });

  it('leaves out what it cannot carry out with --skip-unknown, and else names it', async () => {
    const read = { type: 'informational', label: 'Read this', arguments: fixed({ steps: ['One step'] }) };
    const actions = [read, { type: 'create_dashboard', arguments: fixed({ name: 'sales' }) }];
    const { files, key } = await signedHub({ packages: [hubPackage({ spec: { actions } })], now: Date.now() });
    const site = await openSite({ ...key, files });
    await site.pin(key);
    const refused = await site.install('test-package', '-y');
    expect(refused.error).toMatchObject({ code: 'BAD_ACTION', exitCode: 12 });
    expect(refused.error.message).toContain('create_dashboard');
    const result = await site.install('test-package', '-y', '--skip-unknown');
    expect(states(result)).toEqual(['1 done', '2 skipped']);
    await expectNothingSent(site);
    await site.close();
  });

  it('reads parents without a scope as those of the system with --assume-system', async ({ site }) => {
    const refused = await site.install('example-bare-parent', '-y');
    expect(refused.error).toMatchObject({ code: 'CONFLICT', exitCode: 6 });
    expect(refused.error.hints.join()).toContain('--assume-system');
    await expectNothingSent(site);
    await site.install('example-bare-parent', '-y', '--assume-system');
    const upload = (await site.requests()).find(({ method }) => method === 'POST');
    expect(upload?.headers['artifact-extends']).toMatch(/^system:cdap-data-pipeline\[.*\/system:cdap-data-streams\[/u);
  });

  it('goes past the range of a package with --force only', async ({ site }) => {
    const refused = await site.install('example-hidden-plugin', '-y');
    expect(refused.error).toMatchObject({ code: 'INCOMPATIBLE', exitCode: 6 });
    await expectNothingSent(site);
    expect((await site.install('example-hidden-plugin', '-y', '--force')).item?.state).toBe('installed');
  });
});

describe('a dry run', () => {
  it('reads the platform and changes nothing', async ({ site }) => {
    const { item } = await site.install(
      'example-order-import',
      '-y',
      '--jar',
      `2=${await memoryJar(site)}`,
      '--dry-run',
    );
    expect(item).toMatchObject({ state: 'planned', target: { platformVersion: '6.11.0', namespace: 'default' } });
    expect(item?.actions.map(({ state, effect }) => `${state}: ${effect}`)).toEqual([
      'planned: shows text, no request',
      'planned: create',
      'planned: create, extends 2 artifacts',
      'planned: create from cdap-data-pipeline 6.11.0',
    ]);
    await expectNothingSent(site);
  });

  it('asks for nothing and shows what is missing, and a plan for a file is whole', async ({ site }) => {
    const { code, stdout, stderr } = await site.cdapctl([...site.line(['example-order-import']), '--dry-run']);
    expect([code, stderr]).toEqual([0, expect.not.stringContaining('?')]);
    expect(stdout).toContain('needs --jar 2=PATH');
    expect(stdout).toMatch(/\(name: \w+\)/u);
    expect(stdout).toContain('Missing input: --jar 2=PATH\nPlanned example-order-import');
    const { item } = await site.install('example-order-import', '--dry-run');
    expect(item).toMatchObject({ state: 'planned', missing: ['--jar 2=PATH'] });
    const kept = await site.install('example-order-import', '--plan-out', `${site.home}/plan.json`);
    expect(kept.error.code).toBe('INPUT_MISSING');
    await expectNothingSent(site);
  });

  it('contacts no platform at all when offline', async ({ site }) => {
    const { item } = await site.install('example-csv-copy', '-y', '--dry-run=offline');
    expect(item).toMatchObject({ state: 'planned', actions: [{ effect: 'not checked (offline)' }] });
    const ports = new Set((await site.requests()).map(({ port }) => port));
    expect([...ports]).toEqual(['hub']);
  });

  it('has 14 for changes with --detailed-exitcode, and 0 for none', async ({ site }) => {
    const words = site.line(['example-csv-copy', '-y', '--dry-run', '--detailed-exitcode']);
    expect((await site.cdapctl(words)).code).toBe(14);
    await site.install('example-csv-copy', '-y');
    expect((await site.cdapctl(words)).code).toBe(0);
  });

  it('leaves nothing behind that a later run would trip over', async ({ site }) => {
    await site.install('example-csv-copy', '-y', '--dry-run');
    expect((await site.install('example-csv-copy', '-y')).item?.state).toBe('installed');
    expect(await site.writes()).toEqual([`PUT ${APPS}/CsvCopy 200`]);
  });
});
