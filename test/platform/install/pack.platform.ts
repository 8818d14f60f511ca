import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runCli } from '../../support/processes/run-cli.js';
import { startCli } from '../../support/processes/running-cli.js';
import { fetchJars } from './packages.js';
import { callPlatform, installJson, trustHub, withNamespace } from '../site.js';

const address = (name: string): string => (process.env[name] ?? '').replace(/\/+$/u, '');
const parents = (from: string): readonly string[] =>
  ['cdap-data-pipeline', 'cdap-data-streams'].flatMap((name) => ['--parent', `system:${name}[${from},7.0.0-SNAPSHOT)`]);
const DRIVER = ['--name', 'postgresql'];

/** For each platform what is packed: the JAR, its flags, and what the platform then has of it. */
const PLATFORMS = [
  {
    version: '6.11.0',
    url: address('CDAPCTL_CONTRACT_URL'),
    packed: [
      ['core-plugins-2.12.0', parents('6.8.0-SNAPSHOT'), 37],
      ['format-avro-2.12.0', parents('6.8.0-SNAPSHOT'), 2],
      ['format-parquet-2.5.0', [], 2],
      ['postgresql-42.7.4', [...DRIVER, ...parents('6.8.0-SNAPSHOT')], 1],
      ['cdap-data-pipeline3_2.12-6.11.0', ['--type', 'artifact', '--platform', '[6.11.0,6.12.0-SNAPSHOT)'], 0],
    ],
  },
  {
    version: '6.4.1',
    url: address('CDAPCTL_CONTRACT_URL_6_4'),
    packed: [
      ['core-plugins-2.6.0', parents('6.4.0'), 36],
      ['format-avro-2.6.0', parents('6.4.0'), 2],
      ['format-parquet-2.5.0', [], 2],
      ['postgresql-42.7.4', [...DRIVER, ...parents('6.4.0')], 1],
      ['cdap-data-pipeline2_2.11-6.4.1', ['--type', 'artifact', '--platform', '[6.4.1,6.5.0-SNAPSHOT)'], 0],
    ],
  },
  {
    // The only published one is of this generation; its pom names its parents.
    version: '4.3.5',
    url: address('CDAPCTL_CONTRACT_URL_4_3'),
    packed: [['wrangler-transform-3.0.0', [], 1]],
  },
] as const;

/** Signs a hub with a key of its own and serves it to homes that trust the key. */
async function served(
  run: (...line: readonly string[]) => Promise<string>,
  hub: string,
  use: (home: string) => Promise<void>,
): Promise<void> {
  const home = await mkdtemp(join(folder, 'home-'));
  const keyFile = join(home, 'hub.key');
  const made = await run('key', 'generate', '--name', 'Test', '--no-passphrase', '-O', keyFile, '--json');
  const { item } = JSON.parse(made) as { readonly item: { readonly fingerprint: string } };
  await run('sign', hub, '--key', keyFile);
  const server = startCli(['hub', 'serve', hub, '--port', '0'], { home: folder, env: {} });
  try {
    await server.see('to stop it');
    const address = /http:\S+\/v2/u.exec(server.said())?.[0] ?? '';
    await trustHub(home, 'own', address, { keyFile: `${keyFile}.pub`, fingerprint: item.fingerprint });
    await use(home);
  } finally {
    server.kill('SIGTERM');
    await server.ended;
  }
}

interface Detail {
  readonly classes: { readonly plugins?: readonly object[]; readonly apps?: readonly object[] };
}

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'cdapctl-pack-'));
  await fetchJars(join(folder, 'jars'), 'pack.xml');
}, 900_000);

afterAll(() => rm(folder, { recursive: true, force: true }));

describe.each(PLATFORMS)('published JARs on a real platform $version', ({ version, url, packed }) => {
  it.skipIf(url === '')(
    'are packed by flags, pass the check, and install from a hub that we built, signed and serve, which must be signed',
    () =>
      withNamespace(url, async (namespace) => {
        const hub = join(folder, version);
        const run = async (...line: readonly string[]): Promise<string> => {
          const { code, stdout, stderr } = await runCli(['hub', ...line], { home: folder, cwd: folder });
          expect(code, stderr).toBe(0);
          return stdout;
        };
        for (const [name, flags] of packed) await run('pack', `jars/${name}.jar`, '-D', hub, ...flags);
        expect(JSON.parse(await run('lint', hub, '--json'))).toMatchObject({ items: [] });
        await run('build', hub, '--strict');
        await served(run, hub, async (home) => {
          for (const [file, , plugins] of packed) {
            const [, name = '', of = ''] = /^(.+)-(\d.*)$/u.exec(file) ?? [];
            const line = [name, '--hub', 'own', '--verify', 'require', '-n', namespace, '-y'];
            const { run: installed } = await installJson(home, url, line);
            expect(installed.code, `${installed.stderr}${installed.stdout}`).toBe(0);
            const { classes } = await callPlatform<Detail>(
              `${url}/v3/namespaces/${namespace}/artifacts/${name}/versions/${of}?scope=user`,
              'GET',
            );
            expect(classes.plugins ?? []).toHaveLength(plugins);
            expect(classes.apps ?? []).toHaveLength(plugins === 0 ? 1 : 0);
          }
        });
      }),
    900_000,
  );
});
