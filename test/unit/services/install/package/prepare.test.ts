import { writeFileSync } from 'node:fs';
import { basename, join, relative } from 'node:path';
import { describe, expect, it } from 'vitest';
import { makeJar } from '../../../../../src/emulator/jar/make-jar.js';
import type { Action, Argument } from '../../../../../src/hub/specification.js';
import type { Inputs } from '../../../../../src/services/catalog/open-inputs.js';
import { actionTypeOf } from '../../../../../src/services/install/actions/index.js';
import { refuseWrongInputs } from '../../../../../src/services/install/package/check-inputs.js';
import { declaredClasses, inspectLocalJar } from '../../../../../src/services/install/package/local-jar.js';
import { prepareActions } from '../../../../../src/services/install/package/prepare.js';
import type { StagedFiles } from '../../../../../src/services/install/package/stage.js';
import { temporaryFolder } from '../../../state/support.js';
import { codeOf, errorOf, saidBy } from '../../../../support/errors.js';
import { action, argument, NO_INPUTS } from '../support.js';

const folder = temporaryFolder();
const entries = [{ name: 'org/example/Shop.class', bytes: Buffer.of(1) }];

/** Writes a JAR of one class and gives its path. */
function jar(name: string, manifest: Readonly<Record<string, string>>): string {
  const file = join(folder, name);
  writeFileSync(file, makeJar({ manifest, entries }));
  return file;
}

const SHOP = { 'Main-Class': 'org.example.Shop', 'Bundle-Version': '4.5.6' };
const shop = jar('shop-1.0.0.jar', SHOP);
const bare = jar('bare.jar', {});
writeFileSync(join(folder, 'names.csv'), 'a\nb\n');
const DRIVER = { name: 'memory', type: 'jdbc', className: 'org.example.Shop' };
const PARENT = 'system:cdap-data-pipeline[6.0.0,7.0.0)';
const RESOURCES: Readonly<Record<string, unknown>> = {
  'driver.json': { plugins: [DRIVER] },
  'other.json': { plugins: [{ ...DRIVER, className: 'org.example.Other' }, DRIVER] },
  'plugin.json': {
    parents: [PARENT, 'user:base[1.0.0,2.0.0)', 'mine:own[1.0.0,2.0.0)', 'bare[1.0.0,2.0.0)'],
    properties: { doc: 'x' },
  },
  'pipeline.json': { stages: [] },
  'stream.json': { ttl: 5, description: 'theirs' },
};
const inFolder = (name: string) => ({ file: join(folder, name), bytes: 1, sha256: `of ${name}` });
const staging: StagedFiles = {
  resource: async (name) => Buffer.from(JSON.stringify(RESOURCES[name])),
  file: async (name) => inFolder(name),
  jar: async (source) => inFolder(basename(source.kind === 'local' ? source.file : source.name)),
};

const given = (set: Readonly<Record<string, string>> = {}, file?: string): Inputs => ({
  set: new Map([[2, new Map(Object.entries(set))]]),
  jars: new Map(file === undefined ? [] : [[2, file]]),
  acceptLicense: false,
});
const fixed = (values: Readonly<Record<string, unknown>>): readonly Argument[] =>
  Object.entries(values).map(([name, value]) => argument(name, value));
const actionOf = (type: string, values: Readonly<Record<string, unknown>>): Action => action(2, type, ...fixed(values));

/** One action, prepared. */
async function prepare(one: Action, inputs: Inputs = NO_INPUTS, assumeSystem = false) {
  const options = { namespace: 'default', assumeSystem, forceSet: true, staging };
  const [{ step, ...rest } = { step: undefined }] = await prepareActions([one], inputs, options);
  const { title, target, material, jar: from } = step ?? {};
  return { ...rest, step: step && { title, target, material, ...(from && { jar: from }) } };
}

const LABEL = { n: 2, label: 'Label 2', texts: [], notices: [] };
const ARTIFACT = { name: 'cdap-data-pipeline', version: '[6.0.0,7.0.0)', scope: 'system' };
const SYSTEM = { ...ARTIFACT, scope: 'SYSTEM' };
const TEXT = '{"stages":[]}';

