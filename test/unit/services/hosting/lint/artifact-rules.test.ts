import { describe, expect, it } from 'vitest';
import { makeJar } from '../../../../../src/emulator/jar/make-jar.js';
import { action, faultsIn, spec, type Tree } from './lint-site.js';

const jar = (version?: string, ...names: readonly string[]): Uint8Array =>
  makeJar({
    manifest: version === undefined ? {} : { 'Bundle-Version': version },
    entries: names.map((name) => ({ name, bytes: Buffer.from('x') })),
  });

/** Parents where a test says nothing of them. */
const PARENTS = ['system:cdap-data-pipeline[6.1.0,7.0.0-SNAPSHOT)'];

/** A package with one plugin, whose config is this. */
const plugin = (
  config: { readonly parents?: unknown; readonly plugins?: unknown; readonly properties?: unknown },
  bytes = jar('1.0.0'),
  { place = 'a/1.0.0', given = {} } = {},
): Tree => ({
  ...spec(
    {
      actions: [
        action('one_step_deploy_plugin', { name: 'p', version: '1.0.0', config: 'p.json', jar: 'p.jar', ...given }),
      ],
    },
    place,
  ),
  [`${place}/p.json`]: { ...config, parents: config.parents ?? PARENTS },
  [`${place}/p.jar`]: bytes,
});

/** An artifact of the platform. */
const CORE = { name: 'core', scope: 'SYSTEM', version: '[1.0.0,2.0.0)' };

/** A package with one pipeline of an artifact, and these stages. */
const pipeline = (artifact: unknown, stages?: unknown, place = 'a/1.0.0'): Tree => ({
  ...spec({ actions: [action('create_pipeline', { artifact, name: 'P', config: 'c.json' })] }, place),
  [`${place}/c.json`]: { stages },
});

const parents = (...list: readonly unknown[]): Tree => plugin({ parents: list });

