import { describe, expect } from 'vitest';
import { classesJar, emptyJar } from './jars.js';
import { DOES, LINE } from './line.js';
import { expectEmpty, expectText, it, json, NO_TYPE, type Answer, type Space } from './suite.js';

interface Artifact {
  readonly name: string;
  readonly version: string;
  readonly scope: string;
}

interface Detail extends Artifact {
  readonly properties: Readonly<Record<string, string>>;
  readonly classes: { readonly apps: readonly unknown[]; readonly plugins: readonly Record<string, unknown>[] };
  readonly parents: readonly Record<string, unknown>[];
}

const ADDED = 'Artifact added successfully';
const PIPELINE = 'system:cdap-data-pipeline[6.0.0,7.0.0-SNAPSHOT)';
const DRIVER = { name: 'driver', type: 'jdbc', className: 'example.Driver', description: 'a driver' };

function upload(
  space: Space,
  name: string,
  body: unknown = emptyJar(),
  headers: Record<string, string> = { 'Artifact-Version': '1.0.0' },
): Promise<Answer> {
  return space.call('POST', `/artifacts/${name}`, {
    body,
    headers: { 'Content-Type': 'application/octet-stream', ...headers },
  });
}

async function detail(space: Space, name: string, version = '1.0.0'): Promise<Detail> {
  return json<Detail>(await space.call('GET', `/artifacts/${name}/versions/${version}`));
}

async function versions(space: Space, name: string, query = ''): Promise<string[]> {
  return json<Artifact[]>(await space.call('GET', `/artifacts/${name}${query}`)).map(({ version }) => version);
}

describe('reading artifacts (6.11)', () => {
  it('lists the artifacts of both scopes, or of one, in any case of its name', async ({ space }) => {
    expectText(await upload(space, 'mine'), 200, ADDED);
    const mine = { name: 'mine', version: '1.0.0', scope: 'USER' };
    const [all, user, system] = await Promise.all(
      ['', '?scope=user', '?scope=SyStem'].map(async (query) =>
        json<Artifact[]>(await space.call('GET', `/artifacts${query}`)),
      ),
    );
    expect(user).toEqual([mine]);
    expect(all).toContainEqual(mine);
    expect(system).toContainEqual({ name: 'cdap-data-pipeline', version: LINE.pipeline.new, scope: 'SYSTEM' });
    expect(all).toHaveLength((user?.length ?? 0) + (system?.length ?? 0));
  });

  it.for(['foo', ''])('refuses the scope "%s"', async (scope, { space }) => {
    expectText(await space.call('GET', `/artifacts?scope=${scope}`), 400, `Invalid scope ${scope}`);
  });

  it('orders versions only when asked, also for a range and a limit', async ({ space }) => {
    for (const version of ['1.1.0', '1.10.0', '2.0.0-SNAPSHOT', '1.0.0', '2.0.0'])
      expectText(await upload(space, 'many', emptyJar(), { 'Artifact-Version': version }), 200, ADDED);
    const ascending = ['1.0.0', '1.1.0', '1.10.0', '2.0.0-SNAPSHOT', '2.0.0'];
    expect((await versions(space, 'many')).toSorted()).toEqual(ascending.toSorted());
    expect(await versions(space, 'many', '?order=ASC')).toEqual(ascending);
    expect(await versions(space, 'many', '?order=DESC')).toEqual(ascending.toReversed());
    expect(await versions(space, 'many', '?order=DESC&limit=1')).toEqual(['2.0.0']);
    expect(await versions(space, 'many', '?artifactVersion=%5B1.0.0,1.10.0)')).toEqual(['1.0.0', '1.1.0']);
    expect(await versions(space, 'many', '?artifactVersion=1.1.0')).toEqual(['1.1.0']);
  });

  it('looks among the artifacts of the user unless told otherwise', async ({ space }) => {
    expectText(
      await space.call('GET', '/artifacts/cdap-data-pipeline'),
      404,
      `'${space.name}:cdap-data-pipeline' was not found.`,
    );
    expect((await versions(space, 'cdap-data-pipeline', '?scope=system&order=DESC'))[0]).toBe(LINE.pipeline.new);
    expectText(
      await space.call('GET', `/artifacts/cdap-data-pipeline/versions/${LINE.pipeline.new}`),
      404,
      `'artifact:${space.name}.cdap-data-pipeline.${LINE.pipeline.new}' was not found.`,
    );
    const system = json<Detail>(
      await space.call('GET', `/artifacts/cdap-data-pipeline/versions/${LINE.pipeline.new}?scope=system`),
    );
    expect(system).toMatchObject({
      name: 'cdap-data-pipeline',
      version: LINE.pipeline.new,
      scope: 'SYSTEM',
      parents: [],
    });
    expect(system.classes.apps).toMatchObject([{ className: 'io.cdap.cdap.datapipeline.DataPipelineApp' }]);
  });

  it('says what was not found: a name, a version', async ({ space }) => {
    expectText(await upload(space, 'mine'), 200, ADDED);
    expectText(await space.call('GET', '/artifacts/nope'), 404, `'${space.name}:nope' was not found.`);
    expectText(
      await space.call('GET', '/artifacts/mine/versions/9.9.9'),
      404,
      `'artifact:${space.name}.mine.9.9.9' was not found.`,
    );
    expectText(await space.call('GET', '/artifacts/mine/versions/abc'), 400, 'Invalid artifact version abc');
  });
});

