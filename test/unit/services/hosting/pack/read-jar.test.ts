import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ConstantPool, u2, u4 } from '../../../../../src/emulator/jar/constant-pool.js';
import { makePluginClass } from '../../../../../src/emulator/jar/make-class.js';
import { makeJar, type JarEntry } from '../../../../../src/emulator/jar/make-jar.js';
import { CliError } from '../../../../../src/core/errors.js';
import { readPackedJar, type JarFacts } from '../../../../../src/services/hosting/pack/read-jar.js';
import { driverJar, pluginJar, textEntry } from '../../../../support/sites/pack-jars.js';
import { withTempDir } from '../../../../support/processes/run-cli.js';

const NEVER = new AbortController().signal;

const facts = (bytes: Buffer, name = 'acme.jar', signal = NEVER): Promise<JarFacts> =>
  withTempDir(async (folder) => {
    const file = join(folder, name);
    await writeFile(file, bytes);
    return await readPackedJar(file, name, file, signal);
  });

const lower = (values: Readonly<Record<string, string>>): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(values).map(([key, value]) => [key.toLowerCase(), value]));

/** A plugin class of the package of plugins. */
const PLUGIN_OF = (name: string): Buffer =>
  makePluginClass({ className: `org.example.plugin.${name}`, type: 't', name, description: '' });

/** The place of the description among the constants of `annotated`. */
const TEXT = 8;

/** A plugin class whose annotation is changed as a whole: `body` follows the count of annotations. */
function annotated(body: Buffer, description = ''): Buffer {
  const bytes = makePluginClass({ className: 'org.example.plugin.A', type: 't', name: 'A', description });
  const at = bytes.lastIndexOf(Buffer.from([0, 3, 0, 1, 0, 1]));
  const head = Buffer.from(bytes.subarray(0, at + 2));
  head.writeUInt32BE(body.length + 2, at - 4);
  head.writeUInt16BE(1, at);
  return Buffer.concat([head, body]);
}

/** An annotation with so many texts, each the description of `annotated`. */
function valuesOf(count: number): Buffer {
  const value = Buffer.from([0, TEXT, 's'.charCodeAt(0), 0, TEXT]);
  return Buffer.concat([Buffer.from([0, 1, count >> 8, count & 0xff]), ...Array<Buffer>(count).fill(value)]);
}

const classEntry = (bytes: Buffer, name = 'A'): JarEntry => ({ name: `org/example/plugin/${name}.class`, bytes });
const withClass = (bytes: Buffer): Buffer => pluginJar({ plugins: [], entries: [classEntry(bytes)] });
const PLUGIN = makePluginClass({
  className: 'org.example.plugin.A',
  type: 'batchsource',
  name: 'A',
  description: 'Ä €',
});

