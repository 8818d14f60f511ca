import { cp, mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { makeDriverClass } from '../../src/emulator/jar/make-class.js';
import { makeJar } from '../../src/emulator/jar/make-jar.js';
import { keepCode, lendCode } from './processes/compiled-code.js';
import { read } from './documents.js';
import { freePorts } from './free-ports.js';
import { pluginJar, pomOf } from './sites/pack-jars.js';
import { withTempDir } from './processes/run-cli.js';
import {
  openShell,
  startEmulatorProcess,
  stopEmulatorProcess,
  type EmulatorProcess,
  type Shell,
} from './processes/shell.js';
import { olderPipeline, oneStep, stepArtifacts } from './sites/upgrade-seed.js';

interface ManifestCommand {
  readonly examples: readonly string[];
}

const MANIFEST = JSON.parse(read('oclif.manifest.json')) as { commands: Record<string, ManifestCommand> };

/** Commands that run until they are stopped. */
const SERVERS: ReadonlySet<string> = new Set(['emulator:start', 'hub:serve']);

/** Compiled code, which the homes share by links. */
const CODE = join('cdapctl', 'code');

/** Words of examples that stand for something of the reader; `by` is what the test puts there. */
export const PLACEHOLDERS: readonly { printed: string; by: (emulator: EmulatorProcess) => string; reason: string }[] = [
  { printed: 'https://hub.example.com/v2', by: ({ hub }) => hub, reason: 'the hub of a company' },
  { printed: 'https://cdap.example.com:10443', by: ({ url }) => url, reason: 'the platform of a company' },
  {
    printed: '4F2A91C07D110C5B92E61B0A66F13B8D20A977D1',
    by: ({ fingerprint }) => fingerprint,
    reason: 'the emulator makes a new key at each start',
  },
  {
    printed: '"4F2A 91C0 7D11 0C5B 92E6 1B0A 66F1 3B8D 20A9 77D1"',
    by: ({ fingerprint }) => `"${fingerprint.replaceAll(/.{4}/gu, '$& ').trim()}"`,
    reason: 'the emulator makes a new key at each start',
  },
  {
    printed: 'gpg --armor --export hub@example.org',
    by: () => 'cat publisher.asc',
    reason: 'another program, which need not be there',
  },
  {
    printed: 'aws s3 cp {file} s3://hub/v2/{path}',
    by: () => 'test {file} != {path}',
    reason: 'another program, which need not be there',
  },
];

/** Examples that end with another code than 0: those that ask a person, and off a terminal change nothing; those that wait for a condition. */
export const ASKING: ReadonlyMap<string, number> = new Map([
  ["cdapctl metrics watch etl/orders-hourly --run latest --fail-if 'user.step.records.out>=1'", 11],
  ["cdapctl metrics top etl/orders-hourly --run latest --watch --fail-if 'user.step.records.out>=1'", 11],
  [
    "cdapctl metrics get etl/orders-hourly user.step.records.out --watch -o ndjson --fail-if 'user.step.records.out>=1'",
    11,
  ],
  ['cdapctl hub key generate --name "Example hub" -O hub.key', 2],
  ['cdapctl hub sign ./my-hub --key publisher.key --check --json', 14],
  ['cdapctl hub lock example-trim-fields@1.10.0 --check', 14],
  ['cdapctl hub mirror -D ./mirror --versions 1 --dry-run --detailed-exitcode', 14],
  ['cdapctl hub key add publisher.asc --hub corp', 2],
  ['cdapctl hub key add publisher.asc --hub corp --packages "acme-*"', 2],
  ['cdapctl hub key remove 4F2A91C07D110C5B92E61B0A66F13B8D20A977D1 --hub corp', 13],
]);

/** The commands by their ids. */
export const COMMANDS = Object.entries(MANIFEST.commands);
/** All examples, each with the id of its command. */
export const EXAMPLES = COMMANDS.flatMap(([id, command]) => command.examples.map((example) => [id, example] as const));

/** Where the commands, in their order, are divided among files, which run side by side. */
export const BORDERS = ['', 'hub:list', 'pipeline:', '~'];

/** The tests of one file: the examples of the commands between two borders, run as printed. */
export function testExamples(at: number): void {
  const [from = '', to = ''] = BORDERS.slice(at);
  const examples = EXAMPLES.filter(([id]) => id >= from && id < to);
  let shell: Shell;
  let emulator: EmulatorProcess;
  /** A platform whose report service works, with runs. */
  let reporting: EmulatorProcess;
  let prepared: string;

  beforeAll(async () => {
    shell = await openShell();
    prepared = join(shell.root, 'prepared');
    await mkdir(join(prepared, 'my-hub'), { recursive: true });
    await writeFile(join(prepared, 'my-hub', 'packages.json'), '[]');
    const source = join(prepared, 'my-hub', 'packages', 'example', '1.0.0');
    await mkdir(source, { recursive: true });
    await writeFile(
      join(source, 'spec.json'),
      '{"label":"Example","categories":["pipeline"],"actions":[],"created":1700000000}',
    );
    const manifest = { 'Bundle-SymbolicName': 'org.postgresql.jdbc', 'Bundle-Version': '42.7.4' };
    const [name, bytes] = ['org/postgresql/Driver.class', makeDriverClass('org.postgresql.Driver')];
    await writeFile(join(prepared, 'postgresql.jar'), makeJar({ manifest, entries: [{ name, bytes }] }));
    await writeFile(
      join(prepared, 'acme-plugins-1.2.0.jar'),
      pluginJar({ pom: pomOf(['system:cdap-data-pipeline[6.1.0,7.0.0-SNAPSHOT)']) }),
    );
    for (const [folder, file, text] of [
      ['widgets', 'Trim-transform.json', '{}'],
      ['docs', 'Trim-transform.md', '# Trim'],
    ] as const) {
      await mkdir(join(prepared, folder));
      await writeFile(join(prepared, folder, file), text);
    }
    await writeFile(join(prepared, 'publisher.key'), read('test/fixtures/keys/signing/locked.secret.asc'), {
      mode: 0o600,
    });
    await writeFile(join(prepared, 'passphrase.txt'), 'correct horse\n', { mode: 0o600 });
    await writeFile(join(prepared, 'token.txt'), 'AbCdEf0123456789\n', { mode: 0o600 });
    const pipeline = olderPipeline('6.11.0', 'etl', 'orders-hourly', oneStep('Copy'));
    const seed = { namespaces: ['etl'], artifacts: stepArtifacts('6.11.0'), applications: [pipeline] };
    await writeFile(join(prepared, 'seed.json'), JSON.stringify(seed));
    emulator = await startEmulatorProcess(prepared, '--key-out', 'publisher.asc', '--seed', 'seed.json');
    reporting = await startEmulatorProcess(prepared, '--platform', '6.1.1', '--runs', '300');
    await writeFile(
      join(prepared, 'request.json'),
      JSON.stringify({ start: 1714600000, end: 1714700000, fields: ['run'] }),
    );
    // A run for the examples that ask about runs; it has ended long before they do.
    const program = `${emulator.url}/v3/namespaces/etl/apps/orders-hourly/workflows/DataPipelineWorkflow`;
    expect((await fetch(`${program}/start`, { method: 'POST' })).status).toBe(200);
  });

  afterAll(async () => {
    expect(await stopEmulatorProcess(emulator)).toEqual([0, null]);
    expect(await stopEmulatorProcess(reporting)).toEqual([0, null]);
    await shell.close();
  });

  const homes = new Map<string, Promise<string>>();

  /** A home in which names of the example stand for what it says: contexts, a hub with its key, a downloaded and an installed package, an upgrade with its journal. */
  async function homeFor(id: string, example: string, home: string): Promise<void> {
    const key = `--fingerprint ${emulator.fingerprint}`;
    const hub = /\bcorp\b/u.test(example) ? 'corp' : 'sample';
    const lines = [
      ...(id === 'context:add' ? [] : ['local', 'prod', 'old'].map((name) => `context add ${name} -u ${emulator.url}`)),
      ...(id === 'hub:add' ? [] : [`hub add ${hub} ${emulator.hub}`]),
      ...(id === 'hub:add' || id === 'hub:key:add' ? [] : [`hub key add publisher.asc --hub ${hub} ${key}`]),
      ...(example.includes('--refresh --expires')
        ? ['hub sign ./my-hub --key publisher.key --passphrase-file passphrase.txt']
        : []),
      ...(example.includes('./downloads/') ? ['hub download example-trim-fields@1.10.0 -D downloads'] : []),
      ...(example.includes('-f packages.lock') ? ['hub lock example-trim-fields@1.10.0'] : []),
      ...(example.includes('--from window.json') ? ['schedule suspend -A -n etl --record window.json -y'] : []),
      ...(id === 'pipeline:wait' ? ['pipeline start etl/orders-hourly --wait -y'] : []),
      ...(/^(?:installed:show|installed:uninstall|uninstall)$/u.test(id)
        ? ['install example-trim-fields@1.10.0 -n default -y']
        : []),
    ];
    const journals = '~/.local/state/cdapctl/upgrades';
    const upgraded = `cdapctl upgrade -n etl\nmv ${journals}/*.ndjson ${journals}/2024-05-02T22-00-00Z.ndjson`;
    const more = id.startsWith('upgrade') ? [upgraded] : [];
    const plain = [...lines.map((line) => `cdapctl ${line}`), ...more].join('\n');
    const script = id.startsWith('report') ? reported(id, example) : plain;
    const ready = homes.get(script) ?? prepare(join(shell.root, `home-${homes.size}`), script);
    homes.set(script, ready);
    await lendCode(home);
    await cp(await ready, home, { recursive: true, filter: (from) => !from.endsWith(CODE) });
    if (id === 'hub:key:export') await rm(join(home, 'publisher.asc'));
  }

  /** A report can be saved and deleted once, and an example stops the service that the later ones need. */
  function reported(id: string, example: string): string {
    const once = id === 'report:save' || example === 'cdapctl report delete latest -y';
    const mark = once ? example : id > 'report:service:stop' ? 'the service runs again' : 'the first time';
    const lines = [
      `context add local -u ${reporting.url}`,
      'report service enable -y',
      'report generate --last 7d --wait --interval 100ms',
    ];
    return [...lines.map((line) => `cdapctl ${line}`), `# ${mark}`].join('\n');
  }

  async function prepare(home: string, script: string): Promise<string> {
    await lendCode(home);
    await cp(prepared, home, { recursive: true });
    const { code, output } = await shell.runStrictly(script, home);
    await keepCode(home);
    expect(code, output).toBe(0);
    return home;
  }

  const filled = (example: string): string =>
    PLACEHOLDERS.reduce((text, { printed, by }) => text.replaceAll(printed, by(emulator)), example);

  it.each(examples.filter(([id]) => !SERVERS.has(id)))('works as printed: %s, %s', async (id, example) => {
    await withTempDir(async (folder) => {
      const home = join(folder, 'home');
      await homeFor(id, example, home);
      const { code, output, stdout } = await shell.runStrictly(filled(example), home);
      await keepCode(home);
      expect(code, output).toBe(ASKING.get(example) ?? 0);
      expect(output).not.toMatch(/\n\s+at /u);
      if (!/--json\b/u.test(example)) return;
      const document = JSON.parse(stdout) as { schemaVersion: number; kind: string };
      expect(document.schemaVersion).toBe(1);
      expect(document.kind).not.toBe('Error');
    });
  });

  const starts = examples.filter(([id]) => SERVERS.has(id)).map(([, example]) => example);
  it.each(starts)('starts, says where, and ends with 0 when it is told: %s', async (example) => {
    const [port, hubPort] = await freePorts();
    // The ports of the example may be taken on this machine.
    const line = example.replace('11015', String(port)).replace('8085', String(hubPort));
    await withTempDir(async (home) => {
      await cp(join(prepared, 'my-hub'), join(home, 'my-hub'), { recursive: true });
      await writeFile(join(home, 'server.pem'), read('test/fixtures/tls/good.pem'));
      await writeFile(join(home, 'server.key'), read('test/fixtures/tls/good.key'), { mode: 0o600 });
      const script = `${line} > ready &\nuntil test -s ready; do sleep 0.1; done\ncat ready\nkill %1\nwait %1`;
      const { code, output } = await shell.runStrictly(script, home);
      expect(code, output).toBe(0);
      expect(output).toMatch(/https?:\/\/127\.0\.0\.1:\d+/u);
    });
  });
}