describe('the version of an upload (6.11)', () => {
  it.for([
    ['is taken from the manifest when there is no header', {}, { 'Bundle-Version': '1.2.3' }, '1.2.3'],
    [
      'is taken from the manifest when the header is empty',
      { 'Artifact-Version': '' },
      { 'Bundle-Version': '1.2.3' },
      '1.2.3',
    ],
    [
      'is taken from the header when both tell one',
      { 'Artifact-Version': '4.5.6' },
      { 'Bundle-Version': '1.2.3' },
      '4.5.6',
    ],
    ['may have an OSGi suffix', {}, { 'Bundle-Version': '4.0.0.SNAPSHOT' }, '4.0.0.SNAPSHOT'],
    ['may be one number', { 'Artifact-Version': '11' }, {}, '11'],
    ['may have four numbers', { 'Artifact-Version': '1.2.3.4' }, {}, '1.2.3.4'],
    ['may have a suffix after two numbers', { 'Artifact-Version': '6.0.jre7' }, {}, '6.0.jre7'],
    ['loses blanks around it', { 'Artifact-Version': ' 1.0.0 ' }, {}, '1.0.0'],
  ] as const)('%s', async ([, headers, manifest, version], { space }) => {
    expectText(await upload(space, 'versioned', emptyJar(manifest), { ...headers }), 200, ADDED);
    expect(await versions(space, 'versioned')).toEqual([version]);
  });

  it.for(['12c', 'v1'])('is not %s, in the header or in the manifest', async (version, { space }) => {
    expectText(
      await upload(space, 'versioned', emptyJar(), { 'Artifact-Version': version }),
      400,
      `Invalid artifact version ${version}`,
    );
    expectText(
      await upload(space, 'versioned', emptyJar({ 'Bundle-Version': version }), {}),
      400,
      `Invalid artifact version ${version}`,
    );
  });

  it('must be told by somebody', async ({ space }) => {
    expectText(
      await upload(space, 'versioned', emptyJar(), {}),
      400,
      /^Unable to derive version from artifact because manifest does not contain Bundle-Version attribute\./u,
    );
  });
});