describe('what is read of a JAR', () => {
  it.each([
    [
      'plugins with their descriptions',
      pluginJar({ plugins: [], entries: [classEntry(PLUGIN)] }),
      ['A-batchsource Ä €'],
    ],
    ['no plugins without exported packages', pluginJar({ manifest: { 'Export-Package': '' } }), []],
    ['no plugins of packages below exported ones', pluginJar({ manifest: { 'Export-Package': 'org.example' } }), []],
    [
      'plugins of the older generation',
      withClass(
        makePluginClass({
          className: 'org.example.plugin.A',
          type: 't',
          name: 'A',
          description: 'old',
          apiPackage: 'co.cask.cdap.api.annotation',
        }),
      ),
      ['A-t old'],
    ],
    [
      'a plugin without a name by its class',
      withClass(makePluginClass({ className: 'org.example.plugin.A', type: 't', name: '', description: '' })),
      ['org.example.plugin.A-t '],
    ],
    ['nothing of other classes', withClass(Buffer.from('no class')), []],
  ])('%s', async (_, bytes, plugins) => {
    expect((await facts(bytes)).plugins.map((one) => `${one.name}-${one.type} ${one.description}`)).toEqual(plugins);
  });

  it('all that it says of itself', async () => {
    const manifest = { 'Bundle-Version': '1.2.0', 'Export-Package': 'org.example.plugin' };
    const { hasClass, file, ...said } = await facts(pluginJar({ manifest, pom: '<project/>' }), 'acme-plugins.jar');
    expect(said).toEqual({
      bytes: pluginJar({ manifest, pom: '<project/>' }).length,
      manifest: new Map(Object.entries({ 'manifest-version': '1.0', ...lower(manifest) })),
      project: { artifactId: 'acme-plugins', version: '1.2.0', pom: '<project/>' },
      plugins: [
        {
          name: 'Trim',
          type: 'transform',
          className: 'org.example.plugin.Trim',
          description: 'The transform Trim.',
        },
      ],
      ...{ hasOlderApi: false, drivers: [], application: 'none' },
    });
    expect(file).toMatch(/acme-plugins\.jar$/u);
    expect([hasClass('org.example.plugin.Trim'), hasClass('org.example.plugin.Join')]).toEqual([true, false]);
  });

  const TRIM = PLUGIN_OF('A');
  it.each([
    ['org.example.plugin', ['A']],
    ['org.example.other,org.example.plugin', ['A']],
    ['org.example.other;org.example.plugin;version="1.0"', ['A']],
    [' org.example.plugin ; uses:="x,y" , z', ['A']],
    ['x;uses:="org.example.plugin,y"', []],
    ['x;uses:="y,org.example.plugin,z"', []],
    ['org.example', []],
    ['', []],
    [',', []],
  ])('plugins of the packages that it exports: %s', async (header, plugins) => {
    const entries = [classEntry(TRIM), { name: 'A.class', bytes: TRIM }, { name: 'plain', bytes: TRIM }];
    const jar = makeJar({ manifest: { 'Export-Package': header }, entries });
    expect((await facts(jar)).plugins.map(({ name }) => name)).toEqual(plugins);
  });

  it('plugins in the order of the files of their classes', async () => {
    const entries = ['C', 'A$B', 'A', 'A.class.x'].map((name) => classEntry(PLUGIN_OF(name), name));
    const classes = (await facts(pluginJar({ plugins: [], entries }))).plugins.map(({ className }) => className);
    expect(classes).toEqual(['A$B', 'A', 'A.class.x', 'C'].map((name) => `org.example.plugin.${name}`));
  });

  it.each([
    ['no list', undefined, []],
    ['several', 'org.example.A # the first\r\n# org.example.C\norg.example.B\n\norg.example.A', ['A', 'B']],
    ['blanks around them', ' org.example.A\t#\n', ['A']],
    ['others that are not in it', 'org.example.D\norg.example.C', ['C']],
  ])('its drivers: %s', async (_, list, drivers) => {
    const classes = ['A', 'B', 'C'].map((name) => ({ name: `org/example/${name}.class`, bytes: Buffer.alloc(0) }));
    const lists = list === undefined ? [] : [textEntry('META-INF/services/java.sql.Driver', list)];
    const jar = makeJar({ manifest: {}, entries: [...classes, ...lists, { name: '.class', bytes: Buffer.alloc(0) }] });
    expect((await facts(jar)).drivers).toEqual(drivers.map((name) => `org.example.${name}`));
  });

  it('registered drivers that are in the JAR', async () => {
    const jar = driverJar('org.example.A', 'org.example.A');
    expect((await facts(jar)).drivers).toEqual(['org.example.A']);
    const gone = makeJar({ manifest: {}, entries: [textEntry('META-INF/services/java.sql.Driver', 'org.example.A')] });
    expect((await facts(gone)).drivers).toEqual([]);
  });

  it('characters beyond U+FFFF, as Java writes them', async () => {
    const bytes = makePluginClass({
      className: 'org.example.plugin.A',
      type: 't',
      name: 'A',
      description: '12345678.',
    });
    Buffer.from('eda0bdedb881c080', 'hex').copy(bytes, bytes.indexOf('12345678.'));
    expect((await facts(withClass(bytes))).plugins[0]?.description).toBe('\u{1f601}\0.');
  });
});