describe('the parents of plugins', () => {
  it('have a namespace, a name and a range', async () => {
    const list = ['system:cdap-data-pipeline[6.1.0,7.0.0)', 'cdap-data-pipeline[6.1.0,7.0.0)', 'cdap-x', 7];
    expect(await faultsIn(parents(...list))).toEqual([
      'a/1.0.0/p.json 4:3 warning PARENT_NAMESPACE: "cdap-data-pipeline[6.1.0,7.0.0)" has no namespace',
      'a/1.0.0/p.json 5:3 error PARENT_FORM: "cdap-x" is not NAMESPACE:NAME[MIN,MAX)',
      'a/1.0.0/p.json 6:3 error PARENT_FORM: "7" is not NAMESPACE:NAME[MIN,MAX)',
    ]);
    expect(await faultsIn(plugin({ parents: 'cdap-x' }))).toEqual([
      'a/1.0.0/p.json 2:13 error CONFIG_TYPE: parents is not a list',
    ]);
    const odd = ['system:cdap-x[6.1-SNAPSHOT.0,7.0.0-SNAPSHOT)', 'system:cdap-x[6.1-SNAPSHOT,7.0.0)', 'system:x[2,2)'];
    expect(await faultsIn(parents(...odd))).toEqual([
      'a/1.0.0/p.json 3:3 warning PARENT_BAD: "system:cdap-x[6.1-SNAPSHOT.0,7.0.0-SNAPSHOT)" has the version "6.1-SNAPSHOT.0", which does not end with -SNAPSHOT',
      'a/1.0.0/p.json 5:3 warning PARENT_BAD: "system:x[2,2)" matches no version',
    ]);
  });

  it('are there, unless the JAR is an application or the config names its plugins', async () => {
    const missing = 'error PARENT_MISSING: the plugin has no parents, so the platform rejects its JAR';
    expect(await faultsIn(parents())).toEqual([`a/1.0.0/p.json 2:13 ${missing}`]);
    expect(await faultsIn(plugin({}, jar('1.0.0'), { given: { config: undefined } }))).toEqual([
      'a/1.0.0/p.json 1:1 warning REF_UNUSED: no action uses it',
      `a/1.0.0/spec.json 7:3 ${missing}`,
    ]);
    const app = makeJar({ manifest: { 'Bundle-Version': '1.0.0', 'Main-Class': 'A' }, entries: [] });
    expect(await faultsIn(plugin({ parents: [] }, app))).toEqual([]);
    expect(await faultsIn(plugin({ parents: [], plugins: [{ name: 'p', className: 'P' }] }))).toEqual([]);
    const wrong = { plugins: [{ name: 'p' }, 'q'], properties: { 'widgets.A': '{', 'doc.B': 7, 'widgets.B': '' } };
    expect(await faultsIn(plugin(wrong))).toEqual([
      'a/1.0.0/p.json 3:3 error CONFIG_TYPE: plugin 1 is not an object with name and className',
      'a/1.0.0/p.json 6:3 error CONFIG_TYPE: plugin 2 is not an object with name and className',
      'a/1.0.0/p.json 9:16 warning PROPERTY_BAD: "widgets.A" is not JSON',
      'a/1.0.0/p.json 10:12 warning PROPERTY_BAD: "doc.B" is not text',
      'a/1.0.0/p.json 11:16 warning PROPERTY_BAD: "widgets.B" is not JSON',
    ]);
  });

  it('exist on the releases on which the package is shown', async () => {
    expect(await faultsIn(parents('system:cdap-data-pipeline[6.1.0,6.3.0)'))).toEqual([
      'a/1.0.0/spec.json 5:17 warning PARENT_RELEASE: it is shown on 6.3.0, where none of its parents or pipeline artifacts exists',
    ]);
    expect(await faultsIn(parents('system:cdap-data-pipeline[6.1.0,6.3.2)'))).toEqual([
      'a/1.0.0/spec.json 5:17 warning PARENT_RELEASE: it is shown on 6.3.2, where none of its parents or pipeline artifacts exists',
    ]);
    expect(await faultsIn(parents('system:cdap-data-pipeline[6.1.0,6.3.0]'))).toEqual([
      'a/1.0.0/spec.json 5:17 warning PARENT_RELEASE: it is shown on 6.3.1, where none of its parents or pipeline artifacts exists',
    ]);
    expect(await faultsIn(parents('system:cdap-data-pipeline(6.1.0,7.0.0)'))).toEqual([
      'a/1.0.0/spec.json 5:17 warning PARENT_RELEASE: it is shown on 6.1.0, where none of its parents or pipeline artifacts exists',
    ]);
    expect(await faultsIn(parents('system:cdap-data-pipeline[6.2.0,7.0.0)'))).toEqual([
      'a/1.0.0/spec.json 5:17 warning PARENT_RELEASE: it is shown on 6.1.0, where none of its parents or pipeline artifacts exists',
    ]);
    const two = ['system:cdap-data-pipeline[6.1.0,6.3.0)', 'system:cdap-data-streams[6.3.0,7.0.0)'];
    expect(await faultsIn(parents(...two))).toEqual([]);
    // What is no artifact of the platform has versions of its own.
    expect(await faultsIn(parents('system:cdap-x[6.1.0,6.3.0)', 'user:other[1.0.0,2.0.0)'))).toEqual([]);
    expect(await faultsIn(parents('system:cdap-x[6.1.0,6.3.0)', 'nothing'))).toEqual([
      'a/1.0.0/p.json 4:3 error PARENT_FORM: "nothing" is not NAMESPACE:NAME[MIN,MAX)',
      'a/1.0.0/spec.json 5:17 warning PARENT_RELEASE: it is shown on 6.3.0, where none of its parents or pipeline artifacts exists',
    ]);
  });
});