describe('the JAR and the name of an upload (6.11)', () => {
  it('must be a ZIP file', async ({ space }) => {
    for (const body of ['<html>404</html>', '']) {
      expectText(
        await upload(space, 'junk', body),
        400,
        `Couldn't unzip artifact artifact:${space.name}.junk.1.0.0, please check it is a valid jar file.`,
      );
      expectText(
        await upload(space, 'junk', body, {}),
        400,
        'Artifact is not in zip format. Please make sure it is a jar file.',
      );
    }
    expectText(await space.call('GET', '/artifacts/junk'), 404, `'${space.name}:junk' was not found.`);
  });

  it.for(['a b', 'é', 'a+b'])('cannot be named "%s"', async (name, { space }) => {
    expectText(
      await upload(space, encodeURIComponent(name)),
      400,
      `Invalid artifact ID: ${name}. Should only contain alphanumeric characters and _ or - or .`,
    );
  });

  it.for(['a.b', 'x-y_z', '9'])('can be named "%s"', async (name, { space }) => {
    expectText(await upload(space, name), 200, ADDED);
    expect(await detail(space, name)).toMatchObject({ name, version: '1.0.0', scope: 'USER' });
  });

  it('goes into a namespace that exists', async ({ call }) => {
    for (const name of ['no_such_namespace', 'system']) {
      expectText(
        await call('POST', `/v3/namespaces/${name}/artifacts/x`, {
          body: emptyJar(),
          headers: { 'Artifact-Version': '1.0.0' },
        }),
        404,
        `'namespace:${name}' was not found.`,
      );
    }
  });

  it('may come in chunks of an unknown length', async ({ space, target }) => {
    const jar = classesJar({ 'Bundle-Version': '1.0.0', 'Export-Package': 'example' });
    const body = new ReadableStream<Uint8Array>({
      start: (controller) => {
        controller.enqueue(jar.subarray(0, 200));
        controller.enqueue(jar.subarray(200));
        controller.close();
      },
    });
    const answer = await fetch(`${target.url}/v3/namespaces/${space.name}/artifacts/chunked`, {
      method: 'POST',
      body,
      duplex: 'half',
    } as RequestInit);
    expect({ status: answer.status, text: await answer.text() }).toEqual({ status: 200, text: ADDED });
    expect((await detail(space, 'chunked')).classes.plugins).toHaveLength(1);
  });
});

describe('uploading what is there already (6.11)', () => {
  it('is refused for a release, whatever the bytes, and leaves its properties as they are', async ({ space }) => {
    expectText(await upload(space, 'mine'), 200, ADDED);
    expectEmpty(await space.call('PUT', '/artifacts/mine/versions/1.0.0/properties', { body: { k: 'v' } }));
    const sentence = `Artifact artifact:${space.name}.mine.1.0.0 already exists.`;
    expectText(await upload(space, 'mine'), 409, sentence);
    expectText(await upload(space, 'mine', classesJar({ 'Export-Package': 'example' })), 409, sentence);
    expect(await detail(space, 'mine')).toMatchObject({ properties: { k: 'v' }, classes: { plugins: [] } });
  });

  it('looks at the JAR before it looks for a conflict', async ({ space }) => {
    expectText(await upload(space, 'mine'), 200, ADDED);
    expectText(
      await upload(space, 'mine', 'no jar'),
      400,
      `Couldn't unzip artifact artifact:${space.name}.mine.1.0.0, please check it is a valid jar file.`,
    );
  });

  it.for(['2.0.0-SNAPSHOT', '4.0.0.SNAPSHOT', '1.0.0-snapshot'])(
    'replaces %s and wipes its properties',
    async (version, { space }) => {
      const headers = { 'Artifact-Version': version };
      expectText(await upload(space, 'snap', emptyJar(), headers), 200, ADDED);
      expectEmpty(await space.call('PUT', `/artifacts/snap/versions/${version}/properties`, { body: { k: 'v' } }));
      expectText(
        await upload(space, 'snap', classesJar({ 'Export-Package': 'example' }), {
          ...headers,
          'Artifact-Extends': PIPELINE,
        }),
        200,
        ADDED,
      );
      const after = await detail(space, 'snap', version);
      expect(after.properties).toEqual({});
      expect(after.classes.plugins).toHaveLength(1);
      expect(after.parents).toHaveLength(1);
    },
  );

  it('lets one of several uploads at a time win', async ({ space }) => {
    const answers = await Promise.all([1, 2, 3, 4].map(() => upload(space, 'race')));
    const statuses = answers.map(({ status }) => status).sort();
    expect(statuses.filter((status) => status === 200)).toHaveLength(1);
    expect(statuses.filter((status) => status !== 200 && status !== 409 && status !== 500)).toEqual([]);
    expect(await versions(space, 'race')).toEqual(['1.0.0']);
  });
});

