import { cpSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { makeJar } from '../../../../../src/emulator/jar/make-jar.js';
import { readSpecification } from '../../../../../src/hub/specification.js';
import { requiredName } from '../../../../../src/services/install/arguments.js';
import type { ResolvedAction } from '../../../../../src/services/install/action.js';
import { pipelineArtifact } from '../../../../../src/services/install/pipeline-artifact.js';
import { archiveOf } from '../../../../../src/services/install/things/application/action.js';
import { action, faultsIn, GOOD, linesOf, linted, spec, type Tree } from './lint-site.js';

const SAMPLES = resolve(import.meta.dirname, '../../../../fixtures/hub/packages');
const CORE = { name: 'cdap-data-pipeline', scope: 'system', version: '[6.1.0,7.0.0)' };
const STEPS = { name: 'steps', value: ['x'] };

const text = (...given: readonly unknown[]): object => ({ type: 'informational', arguments: given });
const pipeline = (members: object): Tree => ({
  ...spec({ actions: [action('create_pipeline', { artifact: CORE, name: 'P', config: 'c.json', ...members })] }),
  'a/1.0.0/c.json': {},
});
const upload = (name: unknown): Tree => ({
  ...spec({ actions: [action('one_step_deploy_plugin', { name, version: '1.0.0', config: 'p.json', jar: 'p.jar' })] }),
  'a/1.0.0/p.json': { parents: ['system:cdap-data-pipeline[6.1.0,7.0.0-SNAPSHOT)'] },
  'a/1.0.0/p.jar': makeJar({ manifest: { 'Bundle-Version': '1.0.0' }, entries: [] }),
});
const stream = (name: string): Tree => spec({ actions: [action('create_stream', { name })] });
const shown = (cdapVersion: unknown): Tree => spec({ cdapVersion });

const REFUSED = 'error ACTION_REFUSED:';

describe('what an installation refuses', () => {
  it('is told once of more arguments than it reads', async () => {
    const faults = await faultsIn(spec({ actions: [text(...Array.from({ length: 20_001 }, () => ({})))] }));
    expect(faults.filter((fault) => fault.includes(REFUSED))).toEqual([expect.stringContaining('arguments')]);
  });

  it.each<[string, Tree, readonly string[], Tree]>([
    [
      'an argument twice, each time',
      spec({ actions: [text(STEPS, STEPS, STEPS)] }),
      [
        `a/1.0.0/spec.json 16:5 ${REFUSED} action 1 (informational) has the argument "steps" twice`,
        `a/1.0.0/spec.json 22:5 ${REFUSED} action 1 (informational) has the argument "steps" twice`,
      ],
      spec({ actions: [text(STEPS), text(STEPS)] }),
    ],
    [
      'arguments that are no objects or have no names',
      spec({ actions: [text(), text('steps', null, { value: [] }, { name: '' }, { name: 7 })] }),
      [
        `a/1.0.0/spec.json 14:5 ${REFUSED} an argument of action 2 (informational) is not an object`,
        `a/1.0.0/spec.json 15:5 ${REFUSED} an argument of action 2 (informational) is not an object`,
        `a/1.0.0/spec.json 16:5 ${REFUSED} an argument of action 2 (informational) has no name`,
        `a/1.0.0/spec.json 19:5 ${REFUSED} an argument of action 2 (informational) has no name`,
        `a/1.0.0/spec.json 22:5 ${REFUSED} an argument of action 2 (informational) has no name`,
      ],
      spec({ actions: [text(), text({ name: 'x' })] }),
    ],
    [
      'canModify that is neither true nor false',
      spec({ actions: [text({ ...STEPS, canModify: 'maybe' })] }),
      [
        `a/1.0.0/spec.json 10:5 ${REFUSED} canModify of the argument "steps" of action 1 (informational) is neither true nor false`,
      ],
      spec({ actions: [text({ ...STEPS, canModify: 'true' }), text({ ...STEPS, canModify: false })] }),
    ],
    [
      'arguments and a label of other types',
      spec({ actions: [{ type: 'informational', label: [], arguments: 'x' }] }),
      [
        `a/1.0.0/spec.json 9:13 ${REFUSED} the label of action 1 (informational) is not text`,
        `a/1.0.0/spec.json 10:17 ${REFUSED} "arguments" of action 1 (informational) is not a list`,
      ],
      spec({ actions: [{ type: 'informational', label: 7, arguments: null }] }),
    ],
    [
      'more actions than it reads',
      spec({ actions: Array.from({ length: 2001 }, () => text()) }),
      [`a/1.0.0/spec.json 6:13 ${REFUSED} spec.json has more than 2000 actions`],
      spec({ actions: Array.from({ length: 2000 }, () => text()) }),
    ],
    [
      'the artifact of a pipeline without a version',
      pipeline({ artifact: { name: 'cdap-data-pipeline', scope: 'system' } }),
      [`a/1.0.0/spec.json 12:15 ${REFUSED} action 1: the artifact of the pipeline has no version`],
      pipeline({}),
    ],
    [
      'the artifact of a pipeline with values of other types, or no range',
      pipeline({ artifact: { name: 1, scope: 2, version: '[1' } }),
      [
        `a/1.0.0/spec.json 12:15 ${REFUSED} action 1: the artifact of the pipeline has no name`,
        `a/1.0.0/spec.json 12:15 ${REFUSED} action 1: the artifact of the pipeline has no scope`,
        `a/1.0.0/spec.json 12:15 ${REFUSED} action 1: the artifact of the pipeline has "[1", which is not a version or range`,
      ],
      pipeline({ artifact: { ...CORE, version: '[6.1.0,7.0.0)' } }),
    ],
    [
      'the name of a pipeline',
      pipeline({ name: 'a b/c' }),
      [
        `a/1.0.0/spec.json 20:15 ${REFUSED} action 1: the platform does not accept the name "a b/c": use letters, digits, "_" and "-"`,
      ],
      pipeline({ name: 'a_b-c1' }),
    ],
    [
      'the name of a stream',
      stream('a.b'),
      [
        `a/1.0.0/spec.json 12:15 ${REFUSED} action 1: the platform does not accept the name "a.b": use letters, digits, "_" and "-"`,
      ],
      stream('7'),
    ],
    [
      'the name of an artifact',
      upload('a/b'),
      [
        `a/1.0.0/spec.json 12:15 ${REFUSED} action 1: the platform does not accept the artifact name "a/b": use letters, digits, ".", "_" and "-"`,
      ],
      upload('a.b_c-1'),
    ],
    [
      'an empty name',
      upload(''),
      ['a/1.0.0/spec.json 7:3 error ARG_MISSING: action 1 has no argument name; one_step_deploy_plugin requires it'],
      upload(7),
    ],
    [
      'an empty list of files',
      spec({ actions: [action('load_datapack', { name: 's', files: [] })] }),
      [`a/1.0.0/spec.json 16:15 ${REFUSED} action 1: files lists no file`],
      { ...spec({ actions: [action('load_datapack', { name: 's', files: ['x.csv'] })] }), 'a/1.0.0/x.csv': '' },
    ],
    [
      'members of other types',
      spec({ description: 1, author: {}, beta: 'maybe', paidLink: [], licenseInfo: { name: [], url: {} } }),
      [
        'a/1.0.0/spec.json 8:12 error MEMBER_TYPE: author is not text',
        'a/1.0.0/spec.json 9:10 error MEMBER_TYPE: beta is neither true nor false',
        'a/1.0.0/spec.json 10:14 error MEMBER_TYPE: paidLink is not text',
        'a/1.0.0/spec.json 11:17 error MEMBER_TYPE: the name of licenseInfo is not text',
        'a/1.0.0/spec.json 11:17 error MEMBER_TYPE: the url of licenseInfo is not text',
      ],
      spec({ beta: 'true', licenseInfo: 'x' }),
    ],
    [
      'a range of another type',
      shown({}),
      ['a/1.0.0/spec.json 5:17 error MEMBER_TYPE: cdapVersion is not text'],
      shown('[6.1.0,6.2.0]'),
    ],
    [
      'names that are reserved',
      { ...spec({}, 'con/1.0.0'), ...spec({ label: 'N' }, 'x/nul.1'), ...spec({ label: 'L' }, 'y/1.0.') },
      [
        'con/1.0.0 1:1 error NAME_ESCAPE: con is reserved on some systems',
        'x/nul.1 1:1 error NAME_ESCAPE: nul.1 is reserved on some systems',
        'x/nul.1 1:1 warning VERSION_BAD: nul.1 is not a valid version: use a name such as 1.2.0',
        'y/1.0. 1:1 error NAME_ESCAPE: 1.0. ends with a dot or a space',
        'y/1.0. 1:1 warning VERSION_BAD: 1.0. is not a valid version: use a name such as 1.2.0',
      ],
      spec({}, 'console/1.0.0'),
    ],
    [
      'names that differ in case only, each once',
      {
        ...spec({}, 'Tool/1.0.0'),
        ...spec({ label: 'T' }, 'tool/1.0.0-RC'),
        ...spec({ label: 'T' }, 'tool/1.0.0-rc'),
        ...spec({ label: 'T' }, 'tool/1.0.1'),
      },
      [
        'tool/1.0.0-RC 1:1 error NAME_CASE: "tool" and "Tool" differ in upper and lower case only',
        'tool/1.0.0-rc 1:1 error NAME_CASE: "1.0.0-rc" and "1.0.0-RC" differ in upper and lower case only',
      ],
      { ...spec({}, 'Tool/1.0.0-rc'), ...spec({ label: 'U' }, 'tools/1.0.0-RC') },
    ],
  ])('has a fault: %s', async (_, broken, faults, fine) => {
    const ofTree = async (tree: Tree): Promise<readonly string[]> =>
      (await faultsIn(tree)).filter((line) => !line.includes(' LABEL_'));
    expect(await ofTree(broken)).toEqual(faults);
    expect(await ofTree(fine)).toEqual([]);
  });
});

describe('a pipeline of an artifact of the user', () => {
  const uses = (members: object): Tree => pipeline({ artifact: { name: 'my-app', version: '1.0.0', ...members } });
  const app = (jar: string | undefined, place = 'b/1.0.0'): Tree => ({
    ...spec({ actions: [action('deploy_app', { jar })] }, place),
    ...(jar === undefined ? {} : { [`${place}/${jar}`]: makeJar({ manifest: {}, entries: [] }) }),
  });
  const absent = 'a/1.0.0/spec.json 12:15 warning ARTIFACT_ABSENT: the pipeline uses the artifact "my-app"';

  it('is told where nothing installs it', async () => {
    const none = [`${absent}, which no package installs`];
    expect(await faultsIn(uses({ scope: 'USER' }))).toEqual(none);
    expect(await faultsIn(uses({ scope: 'user' }))).toEqual(none);
    expect(await faultsIn(uses({}))).toEqual(none);
    expect(await faultsIn({ ...uses({}), ...app('other-app-1.0.0.jar') })).toEqual(none);
    expect(await faultsIn({ ...uses({}), ...app('my-app-2.0.0.jar') })).toEqual([
      `${absent} 1.0.0, but packages install only 2.0.0`,
    ]);
  });

  it('is fine where an application or a plugin of that name is installed', async () => {
    expect(await faultsIn({ ...uses({}), ...app('my-app-1.0.0.jar') })).toEqual([]);
    expect(await faultsIn(uses({ scope: 'System' }))).toEqual([]);
    const own = action('create_pipeline', { artifact: { name: 'my-app', version: '1' }, name: 'P', config: 'c.json' });
    const tree = { ...spec({ actions: [action('deploy_app', {}), own] }), 'a/1.0.0/c.json': {} };
    expect(await faultsIn(tree)).toEqual([
      'a/1.0.0/spec.json 7:3 warning INPUT_ASKED: action 1 has no argument jar; users must provide it',
    ]);
  });

  it.each(['my-app-1.0.0.jar', 'a-2-b-1.jar', 'app.jar', 'app-x.jar', 'app-1.0.0', '-1.jar'])(
    'has the name and version that an installation reads from a file: %s',
    async (jar) => {
      const archive = archiveOf(jar);
      const { name, version } = archive ?? { name: 'app', version: '1.0.0' };
      const told = await faultsIn({ ...uses({ name, version }), ...app(jar) });
      expect(told.some((line) => line.includes('ARTIFACT_ABSENT'))).toBe(archive === undefined);
    },
  );
});

describe('lint and installation', () => {
  const isRefused = (check: (one: ResolvedAction) => unknown, type: string, given: object): boolean => {
    const one = { n: 1, type, label: '', arguments: new Map(Object.entries(given)), fixed: new Set<string>() };
    try {
      check(one);
      return false;
    } catch {
      return true;
    }
  };
  const isTold = async (tree: Tree): Promise<boolean> =>
    (await faultsIn(tree)).some((line) => / (?:ACTION_REFUSED|ARG_TYPE|ARG_MISSING|INPUT_ASKED):/u.test(line));

  it.each(['P', 'a-b_1', 'a.b', 'a b', 'é', 'a/b', '', '..', 7, -1, 1.5])('agree on the name %j', async (name) => {
    expect(await isTold(pipeline({ name }))).toBe(isRefused(requiredName, 'create_pipeline', { name }));
  });

  it.each([
    CORE,
    {},
    [],
    { ...CORE, scope: undefined },
    { ...CORE, scope: null },
    { ...CORE, scope: 'x' },
    { ...CORE, version: undefined },
    { ...CORE, version: 6 },
    { ...CORE, version: 'latest' },
    { ...CORE, name: '' },
    { ...CORE, name: null },
  ])('agree on the artifact %j', async (artifact) => {
    expect(await isTold(pipeline({ artifact }))).toBe(isRefused(pipelineArtifact, 'create_pipeline', { artifact }));
  });

  const LISTS: readonly unknown[] = [
    [STEPS],
    [STEPS, { ...STEPS, name: 'Steps' }],
    [STEPS, STEPS],
    [null],
    [[]],
    [{ ...STEPS, canModify: 1 }],
    [{ ...STEPS, canModify: null }],
    [{ ...STEPS, canModify: 'false' }],
    {},
    null,
    Array.from({ length: 20_001 }, (_, at) => ({ name: `a${at}` })),
  ];

  it.each(LISTS.map((list, at) => [at + 1, list]))('agree on list %i of arguments', async (_, given) => {
    const actions = [{ type: 'informational', arguments: given }];
    const bytes = Buffer.from(JSON.stringify({ ...GOOD, actions }));
    const isRead = !isRefused(() => readSpecification(bytes, 'spec.json'), '', {});
    expect(await isTold(spec({ actions }))).toBe(!isRead);
  });

  it('leave real packages without errors but files that are missing there', async () => {
    const jars = (folder: string): void => {
      for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
        const place = /^(.*)\/spec\.json$/u.exec(name)?.[1];
        if (place === undefined) continue;
        const { actions } = readSpecification(readFileSync(join(folder, name)), name);
        for (const { arguments: given } of actions) {
          const values = new Map(given.map((one) => [one.name, one.value]));
          const [jar, version = '1.0.0'] = [values.get('jar'), values.get('version')];
          const manifest = { 'Bundle-Version': String(version) };
          if (typeof jar === 'string') writeFileSync(join(folder, place, jar), makeJar({ manifest, entries: [] }));
        }
      }
    };
    const before = (root: string): void => {
      cpSync(SAMPLES, join(root, 'packages'), { recursive: true });
      jars(join(root, 'packages'));
    };
    const result = await linted({}, { before });
    expect(result.packages).toBe(12);
    expect(linesOf(result).filter((line) => line.includes(' error '))).toEqual([
      expect.stringMatching(/^solution-cdc-oracle-to-kudu\/2\.0\.0\/spec\.json .* REF_MISSING: .*json" of action 1/u),
    ]);
    // Stages use artifacts of other packages; the pipelines themselves use those of the platform.
    expect(linesOf(result).filter((line) => /spec\.json .* ARTIFACT_ABSENT/u.test(line))).toEqual([]);
  });
});