describe('the project of a JAR', () => {
  type Project = readonly [artifactId: string, version: string];
  const CORE: Project = ['core', '1.2.0'];
  const C: Project = ['c', '1'];
  const OTHER: Project = ['shaded', '3.0'];
  const SNAPSHOT: Project = ['core', '1.3.0-SNAPSHOT'];
  it.each<[string, readonly Project[], string, Project | undefined]>([
    ['core', [CORE, OTHER], '1.2.0', CORE],
    ['core-1.2.0', [OTHER, CORE, C], '9', CORE],
    ['core-1.2.0-all', [CORE, C], '1.2.0', CORE],
    ['core-1.2.01', [CORE, C], '1.2.0', undefined],
    ['core-2.0.0', [CORE, C], '1.2.0', undefined],
    ['core-x', [CORE], '1.2.0', CORE],
    ['renamed', [CORE], '1.2.0', CORE],
    ['renamed', [CORE], '1.3.0', undefined],
    ['renamed', [CORE, OTHER], '1.2.0', undefined],
    ['renamed', [SNAPSHOT], '1.3.0.SNAPSHOT', SNAPSHOT],
    ['renamed', [SNAPSHOT], '1.3.0-SNAPSHOT', SNAPSHOT],
    ['c-1-1', [C, ['c-1', '1']], '', undefined],
    ['x', [], '1.2.0', undefined],
  ])('that is called %s and has %j and the version %s is %j', async (name, projects, version, project) => {
    const jar = pluginJar({ projects, manifest: { 'Bundle-Version': version }, pom: '<a/>' });
    const [artifactId, own] = project ?? [];
    const pom = project === projects[0] ? '<a/>' : undefined;
    expect((await facts(jar, `${name}.jar`)).project).toEqual(project && { artifactId, version: own, pom });
  });

  const FOLDER = 'META-INF/maven/org.example/core';
  it.each<[string, Readonly<Record<string, string>>, object | undefined]>([
    [
      'properties with other ends of lines',
      { [`${FOLDER}/pom.properties`]: 'xversion=3\r\nversion= 1.2.0 \r\nartifactId=own' },
      { artifactId: 'own', version: '1.2.0', pom: undefined },
    ],
    [
      'properties without values',
      { [`${FOLDER}/pom.properties`]: 'version=\nartifactId=' },
      { artifactId: 'core', version: undefined, pom: undefined },
    ],
    ['a pom only', { [`${FOLDER}/pom.xml`]: '<a/>' }, { artifactId: 'core', version: undefined, pom: '<a/>' }],
    ['a pom in another folder', { [`x/${FOLDER}/pom.xml`]: '<a/>', [`${FOLDER}/x/pom.xml`]: '<a/>' }, undefined],
    ['a file of another name', { [`${FOLDER}/pom.xml.bak`]: '<a/>', [`${FOLDER}/xpom.xml`]: '' }, undefined],
  ])('is read of %s', async (_, files, project) => {
    const entries = Object.entries(files).map(([name, text]) => textEntry(name, text));
    const jar = makeJar({ manifest: { 'Bundle-Version': '1.2.0' }, entries });
    expect((await facts(jar, 'core.JAR')).project).toEqual(project);
  });

  it('may be one of two thousand', async () => {
    const projects = Array.from({ length: 2000 }, (_, at) => [`p${at}`, '1'] as const);
    expect((await facts(pluginJar({ projects }), 'p7.jar')).project).toMatchObject({ artifactId: 'p7' });
  });
});