describe('the artifact of a pipeline', () => {
  it('exists on the releases on which the package is shown', async () => {
    const made = (version: unknown, name: unknown = 'cdap-data-pipeline'): Promise<readonly string[]> =>
      faultsIn(pipeline({ name, version, scope: 'system' }));
    expect(await made('[6.1.0,6.3.0)')).toEqual([
      'a/1.0.0/spec.json 5:17 warning PARENT_RELEASE: it is shown on 6.3.0, where none of its parents or pipeline artifacts exists',
    ]);
    expect(await made('6.1.0')).toEqual([
      'a/1.0.0/spec.json 5:17 warning PARENT_RELEASE: it is shown on 6.1.1, where none of its parents or pipeline artifacts exists',
    ]);
    expect(await made('[6.1.0,7.0.0)')).toEqual([]);
    const refused = 'a/1.0.0/spec.json 12:15 error ACTION_REFUSED: action 1: the artifact of the pipeline has no';
    expect(await made(6)).toEqual([`${refused} version`]);
    expect(await made('6.1.0', 'mine')).toEqual([]);
    expect(await made('6.1.0', 7)).toEqual([`${refused} name`]);
    expect(await faultsIn(pipeline('cdap-data-pipeline'))).toEqual([
      'a/1.0.0/spec.json 12:15 error ARG_TYPE: artifact of action 1 has the wrong type',
    ]);
  });

  it('is installed by a package, where a stage has one of the user', async () => {
    const of = (name: unknown, scope: unknown = 'USER'): object => ({ plugin: { artifact: { name, scope } } });
    const stages = [
      of('own'),
      of('own', 'user'),
      of('p'),
      of('other'),
      of('core', 'SYSTEM'),
      of('core'),
      of(7),
      of('none', 1),
    ];
    const odd = ['stage', {}, { plugin: 'own' }, { plugin: { artifact: 'own' } }, ...stages];
    const tree = { ...pipeline(CORE, odd, 'c/1.0.0'), ...plugin({}) };
    expect(await faultsIn(tree)).toEqual([
      'c/1.0.0/c.json 15:17 warning ARTIFACT_ABSENT: the pipeline uses the artifact "own", which no package installs',
      'c/1.0.0/c.json 39:17 warning ARTIFACT_ABSENT: the pipeline uses the artifact "other", which no package installs',
      'c/1.0.0/c.json 55:17 warning ARTIFACT_ABSENT: the pipeline uses the artifact "core", which no package installs',
    ]);
    const drafts = spec(
      { actions: [action('create_pipeline_draft', { artifact: CORE, name: 'P', config: 'c.json' })] },
      'c/1.0.0',
    );
    expect(await faultsIn({ ...tree, ...drafts })).toEqual([
      'c/1.0.0/c.json 15:17 warning ARTIFACT_ABSENT: the pipeline uses the artifact "own", which no package installs',
      'c/1.0.0/c.json 39:17 warning ARTIFACT_ABSENT: the pipeline uses the artifact "other", which no package installs',
      'c/1.0.0/c.json 55:17 warning ARTIFACT_ABSENT: the pipeline uses the artifact "core", which no package installs',
    ]);
    const config = spec({ actions: [action('create_driver_artifact', { name: 'own', config: 'c.json' })] }, 'c/1.0.0');
    expect(await faultsIn({ ...tree, ...config })).toEqual([
      'c/1.0.0/c.json 1:1 warning PLUGIN_MISSING: the driver has no plugins, so pipelines do not find it',
      'c/1.0.0/spec.json 7:3 warning INPUT_ASKED: action 1 has no argument jar; users must provide it',
    ]);
    expect(await faultsIn(pipeline(CORE, { stage: of('own') }))).toEqual([]);
  });

  it('is installed in a version that it accepts, also after a run', async () => {
    const of = (version?: string): object => ({ plugin: { artifact: { name: 'p', scope: 'USER', version } } });
    const uses = (...versions: readonly string[]): Tree => pipeline(CORE, versions.map(of), 'c/1.0.0');
    const absent = 'warning ARTIFACT_ABSENT: the pipeline uses the artifact "p"';
    const versions = ['1.0.0', '[1.0.0, 2.0.0)', '${version}', '9.9.9', '[2.0.0,3.0.0)'];
    expect(await faultsIn({ ...uses(...versions), ...plugin({}) })).toEqual([
      `c/1.0.0/c.json 32:17 ${absent} 9.9.9, but packages install only 1.0.0`,
      `c/1.0.0/c.json 41:17 ${absent} [2.0.0,3.0.0), but packages install only 1.0.0`,
    ]);
    const byManifest = plugin({}, jar('9.9.9'), { given: { version: undefined } });
    expect(await faultsIn({ ...uses('9.9.9'), ...byManifest })).toEqual([]);
    expect(await faultsIn({ ...uses('9.9.9'), ...plugin({}, jar(), { given: { version: undefined } }) })).toEqual([
      'a/1.0.0/spec.json 23:15 error ACTION_REFUSED: action 1: neither the package nor the JAR manifest specifies a version',
    ]);
    const after = { ...pipeline(CORE, [], 'c/1.0.0'), 'c/1.0.0/c.json': { postActions: [of('1.0.0')] } };
    expect(await faultsIn(after)).toEqual([`c/1.0.0/c.json 5:17 ${absent}, which no package installs`]);
  });
});

it('a plugin with docs has a widget', async () => {
  const properties = {
    'doc.A-batch': '',
    'doc.B-batch': '',
    'widgets.B-batch': '{}',
    'widgets.C-batch': '{}',
    doc: '',
  };
  expect(await faultsIn(plugin({ properties }))).toEqual([
    'a/1.0.0/p.json 3:18 warning DOC_WIDGET: "doc.A-batch" has no widgets.A-batch',
  ]);
  expect(await faultsIn(plugin({ properties: ['doc.A-batch'] }))).toEqual([
    'a/1.0.0/p.json 2:16 error CONFIG_TYPE: properties is not an object',
  ]);
});

