import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { makeJar } from '../../../../../src/emulator/jar/make-jar.js';
import type { HubSigner } from '../../../../../src/emulator/hub/sign.js';
import { leftOut, selectActions, type Selection } from '../../../../../src/services/install/package/select.js';
import { openPackage, type OpenOptions } from '../../../../../src/services/install/package/open-package.js';
import { NEVER } from '../../../../support/clock.js';
import { codeOf, errorOf, saidBy, thrownBy } from '../../../../support/errors.js';
import { hubKey, hubPackage, signedHub, type SignedHubOptions } from '../../../../support/sites/hub-tree.js';
import { countedHub, folders, PLUGIN, setupWith } from '../../catalog/support-trust.js';
import { action, argument, COMMANDS } from '../support.js';

const ALL: Selection = { skip: [], only: [], skipUnknown: false };

describe('the actions that are chosen', () => {
  const actions = [
    action(1, 'informational'),
    action(2, 'create_pipeline'),
    action(3, 'create_pipeline'),
    action(4, 'create_stream'),
  ];
  it.each<[string, Partial<Selection>, readonly number[]]>([
    ['all', {}, [1, 2, 3, 4]],
    ['all but some', { skip: ['1', 'create_pipeline[2]'] }, [2, 4]],
    ['only some', { only: ['3', '1'] }, [1, 3]],
    ['only some but some', { only: ['3', '1'], skip: ['1'] }, [3]],
    ['those before one', { stopBefore: '3' }, [1, 2]],
    ['none', { stopBefore: 'informational[1]' }, []],
  ])('are %s', (_, selection, numbers) => {
    expect(selectActions(actions, { ...ALL, ...selection }, COMMANDS).map(({ n }) => n)).toEqual(numbers);
  });

  it.each(['5', '0', 'create_pipeline[3]', 'create_pipeline[0]', 'stop', '1x', '10000', 'x1', ' create_pipeline[1]'])(
    'cannot be %j',
    (name) => {
      for (const selection of [{ skip: [name] }, { only: [name] }, { stopBefore: name }])
        expect(saidBy(thrownBy(() => selectActions(actions, { ...ALL, ...selection }, COMMANDS)))).toEqual({
          code: 'USAGE',
          message: `the package has no action "${name}" (it has 4)`,
          hints: [COMMANDS.actions],
        });
    },
  );

  it('are none that this tool does not know', () => {
    const some = [...actions, action(5, 'dance'), action(6, 'sing')];
    expect(saidBy(thrownBy(() => selectActions(some, ALL, COMMANDS)))).toEqual({
      code: 'BAD_ACTION',
      message: 'not supported: action 5 (dance), action 6 (sing)',
      hints: [{ next: 'skip-unknown' }],
    });
    expect(selectActions(some, { ...ALL, skipUnknown: true }, COMMANDS)).toEqual(actions);
    expect(selectActions(some, { ...ALL, skip: ['5', '6'] }, COMMANDS)).toEqual(actions);
  });

  it('leave those out that would change the platform', () => {
    const some = [...actions, action(5, 'dance')];
    expect(leftOut(some, [])).toEqual([2, 3, 4]);
    expect(leftOut(some, [{ n: 2 }, { n: 4 }])).toEqual([3]);
  });
});

const folder = folders();
const jar = makeJar({ manifest: { 'Bundle-Version': '1.0.0' }, entries: [] });
let key: HubSigner;
beforeAll(async () => {
  key = await hubKey();
});

const plug = (spec: object = {}) =>
  hubPackage({
    name: 'plug',
    spec: { ...PLUGIN, ...spec },
    resources: { 'plug.jar': jar, 'plug.json': '{}' },
    unsigned: { LICENSE: 'free' },
  });