describe('the application of a JAR', () => {
  const API = ['io/cdap/cdap/api/app', 'co/cask/cdap/api/app'];
  /** A class with its type arguments. */
  function classOf(superName: string, interfaces: readonly string[] = [], signature?: string): Buffer {
    const pool = new ConstantPool();
    const names = ['example/Own', superName].map((name) => u2(pool.classRef(name)));
    const more = interfaces.map((name) => u2(pool.classRef(name)));
    const attributes = signature === undefined ? [] : [u2(pool.utf8('Signature')), u4(2), u2(pool.utf8(signature))];
    const rest = [
      u2(0x21),
      ...names,
      u2(more.length),
      ...more,
      u4(0),
      u2(attributes.length === 0 ? 0 : 1),
      ...attributes,
    ];
    return Buffer.concat([u4(0xcafebabe), u4(52), pool.bytes(), ...rest]);
  }
  const OBJECT = 'java/lang/Object';
  const generic = (type: string): string => `L${API[0]}/AbstractApplication<${type}>;`;
  const line = (length: number): Readonly<Record<string, Buffer>> =>
    Object.fromEntries(
      Array.from({ length }, (_, at) => [
        at === 0 ? 'App' : `A${at}`,
        classOf(at + 1 === length ? `${API[0]}/Application` : `example/A${at + 1}`),
      ]),
    );

  it.each<[string, Readonly<Record<string, Buffer>>, string]>([
    ['that extends that of the platform', { App: classOf(`${API[0]}/AbstractApplication`) }, 'plain'],
    ['of the older API', { App: classOf(`${API[1]}/AbstractApplication`) }, 'plain'],
    ['that is one by an interface', { App: classOf(OBJECT, ['java/lang/Runnable', `${API[0]}/Application`]) }, 'plain'],
    ['that extends another one', { App: classOf('example/Base'), Base: classOf(`${API[1]}/Application`) }, 'plain'],
    ['of another name', { App: classOf(`${API[0]}/MyApplication`), Base: classOf(`x/${API[0]}/Application`) }, 'none'],
    ['below the API', { App: classOf(`x/${API[0]}/Application`) }, 'none'],
    ['of a longer name', { App: classOf(`${API[0]}/ApplicationX`) }, 'none'],
    ['of nothing', { App: classOf(OBJECT) }, 'none'],
    ['that is not in the JAR', { Other: classOf(`${API[0]}/Application`) }, 'none'],
    [
      'with a configuration',
      { App: classOf(`${API[0]}/AbstractApplication`, [], generic('Lexample/C;')) },
      'configured',
    ],
    [
      'with a configuration of the older API',
      { App: classOf(OBJECT, [`${API[1]}/Application`], `Ljava/lang/Object;L${API[1]}/Application<Lexample/C;>;`) },
      'configured',
    ],
    [
      'with no configuration of its own',
      { App: classOf(`${API[0]}/AbstractApplication`, [], generic('Lio/cdap/cdap/api/Config;')) },
      'plain',
    ],
    [
      'with none of its own, of the older API',
      { App: classOf(`${API[0]}/AbstractApplication`, [], generic('Lco/cask/cdap/api/Config;')) },
      'plain',
    ],
    ['after 30 classes', line(30), 'plain'],
    ['after 31 classes', line(31), 'none'],
  ])('%s', async (_, classes, application) => {
    const entries = Object.entries(classes).map(([name, bytes]) => ({ name: `example/${name}.class`, bytes }));
    const jar = makeJar({ manifest: { 'Main-Class': 'example.App' }, entries });
    expect((await facts(jar)).application).toBe(application);
  });

  it('is none without a main class', async () => {
    const entries = [{ name: '.class', bytes: classOf(OBJECT) }];
    expect((await facts(makeJar({ manifest: {}, entries }))).application).toBe('none');
  });
});