describe('an action that is prepared', () => {
  it.each<[string, Readonly<Record<string, unknown>>, object]>([
    [
      'informational',
      { anything: ['read', 7, 'this'] },
      { target: { kind: 'none', name: '' }, texts: ['read', 'this'], inputs: {}, step: undefined },
    ],
    [
      'create_pipeline',
      { name: 'copy', artifact: ARTIFACT, config: 'pipeline.json' },
      {
        target: { kind: 'pipeline', name: 'copy' },
        inputs: { name: 'copy', artifact: SYSTEM, config: 'pipeline.json' },
        step: {
          title: 'pipeline copy',
          target: { kind: 'pipeline', name: 'copy' },
          material: { name: 'copy', artifact: SYSTEM, configuration: TEXT },
        },
      },
    ],
    [
      'create_pipeline_draft',
      {
        name: 'my copy',
        artifact: JSON.stringify({ name: 'cdap-data-pipeline', version: '6.1.1' }),
        config: 'pipeline.json',
      },
      {
        target: { kind: 'draft', name: 'my copy' },
        inputs: {
          name: 'my copy',
          artifact: { name: 'cdap-data-pipeline', version: '6.1.1', scope: 'USER' },
          config: 'pipeline.json',
        },
        step: {
          title: 'draft my copy',
          target: { kind: 'draft', name: 'my copy' },
          material: {
            name: 'my copy',
            artifact: { name: 'cdap-data-pipeline', version: '6.1.1', scope: 'USER' },
            configuration: TEXT,
          },
        },
      },
    ],
    [
      'create_stream',
      { name: 'names', description: 'ours', properties: 'stream.json' },
      {
        target: { kind: 'stream', name: 'names' },
        inputs: { name: 'names', description: 'ours', properties: 'stream.json' },
        step: {
          title: 'stream names',
          target: { kind: 'stream', name: 'names' },
          material: { name: 'names', properties: '{"ttl":5,"description":"ours"}' },
        },
      },
    ],
    [
      'create_stream',
      { name: 'names' },
      {
        target: { kind: 'stream', name: 'names' },
        inputs: { name: 'names' },
        step: {
          title: 'stream names',
          target: { kind: 'stream', name: 'names' },
          material: { name: 'names', properties: '{}' },
        },
      },
    ],
    [
      'load_datapack',
      { name: 'names', files: ['names.csv'] },
      {
        target: { kind: 'stream', name: 'names' },
        inputs: { name: 'names', files: ['names.csv'] },
        step: {
          title: '2 lines of names.csv into stream names',
          target: { kind: 'stream', name: 'names' },
          material: { name: 'names', files: [{ name: 'names.csv', sha256: 'of names.csv' }] },
        },
      },
    ],
    [
      'one_step_deploy_app',
      { jar: 'shop-1.0.0.jar' },
      {
        target: { kind: 'application', name: 'shop', version: '1.0.0' },
        inputs: { jar: 'shop-1.0.0.jar', name: 'shop', version: '1.0.0', mainClass: 'org.example.Shop' },
        step: {
          title: 'application shop 1.0.0',
          target: { kind: 'application', name: 'shop', version: '1.0.0' },
          material: { name: 'shop', version: '1.0.0' },
          jar: { kind: 'hub', name: 'shop-1.0.0.jar' },
        },
      },
    ],
    [
      'one_step_deploy_plugin',
      { name: 'till', version: 2.5, scope: 'USER', config: 'plugin.json', jar: 'bare.jar' },
      {
        target: { kind: 'artifact', name: 'till', version: '2.5' },
        notices: ['the parent "bare[1.0.0,2.0.0)" has no namespace'],
        inputs: { name: 'till', version: '2.5', jar: 'bare.jar', config: 'plugin.json' },
        step: {
          title: 'artifact till 2.5',
          target: { kind: 'artifact', name: 'till', version: '2.5' },
          material: {
            name: 'till',
            version: '2.5',
            parents: [PARENT, 'base[1.0.0,2.0.0)', 'mine:own[1.0.0,2.0.0)', 'bare[1.0.0,2.0.0)'],
            plugins: [],
            properties: { doc: 'x' },
          },
          jar: { kind: 'hub', name: 'bare.jar' },
        },
      },
    ],
    [
      'create_driver_artifact',
      { name: 'memory', jar: 'shop-1.0.0.jar' },
      {
        target: { kind: 'artifact', name: 'memory', version: '4.5.6' },
        inputs: { name: 'memory', version: '4.5.6', jar: 'shop-1.0.0.jar' },
        step: {
          title: 'artifact memory 4.5.6',
          target: { kind: 'artifact', name: 'memory', version: '4.5.6' },
          material: { name: 'memory', version: '4.5.6', parents: [], plugins: [], properties: {} },
          jar: { kind: 'hub', name: 'shop-1.0.0.jar' },
        },
      },
    ],
  ])('%s', async (type, values, expected) => {
    expect(await prepare(actionOf(type, values))).toEqual({ ...LABEL, type, ...expected });
  });

  it('has size and digest of a JAR that a person brings', async () => {
    const { inputs, step } = (await prepare(actionOf('create_plugin_artifact', { name: 'till' }), given({}, shop))) as {
      inputs: object;
      step: { jar: unknown };
    };
    expect(inputs).toEqual({ name: 'till', version: '4.5.6', jar: shop, jarBytes: 1, jarSha256: 'of shop-1.0.0.jar' });
    expect(step.jar).toEqual({ kind: 'local', file: shop });
  });

  it('takes parents without a namespace for those of the platform where it is told to', async () => {
    const { step } = (await prepare(
      actionOf('one_step_deploy_plugin', { name: 'till', version: '2', config: 'plugin.json', jar: 'bare.jar' }),
      NO_INPUTS,
      true,
    )) as { step: { material: { parents: unknown } } };
    expect(step.material.parents).toEqual([
      PARENT,
      'base[1.0.0,2.0.0)',
      'mine:own[1.0.0,2.0.0)',
      'system:bare[1.0.0,2.0.0)',
    ]);
  });

  it('is none of a type that this tool does not know', async () => {
    const options = { namespace: 'default', assumeSystem: false, forceSet: true, staging };
    expect(await prepareActions([actionOf('dance', {})], NO_INPUTS, options)).toEqual([]);
    await expect(refuseWrongInputs([actionOf('dance', {})], given({ a: 'b' }), options)).resolves.toBeUndefined();
  });
});