describe('the parents of an upload (6.11)', () => {
  it('are stored as ranges', async ({ space }) => {
    expectText(
      await upload(space, 'child', emptyJar(), {
        'Artifact-Version': '1.0.0',
        'Artifact-Extends': `${PIPELINE}/system:cdap-data-streams(6.1, 7.0.0]`,
      }),
      200,
      ADDED,
    );
    const { parents } = await detail(space, 'child');
    expect(parents).toHaveLength(2);
    expect(parents).toContainEqual({
      namespace: 'system',
      name: 'cdap-data-pipeline',
      lower: { version: '6.0.0', major: 6, minor: 0, fix: 0 },
      upper: { version: '7.0.0-SNAPSHOT', major: 7, minor: 0, fix: 0, suffix: 'SNAPSHOT' },
      isLowerInclusive: true,
      isUpperInclusive: false,
    });
    expect(parents).toContainEqual(
      expect.objectContaining({ name: 'cdap-data-streams', isLowerInclusive: false, isUpperInclusive: true }),
    );
  });

  it('may be missing, all but one', async ({ space }) => {
    expectText(
      await upload(space, 'child', emptyJar(), {
        'Artifact-Version': '1.0.0',
        'Artifact-Extends': `system:nope[1.0.0,2.0.0)/${PIPELINE}`,
      }),
      200,
      ADDED,
    );
  });

  it('may be artifacts of the same namespace, with its name or without', async ({ space }) => {
    expectText(await upload(space, 'base'), 200, ADDED);
    for (const [index, parent] of ['base[1.0.0,2.0.0)', `${space.name}:base[0.1,2)`].entries()) {
      expectText(
        await upload(space, `child${index}`, emptyJar(), { 'Artifact-Version': '1.0.0', 'Artifact-Extends': parent }),
        200,
        ADDED,
      );
    }
    expect((await detail(space, 'child0')).parents).toMatchObject([{ namespace: space.name, name: 'base' }]);
  });

  it('may be an empty header', async ({ space }) => {
    expectText(
      await upload(space, 'child', emptyJar(), { 'Artifact-Version': '1.0.0', 'Artifact-Extends': '' }),
      200,
      ADDED,
    );
    expect((await detail(space, 'child')).parents).toEqual([]);
  });

  it.for([
    ['system:cdap-data-pipeline[7.0.0,8.0.0)', 'system:cdap-data-pipeline[7.0.0,8.0.0)'],
    ['system:nope[1.0.0,2.0.0)', 'system:nope[1.0.0,2.0.0)'],
    ['system:cdap-data-pipeline(6.1.2,6.1.2)', 'system:cdap-data-pipeline(6.1.2,6.1.2)'],
    ['cdap-data-pipeline[6.0.0,7.0.0)', 'NS:cdap-data-pipeline[6.0.0,7.0.0)'],
  ] as const)('must exist: %s', async ([parent, named], { space }) => {
    expectText(
      await upload(space, 'child', emptyJar(), { 'Artifact-Version': '1.0.0', 'Artifact-Extends': parent }),
      404,
      `Artifact artifact:${space.name}.child.1.0.0 extends artifacts '${named.replace('NS', space.name)}' that do not exist`,
    );
    expectText(await space.call('GET', '/artifacts/child'), 404, `'${space.name}:child' was not found.`);
  });

  it.for(['user:cdap-data-pipeline[6.0.0,7.0.0)', 'default:x[1.0.0,2.0.0)', 'SYSTEM:cdap-data-pipeline[6.0.0,7.0.0)'])(
    'are in the same namespace or in system: %s',
    async (parent, { space }) => {
      expectText(
        await upload(space, 'child', emptyJar(), { 'Artifact-Version': '1.0.0', 'Artifact-Extends': parent }),
        400,
        `Parent artifact ${parent} must be in the same namespace or a system artifact.`,
      );
    },
  );

  it.for([
    'system:cdap-data-pipeline',
    'system:cdap-data-pipeline[6.10.0]',
    'system:cdap-data-pipeline[7.0.0,6.0.0)',
    'system:cdap-data-pipeline[6.1.2,6.1.2)',
    'system:cdap-data-pipeline[6.0.0,7.0.0',
    'junk',
  ])('have a range with two ends: %s', async (parent, { space }) => {
    const answer = await upload(space, 'child', emptyJar(), {
      'Artifact-Version': '1.0.0',
      'Artifact-Extends': parent,
    });
    expect(answer).toMatchObject({
      status: 400,
      text: expect.stringContaining(`Invalid artifact range ${parent}`) as string,
    });
  });

  it('have one range each', async ({ space }) => {
    const parents = 'system:cdap-data-pipeline[6.0.0,6.5.0)/system:cdap-data-pipeline[6.9.0,7.0.0)';
    expectText(
      await upload(space, 'child', emptyJar(), { 'Artifact-Version': '1.0.0', 'Artifact-Extends': parents }),
      400,
      "Invalid parents field. Only one version range for parent 'cdap-data-pipeline' can be present.",
    );
  });

  it('are not the artifact itself', async ({ space }) => {
    expectText(
      await upload(space, 'child', emptyJar(), {
        'Artifact-Version': '1.0.0',
        'Artifact-Extends': 'child[1.0.0,2.0.0)',
      }),
      400,
      `Invalid parent '${space.name}:child[1.0.0,2.0.0)' for artifact 'artifact:${space.name}.child.1.0.0'. An artifact cannot extend itself.`,
    );
  });
});