describe('the JAR of an artifact', () => {
  it('is a JAR, and has the version of the artifact', async () => {
    expect(await faultsIn(plugin({}, Buffer.from('no ZIP')))).toEqual([
      'a/1.0.0/p.jar 1:1 error JAR_BAD: p.jar is not a valid JAR: it is not a ZIP archive',
    ]);
    expect(await faultsIn(plugin({}, Buffer.from('version https://git-lfs.github.com/spec/v1\n')))).toEqual([
      'a/1.0.0/p.jar 1:1 error JAR_BAD: it is a Git LFS pointer: get the file with git lfs pull',
    ]);
    expect(await faultsIn(plugin({}, jar('2.0.0')))).toEqual([
      'a/1.0.0/spec.json 24:15 warning JAR_VERSION: the artifact version is 1.0.0, Bundle-Version of its JAR is "2.0.0"',
    ]);
    expect(await faultsIn(plugin({}, jar()))).toEqual([]);
    expect(await faultsIn(plugin({}, jar('2.0.0'), { given: { version: undefined } }))).toEqual([]);
    expect(await faultsIn(plugin({}, jar('2.0.0'), { given: { jar: 'spec.json' } }))).toEqual([
      'a/1.0.0/p.jar 1:1 warning REF_UNUSED: no action uses it',
      'a/1.0.0/spec.json 1:1 error JAR_BAD: spec.json is not a valid JAR: it is not a ZIP archive',
      'a/1.0.0/spec.json 24:15 error BAD_NAME: action 1 uses "spec.json", which is the specification itself',
    ]);
  });

  it('is the same everywhere', async () => {
    const at = (place: string, bytes: Uint8Array, given = {}): Tree => plugin({}, bytes, { place, given });
    const [one, other] = [jar('1.0.0', 'a', 'b'), jar('1.0.0', 'a', 'c')];
    expect(await faultsIn({ ...at('a/1.0.0', one), ...at('b/1.0.0', other), ...at('c/1.0.0', one) })).toEqual([
      'b/1.0.0/spec.json 7:3 warning JAR_DIFFERS: "p 1.0.0" has another JAR than in packages/a/1.0.0',
    ]);
    expect(await faultsIn({ ...at('a/1.0.0', one), ...at('b/1.0.0', jar('1.0.0', 'b', 'a')) })).toEqual([]);
    expect(await faultsIn({ ...at('a/1.0.0', one), ...at('b/1.0.0', other, { name: 'q' }) })).toEqual([]);
    const differs = 'b/1.0.0/spec.json 7:3 warning JAR_DIFFERS:';
    expect(await faultsIn({ ...at('a/1.0.0', one), ...at('b/1.0.0', other, { version: null }) })).toEqual([
      `${differs} "p 1.0.0" has another JAR than in packages/a/1.0.0`,
    ]);
    const content = (text: string): Uint8Array =>
      makeJar({ manifest: { 'Bundle-Version': '1.0.0' }, entries: [{ name: 'A.class', bytes: Buffer.from(text) }] });
    expect(await faultsIn({ ...at('a/1.0.0', content('x')), ...at('b/1.0.0', content('y')) })).toEqual([
      `${differs} "p 1.0.0" has another JAR than in packages/a/1.0.0`,
    ]);
    const app = (place: string, text: string): Tree => ({
      ...spec({ actions: [action('deploy_app', { jar: 'shop-1.0.0.jar' })] }, place),
      [`${place}/shop-1.0.0.jar`]: content(text),
    });
    expect(await faultsIn({ ...app('a/1.0.0', 'x'), ...app('b/1.0.0', 'y') })).toEqual([
      `${differs} "shop-1.0.0.jar" has another JAR than in packages/a/1.0.0`,
    ]);
    expect(await faultsIn({ ...at('a/1.0.0', one), ...at('b/1.0.0', other, { name: null }) })).toEqual([
      'b/1.0.0/spec.json 7:3 error ARG_MISSING: action 1 has no argument name; one_step_deploy_plugin requires it',
    ]);
    const apps = {
      ...at('b/1.0.0', other),
      ...spec({ actions: [action('deploy_app', { jar: 'p.jar', name: 'p', version: '1.0.0' })] }, 'b/1.0.0'),
    };
    expect(await faultsIn({ ...at('a/1.0.0', one), ...apps })).toEqual([
      'b/1.0.0/p.json 1:1 warning REF_UNUSED: no action uses it',
      'b/1.0.0/spec.json 16:15 warning ARG_UNKNOWN: deploy_app has no argument "name"; it is ignored',
      'b/1.0.0/spec.json 20:15 warning ARG_UNKNOWN: deploy_app has no argument "version"; it is ignored',
    ]);
  });
});