/** Opens the package of a signed hub. */
async function open(
  spec: object = {},
  changes: Partial<OpenOptions> = {},
  { entry, ...hub }: Partial<SignedHubOptions> & { entry?: object } = {},
) {
  const { files } = await signedHub({ key, packages: [plug(spec)], ...hub });
  const { source, opened } = await countedHub(await folder(), files);
  const options = {
    setup: await setupWith([key.publicKey]),
    problems: [],
    folder: join(await folder(), 'staging'),
    selection: ALL,
    platform: { version: '6.11.0', force: false },
    commands: COMMANDS,
    ...changes,
  };
  mkdirSync(options.folder, { recursive: true, mode: 0o700 });
  opened.length = 0;
  const address = { source, name: 'plug', version: '1.0.0' };
  const result = await openPackage(address, entry as never, options, NEVER);
  return { ...result, opened, folder: options.folder };
}

const without = { tamper: { 'packages/plug/1.0.0/LICENSE': () => undefined } };

describe('a package that is opened', () => {
  it('has its actions, and all its small files were read once', async () => {
    const { actions, license, opened, staging, trusted } = await open();
    expect(actions).toMatchObject([{ n: 1, type: 'one_step_deploy_plugin', label: 'Deploy' }]);
    expect(license).toBeUndefined();
    const read = opened.filter((name) => !name.endsWith('.asc'));
    expect(Buffer.from(await staging.resource('plug.json')).toString()).toBe('{}');
    expect(opened.filter((name) => !name.endsWith('.asc'))).toEqual(read);
    expect(read).toEqual(['index.json', 'plug/1.0.0/spec.json', 'plug/1.0.0/plug.json']);
    expect(trusted.reports.map(({ name, verdict }) => `${name} ${verdict.state}`)).toEqual([
      'spec.json valid',
      'plug.json valid',
    ]);
  });

  it('has the license that its entry or its specification names', async () => {
    const license = { file: 'LICENSE', text: 'free' };
    expect((await open({ license: 'LICENSE' })).license).toEqual(license);
    expect((await open({}, {}, { entry: { license: 'LICENSE' } })).license).toEqual(license);
    expect((await open({ license: 'NONE' }, {}, { entry: { license: 'LICENSE' } })).license).toEqual(license);
  });

  it('lacks its license', async () => {
    expect(saidBy(await errorOf(open({ license: 'LICENSE' }, {}, { ...without, index: false })))).toEqual({
      code: 'RESOURCE_MISSING',
      message: 'the license "LICENSE" of plug 1.0.0 is missing',
      target: { file: 'LICENSE' },
    });
  });

  it('has another license than the signed index says', async () => {
    const tamper = { 'packages/plug/1.0.0/LICENSE': () => Buffer.from('dear') };
    expect(await codeOf(open({ license: 'LICENSE' }, {}, { tamper }))).toBe('MIXED');
  });

  it.each<[string, object, OpenOptions['platform'], object]>([
    [
      'another platform',
      { cdapVersion: '[5.0.0,6.0.0)' },
      { version: '6.11.0', force: false },
      {
        message:
          'plug 1.0.0 is not compatible with this platform: it requires [5.0.0,6.0.0), but the platform is 6.11.0',
        hints: [{ next: 'force-install' }, COMMANDS.versions],
      },
    ],
    [
      'no platform at all',
      { cdapVersion: '[5.0.0,5.0.0)' },
      { version: '6.11.0', force: false },
      {
        message: 'plug 1.0.0 is not compatible with this platform: the range [5.0.0,5.0.0) matches no platform',
        hints: [{ next: 'force-install' }, COMMANDS.versions],
      },
    ],
    [
      'a platform with streams',
      { cdapVersion: '[5.0.0,6.0.0)', actions: [{ type: 'create_stream', label: 'x', arguments: [] }] },
      { version: '6.11.0', force: false },
      {
        message:
          'plug 1.0.0 is not compatible with this platform: it requires [5.0.0,6.0.0), but the platform is 6.11.0',
        hints: [{ next: 'force-in-vain', n: 1 }, COMMANDS.versions],
      },
    ],
  ])('is for %s', async (_, spec, platform, expected) => {
    expect(saidBy(await errorOf(open(spec, { platform })))).toEqual({
      code: 'INCOMPATIBLE',
      ...expected,
      target: { package: 'plug', version: '1.0.0', platform: '6.11.0' },
    });
    await expect(open(spec, { platform: undefined })).resolves.toBeDefined();
    await expect(open(spec, { platform: { version: '6.11.0', force: true } })).resolves.toBeDefined();
  });

  it('is for the platform that its entry names where its specification names none', async () => {
    const entry = { cdapVersion: '[5.0.0,6.0.0)' };
    expect(await codeOf(open({ cdapVersion: undefined }, {}, { entry }))).toBe('INCOMPATIBLE');
    await expect(open({ cdapVersion: '[6.0.0,7.0.0)' }, {}, { entry })).resolves.toBeDefined();
  });

  it.each([
    ['ODD', 'BAD_FIELD'],
    ['BAD_FIELD', 'BAD_FIELD'],
  ] as const)('is refused for a problem %s of its catalog entry', async (code, expected) => {
    const problems = [
      { code: 'ODD', severity: 'info', message: 'a note' },
      { code, severity: 'warning', message: 'it is odd' },
    ] as unknown as OpenOptions['problems'];
    expect(saidBy(await errorOf(open({}, { problems })))).toEqual({
      code: expected,
      message: 'the catalog entry of plug 1.0.0 is invalid: it is odd',
      target: { package: 'plug', version: '1.0.0' },
    });
    await expect(open({}, { problems: problems.slice(0, 1) })).resolves.toBeDefined();
  });

  it('is refused where a file of it is named out of its folder', async () => {
    const deploy = PLUGIN.actions[0];
    const named = (name: string): object => ({
      actions: [{ ...deploy, arguments: [argument('name', 'plug'), argument('jar', name)] }],
    });
    expect(await codeOf(open(named('../other.jar')))).toBe('BAD_NAME');
    expect(await codeOf(open(named('spec.json.asc')))).toBe('BAD_NAME');
    await expect(open(named(''))).resolves.toBeDefined();
  });
});

