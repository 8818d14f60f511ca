import { createHash } from 'node:crypto';
import {
  chmodSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { makeJar } from '../../../../src/emulator/jar/make-jar.js';
import { writeIndex } from '../../../../src/hub/index-writer.js';
import { changedSince, type ChangedFiles, type History } from '../../../../src/services/hosting/lint/changed-files.js';
import { lint, type LintRequest, type LintResult } from '../../../../src/services/hosting/lint/lint.js';
import type { Severity } from '../../../../src/services/hosting/lint/rule.js';
import { RULES } from '../../../../src/services/hosting/lint/rule-list.js';
import { withTempDir } from '../../../support/processes/run-cli.js';

type Content = string | Uint8Array | object;
type Tree = Readonly<Record<string, Content>>;

const GOOD = { label: 'A', categories: [], actions: [], created: 1_700_000_000, cdapVersion: '[6.1.0,7.0.0-SNAPSHOT)' };
const SPEC = 'a/1.0.0/spec.json';
const spec = (members: object, path = SPEC): Tree => ({ [path]: { ...GOOD, ...members } });
const step = (type: string, given: object): object => ({
  type,
  arguments: Object.entries(given).map(([name, value]) => ({ name, value: value as unknown })),
});
const acts = (type: string, given: object, path = SPEC): Tree => spec({ actions: [step(type, given)] }, path);
/** Text with arguments of these names. */
const twice = (...names: readonly string[]): object => ({
  type: 'informational',
  arguments: names.map((name) => ({ name, value: ['x'] })),
});
const jar = (version: string): Uint8Array => makeJar({ manifest: { 'Bundle-Version': version }, entries: [] });
const larger = makeJar({ manifest: {}, entries: [{ name: 'x', bytes: Buffer.from('x') }] });
const PLUGIN = { name: 'p', version: '1.0.0', config: 'p.json', jar: 'p.jar' };
const plugin = (config: object, bytes = jar('1.0.0'), path = 'a/1.0.0'): Tree => ({
  ...acts('one_step_deploy_plugin', PLUGIN, `${path}/spec.json`),
  [`${path}/p.json`]: config,
  [`${path}/p.jar`]: bytes,
});
const FINE = plugin({ parents: ['system:cdap-data-pipeline[6.1.0,7.0.0-SNAPSHOT)'], properties: {} });
const CORE = { name: 'cdap-data-pipeline', scope: 'system', version: '[6.1.0,7.0.0)' };
const pipeline = (artifact: object): Tree => ({
  ...acts('create_pipeline', { artifact: CORE, name: 'P', config: 'c.json' }),
  'a/1.0.0/c.json': { stages: [{ plugin: { artifact } }] },
});
const PNG = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex');

/** For each rule a tree that breaks it, the place of the fault, and a tree much like it that does not. */
const CASES: Readonly<Record<string, readonly [Tree, string, Tree]>> = {
  BAD_JSON: [{ [SPEC]: '{\n "label": "A" "x"}' }, `${SPEC} 2:15`, spec({})],
  PLACEHOLDER: [spec({ author: 'Your name' }), `${SPEC} 1:`, spec({ author: 'Yours' })],
  DUP_KEY: [{ [SPEC]: '{"label":"A",\n"label":"B"}' }, `${SPEC} 2:1`, spec({})],
  SPEC_MISSING: [{ 'a/1.0.0/icon.png': PNG }, `${SPEC} 1:1`, spec({})],
  MISPLACED: [{ ...spec({}), 'a/1.0.0/.hidden': '' }, 'a/1.0.0/.hidden 1:1', spec({})],
  SECRET_KEY: [
    { ...spec({}), 'a/1.0.0/k.asc': `text\n-----BEGIN PGP PRIVATE KEY BLOCK-----\n\nx` },
    'a/1.0.0/k.asc 1:1',
    { ...spec({}), 'a/1.0.0/k.asc': 'a -----BEGIN PRIVATE KEY-----\n-----BEGIN PGP PUBLIC KEY BLOCK-----\n' },
  ],
  NESTED_FOLDER: [{ ...spec({}), 'a/1.0.0/in/x.txt': '' }, 'a/1.0.0/in 1:1', spec({})],
  NAME_ESCAPE: [{ ...spec({}), 'a/1.0.0/a b.txt': '' }, 'a/1.0.0/a b.txt 1:1', spec({})],
  NAME_CASE: [
    { ...spec({}, 'Tool/1.0.0/spec.json'), ...spec({}, 'tool/1.0.1/spec.json') },
    'tool/1.0.1 1:1',
    { ...spec({}, 'tool/1.0.0/spec.json'), ...spec({}, 'tool/1.0.1/spec.json'), ...spec({}, 'tools/1.0.0/spec.json') },
  ],
  VERSION_BAD: [spec({}, 'a/12c/spec.json'), 'a/12c 1:1', spec({}, 'a/6.0.jre7/spec.json')],
  ICON_TYPE: [{ ...spec({}), 'a/1.0.0/icon.png': 'GIF89a' }, 'a/1.0.0/icon.png 1:1', { 'a/1.0.0/icon.png': PNG }],
  MEMBER_MISSING: [spec({ label: undefined }), `${SPEC} 1:1`, spec({})],
  MEMBER_TYPE: [spec({ label: 1 }), `${SPEC} 1:10`, spec({})],
  ARG_VALUE: [
    acts('create_plugin_artifact', { name: 'p', version: '12c', scope: 'User', jar: 'p.jar' }),
    `${SPEC} 1:`,
    acts('create_plugin_artifact', { name: 'p', version: 12, scope: 'user', jar: 'p.jar' }),
  ],
  ARG_UNKNOWN: [
    acts('create_stream', { name: 's', loadfiles: 'x' }),
    `${SPEC} 1:`,
    acts('informational', { notes: ['x'] }),
  ],
  ACTION_REFUSED: [
    spec({ actions: [twice('steps', 'steps')] }),
    `${SPEC} 1:`,
    spec({ actions: [twice('steps', 'Steps')] }),
  ],
  LABEL_MISSING: [
    spec({ actions: [{ type: 'informational' }] }),
    `${SPEC} 1:`,
    spec({ actions: [{ type: 'informational', label: 'Read this' }] }),
  ],
  LABEL_SHARED: [
    { ...spec({}), ...spec({}, 'b/1.0.0/spec.json') },
    'b/1.0.0/spec.json 1:',
    { ...spec({}), ...spec({}, 'a/1.1.0/spec.json'), ...spec({ label: 'B' }, 'b/1.0.0/spec.json') },
  ],
  LABEL_CHANGED: [
    { ...spec({}), ...spec({ label: 'B' }, 'a/1.1.0/spec.json') },
    'a/1.1.0/spec.json 1:',
    { ...spec({}), ...spec({}, 'a/1.1.0/spec.json'), ...spec({ label: 'B' }, 'b/1.0.0/spec.json') },
  ],
  ACTION_TYPE: [acts('create_app', {}), `${SPEC} 1:`, acts('deploy_app', { jar: 'p.jar' })],
  ARG_MISSING: [acts('one_step_deploy_app', {}), `${SPEC} 1:`, acts('deploy_app', {})],
  ARG_TYPE: [acts('deploy_app', { jar: {} }), `${SPEC} 1:`, acts('deploy_app', { jar: 'x' })],
  INPUT_ASKED: [acts('deploy_app', {}), `${SPEC} 1:`, acts('deploy_app', { jar: 'x' })],
  REF_MISSING: [acts('deploy_app', { jar: 'x.jar' }), `${SPEC} 1:`, FINE],
  // V10: with the file that it names; a signature alone is a file like others.
  BAD_NAME: [
    { ...acts('deploy_app', { jar: 'x.jar.asc' }), 'a/1.0.0/x.jar': '', 'a/1.0.0/x.jar.asc': '' },
    `${SPEC} 1:`,
    { ...acts('deploy_app', { jar: 'x.jar.asc' }), 'a/1.0.0/x.jar.asc': '' },
  ],
  REF_UNUSED: [{ ...spec({}), 'a/1.0.0/x.txt': '' }, 'a/1.0.0/x.txt 1:1', { ...FINE, 'a/1.0.0/p.jar.asc': '' }],
  CREATED_RANGE: [spec({ created: 1_593_102_900_000 }), `${SPEC} 1:`, spec({})],
  LICENSE_UNNAMED: [
    { ...spec({}), 'a/1.0.0/license.txt': '' },
    'a/1.0.0/license.txt 1:1',
    { ...spec({ license: 'license.txt' }), 'a/1.0.0/license.txt': '' },
  ],
  RANGE_BAD: [spec({ cdapVersion: '[6.1.0' }), `${SPEC} 1:`, spec({ cdapVersion: '6.1.0' })],
  RANGE_FORM: [spec({ cdapVersion: '6.1.0' }), `${SPEC} 1:`, spec({ cdapVersion: '[6.1.0,6.1.0]' })],
  RANGE_EMPTY: [spec({ cdapVersion: '[6.1.2,6.1.2)' }), `${SPEC} 1:`, spec({ cdapVersion: '[6.1.2,6.1.2]' })],
  RANGE_MISSING: [spec({ cdapVersion: undefined }), `${SPEC} 1:1`, spec({})],
  RANGE_SNAPSHOT: [spec({ cdapVersion: '[6.1.0,7.0.0)' }), `${SPEC} 1:`, spec({ cdapVersion: '[6.1.0,6.9.9]' })],
  RANGE_OVERLAP: [
    { ...spec({}), ...spec({ cdapVersion: '[6.1.0,7.1.0]' }, 'a/1.1.0/spec.json') },
    'a/1.1.0/spec.json 1:',
    {
      ...spec({}),
      ...spec({}, 'a/1.0.1/spec.json'),
      ...spec({ cdapVersion: '[6.1.0,7.1.0]' }, 'b/1.1.0/spec.json'),
      ...spec({ cdapVersion: '[7.0.0,7.1.0]' }, 'a/1.1.0/spec.json'),
    },
  ],
  CONFIG_TYPE: [plugin({ parents: 'system:cdap-data-pipeline[6.1.0,7.0.0)' }), 'a/1.0.0/p.json 1:', FINE],
  PARENT_MISSING: [plugin({ parents: [] }), 'a/1.0.0/p.json 1:', FINE],
  PLUGIN_MISSING: [
    { ...acts('create_driver_artifact', { name: 'd', config: 'p.json' }), 'a/1.0.0/p.json': { properties: {} } },
    'a/1.0.0/p.json 1:1',
    {
      ...acts('create_driver_artifact', { name: 'd', config: 'p.json' }),
      'a/1.0.0/p.json': { plugins: [{ name: 'd', type: 'jdbc', className: 'org.example.D' }] },
    },
  ],
  PROPERTY_BAD: [
    plugin({ properties: { 'widgets.A-batch': '{' } }),
    'a/1.0.0/p.json 1:',
    plugin({ properties: { 'widgets.A-batch': '{}', 'doc.A-batch': '{' } }),
  ],
  PARENT_FORM: [plugin({ parents: ['system:cdap-data-pipeline"bogus"'] }), 'a/1.0.0/p.json 1:13', FINE],
  PARENT_BAD: [plugin({ parents: ['system:cdap-data-pipeline[6.1.0,6.1.0)'] }), 'a/1.0.0/p.json 1:13', FINE],
  PARENT_NAMESPACE: [plugin({ parents: ['cdap-data-pipeline[6.1.0,7.0.0)'] }), 'a/1.0.0/p.json 1:13', FINE],
  PARENT_RELEASE: [plugin({ parents: ['system:cdap-data-pipeline[6.1.0,6.3.0)'] }), `${SPEC} 1:`, FINE],
  DOC_WIDGET: [
    plugin({ properties: { 'doc.A-batch': '' } }),
    'a/1.0.0/p.json 1:',
    plugin({ properties: { 'doc.A-batch': '', 'widgets.A-batch': '{}' } }),
  ],
  JAR_BAD: [plugin({}, Buffer.from('no ZIP')), 'a/1.0.0/p.jar 1:1', FINE],
  JAR_VERSION: [plugin({}, jar('2.0.0')), `${SPEC} 1:`, FINE],
  JAR_DIFFERS: [
    { ...plugin({}), ...plugin({}, larger, 'b/1.0.0') },
    'b/1.0.0/spec.json 1:',
    { ...plugin({}), ...plugin({}, jar('1.0.0'), 'b/1.0.0') },
  ],
  ARTIFACT_ABSENT: [
    pipeline({ name: 'p', scope: 'USER' }),
    'a/1.0.0/c.json 1:',
    { ...pipeline({ name: 'p', scope: 'USER' }), ...plugin({}, jar('1.0.0'), 'b/1.0.0') },
  ],
};

async function linted(
  tree: Tree,
  more?: (packages: string) => void,
  changed?: ChangedFiles,
  severities: Readonly<Record<string, Severity | 'off'>> = {},
): Promise<LintResult> {
  return withTempDir(async (home) => {
    const root = realpathSync(home);
    const packages = join(root, 'packages');
    for (const [path, content] of Object.entries(tree)) {
      mkdirSync(dirname(join(packages, path)), { recursive: true });
      const isRaw = typeof content === 'string' || content instanceof Uint8Array;
      writeFileSync(join(packages, path), isRaw ? content : JSON.stringify(content));
    }
    more?.(packages);
    const emit = (): void => undefined;
    return lint(
      {
        trees: [{ root, changed }],
        severities: new Map(Object.entries(severities)),
        known: new Set(),
        fix: false,
        emit,
      },
      new AbortController().signal,
    );
  });
}

const placesOf = ({ faults }: LintResult, id: string): readonly string[] =>
  faults
    .filter(({ rule }) => rule === id)
    .map(({ file, line, column }) => `${file.slice('packages/'.length)} ${line}:${column}`);

/** Rules that compare with something beside the packages. */
const OF_HISTORY: ReadonlySet<string> = new Set(['VERSION_NOT_RAISED', 'REPUBLISH', 'CATALOG_STALE']);

describe('a rule', () => {
  it.each(RULES.map(({ id }) => id).filter((id) => !OF_HISTORY.has(id)))(
    'finds what breaks it, and nothing else: %s',
    async (id) => {
      const [broken, place, fine] = CASES[id] ?? [{}, 'no case', {}];
      const places = placesOf(await linted(broken), id);
      expect(places).toHaveLength(1);
      expect(places[0]?.startsWith(place)).toBe(true);
      // A place in the middle of a line is never its beginning.
      if (place.endsWith(':')) expect(places[0]).not.toBe(`${place}1`);
      expect(placesOf(await linted(fine), id)).toEqual([]);
    },
  );
});

it('warns of a catalog of other packages, where there is one', async () => {
  const found = async (catalog: string | undefined, severities = {}): Promise<readonly string[]> => {
    const write = (packages: string): void => {
      if (catalog !== undefined) writeFileSync(join(packages, '../packages.json'), catalog);
      // Else the catalog is newer, unless both come in one tick of the clock.
      utimesSync(join(packages, SPEC), 1, 1);
    };
    const { faults } = await linted(spec({}), write, undefined, severities);
    return faults.filter(({ rule }) => rule === 'CATALOG_STALE').map(({ file, message }) => `${file}: ${message}`);
  };
  expect(await found(undefined)).toEqual([]);
  const place = { name: 'a', version: '1.0.0' };
  const { actions: _, ...members } = GOOD;
  expect(await found(JSON.stringify([{ ...place, ...members, beta: false, paid: false }]))).toEqual([]);
  expect(await found(JSON.stringify([place]))).toEqual([
    'packages.json: it differs from the specification of a 1.0.0; build the hub again',
  ]);
  expect(await found('[]')).toEqual([
    'packages.json: it does not list a 1.0.0; build the hub again, unless this is intended',
  ]);
  expect(await found('[]', { CATALOG_STALE: 'off' })).toEqual([]);
  expect(await found('[')).toHaveLength(1);
  expect(await found('[{]}]')).toEqual([expect.stringMatching(/it cannot be read: packages\.json is not valid JSON/u)]);
  // Longer than what is read at once, with what looks like the end of an entry.
  const long = JSON.stringify([{ x: `}"\\${'{'.repeat(3_000_000)}` }, { name: 'a', version: '1.0.0', y: '\\"}' }]);
  expect(await found(long)).toEqual([
    expect.stringMatching(/lists undefined undefined, which the tree does not have/u),
  ]);
});

/** An index that lists these files of versions. */
const indexOf = (versions: Readonly<Record<string, Readonly<Record<string, string>>>>): Uint8Array => {
  const packages = Object.entries(versions).map(([place, contents]) => {
    const [name = '', version = ''] = place.split('/');
    const files = Object.entries(contents).map(([file, content]) => {
      const sha256 = createHash('sha256').update(content).digest('hex');
      return { name: file, size: Buffer.byteLength(content), sha256 };
    });
    return { name, version, files };
  });
  return writeIndex({ sequence: 1, created: 0, expires: 0, files: [], packages, keys: [] });
};

describe('files of published versions', () => {
  const published = { 'spec.json': JSON.stringify(GOOD), 'x.jar': 'x', 'gone.txt': '' };
  const tree: Tree = {
    ...spec({}),
    ...spec({}, 'a/1.0.1/spec.json'),
    ...spec({}, 'a/2.0.0-SNAPSHOT/spec.json'),
    ...spec({}, 'b/1.0.0/spec.json'),
    'a/1.0.0/x.jar': 'y',
    'a/1.0.0/x.jar.asc': 'a signature',
    'a/1.0.0/new.txt': '',
    'a/1.0.0/gone.txt.asc': 'a signature',
    'b/1.0.0/x.jar': 'x',
    'b/1.0.0/gone.txt': '',
  };
  const index = indexOf({ 'a/1.0.0': published, 'a/2.0.0-SNAPSHOT': published, 'b/1.0.0': published });
  const withIndex =
    (content: string | Uint8Array) =>
    (packages: string): void => {
      writeFileSync(join(packages, '../index.json'), content);
    };

  it('must not differ from the index of the tree', async () => {
    const { faults, errors } = await linted(tree, withIndex(index));
    const found = faults.filter(({ rule }) => rule === 'REPUBLISH');
    expect(found.map(({ file, message }) => [file, message])).toEqual([
      ['packages/a/1.0.0/gone.txt', 'it was removed from a published version'],
      ['packages/a/1.0.0/new.txt', 'it was added to a published version'],
      ['packages/a/1.0.0/x.jar', 'it has changed since this version was published'],
    ]);
    expect(errors).toBeGreaterThanOrEqual(found.length);
  });

  it.each([
    ['without an index', (): void => undefined, {}],
    ['with an index that cannot be read', withIndex('{'), {}],
    ['where the rule is off', withIndex(index), { REPUBLISH: 'off' as const }],
  ])('may differ %s', async (_, before, severities) => {
    expect(placesOf(await linted(tree, before, undefined, severities), 'REPUBLISH')).toEqual([]);
  });
});

it('compares the artifact of a pipeline with the releases on which it is shown', async () => {
  const made = (version: string): Tree => {
    const artifact = { name: 'cdap-data-pipeline', scope: 'system', version };
    return acts('create_pipeline', { artifact, name: 'P', config: 'c.json' });
  };
  const result = await linted(made('[6.1.0,6.3.0)'));
  expect(result.faults.find(({ rule }) => rule === 'PARENT_RELEASE')?.message).toContain('shown on 6.3.0');
  expect(placesOf(await linted(made('[6.1.0,7.0.0)')), 'PARENT_RELEASE')).toEqual([]);
});

describe('a correction', () => {
  const fixed = (content: string, more: Partial<LintRequest> = {}, before?: (root: string) => void) =>
    withTempDir(async (home) => {
      const root = realpathSync(home);
      const file = join(root, 'packages', SPEC);
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, content);
      chmodSync(file, 0o640);
      before?.(root);
      const told: string[] = [];
      const emit: LintRequest['emit'] = (event) => void (event.type === 'note' && told.push(event.message));
      const request = { trees: [{ root }], severities: new Map(), known: new Set<string>(), fix: true, emit };
      const result = await lint({ ...request, ...more }, new AbortController().signal);
      return { result, told, text: readFileSync(file, 'utf8'), mode: statSync(file).mode & 0o777 };
    });
  const members = (range: string, created: number): string =>
    `{\r\n\t"label": "\u00fc", "cdapVersion" : "${range}",\n "categories":[],"actions":[],"created":${created}  }\n\n`;
  const WRONG = members('[6.1.0,7.0.0)', 1_593_102_900_123);

  it('leaves to others of a group what they may do with the file', async () => {
    const shared = (root: string): void => {
      chmodSync(join(root, 'packages', SPEC), 0o666);
    };
    expect((await fixed(WRONG, {}, shared)).mode).toBe(0o666);
  });

  it('changes only what is wrong, and says so', async () => {
    const { result, told, text, mode } = await fixed(WRONG);
    expect(text).toBe(members('[6.1.0,7.0.0-SNAPSHOT)', 1_593_102_900));
    expect([result.faults, mode]).toEqual([[], 0o640]);
    expect(told).toEqual([
      'note: corrected CREATED_RANGE in packages/a/1.0.0/spec.json',
      'note: corrected RANGE_SNAPSHOT in packages/a/1.0.0/spec.json',
    ]);
  });

  it.each<[string, string, Partial<LintRequest>, ((root: string) => void)?]>([
    ['unless it is wanted', WRONG, { fix: false }],
    ['by a rule that is off', members('[6.1.0,7.0.0)', 1), { severities: new Map([['RANGE_SNAPSHOT', 'off']]) }],
    ['where it is not certain', members('[6.1.0,7.0.0 )', 1), {}],
    [
      'in what was published',
      WRONG,
      {},
      (root) => {
        writeFileSync(join(root, 'index.json'), indexOf({ 'a/1.0.0': { 'spec.json': WRONG } }));
      },
    ],
  ])('is not made %s', async (_, content, more, before) => {
    const { result, text, told } = await fixed(content, more, before);
    expect([text, told]).toEqual([content, []]);
    expect(result.faults.length).toBeGreaterThan(0);
    if (content === WRONG) expect(result.faults.map(({ fixable }) => fixable)).toEqual([true, true]);
  });
});