const hint = (name: string, more: object = { what: 'another', fixed: true }) => [
  { next: 'set-argument', n: 2, name, ...more },
];
const PIPE = { name: 'copy', artifact: ARTIFACT, config: 'pipeline.json' };

describe('an action that cannot be prepared', () => {
  it.each<[string, string, Readonly<Record<string, unknown>>, object]>([
    [
      'no name',
      'create_pipeline',
      { ...PIPE, name: '' },
      {
        message: 'action 2 (create_pipeline): argument "name" is missing',
        hints: hint('name', { what: 'another', fixed: false }),
      },
    ],
    [
      'a name that is no text',
      'create_pipeline',
      { ...PIPE, name: ['x'] },
      { message: 'action 2 (create_pipeline): argument "name" is not a text', hints: hint('name') },
    ],
    [
      'a name of other letters',
      'create_stream',
      { name: 'a b' },
      {
        message: 'action 2: the platform does not accept the name "a b": use letters, digits, "_" and "-"',
        hints: hint('name'),
      },
    ],
    [
      'no configuration',
      'create_pipeline',
      { ...PIPE, config: null },
      {
        message: 'action 2 (create_pipeline): argument "config" is missing',
        hints: hint('config', { what: 'another', fixed: false }),
      },
    ],
    [
      'no artifact',
      'create_pipeline',
      { ...PIPE, artifact: undefined },
      { message: 'action 2 (create_pipeline): argument "artifact" is not an object' },
    ],
    [
      'null for an artifact',
      'create_pipeline',
      { ...PIPE, artifact: 'null' },
      { message: 'action 2 (create_pipeline): argument "artifact" is not an object' },
    ],
    ...(['name', 'version', 'scope'] as const).map(
      (member): [string, string, Readonly<Record<string, unknown>>, object] => [
        `an artifact whose ${member} is a number`,
        'create_pipeline_draft',
        { ...PIPE, artifact: { ...ARTIFACT, [member]: 1 } },
        { message: 'action 2 (create_pipeline_draft): argument "artifact" lacks a name, version or scope' },
      ],
    ),
    [
      'an artifact of no version',
      'create_pipeline',
      { ...PIPE, artifact: { ...ARTIFACT, version: '[1' } },
      { message: 'action 2 (create_pipeline): argument "artifact" has "[1", which is not a version or range' },
    ],
    [
      'no files',
      'load_datapack',
      { name: 'names', files: [7] },
      { message: 'action 2 (load_datapack): argument "files" lists no file' },
    ],
    [
      'no JAR of an artifact',
      'create_plugin_artifact',
      { name: 'till' },
      { message: 'action 2 (create_plugin_artifact): argument "jar" is missing' },
    ],
    ['no JAR of an application', 'deploy_app', {}, { message: 'action 2 (deploy_app): argument "jar" is missing' }],
    [
      'the scope of the system',
      'one_step_deploy_plugin',
      { name: 'till', scope: 'System', jar: 'bare.jar' },
      {
        message:
          'action 2 (one_step_deploy_plugin): argument "scope" is "System"; only "user" can be installed over HTTP',
        hints: hint('scope'),
      },
    ],
    [
      'a version that is none',
      'one_step_deploy_plugin',
      { name: 'till', version: 'x', jar: 'bare.jar' },
      { message: 'action 2: the platform does not accept the artifact version "x"', hints: hint('version') },
    ],
    [
      'no version anywhere',
      'one_step_deploy_plugin',
      { name: 'till', jar: 'bare.jar' },
      {
        code: 'BAD_JAR',
        message: 'action 2: neither the package nor the JAR manifest specifies a version',
        hints: hint('version', { what: 'one' }),
      },
    ],
    [
      'a JAR of another name',
      'one_step_deploy_app',
      { jar: 'bare.jar' },
      {
        code: 'BAD_JAR',
        message: '"bare.jar" is not a valid application file name: the platform requires NAME-VERSION.jar',
        hints: [{ next: 'give-archive', n: 2 }],
      },
    ],
  ])('has %s', async (_, type, values, expected) => {
    expect(saidBy(await errorOf(prepare(actionOf(type, values))))).toEqual({ code: 'BAD_ACTION', ...expected });
  });

  it('is the fault of a person who changed its arguments', async () => {
    const error = await errorOf(prepare(actionOf('create_pipeline', PIPE), given({ name: '' })));
    expect(saidBy(error)).toMatchObject({
      code: 'USAGE',
      message: 'action 2 (create_pipeline): argument "name" is missing',
    });
    expect(await codeOf(prepare(actionOf('create_pipeline', PIPE), given({ artifact: '{' })))).toBe('USAGE');
  });

  it.each([
    ['Artifact-Version', '1.0.0-\u2603', '[6.0.0,9.0.0)'],
    ['Artifact-Extends', '1', '[6.0.0,\u20039.0.0)'],
    ['Artifact-Extends', '1', '[6.0.0,\n9.0.0)'],
  ])('has in %s what no request can have', async (header, version, range) => {
    const config = { parents: [`system:cdap-data-pipeline${range}`], plugins: [DRIVER] };
    const one = actionOf('create_plugin_artifact', { name: 'till', version, config: 'odd', jar: 'bare.jar' });
    const resource = async (): Promise<Uint8Array> => Buffer.from(JSON.stringify(config));
    const options = { namespace: 'default', assumeSystem: false, forceSet: true, staging: { ...staging, resource } };
    const { code, message } = await errorOf(prepareActions([one], NO_INPUTS, options));
    expect([code, message]).toEqual(['BAD_ACTION', expect.stringMatching(`${header} .* a request cannot have`)]);
  });

  it('has more headers than the platform takes', async () => {
    const long = (length: number): Promise<unknown> => {
      const config = { plugins: [{ ...DRIVER, description: 'd'.repeat(length) }] };
      const one = actionOf('create_plugin_artifact', { name: 'till', version: '1', config: 'long', jar: 'bare.jar' });
      const resource = async (): Promise<Uint8Array> => Buffer.from(JSON.stringify(config));
      const options = { namespace: 'default', assumeSystem: false, forceSet: true, staging: { ...staging, resource } };
      return prepareActions([one], NO_INPUTS, options);
    };
    // Names, values, and a colon and a blank for each of two headers.
    const rest =
      JSON.stringify([{ ...DRIVER, description: '' }]).length +
      'Artifact-Plugins'.length +
      'Artifact-Version'.length +
      1 +
      4;
    await expect(long(7000 - rest)).resolves.toHaveLength(1);
    expect(saidBy(await errorOf(long(7001 - rest)))).toEqual({
      code: 'BAD_ACTION',
      message:
        'action 2 (create_plugin_artifact): parents and plugins of its config need 7001 bytes of headers, but the platform accepts about 8000 in total',
    });
  });
});