describe('the plugins of an upload (6.11)', () => {
  const found = {
    type: 'transform',
    name: 'Bare',
    description: 'bare thing',
    className: 'example.Bare',
    properties: {},
  };

  it('are found in annotated classes of exported packages', async ({ space }) => {
    expectText(
      await upload(space, 'plugin', classesJar({ 'Bundle-Version': '1.0.0', 'Export-Package': 'example' }), {
        'Artifact-Extends': PIPELINE,
      }),
      200,
      ADDED,
    );
    expect((await detail(space, 'plugin')).classes).toEqual({
      apps: [],
      plugins: [{ ...found, requirements: { datasetTypes: [], capabilities: [] } }],
    });
  });

  it.for([
    ['no package is exported', classesJar({ 'Bundle-Version': '1.0.0' })],
    ['another package is exported', classesJar({ 'Bundle-Version': '1.0.0', 'Export-Package': 'other' })],
    ['there is no class', emptyJar({ 'Bundle-Version': '1.0.0', 'Export-Package': 'example' })],
    [
      'the annotations are of an older platform',
      classesJar(
        { 'Bundle-Version': '1.0.0', 'Export-Package': 'example' },
        { apiPackage: 'co.cask.cdap.api.annotation' },
      ),
    ],
  ] as const)('are none, and the upload succeeds all the same, when %s', async ([, jar], { space }) => {
    expectText(await upload(space, 'none', jar, { 'Artifact-Extends': PIPELINE }), 200, ADDED);
    expect((await detail(space, 'none')).classes).toEqual({ apps: [], plugins: [] });
  });

  it('can be loaded only with the artifacts that they extend', async ({ space }) => {
    const jar = classesJar({ 'Bundle-Version': '1.0.0', 'Export-Package': 'example' }, { passThrough: true });
    expectText(
      await upload(space, 'orphan', jar, {}),
      400,
      /^Class could not be found while inspecting artifact for plugins\./u,
    );
    expectText(await space.call('GET', '/artifacts/orphan'), 404, `'${space.name}:orphan' was not found.`);
    expectText(await upload(space, 'orphan', jar, { 'Artifact-Extends': PIPELINE }), 200, ADDED);
    expect((await detail(space, 'orphan')).classes.plugins).toMatchObject([found]);
  });

  it('are declared in a header for classes without annotations', async ({ space }) => {
    expectText(
      await upload(space, 'driver', classesJar(), {
        'Artifact-Version': '1.0.0',
        'Artifact-Plugins': JSON.stringify([DRIVER]),
      }),
      200,
      ADDED,
    );
    expect((await detail(space, 'driver')).classes.plugins).toMatchObject([DRIVER]);
  });

  it('are both, declared and found', async ({ space }) => {
    expectText(
      await upload(space, 'both', classesJar({ 'Export-Package': 'example' }), {
        'Artifact-Version': '1.0.0',
        'Artifact-Plugins': JSON.stringify([DRIVER]),
      }),
      200,
      ADDED,
    );
    const { plugins } = (await detail(space, 'both')).classes;
    expect(plugins).toHaveLength(2);
    expect(plugins).toEqual(expect.arrayContaining([expect.objectContaining(DRIVER), expect.objectContaining(found)]));
  });

  it('are declared in ASCII, other characters escaped', async ({ space }) => {
    const escaped = JSON.stringify([DRIVER]).replace('a driver', '\\u00e9\\u4e2d');
    expectText(
      await upload(space, 'escaped', classesJar(), { 'Artifact-Version': '1.0.0', 'Artifact-Plugins': escaped }),
      200,
      ADDED,
    );
    expect((await detail(space, 'escaped')).classes.plugins).toMatchObject([{ description: 'é中' }]);
  });

  it.for(['', '[]'])('may be declared as nothing: "%s"', async (header, { space }) => {
    expectText(
      await upload(space, 'nothing', classesJar(), { 'Artifact-Version': '1.0.0', 'Artifact-Plugins': header }),
      200,
      ADDED,
    );
    expect((await detail(space, 'nothing')).classes.plugins).toEqual([]);
  });

  it('may leave out the description and the type', async ({ space }) => {
    const header = JSON.stringify([{ name: 'driver', className: 'example.Driver' }]);
    expectText(
      await upload(space, 'short', classesJar(), { 'Artifact-Version': '1.0.0', 'Artifact-Plugins': header }),
      200,
      ADDED,
    );
    expect((await detail(space, 'short')).classes.plugins).toMatchObject([
      { name: 'driver', type: 'plugin', description: '' },
    ]);
  });

  it('are classes of the JAR', async ({ space }) => {
    const header = JSON.stringify([{ ...DRIVER, className: 'example.Gone' }]);
    expectText(
      await upload(space, 'gone', classesJar(), { 'Artifact-Version': '1.0.0', 'Artifact-Plugins': header }),
      400,
      'Artifact gone with version 1.0.0 and scope USER does not have class example.Gone.',
    );
    expectText(await space.call('GET', '/artifacts/gone'), 404, `'${space.name}:gone' was not found.`);
  });

  it.for(['[{"name":"m"', '{"name":"m"}', '[object Object]'])(
    'are a JSON array: %s is refused',
    async (header, { space }) => {
      const answer = await upload(space, 'bad', classesJar(), {
        'Artifact-Version': '1.0.0',
        'Artifact-Plugins': header,
      });
      expectText(answer, 400, `Artifact-Plugins header '${header}' is invalid.`);
    },
  );
});