describe('files that changed since a commit', () => {
  const ID = 'a'.repeat(40);
  const CHANGED = ['a/1.0.0/spec.json', 'a/1.0.0/in/x', 'a/1.1.0/spec.json', 'a/2.0.0-SNAPSHOT/x', 'README.md'];

  const history: History = {
    isThere: async () => true,
    added: async () => [],
    commit: async (name) => (name === 'main' ? ID : undefined),
    changed: async () => CHANGED.map((path) => `packages/${path}`),
    folders: async (_, paths) => paths.filter((path) => !path.endsWith('1.1.0')),
  };

  it('count where the commit has the version already, and it is no snapshot', async () => {
    const changed = await changedSince('main', history);
    expect([...changed]).toEqual([
      ['a/1.0.0', ['spec.json', 'in/x']],
      ['a/2.0.0-SNAPSHOT', ['x']],
    ]);
    const trees = { ...spec({}), ...spec({}, 'a/1.1.0/spec.json'), ...spec({}, 'a/2.0.0-SNAPSHOT/spec.json') };
    const result = await linted(trees, undefined, changed);
    expect(placesOf(result, 'VERSION_NOT_RAISED')).toEqual(['a/1.0.0/in/x 1:1', 'a/1.0.0/spec.json 1:1']);
  });

  it('are an error for what is no commit', async () => {
    await expect(changedSince('nosuch', history)).rejects.toMatchObject({ code: 'USAGE' });
  });
});