describe('a hostile JAR', () => {
  const nested = Buffer.concat([Buffer.from([0, 1, 0, 1, 0, 1]), Buffer.alloc(300_000, Buffer.from([0x5b, 0, 1]))]);
  it.each([
    [
      'a class with counts beyond its end',
      withClass(PLUGIN.subarray(0, PLUGIN.length - 5)),
      'A.class is not a valid class',
    ],
    ['a class that is cut among its constants', withClass(cutAfterMark()), 'A.class is not a valid class'],
    ['lists nested without an end', withClass(annotated(nested)), 'A.class is not a valid class'],
    ['very many values in its annotations', withClass(annotated(valuesOf(10_001))), 'A.class is not a valid class'],
    ['a class of many bytes', withClass(Buffer.alloc(5 * 1024 * 1024)), 'A.class is too large'],
    [
      'a file twice',
      pluginJar({ entries: [textEntry('META-INF/maven/org.example/acme-plugins/pom.properties', '')] }),
      'twice',
    ],
    ['a class twice', pluginJar({ plugins: [], entries: [classEntry(PLUGIN), classEntry(PLUGIN)] }), 'twice'],
    ['a pom of many bytes', pluginJar({ pom: ' '.repeat(2 * 1024 * 1024) }), 'pom.xml is too large'],
    [
      'a list of drivers of many bytes',
      pluginJar({ entries: [textEntry('META-INF/services/java.sql.Driver', ' '.repeat(2 * 1024 * 1024))] }),
      'java.sql.Driver is too large',
    ],
    [
      'thousands of projects',
      pluginJar({ projects: Array.from({ length: 2001 }, (_, at) => [`p${at}`, '1'] as const) }),
      'Maven projects',
    ],
  ])('with %s is refused', async (_, bytes, message) => {
    await expect(facts(bytes)).rejects.toMatchObject({
      code: 'BAD_JAR',
      message: expect.stringContaining(message) as string,
    });
  });

  it('of few bytes whose classes have very many is refused', async () => {
    await expect(facts(bomb(34, 4 * 1024 * 1024))).rejects.toMatchObject({
      code: 'BAD_JAR',
      message: expect.stringContaining('more than 134217728 bytes of it') as string,
    });
  });

  it('of few bytes that names a text of 64 KB again and again is read', async () => {
    const description = 'x'.repeat(65_000);
    const bytes = annotated(valuesOf(9_999), description);
    // Bytes that are no UTF-8 are decoded one by one.
    bytes.fill(0xff, bytes.indexOf(description), bytes.indexOf(description) + description.length);
    expect((await facts(withClass(bytes))).plugins).toMatchObject([{ name: 'org.example.plugin.A' }]);
  });

  it('of which the poms of other projects are not read', async () => {
    const others = ['a', 'ac', 'acm'].map((name) =>
      textEntry(`META-INF/maven/org.example/${name}/pom.xml`, ' '.repeat(2 * 1024 * 1024)),
    );
    const bytes = pluginJar({ projects: [['acme', '1.2.0']], pom: '<project/>', entries: others });
    expect((await facts(bytes, 'acme-1.2.0.jar')).project).toEqual({
      artifactId: 'acme',
      version: '1.2.0',
      pom: '<project/>',
    });
  });

  it('may call its files as it likes, because none is unpacked', async () => {
    const names = ['../../etc/passwd', '/abs.class', 'org/example/plugin/../../x.class', '\0', 'a\\b'];
    const jar = pluginJar({ entries: names.map((name) => textEntry(name, 'x')) });
    expect((await facts(jar)).plugins).toHaveLength(1);
  });

  it('is given up when the run ends', async () => {
    await expect(
      facts(pluginJar(), 'a.jar', AbortSignal.abort(new CliError('INTERRUPTED', 'stop'))),
    ).rejects.toMatchObject({ code: 'INTERRUPTED' });
  });

  it('is read or refused, whatever becomes of its bytes', () =>
    withTempDir(async (folder) => {
      const good = pluginJar();
      const file = join(folder, 'a.jar');
      const change = fc.tuple(fc.nat({ max: good.length - 1 }), fc.integer({ min: 0, max: 255 }));
      await fc.assert(
        fc.asyncProperty(fc.array(change, { minLength: 1, maxLength: 6 }), async (changes) => {
          const bytes = Buffer.from(good);
          for (const [at, value] of changes) bytes.writeUInt8(value, at);
          await writeFile(file, bytes);
          const verdict: unknown = await readPackedJar(file, 'a.jar', file, NEVER).catch((cause: unknown) => cause);
          if (verdict instanceof Error) expect(verdict).toMatchObject({ code: 'BAD_JAR' });
        }),
        { numRuns: 200 },
      );
    }));
});

/** A class that has the mark of a plugin, but ends inside of its constants. */
function cutAfterMark(): Buffer {
  const at = PLUGIN.indexOf('annotation/Plugin;');
  return PLUGIN.subarray(0, at + 'annotation/Plugin;'.length);
}

/** An archive with as many classes of so many zeros, packed once. */
function bomb(count: number, size: number): Buffer {
  const name = 'org/example/plugin/A0000.class';
  const manifest = { 'Export-Package': 'org.example.plugin' };
  const whole = makeJar({ manifest, entries: [{ name, bytes: Buffer.alloc(size) }] });
  const [end, local] = [whole.length - 22, whole.indexOf(name) - 30];
  const directory = whole.readUInt32LE(end + 16);
  const entry = whole.indexOf(name, directory) - 46;
  const locals: Buffer[] = [];
  const entries: Buffer[] = [];
  for (let at = 0; at < count; at += 1) {
    const own = name.replace('0000', String(at).padStart(4, '0'));
    const head = Buffer.from(whole.subarray(local, directory));
    head.write(own, 30);
    const listed = Buffer.from(whole.subarray(entry, end));
    listed.write(own, 46);
    listed.writeUInt32LE(local + at * head.length, 42);
    locals.push(head);
    entries.push(listed);
  }
  const list = Buffer.concat([whole.subarray(directory, entry), ...entries]);
  const before = Buffer.concat([whole.subarray(0, local), ...locals]);
  const tail = Buffer.from(whole.subarray(end));
  tail.writeUInt32LE(list.length, 12);
  tail.writeUInt32LE(before.length, 16);
  return Buffer.concat([before, list, tail]);
}
