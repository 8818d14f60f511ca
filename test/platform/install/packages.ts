import { execFile } from 'node:child_process';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { buildHub } from '../../../src/emulator/hub/build.js';
import type { SamplePackage } from '../../../src/emulator/hub/packages/sample-package.js';
import { makeSigner } from '../../../src/emulator/hub/sign.js';

/** A hub on disk whose JARs are published ones: its root, the folder of one version of a package, its key, and the JARs by their file names. */
export interface RealHub {
  readonly root: string;
  readonly keyFile: string;
  readonly fingerprint: string;
  readonly jars: string;
  folder(name: string, version: string): string;
}

const run = promisify(execFile);
const PIPELINE_PARENTS = [
  'system:cdap-data-pipeline[6.8.0-SNAPSHOT,7.0.0-SNAPSHOT)',
  'system:cdap-data-streams[6.8.0-SNAPSHOT,7.0.0-SNAPSHOT)',
];
const CORE = 'core-plugins-2.12.0.jar';
/** A plugin JAR whose manifest names its version. */
export const DELIMITED_JAR = 'format-delimited-2.12.0.jar';
/** The JDBC driver; also what a plugin package looks like whose JAR holds no plugin. */
export const DRIVER_JAR = 'postgresql-42.7.4.jar';
const DRIVER = {
  name: 'postgresql',
  type: 'jdbc',
  className: 'org.postgresql.Driver',
  description: 'PostgreSQL driver',
};

interface Action {
  readonly type: string;
  readonly label: string;
  readonly arguments: readonly { readonly name: string; readonly value: unknown; readonly canModify: boolean }[];
}

const text = (value: unknown): Buffer => Buffer.from(`${JSON.stringify(value, undefined, 2)}\n`);

function action(type: string, label: string, values: Readonly<Record<string, unknown>>): Action {
  const all = Object.entries(values).map(([name, value]) => ({
    name,
    value,
    canModify: type === 'create_pipeline' && name === 'name',
  }));
  return { type, label, arguments: all };
}

function pack(
  name: string,
  version: string,
  actions: readonly Action[],
  resources: SamplePackage['resources'],
): SamplePackage {
  const facts = {
    specVersion: '1.0',
    label: name,
    description: `${name} on a real platform`,
    author: 'cdapctl',
    org: 'cdapctl',
  };
  const spec = {
    ...facts,
    created: 1_700_000_000,
    cdapVersion: '[6.8.0,7.0.0-SNAPSHOT)',
    categories: ['example'],
    actions,
  };
  return { name, version, spec, resources };
}

const artifact = (name: string, version: string, config: string, jar: string): Record<string, string> => ({
  name,
  version,
  scope: 'user',
  config,
  jar,
});

/** A pipeline from file to file: the scope of its plugins, the folder of its result, its cron expression. */
async function copyPipeline(scope: 'SYSTEM' | 'USER', output: string, cron = '0 1 */1 * *'): Promise<Buffer> {
  const file = resolve(import.meta.dirname, '../pipelines/csv-to-csv-6.10.0.json');
  const { config } = JSON.parse(await readFile(file, 'utf8')) as { config: object };
  const whole = JSON.stringify({ ...config, schedule: cron }, undefined, 2);
  return Buffer.from(
    whole
      .replace('file:///cdap/output', `file:///cdap/output/${output}`)
      .replaceAll('"scope": "SYSTEM"', `"scope": "${scope}"`),
  );
}