it('says of a pointer of Git LFS what it is', async () => {
  const pointer = Buffer.from('version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n');
  const { faults } = await linted(plugin({}, pointer));
  expect(faults.find(({ rule }) => rule === 'JAR_BAD')?.message).toMatch(/^it is a Git LFS pointer/u);
});

describe('hostile trees', () => {
  it('names a link and reads nothing behind it', async () => {
    const result = await linted(spec({}), (packages) => {
      symlinkSync('/etc/passwd', join(packages, 'a/1.0.0/x.txt'));
    });
    expect(placesOf(result, 'MISPLACED')).toEqual(['a/1.0.0/x.txt 1:1']);
  });

  it.each([
    ['invalid UTF-8', Buffer.from('7b0a2261ff', 'hex'), '2:3'],
    ['another value', '[]', '1:1'],
    ['a deep value', '['.repeat(5000), '1:1'],
    ['a large file', Buffer.alloc(4 * 1024 * 1024 + 1, ' '), '1:1'],
    ['a large object without its end', `{${'"a":1,'.repeat(50_000)}"a":1`, '1:300007'],
  ])('has one fault for %s', async (_, content, place) => {
    expect(placesOf(await linted({ [SPEC]: content }), 'BAD_JSON')).toEqual([`${SPEC} ${place}`]);
  });
});