describe('inputs that are looked at before anybody is asked', () => {
  const refuse = (one: Action, inputs: Inputs): Promise<void> =>
    refuseWrongInputs([one], inputs, { forceSet: false, staging });
  const till = actionOf('create_plugin_artifact', { name: 'till', config: 'driver.json' });

  it('pass where nothing is wrong', async () => {
    await expect(refuse(till, given({}, shop))).resolves.toBeUndefined();
    await expect(
      refuse(actionOf('create_pipeline', { ...PIPE, name: null }), given({ name: 'a-b_1' })),
    ).resolves.toBeUndefined();
  });

  it('name the argument that the platform does not take', async () => {
    const error = await errorOf(refuse(actionOf('create_pipeline', { ...PIPE, name: null }), given({ name: 'a b' })));
    expect(saidBy(error)).toEqual({
      code: 'USAGE',
      message: 'action 2: the platform does not accept the name "a b": use letters, digits, "_" and "-"',
      hints: [{ next: 'set-argument', n: 2, name: 'name', what: 'another' }],
    });
  });

  it.each<[string, string, Action, object]>([
    [
      'lacks a class',
      bare.replace('bare', 'shop-1.0.0'),
      actionOf('create_plugin_artifact', { name: 'till', config: 'other.json' }),
      {
        code: 'BAD_JAR',
        message: `action 2: ${shop} does not contain the class org.example.Other`,
        hints: [],
        lines: [],
        target: { file: shop },
      },
    ],
    [
      'is no application',
      bare,
      actionOf('deploy_app', {}),
      {
        code: 'BAD_JAR',
        message: 'action 2: "bare.jar" is not a valid application file name: the platform requires NAME-VERSION.jar',
        hints: [{ next: 'give-archive' }],
        lines: [],
      },
    ],
  ])('name the JAR that %s', async (_, file, one, expected) => {
    expect(saidBy(await errorOf(refuse(one, given({}, file))))).toEqual(expected);
  });

  it('tell where a JAR was looked for that was given by a relative path', async () => {
    const gone = relative('.', join(folder, 'gone.jar'));
    const { code, message, details } = await errorOf(refuse(till, given({}, gone)));
    expect([code, message.startsWith('action 2: ')]).toEqual(['LOCAL_IO', true]);
    expect(details.lines?.at(-1)).toBe(`path: ${join(folder, 'gone.jar')}`);
    expect(details.hints?.at(-1)).toBe('paths are relative to the current folder, including those in a values file');
    const whole = await errorOf(refuse(till, given({}, join(folder, 'gone.jar'))));
    expect(whole.details.lines?.join()).not.toContain('path: ');
    const bad = relative('.', join(folder, 'names.csv'));
    const noJar = await errorOf(refuse(till, given({}, bad)));
    expect([noJar.code, noJar.details.lines?.at(-1), noJar.details.hints]).toEqual([
      'BAD_JAR',
      `path: ${join(folder, 'names.csv')}`,
      [],
    ]);
  });
});