async function packages(jar: (name: string) => Promise<Buffer>, output: string): Promise<SamplePackage[]> {
  const plugin = { parents: PIPELINE_PARENTS, properties: { 'doc.csv-validatingInputFormat': '# Reads csv\n' } };
  const core = { parents: PIPELINE_PARENTS, properties: {} };
  const [coreJar, delimited, driver] = await Promise.all([jar(CORE), jar(DELIMITED_JAR), jar(DRIVER_JAR)]);
  const any = { name: 'cdap-data-pipeline', version: '[6.0.0,7.0.0)', scope: 'system' };
  return [
    pack(
      'plugin-delimited',
      '2.12.0',
      [
        action(
          'one_step_deploy_plugin',
          'Deploy',
          artifact('format-delimited', '2.12.0', 'plugin.json', DELIMITED_JAR),
        ),
      ],
      {
        'plugin.json': text(plugin),
        [DELIMITED_JAR]: delimited,
      },
    ),
    pack(
      'plugin-upload',
      '2.12.0',
      [
        action('create_plugin_artifact', 'Upload', {
          name: 'format-delimited',
          scope: 'user',
          config: 'plugin.json',
          jar: DELIMITED_JAR,
        }),
      ],
      {
        'plugin.json': text(plugin),
        [DELIMITED_JAR]: delimited,
      },
    ),
    pack(
      'driver-postgresql',
      '42.7.4',
      [
        action('create_driver_artifact', 'Driver', {
          name: 'postgresql',
          version: '42.7.4',
          scope: 'user',
          config: 'driver.json',
        }),
      ],
      {
        'driver.json': text({ parents: PIPELINE_PARENTS, plugins: [DRIVER] }),
      },
    ),
    pack(
      'pipeline-copy',
      '1.0.0',
      [action('create_pipeline', 'Pipeline', { name: 'copy', artifact: any, config: 'pipeline.json' })],
      {
        'pipeline.json': await copyPipeline('SYSTEM', `${output}/system`),
      },
    ),
    pack(
      'pipeline-copy',
      '1.1.0',
      [action('create_pipeline', 'Pipeline', { name: 'copy', artifact: any, config: 'pipeline.json' })],
      {
        'pipeline.json': await copyPipeline('SYSTEM', `${output}/again`, '0 5 * * *'),
      },
    ),
    pack(
      'solution-copy',
      '1.0.0',
      [
        action('informational', 'Read first', { steps: ['Copies rows.csv.', 'Brings the plugins that it needs.'] }),
        action('one_step_deploy_plugin', 'Plugins', artifact('core-plugins', '2.12.0', 'core.json', CORE)),
        action(
          'one_step_deploy_plugin',
          'Format',
          artifact('format-delimited', '2.12.0', 'plugin.json', DELIMITED_JAR),
        ),
        action('create_driver_artifact', 'Driver', artifact('postgresql', '42.7.4', 'driver.json', DRIVER_JAR)),
        action('create_pipeline', 'Pipeline', { name: 'copy', artifact: any, config: 'pipeline.json' }),
      ],
      {
        'core.json': text(core),
        [CORE]: coreJar,
        'plugin.json': text(plugin),
        [DELIMITED_JAR]: delimited,
        'driver.json': text({ parents: PIPELINE_PARENTS, plugins: [DRIVER] }),
        [DRIVER_JAR]: driver,
        'pipeline.json': await copyPipeline('USER', `${output}/user`),
      },
    ),
    pack(
      'plugin-none',
      '1.0.0',
      [action('one_step_deploy_plugin', 'Deploy', artifact('no-plugin', '1.0.0', 'plugin.json', DRIVER_JAR))],
      {
        'plugin.json': text(core),
        [DRIVER_JAR]: driver,
      },
    ),
    pack(
      'plugin-orphan',
      '2.12.0',
      [action('one_step_deploy_plugin', 'Deploy', artifact('orphan', '2.12.0', 'plugin.json', DELIMITED_JAR))],
      {
        'plugin.json': text({ parents: ['system:cdap-data-pipeline[7.0.0,8.0.0)'], properties: {} }),
        [DELIMITED_JAR]: delimited,
      },
    ),
  ];
}

/** Fetches the JARs of packages.xml, or of another file beside it, into a folder. */
export async function fetchJars(folder: string, list = 'packages.xml'): Promise<void> {
  await run(resolve(import.meta.dirname, '../cdap'), ['jars', folder, list], { maxBuffer: 1 << 26 });
}

/** Fetches the JARs of packages.xml and writes a signed hub of them below `folder`; pipelines write to `/cdap/output/<output>` as the platform sees it. */
export async function makeRealHub(folder: string, output: string): Promise<RealHub> {
  const root = join(folder, 'hub');
  const jars = join(folder, 'jars');
  await fetchJars(jars);
  const now = Date.now();
  const signer = await makeSigner(now);
  const content = await packages((name) => readFile(join(jars, name)), output);
  for (const [path, bytes] of await buildHub({ packages: content, signer, now, sequence: 1 })) {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), bytes);
  }
  const keyFile = join(folder, 'hub-key.asc');
  await writeFile(keyFile, signer.publicKey);
  return {
    root,
    keyFile,
    fingerprint: signer.fingerprint,
    jars,
    folder: (name, version) => join(root, 'packages', name, version),
  };
}
