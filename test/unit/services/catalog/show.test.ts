import { readFileSync, readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { folderSource } from '../../../../src/hub/folder-source.js';
import type { NamedHub } from '../../../../src/services/catalog/load.js';
import { parsePackageRef } from '../../../../src/services/catalog/package-ref.js';
import { resolvePackage } from '../../../../src/services/catalog/resolve.js';
import { describePackage } from '../../../../src/services/catalog/show.js';
import { memoryHub } from './support/memory-hub.js';

const SAMPLES = resolve(import.meta.dirname, '../../../fixtures/hub');
const { signal } = new AbortController();

let samples: NamedHub;
beforeAll(async () => {
  samples = { name: 'samples', source: await folderSource(SAMPLES, 'samples', new AbortController().signal) };
});

async function show(text: string, platformVersion?: string, hub = samples) {
  const { all } = await resolvePackage([hub], parsePackageRef(text), platformVersion, signal);
  return describePackage(all[0], { platformVersion }, signal);
}

describe('describePackage over the samples', () => {
  const all = readdirSync(join(SAMPLES, 'packages')).flatMap((name) =>
    readdirSync(join(SAMPLES, 'packages', name)).map((version) => `${name}@${version}`),
  );

  it.each(all)('describes %s without loss', async (text) => {
    const shown = await show(text);
    const bytes = readFileSync(join(SAMPLES, 'packages', text.replace('@', '/'), 'spec.json'));
    expect(Buffer.from(shown.specBytes).equals(bytes)).toBe(true);
    expect(shown.spec).toEqual(JSON.parse(bytes.toString()));
    expect(shown.differences).toEqual([]);
    expect(shown.actions.every(({ known, wrong }) => known && wrong.length === 0)).toBe(true);
  });

  it('numbers the actions and tells what each argument is', async () => {
    const { actions } = await show('solution-sms-spam-pipeline@1.3.0');
    expect(actions.map(({ n, type }) => `${n} ${type}`)).toEqual([
      '1 create_stream',
      '2 load_datapack',
      '3 create_stream',
      '4 load_datapack',
      '5 one_step_deploy_plugin',
      '6 create_pipeline',
      '7 create_pipeline',
    ]);
    expect(actions[2]?.arguments.map(({ name, known, required }) => [name, known, required])).toEqual([
      ['name', true, true],
      ['loadfiles', false, false],
    ]);
    expect(actions[3]?.resources).toEqual([{ name: 'texts.txt', bytes: 454_865, signature: false, missing: false }]);
    expect(actions[4]?.resources.map(({ name, missing }) => [name, missing])).toEqual([
      ['naive-bayes-analytics-plugin-1.1.0.json', false],
      ['naive-bayes-analytics-plugin-1.1.0.jar', true],
    ]);
    expect(actions[5]?.arguments.find(({ name }) => name === 'name')).toMatchObject({
      canModify: true,
      required: true,
      missing: false,
    });
  });

  it('names an argument that is required and not there', async () => {
    const { actions } = await show('datapack-tweets-sample-labeled');
    expect(actions[0]?.arguments).toEqual([
      { name: 'files', value: ['labeled_tweets.tsv'], canModify: false, required: true, missing: false, known: true },
      { name: 'name', value: undefined, canModify: false, required: true, missing: true, known: true },
    ]);
  });

  it('says that a driver wants a JAR of the user', async () => {
    const { actions, compatibility } = await show('jdbc-driver-oracle', '6.11.0');
    expect(actions[1]).toMatchObject({
      type: 'create_driver_artifact',
      asks: ['jar'],
      resources: [{ name: 'oracle12c-connector.json', missing: false }],
    });
    expect(actions[1]?.arguments.some(({ missing }) => missing)).toBe(false);
    expect(compatibility.reason).toBe('NO_RANGE');
  });

  it('marks files that the hub lacks', async () => {
    const { actions } = await show('solution-cdc-oracle-to-kudu');
    expect(actions[0]?.resources).toEqual([
      { name: 'cask-cdc-2.0.0-SNAPSHOT.json', bytes: undefined, signature: false, missing: true },
      { name: 'cask-cdc-2.0.0-SNAPSHOT.jar', bytes: undefined, signature: false, missing: true },
    ]);
  });
});

describe('describePackage', () => {
  const ENTRY = {
    name: 'a',
    version: '1',
    label: 'A',
    description: '',
    author: 'x',
    org: '',
    created: 1,
    categories: ['c'],
    cdapVersion: '[6.0.0,7.0.0)',
    beta: true,
    license: 'license.txt',
  };
  const SPEC = {
    label: 'A',
    description: '',
    author: 'x',
    org: '',
    created: 1,
    categories: ['c'],
    cdapVersion: '[6.0.0,7.0.0)',
    preview: true,
    license: 'license.txt',
  };
  const hubOf = (spec: object, files: Record<string, string> = {}, entry: object = ENTRY) =>
    memoryHub('corp', [entry], { 'a/1/spec.json': JSON.stringify(spec), ...files });

  it('finds signatures and the licence, and reads no resource', async () => {
    const memory = hubOf(
      { ...SPEC, actions: [{ type: 'one_step_deploy_app', arguments: [{ name: 'jar', value: 'a.jar' }] }] },
      { 'a/1/spec.json.asc': 's', 'a/1/a.jar': 'jar!', 'a/1/a.jar.asc': 's', 'a/1/license.txt': 'terms' },
    );
    expect(await show('a', '6.4.1', memory.hub)).toMatchObject({
      hub: 'corp',
      specSignature: true,
      license: { name: 'license.txt', bytes: 5, signature: false, missing: false },
      actions: [{ resources: [{ name: 'a.jar', bytes: 4, signature: true, missing: false }] }],
      compatibility: { reason: 'IN_RANGE' },
      differences: [],
      versions: [{ version: '1' }],
    });
    expect(memory.unread()).toBe(0);
  });

  it('takes a file that the hub lacks for one without a signature', async () => {
    const { license } = await show('a', undefined, hubOf(SPEC, { 'a/1/license.txt.asc': 's' }).hub);
    expect(license).toEqual({ name: 'license.txt', bytes: undefined, signature: false, missing: true });
  });

  it('tells where catalog and specification disagree', async () => {
    const spec = {
      ...SPEC,
      label: 'B',
      categories: [],
      preview: false,
      cdapVersion: '[6.0.0,8.0.0)',
      license: undefined,
    };
    expect((await show('a', undefined, hubOf(spec).hub)).differences).toEqual([
      { field: 'label', catalog: 'A', spec: 'B' },
      { field: 'cdapVersion', catalog: '[6.0.0,7.0.0)', spec: '[6.0.0,8.0.0)' },
      { field: 'license', catalog: 'license.txt', spec: undefined },
      { field: 'categories', catalog: ['c'], spec: [] },
      { field: 'beta', catalog: true, spec: false },
    ]);
  });

  it('judges a version that is not listed by its specification', async () => {
    const memory = hubOf(SPEC, { 'a/2/spec.json': JSON.stringify(SPEC) });
    expect(await show('a@2', '7.0.0', memory.hub)).toMatchObject({
      version: '2',
      catalog: undefined,
      compatibility: { reason: 'ABOVE' },
    });
  });

  it('shows types it does not know, values of a wrong type, and names that are not safe', async () => {
    const actions = [
      { type: 'brew_coffee', arguments: [{ name: 'cup', value: 1 }] },
      {
        type: 'create_pipeline',
        arguments: [
          { name: 'artifact', value: 'x' },
          { name: 'name', value: 7 },
          { name: 'config', value: '../x' },
        ],
      },
      { type: 'informational', arguments: [{ name: 'steps', value: 'one' }] },
    ];
    const shown = await show('a', undefined, hubOf({ ...SPEC, actions }).hub);
    expect(shown.actions[0]).toMatchObject({
      known: false,
      wrong: [],
      arguments: [{ name: 'cup', known: false }],
      asks: [],
    });
    expect(shown.actions[1]).toMatchObject({
      known: true,
      wrong: ['artifact', 'name'],
      resources: [{ name: '../x', missing: true, problem: 'the file name "../x" has a path separator' }],
    });
    expect(shown.actions[2]?.wrong).toEqual(['steps']);
  });

  it('takes an argument whose value is null for missing', async () => {
    const actions = [{ type: 'one_step_deploy_app', arguments: [{ name: 'jar', value: null }] }];
    const shown = await show('a', undefined, hubOf({ ...SPEC, actions }).hub);
    expect(shown.actions[0]?.arguments).toMatchObject([{ name: 'jar', value: null, required: true, missing: true }]);
    expect(shown.actions[0]).toMatchObject({ wrong: [], resources: [] });
  });

  it('ends with PACKAGE_NOT_FOUND when the specification is gone', async () => {
    await expect(show('a', undefined, memoryHub('corp', [ENTRY]).hub)).rejects.toMatchObject({
      code: 'PACKAGE_NOT_FOUND',
    });
  });
});
