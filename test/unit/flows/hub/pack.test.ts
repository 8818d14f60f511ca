import { createHash } from 'node:crypto';
import { mkdir, readdir, readFile, realpath, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { makeJar } from '../../../../src/emulator/jar/make-jar.js';
import { writeIndex } from '../../../../src/hub/index-writer.js';
import { temporaryName } from '../../../../src/state/temporary.js';
import { shopJar } from '../../../support/sites/app-hub.js';
import { runInProcess } from '../../../support/processes/in-process.js';
import { configuredJar, driverJar, pluginJar, pomOf } from '../../../support/sites/pack-jars.js';
import { withTempDir } from '../../../support/processes/run-cli.js';

const NO_PROCESS = 2 ** 30;
const PARENT = 'system:cdap-data-pipeline[6.1.0,7.0.0-SNAPSHOT)';

interface Packed {
  readonly error:
    | {
        readonly code: string;
        readonly message: string;
        readonly lines: readonly string[];
        readonly hints: readonly unknown[];
      }
    | undefined;
  readonly packages: readonly Record<string, unknown>[];
  readonly warnings: readonly string[];
}

/** Files in a new folder, and `hub pack` in it. */
async function withFiles(
  files: Readonly<Record<string, string | Buffer>>,
  use: (pack: (...words: readonly string[]) => Promise<Packed>, home: string) => Promise<void>,
): Promise<void> {
  await withTempDir(async (home) => {
    for (const [name, content] of Object.entries(files)) {
      await mkdir(dirname(join(home, name)), { recursive: true });
      await writeFile(join(home, name), content);
    }
    const pack = async (...words: readonly string[]): Promise<Packed> => {
      const line = words.map((word) => (word.endsWith('.jar') || word.startsWith('./') ? join(home, word) : word));
      const { error, terminal } = await runInProcess('hub:pack', [...line, '-D', join(home, 'hub'), '--json'], home);
      const text = terminal.out.join('');
      const document = (text === '' ? {} : JSON.parse(text)) as { item?: { packages?: Packed['packages'] } };
      return {
        error: error && {
          code: error.code,
          message: error.message,
          lines: error.details.lines ?? [],
          hints: error.details.hints ?? [],
        },
        packages: document.item?.packages ?? [],
        warnings: terminal.warnings.map(({ message }) => message),
      };
    };
    await use(pack, home);
  });
}

const isOfToday = (seconds: number): boolean => Math.abs(Date.now() / 1000 - seconds) < 86_400;

const json = async (home: string, path: string): Promise<unknown> =>
  JSON.parse(await readFile(join(home, 'hub/packages', path), 'utf8'));

describe('hub pack', () => {
  it('makes a plugin package of what is in the JAR and the config beside it', () =>
    withFiles(
      {
        'acme-plugins-1.2.0.jar': pluginJar({ plugins: ['Trim', 'Join'] }),
        'acme-plugins-1.2.0.json': JSON.stringify({
          parents: [PARENT],
          properties: { 'doc.Trim-transform': '# Trim' },
        }),
      },
      async (pack, home) => {
        const { error, packages } = await pack('acme-plugins-1.2.0.jar');
        expect(error).toBeUndefined();
        expect(packages).toMatchObject([
          { name: 'acme-plugins', version: '1.2.0', plugins: [{ name: 'Join' }, { name: 'Trim' }], parents: [PARENT] },
        ]);
        expect(await json(home, 'acme-plugins/1.2.0/spec.json')).toMatchObject({
          label: 'acme-plugins',
          cdapVersion: '[6.1.0,7.0.0-SNAPSHOT)',
          categories: ['hydrator-plugin'],
          actions: [{ type: 'one_step_deploy_plugin' }],
        });
        expect(await json(home, 'acme-plugins/1.2.0/acme-plugins-1.2.0.json')).toEqual({
          parents: [PARENT],
          properties: { 'doc.Trim-transform': '# Trim' },
        });
        const jar = await readFile(join(home, 'acme-plugins-1.2.0.jar'));
        expect(await readFile(join(home, 'hub/packages/acme-plugins/1.2.0/acme-plugins-1.2.0.jar'))).toEqual(jar);
        expect(await readdir(join(home, 'hub/packages'))).toEqual(['acme-plugins']);
      },
    ));

  it('names all that is missing in all JARs without a terminal, and writes nothing', () =>
    withFiles({ 'a.jar': pluginJar(), 'b.jar': driverJar('org.example.Driver') }, async (pack, home) => {
      const { error } = await pack('a.jar', 'b.jar');
      expect(error).toMatchObject({ code: 'INPUT_MISSING', message: '3 inputs missing' });
      const said = error?.lines.map((line) =>
        line.replace(/^.*\/([ab]\.jar): no ([a-z ]+):.* {4}(--\S+).*$/u, '$1 $2 $3'),
      );
      expect(said).toEqual([
        'a.jar artifacts that it extends --parent',
        'b.jar name --name',
        'b.jar artifacts that it extends --parent',
      ]);
      await expect(readdir(join(home, 'hub'))).rejects.toThrow('ENOENT');
    }));

  it.each([
    ['of the Maven plugin', pomOf([PARENT]), [PARENT]],
    [
      'with properties of the pom',
      pomOf(['system:cdap-data-pipeline${cdap.range}', 'system:cdap-data-streams${cdap.range}']),
      [PARENT, 'system:cdap-data-streams[6.1.0,7.0.0-SNAPSHOT)'],
    ],
    [
      'as poms had them before',
      pomOf([], `<app.parents>${PARENT},system:a[1.0,2.0)</app.parents>`),
      [PARENT, 'system:a[1.0,2.0)'],
    ],
  ])('takes the parents of the pom: those %s', (_, pom, parents) =>
    withFiles({ 'acme.jar': pluginJar({ pom }) }, async (pack) => {
      expect((await pack('acme.jar')).packages).toMatchObject([{ parents }]);
    }),
  );

  it.each([
    ['properties of another pom', pomOf(['system:cdap-data-pipeline${other}']), 'INPUT_MISSING'],
    ['no range', pomOf(['system:cdap-data-pipeline']), 'INPUT_MISSING'],
    ['no namespace', pomOf(['cdap-data-pipeline${cdap.range}']), 'INPUT_MISSING'],
    ['a document type', `<!DOCTYPE a [<!ENTITY x "y">]>${pomOf([PARENT])}`, 'BAD_JAR'],
    ['no end', '<project><build>', 'BAD_JAR'],
  ])('does not guess parents from a pom with %s', (_, pom, code) =>
    withFiles({ 'acme.jar': pluginJar({ pom }) }, async (pack) => {
      expect((await pack('acme.jar')).error?.code).toBe(code);
      expect((await pack('acme.jar', '--parent', PARENT)).packages).toMatchObject([{ parents: [PARENT] }]);
    }),
  );

  it.each([
    [
      'the project that the file is called after',
      'core-1.2.0.jar',
      {
        projects: [
          ['shaded', '3.0'],
          ['core', '1.2.0'],
        ],
      },
      'core',
    ],
    ['the only project, of the same version', 'renamed.jar', { projects: [['core', '1.2.0']] }, 'core'],
    [
      'the project with a classifier',
      'core-1.2.0-all.jar',
      {
        projects: [
          ['core', '1.2.0'],
          ['c', '1'],
        ],
      },
      'core',
    ],
    [
      'none, of several',
      'renamed.jar',
      {
        projects: [
          ['core', '1.2.0'],
          ['shaded', '3.0'],
        ],
      },
      undefined,
    ],
    ['none, of another version', 'renamed.jar', { projects: [['shaded', '3.0']] }, undefined],
    ['none, whose name cannot be one of a package', 'x-1.jar', { projects: [['a b', '1.2.0']] }, undefined],
  ] as const)('is called after %s', (_, file, jar, name) =>
    withFiles({ [file]: pluginJar(jar) }, async (pack) => {
      const { error, packages } = await pack(file, '--parent', PARENT);
      expect([error?.code, packages[0]?.['name']]).toEqual([name === undefined ? 'INPUT_MISSING' : undefined, name]);
    }),
  );

  it.each([
    ['of the manifest', { 'Bundle-Version': '1.3.0.SNAPSHOT' }, '1.3.0.SNAPSHOT'],
    ['of the pom', { 'Bundle-Version': '' }, '1.2.0'],
    ['of the pom, if the platform cannot read that of the manifest', { 'Bundle-Version': '12c' }, '1.2.0'],
  ])('has the version %s', (_, manifest, version) =>
    withFiles({ 'acme-plugins-1.2.0.jar': pluginJar({ manifest }) }, async (pack) => {
      expect((await pack('acme-plugins-1.2.0.jar', '--parent', PARENT)).packages).toMatchObject([{ version }]);
    }),
  );

  it('makes a driver package, whose name must be given', () =>
    withFiles({ 'postgresql-42.7.4.jar': driverJar('org.postgresql.Driver') }, async (pack, home) => {
      const { packages } = await pack('postgresql-42.7.4.jar', '--name', 'postgresql', '--parent', PARENT);
      expect(packages).toMatchObject([{ action: 'create_driver_artifact', version: '42.7.4' }]);
      expect(await json(home, 'postgresql/42.7.4/postgresql-42.7.4.json')).toEqual({
        parents: [PARENT],
        plugins: [
          {
            name: 'postgresql',
            type: 'jdbc',
            className: 'org.postgresql.Driver',
            description: 'JDBC driver org.postgresql.Driver',
          },
        ],
      });
      expect(await json(home, 'postgresql/42.7.4/spec.json')).toMatchObject({ author: 'Example', org: 'Example' });
    }));

  it('asks which of several drivers is meant, and that it is in the JAR', () =>
    withFiles({ 'a.jar': driverJar('org.example.A', 'org.example.B') }, async (pack) => {
      const line = ['a.jar', '--name', 'a', '--parent', PARENT];
      const { error } = await pack(...line);
      expect(error?.lines.join()).toContain('it registers several (org.example.A, org.example.B)');
      expect((await pack(...line, '--driver-class', 'org.example.C')).error?.code).toBe('BAD_JAR');
      expect((await pack(...line, '--driver-class', 'org.example.B')).error).toBeUndefined();
    }));

  it('makes an application package without a config', () =>
    withFiles({ 'shop-1.0.0.jar': shopJar() }, async (pack, home) => {
      const { error, packages } = await pack('shop-1.0.0.jar', '--name', 'shop', '--artifact-version', '1.0.0');
      expect(error).toBeUndefined();
      expect(packages).toMatchObject([{ action: 'one_step_deploy_app', files: ['spec.json', 'shop-1.0.0.jar'] }]);
      expect(await json(home, 'shop/1.0.0/spec.json')).toMatchObject({ categories: [] });
    }));

  it('needs to be told what becomes of an application that takes a configuration', () =>
    withFiles(
      { 'a.jar': configuredJar('org/example/Settings'), 'b.jar': configuredJar('io/cdap/cdap/api/Config') },
      async (pack, home) => {
        const { error } = await pack('a.jar', '--name', 'a');
        expect(error?.lines.join()).toContain('(app, artifact)    --type TYPE');
        expect((await pack('a.jar', '--name', 'a', '--type', 'artifact')).packages).toMatchObject([
          { action: 'one_step_deploy_plugin', parents: [] },
        ]);
        expect(await json(home, 'a/1.0.0/a-1.0.0.json')).toEqual({ parents: [], properties: {} });
        expect((await pack('b.jar', '--name', 'b')).packages).toMatchObject([{ action: 'one_step_deploy_app' }]);
      },
    ));

  it('needs to be told what a JAR is that holds nothing of the platform', () =>
    withFiles({ 'a.jar': pluginJar({ manifest: { 'Export-Package': 'org.example.other' } }) }, async (pack) => {
      const { error } = await pack('a.jar', '--name', 'a');
      expect(error?.lines.join()).toContain('(plugin, driver, app, artifact)    --type TYPE');
    }));

  it('puts widgets, docs and icons of plugin projects into the config', () =>
    withFiles(
      {
        'acme.jar': pluginJar(),
        'w/Trim-transform.json': '{"metadata": {"spec-version": "1.5"}}',
        'w/Other-transform.json': '{}',
        'w/readme.txt': 'no widget',
        'd/Trim-transform.md': '# Trim ü\n',
        'i/Trim-transform.png': Buffer.from([0x89, 0x50]),
        'i/Nothing-transform.svg': '<svg/>',
      },
      async (pack, home) => {
        const folders = ['--widgets', './w', '--docs', './d', '--icons', './i'];
        const { warnings } = await pack('acme.jar', '--parent', PARENT, ...folders);
        const { properties } = (await json(home, 'acme-plugins/1.2.0/acme-plugins-1.2.0.json')) as {
          properties: Record<string, string>;
        };
        expect(Object.keys(properties)).toEqual([
          'doc.Trim-transform',
          'widgets.Trim-transform',
          'widgets.Other-transform',
        ]);
        expect(JSON.parse(properties['widgets.Trim-transform'] ?? '')).toEqual({
          metadata: { 'spec-version': '1.5' },
          icon: { type: 'inline', arguments: { data: 'data:image/png;base64,iVA=' } },
        });
        expect(warnings.join()).toMatch(/not used: .*readme\.txt, .*Nothing-transform\.svg/u);
      },
    ));

  it('gives several JARs the texts of their own plugins', () =>
    withFiles(
      {
        'a-1.2.0.jar': pluginJar({ plugins: ['A'], projects: [['a', '1.2.0']] }),
        'b-1.2.0.jar': pluginJar({ plugins: ['B'], projects: [['b', '1.2.0']] }),
        'd/A-transform.md': 'a',
        'd/B-transform.md': 'b',
        'd/C-transform.md': 'c',
      },
      async (pack, home) => {
        const { warnings } = await pack('a-1.2.0.jar', 'b-1.2.0.jar', '--parent', PARENT, '--docs', './d');
        expect(await json(home, 'a/1.2.0/a-1.2.0.json')).toMatchObject({ properties: { 'doc.A-transform': 'a' } });
        expect(await json(home, 'b/1.2.0/b-1.2.0.json')).toEqual({
          parents: [PARENT],
          properties: { 'doc.B-transform': 'b' },
        });
        expect(warnings).toEqual(['not used: C-transform']);
      },
    ));

  it.each([
    ['[4.1.0,5.2.0)', 0],
    ['[4.1.0,6.0.0-SNAPSHOT)', 0],
    ['[4.1.0,7.0.0-SNAPSHOT)', 1],
  ])('warns of plugins that platforms from 6.0 on do not find: %s', (range, count) =>
    withFiles({ 'acme.jar': pluginJar({ apiPackage: 'co.cask.cdap.api.annotation' }) }, async (pack) => {
      const { warnings } = await pack('acme.jar', '--parent', `system:cdap-data-pipeline${range}`);
      expect(warnings.filter((text) => text.includes('before 6.0'))).toHaveLength(count);
    }),
  );

  it.each([
    ['a widget that is no JSON', { 'f/A-b.json': '{' }, 'widgets', 'BAD_JSON'],
    ['a widget that is a list', { 'f/A-b.json': '[]' }, 'widgets', 'BAD_JSON'],
    ['a text that is not UTF-8', { 'f/A-b.md': Buffer.from([0xff]) }, 'docs', 'BAD_UTF8'],
    ['texts that are too large', { 'f/A-b.md': Buffer.alloc(33 * 1024 * 1024, 'x') }, 'docs', 'TOO_LARGE'],
    ['a folder that is not there', {}, 'icons', 'LOCAL_IO'],
  ] as const)('rejects %s', (_, files, flag, code) =>
    withFiles({ 'acme.jar': pluginJar(), ...files }, async (pack, home) => {
      expect((await pack('acme.jar', '--parent', PARENT, `--${flag}`, './f')).error?.code).toBe(code);
      await expect(readdir(join(home, 'hub'))).rejects.toThrow('ENOENT');
    }),
  );

  it('replaces what is there only with --clobber, then with all that is in it', () =>
    withFiles({ 'acme.jar': pluginJar() }, async (pack, home) => {
      const line = ['acme.jar', '--parent', PARENT];
      await pack(...line);
      const folder = join(home, 'hub/packages/acme-plugins/1.2.0');
      await writeFile(join(folder, 'spec.json.asc'), 'a signature');
      expect((await pack(...line, '--label', 'New')).error?.code).toBe('EXISTS');
      expect(await json(home, 'acme-plugins/1.2.0/spec.json')).toMatchObject({ label: 'acme-plugins' });
      expect((await pack(...line, '--label', 'New', '--clobber')).error).toBeUndefined();
      expect(await json(home, 'acme-plugins/1.2.0/spec.json')).toMatchObject({ label: 'New' });
      expect(await readdir(folder)).toEqual(['acme-plugins-1.2.0.jar', 'acme-plugins-1.2.0.json', 'spec.json']);
      expect(await readdir(join(home, 'hub/packages'))).toEqual(['acme-plugins']);
    }));

  it('keeps with --clobber the signatures of files that have not changed', () =>
    withFiles({ 'acme.jar': pluginJar(), 'other/acme.jar': pluginJar({ plugins: ['Join'] }) }, async (pack, home) => {
      const line = ['acme.jar', '--parent', PARENT];
      await pack(...line);
      const folder = join(home, 'hub/packages/acme-plugins/1.2.0');
      const files = await readdir(folder);
      for (const name of files) await writeFile(join(folder, `${name}.asc`), `of ${name}`);
      await writeFile(join(folder, 'gone.asc'), '');
      const signatures = async (): Promise<readonly string[]> =>
        (await readdir(folder)).filter((name) => name.endsWith('.asc'));
      await pack(...line, '--clobber');
      expect(await signatures()).toEqual(files.map((name) => `${name}.asc`));
      expect(await readFile(join(folder, 'spec.json.asc'), 'utf8')).toBe('of spec.json');
      await pack(...line, '--label', 'New', '--clobber');
      expect(await signatures()).toEqual(['acme-plugins-1.2.0.jar.asc', 'acme-plugins-1.2.0.json.asc']);
      await rm(join(folder, 'acme-plugins-1.2.0.json.asc'));
      await symlink('acme-plugins-1.2.0.jar.asc', join(folder, 'acme-plugins-1.2.0.json.asc'));
      await pack('other/acme.jar', '--parent', PARENT, '--clobber');
      expect(await signatures()).toEqual([]);
    }));

  it('makes the same package of the same JAR again', () =>
    withFiles({ 'acme.jar': pluginJar() }, async (pack, home) => {
      const spec = join(home, 'hub/packages/acme-plugins/1.2.0/spec.json');
      await pack('acme.jar', '--parent', PARENT);
      const before = (await readFile(spec, 'utf8')).replace(/"created": \d+/u, '"created": 1700000000');
      await writeFile(spec, before);
      await pack('acme.jar', '--parent', PARENT, '--clobber');
      expect(await readFile(spec, 'utf8')).toBe(before);
    }));

  it('makes a new package of another JAR, whoever wrote the specification that is there', () =>
    withFiles({ 'acme.jar': pluginJar(), 'other/acme.jar': pluginJar({ plugins: ['Join'] }) }, async (pack, home) => {
      const place = 'acme-plugins/1.2.0/spec.json';
      await pack('acme.jar', '--parent', PARENT);
      const spec = (await json(home, place)) as object;
      await writeFile(join(home, 'hub/packages', place), JSON.stringify({ ...spec, created: 1_700_000_000 }));
      await pack('acme.jar', '--parent', PARENT, '--clobber');
      expect(await json(home, place)).toEqual({ ...spec, created: 1_700_000_000 });
      await pack('other/acme.jar', '--parent', PARENT, '--clobber');
      expect((await json(home, place)) as object).toMatchObject({ created: expect.toSatisfy(isOfToday) as number });
    }));

  it('refuses to replace a version that is published with other files, unless each of them is named', () =>
    withFiles({ 'acme.jar': pluginJar() }, async (pack, home) => {
      const line = ['acme.jar', '--parent', PARENT];
      await pack(...line);
      const folder = join(home, 'hub/packages/acme-plugins/1.2.0');
      const files = await Promise.all(
        (await readdir(folder)).map(async (name) => {
          const bytes = await readFile(join(folder, name));
          return { name, size: bytes.length, sha256: createHash('sha256').update(bytes).digest('hex') };
        }),
      );
      const listed = [{ name: 'acme-plugins', version: '1.2.0', files }];
      const index = writeIndex({ sequence: 1, created: 0, expires: 1, files: [], packages: listed, keys: [] });
      await writeFile(join(home, 'hub/index.json'), index);
      expect((await pack(...line, '--clobber')).warnings).toEqual([]);
      const before = await json(home, 'acme-plugins/1.2.0/spec.json');
      await writeFile(join(folder, 'spec.json.asc'), 'a signature');
      const file = 'acme-plugins/1.2.0/spec.json';
      expect((await pack(...line, '--label', 'New', '--clobber')).error).toMatchObject({
        code: 'REPUBLISH',
        message: `1 file of published versions would change in ${await realpath(join(home, 'hub'))}`,
        hints: ['give the package a new version', { next: 'force-file', files: [file], more: false }],
      });
      expect(await json(home, file)).toEqual(before);
      expect(await readdir(folder)).toContain('spec.json.asc');
      expect((await pack(...line, '--label', 'New', '--clobber', '--force-file', file)).error).toBeUndefined();
      expect(await json(home, file)).toMatchObject({ label: 'New' });
      expect((await pack(...line, '--artifact-version', '1.3.0', '--label', 'New')).error).toBeUndefined();
    }));

  it('refuses parents with an empty range, and warns of a JAR that is not what it is packed as', () =>
    withFiles({ 'acme.jar': pluginJar(), 'pg.jar': driverJar() }, async (pack) => {
      const empty = await pack('acme.jar', '--parent', 'system:cdap-data-pipeline[7,6)');
      expect(empty.error).toMatchObject({
        code: 'USAGE',
        message: '--parent "system:cdap-data-pipeline[7,6)" matches no version of its artifact',
      });
      expect((await pack('acme.jar', '--type', 'app')).warnings).toEqual([
        expect.stringMatching(/acme\.jar is packed as an application, but no application was found in it$/u),
      ]);
      const driver = ['pg.jar', '--name', 'pg', '--artifact-version', '1.0.0', '--parent', PARENT];
      expect((await pack(...driver, '--type', 'plugin')).warnings).toEqual([
        expect.stringMatching(/pg\.jar is packed as a plugin, but no plugin was found in it$/u),
      ]);
    }));

  it('warns once of files for plugins that the JAR does not have', () => {
    const widgets = Object.fromEntries(
      'a b c d e f g'.split(' ').map((letter) => [`w/${letter}-batchsource.json`, '{}']),
    );
    return withFiles({ 'acme.jar': pluginJar(), ...widgets }, async (pack) => {
      const { error, warnings } = await pack('acme.jar', '--parent', PARENT, '--widgets', './w');
      expect(error).toBeUndefined();
      const named = 'a-batchsource, b-batchsource, c-batchsource, d-batchsource, e-batchsource and 2 more';
      expect(warnings).toEqual([`the JAR has no plugin ${named}; its files are packed anyway`]);
    });
  });

  it('puts back a package that a run which was killed had set aside', () =>
    withFiles({ 'acme.jar': pluginJar() }, async (pack, home) => {
      const line = ['acme.jar', '--parent', PARENT];
      await pack(...line);
      const packages = join(home, 'hub/packages');
      const aside = join(packages, temporaryName().replace(/-\d+-(?=[^-]+-[^-]+$)/u, `-${NO_PROCESS}-`));
      await mkdir(aside);
      await rename(join(packages, 'acme-plugins'), join(aside, 'acme-plugins'));
      expect((await pack(...line, '--label', 'New')).error?.code).toBe('EXISTS');
      expect(await json(home, 'acme-plugins/1.2.0/spec.json')).toMatchObject({ label: 'acme-plugins' });
      expect(await readdir(packages)).toEqual(['acme-plugins']);
    }));

  it('takes texts for people from flags', () =>
    withFiles({ 'acme.jar': pluginJar() }, async (pack, home) => {
      const texts = [
        '--category',
        'gcp,AWS',
        '--category',
        'Big Data',
        '--platform',
        '[6.2.0,6.3.0)',
        '--author',
        'Me',
        '--org',
        'Us',
      ];
      await pack('acme.jar', '--parent', PARENT, ...texts, '--description', 'Cuts.');
      expect(await json(home, 'acme-plugins/1.2.0/spec.json')).toMatchObject({
        description: 'Cuts.',
        categories: ['gcp', 'AWS', 'Big Data'],
        cdapVersion: '[6.2.0,6.3.0)',
        author: 'Me',
        org: 'Us',
      });
    }));

  it.each([
    [['a.jar', 'a.jar'], 'have the same name and version, acme-plugins 1.2.0'],
    [['a.jar', 'a.jar', '--name', 'x'], '--name can be used with one JAR only'],
    [['a.jar', '--name', '../x'], 'may have letters'],
    [['a.jar', '--name', 'con'], 'is reserved'],
    [['a.jar', '--artifact-version', '12c'], 'is not a valid version'],
    [['a.jar', '--platform', '[6.1.0'], 'is not a version range'],
    [['a.jar', '--platform', '6.1'], 'is not a version range such as [6.1.0,7.0.0-SNAPSHOT)'],
    [['a.jar', '--parent', 'cdap-data-pipeline'], 'is not NAMESPACE:NAME[FROM,TO)'],
    [['a.jar', '--parent', 'cdap-data-pipeline[6.0.0,7.0.0)'], 'is not NAMESPACE:NAME[FROM,TO)'],
    [['a.jar', '--parent', `${PARENT},cdap-data-streams[6.0.0,7.0.0)`], 'is not NAMESPACE:NAME[FROM,TO)'],
  ])('rejects %j', (line, message) =>
    withFiles({ 'a.jar': pluginJar({ pom: pomOf([PARENT]) }) }, async (pack) => {
      const { error } = await pack(...line);
      expect(error).toMatchObject({ code: 'USAGE', message: expect.stringContaining(message) as string });
    }),
  );

  it('says of all JARs what is wrong with them', () =>
    withFiles(
      { 'a.jar': 'no archive', 'b.jar': pluginJar(), 'c.jar': makeJar({ manifest: {}, entries: [] }) },
      async (pack) => {
        const { error } = await pack('a.jar', 'b.jar', 'none.jar');
        expect(error).toMatchObject({ code: 'BAD_JAR', message: '2 of 3 JARs cannot be packed' });
        expect(error?.lines).toEqual([
          expect.stringContaining('it is not a ZIP archive'),
          expect.stringContaining('none.jar does not exist'),
        ]);
      },
    ));
});