describe('the properties of an artifact (6.11)', () => {
  const PATH = '/artifacts/mine/versions/1.0.0/properties';

  it('are empty first, and replaced as a whole', async ({ space }) => {
    expectText(await upload(space, 'mine'), 200, ADDED);
    expect(json(await space.call('GET', PATH))).toEqual({});
    expectEmpty(
      await space.call('PUT', PATH, { body: { 'widgets.Noop-transform': '{"a":1}', 'doc.Noop-transform': '# é' } }),
    );
    expect(json(await space.call('GET', PATH))).toEqual({
      'widgets.Noop-transform': '{"a":1}',
      'doc.Noop-transform': '# é',
    });
    expectEmpty(await space.call('PUT', PATH, { body: { only: 'v' } }));
    expect((await detail(space, 'mine')).properties).toEqual({ only: 'v' });
  });

  it('may be long', async ({ space }) => {
    expectText(await upload(space, 'mine'), 200, ADDED);
    const long = { doc: 'x'.repeat(400_000) };
    expectEmpty(await space.call('PUT', PATH, { body: long }));
    expect((await detail(space, 'mine')).properties).toEqual(long);
  });

  it('are texts: numbers become texts, an empty list empties them', async ({ space }) => {
    expectText(await upload(space, 'mine'), 200, ADDED);
    expectEmpty(await space.call('PUT', PATH, { body: { n: 1, b: true } }));
    expect(json(await space.call('GET', PATH))).toEqual({ n: '1', b: 'true' });
    expectEmpty(await space.call('PUT', PATH, { body: [] }));
    expect(json(await space.call('GET', PATH))).toEqual({});
  });

  it('are kept when a request is refused', async ({ space }) => {
    expectText(await upload(space, 'mine'), 200, ADDED);
    expectEmpty(await space.call('PUT', PATH, { body: { k: 'v' } }));
    for (const body of ['', 'null']) {
      const answer = await space.call('PUT', PATH, { body });
      if (DOES.readClosely) expectText(answer, 400, /^Missing properties from the request\./u);
      else expect(answer).toEqual({ status: 500, type: NO_TYPE, text: '' });
    }
    for (const body of ['{"a":', '{"n":{"a":1}}'])
      expectText(
        await space.call('PUT', PATH, { body }),
        400,
        /^Json Syntax Error while parsing properties from request\./u,
      );
    expectText(await space.call('PUT', PATH, { body: { n: null } }), 500, 'null value in entry: n=null');
    expect(json(await space.call('GET', PATH))).toEqual({ k: 'v' });
  });

  it('belong to an artifact', async ({ space }) => {
    expectText(
      await space.call('PUT', PATH, { body: { k: 'v' } }),
      404,
      `'artifact:${space.name}.mine.1.0.0' was not found.`,
    );
  });
});

describe('deleting an artifact (6.11)', () => {
  it('frees its version', async ({ space }) => {
    expectText(await upload(space, 'mine'), 200, ADDED);
    expectEmpty(await space.call('DELETE', '/artifacts/mine/versions/1.0.0'));
    expectText(
      await space.call('DELETE', '/artifacts/mine/versions/1.0.0'),
      404,
      `'artifact:${space.name}.mine.1.0.0' was not found.`,
    );
    expectText(await upload(space, 'mine', classesJar({ 'Export-Package': 'example' })), 200, ADDED);
    expect((await detail(space, 'mine')).classes.plugins).toHaveLength(1);
  });

  it('needs a version', async ({ space }) => {
    const path = `/v3/namespaces/${space.name}/artifacts/mine`;
    expect(await space.call('DELETE', '/artifacts/mine')).toEqual({ status: 405, type: NO_TYPE, text: path });
  });
});