describe('a file of a package that is staged', () => {
  const sha256 = createHash('sha256').update(jar).digest('hex');

  it('is fetched once into the folder of the run', async () => {
    const { staging, folder: staged, opened } = await open();
    const [one, two] = [await staging.file('plug.jar'), await staging.jar({ kind: 'hub', name: 'plug.jar' })];
    expect(one).toEqual({ file: join(staged, 'plug.jar'), bytes: jar.length, sha256 });
    expect(two).toBe(one);
    expect(readFileSync(one.file)).toEqual(jar);
    expect(opened.filter((name) => name.endsWith('plug.jar'))).toHaveLength(1);
  });

  it('leaves nothing where it is not the signed one', async () => {
    const tamper = { 'packages/plug/1.0.0/plug.jar': (bytes: Buffer) => Buffer.concat([bytes, Buffer.of(1)]) };
    const { staging, folder: staged } = await open({}, {}, { tamper });
    await expect(staging.file('plug.jar')).rejects.toThrow();
    expect(readdirSync(staged)).toEqual([]);
  });

  it('that is no JAR is named as in the package', async () => {
    const { staging } = await open();
    const { code, details } = await errorOf(staging.jar({ kind: 'hub', name: 'plug.json' }));
    expect([code, details.target]).toEqual(['BAD_JAR', { file: 'plug.json' }]);
  });

  it('may be one of this machine', async () => {
    const { staging, folder: staged } = await open();
    const file = join(await folder(), 'own.jar');
    writeFileSync(file, jar);
    expect(await staging.jar({ kind: 'local', file })).toEqual({ file, bytes: jar.length, sha256 });
    expect(existsSync(join(staged, 'own.jar'))).toBe(false);
    const bad = join(await folder(), 'bad.jar');
    writeFileSync(bad, 'x');
    expect((await errorOf(staging.jar({ kind: 'local', file: bad }))).details.target).toEqual({ file: bad });
  });
});