describe('a JAR that a person brings', () => {
  it.each<[string, string | undefined, readonly string[], string]>([
    [
      'for an application',
      'deploy_app',
      [],
      '1 KB, application org.example.Shop, will be artifact shop 1.0.0, manifest version 4.5.6',
    ],
    [
      'for a driver',
      'create_driver_artifact',
      ['org.example.Shop'],
      '1 KB, class org.example.Shop found, manifest version 4.5.6',
    ],
    ['for an unknown action', undefined, [], '1 KB, manifest version 4.5.6'],
  ])('%s is described', async (_, type, classes, expected) => {
    expect(await inspectLocalJar(shop, type === undefined ? undefined : actionTypeOf(type), classes)).toBe(expected);
  });

  it('has its version left out where the manifest says none', async () => {
    expect(await inspectLocalJar(bare, undefined, [])).toBe('1 KB');
  });

  it('must hold the classes that the configuration declares', async () => {
    expect(await declaredClasses(actionOf('x', { config: 'other.json' }), staging)).toEqual([
      'org.example.Other',
      'org.example.Shop',
    ]);
    expect(await declaredClasses(actionOf('x', { config: 7, other: 'driver.json' }), staging)).toEqual([]);
    expect(await declaredClasses(actionOf('x', {}), staging)).toEqual([]);
  });
});
