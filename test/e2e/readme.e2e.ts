import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { chmod, cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ERRORS } from '../../src/core/errors.js';
import { makeDriverClass } from '../../src/emulator/hub/make-class.js';
import { makeJar } from '../../src/emulator/hub/make-jar.js';
import { EXIT_CODES } from '../../src/output/exit-codes.js';
import { HELP_TOPICS } from '../../src/output/help-topics.js';
import { environmentOf, ROOT, STARTER, withTempDir } from '../support/run-cli.js';
import { olderPipeline, oneStep, stepArtifacts } from '../support/upgrade-seed.js';

interface ManifestCommand {
  readonly examples: readonly string[];
  readonly hidden?: boolean;
}

const read = (file: string): string => readFileSync(join(ROOT, file), 'utf8');
const README = read('README.md');
const MANIFEST = JSON.parse(read('oclif.manifest.json')) as { commands: Record<string, ManifestCommand> };
/** Pages of their own that README leaves the rest to, and the commands that they tell of. */
const GUIDES = [
  ['docs/upgrade-in-ci.md', /^upgrade\b/u],
  ['docs/reports.md', /^report\b/u],
  ['docs/dashboard-and-metrics.md', /^(?:dashboard|metrics)\b/u],
  ['docs/operate-pipelines.md', /^pipeline\b/u],
  ['docs/arguments-and-schedules.md', /^(?:args|preferences|schedule)\b/u],
] as const;
const DOCUMENTS = [
  ...['README.md', 'SECURITY.md', 'CONTRIBUTING.md', 'CHANGELOG.md'],
  ...readdirSync(join(ROOT, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name.replaceAll('\\', '/')}`),
];

interface Run {
  readonly code: number | null;
  readonly output: string;
  readonly stdout: string;
}

interface Emulator {
  readonly url: string;
  readonly hub: string;
  readonly fingerprint: string;
  readonly child: ChildProcess;
}

let root: string;

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'cdapctl-readme-'));
  await mkdir(join(root, 'bin'));
  const starter = join(root, 'bin', 'cdapctl');
  await writeFile(starter, `#!/bin/sh\nexec '${process.execPath}' '${STARTER}' "$@"\n`);
  await chmod(starter, 0o755);
});

afterAll(async () => {
  await rm(root, { recursive: true, force: true });
});

/** Runs a script as a person would paste it, in a folder of its own that is its home, too. */
async function bash(script: string, home: string, env: Readonly<Record<string, string>> = {}): Promise<Run> {
  return plainBash(`set -e -o pipefail\n${script}`, home, env);
}

/** Like `bash`, but only the script itself says whether it stops at what fails. */
async function plainBash(script: string, home: string, env: Readonly<Record<string, string>>): Promise<Run> {
  const base = environmentOf(home, env);
  const child = spawn('bash', ['-c', script], {
    cwd: home,
    env: { ...base, PATH: `${join(root, 'bin')}${delimiter}${base['PATH'] ?? ''}` },
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: 45_000,
    killSignal: 'SIGKILL',
  });
  let [output, stdout] = ['', ''];
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text;
    stdout += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    output += text;
  });
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, output, stdout };
}

async function freePorts(): Promise<readonly [number, number]> {
  const servers = [createServer(), createServer()];
  const ports: number[] = [];
  for (const server of servers) {
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    ports.push((server.address() as { port: number }).port);
  }
  for (const server of servers) server.close();
  return [ports[0] ?? 0, ports[1] ?? 0];
}

async function startEmulator(home: string, ...flags: string[]): Promise<Emulator> {
  const args = ['emulator', 'start', '--json', ...flags];
  const child = spawn(process.execPath, [STARTER, ...args], { cwd: home, env: environmentOf(home) });
  const [line] = (await once(createInterface({ input: child.stdout }), 'line')) as [string];
  const { item } = JSON.parse(line) as { item: Omit<Emulator, 'child'> };
  return { ...item, child };
}

async function stopEmulator({ child }: Emulator): Promise<void> {
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  expect(await ended).toEqual([0, null]);
}

function section(title: string): string {
  const from = README.indexOf(`\n## ${title}\n`);
  expect(from, `README.md has a chapter "${title}"`).toBeGreaterThan(0);
  const end = README.indexOf('\n## ', from + 1);
  return README.slice(from, end === -1 ? undefined : end);
}

/** The fenced blocks of a text, in order. */
function blocks(text: string): { readonly language: string; readonly content: string }[] {
  return [...text.matchAll(/^```(\w+)\n(.*?)^```$/gmsu)].map((match) => ({
    language: match[1] ?? '',
    content: match[2] ?? '',
  }));
}

describe('five minutes with the emulator', () => {
  const PORTS = ['18015', '18085'] as const;
  const steps: { script: string; shown: string[] }[] = [];
  for (const { language, content } of blocks(section('Five minutes with the emulator'))) {
    if (language === 'bash') steps.push({ script: content, shown: [] });
    else if (language === 'text') steps.at(-1)?.shown.push(...content.trimEnd().split('\n'));
  }

  it('runs from the first block to the last, shows what it says, and leaves nothing behind', async () => {
    expect(steps.length).toBeGreaterThan(5);
    const ports = await freePorts();
    const swap = (text: string, from: readonly unknown[], to: readonly unknown[]): string =>
      from.reduce<string>((changed, port, at) => changed.replaceAll(String(port), String(to[at])), text);
    const script = steps.map((step, at) => `echo "@@ ${at}"\n${step.script}`).join('\n');
    await withTempDir(async (home) => {
      const { code, output } = await bash(`exec 2>&1\n${swap(script, PORTS, ports)}`, home);
      expect(code, output).toBe(0);
      const timeless = (text: string): string => text.replaceAll(/\d+\.\d s\b/gu, 'N s');
      const outputs = timeless(swap(output, ports, PORTS))
        .split(/^@@ \d+\n/mu)
        .slice(1);
      for (const [at, { shown }] of steps.entries()) {
        const lines = (outputs[at] ?? '').split('\n');
        for (const line of shown) expect(lines, `after block ${at + 1}`).toContain(timeless(line));
      }
      expect(readdirSync(home)).toEqual([]);
    });
  });
});

describe('the later examples', () => {
  /** A gate and a look at what could be upgraded say with 11 that there is something. */
  const codesOf = (line: string): readonly number[] => (/--fail-if|--check/u.test(line) ? [0, 11] : [0]);
  const shown = ['Operating pipelines', 'The dashboard', 'Metrics of pipelines', 'Preferences'];
  const chapters = ['Upgrading pipelines', 'Reports', ...shown];
  const texts = [
    ['README.md', chapters.map(section).join('\n')],
    ...GUIDES.map(([file]) => [file, read(file)] as const),
  ] as const;

  it.each(texts)('of %s run as printed against the emulator of the tour', async (file, text) => {
    const lines = blocks(text)
      .filter(({ language }) => language === 'sh')
      .flatMap(({ content }) => content.trimEnd().split('\n'))
      .filter((line) => !line.includes('--watch'));
    expect(lines.length).toBeGreaterThan(5);
    const home = join(root, file.replaceAll('/', '-'));
    await mkdir(home);
    const emulator = await startEmulator(home, '--pipelines', '60', '--runs', '3000');
    const script = lines.map((line) => `${line} > /dev/null; echo "@@ $?"`).join('\n');
    const { output, stdout } = await plainBash(script, home, { CDAPCTL_URL: emulator.url, URL: emulator.url });
    const codes = stdout
      .split('\n')
      .filter((line) => line.startsWith('@@ '))
      .map((line) => Number(line.slice(3)));
    await stopEmulator(emulator);
    expect(codes, output).toHaveLength(lines.length);
    for (const [at, line] of lines.entries()) expect(codesOf(line), `${line}\n${output}`).toContain(codes[at]);
  });
});

describe('the script for a build server', () => {
  const [recipe] = blocks(section('On a build server')).filter(({ language }) => language === 'bash');
  let home: string;
  let emulator: Emulator;
  let env: Record<string, string>;

  beforeAll(async () => {
    home = join(root, 'build-server');
    await mkdir(home);
    const accounts = [{ user: 'build', password: 'unused', token: 'AbCdEf0123456789' }];
    await writeFile(join(home, 'accounts.json'), JSON.stringify(accounts));
    await writeFile(join(home, 'token'), 'AbCdEf0123456789\n', { mode: 0o600 });
    emulator = await startEmulator(home, '--key-out', 'publisher-key.asc', '--auth-file', 'accounts.json');
    env = {
      CI: 'true',
      CDAPCTL_URL: emulator.url,
      CDAPCTL_NAMESPACE: 'default',
      CDAPCTL_TOKEN_FILE: join(home, 'token'),
      CDAPCTL_HUB: emulator.hub,
      FINGERPRINT: emulator.fingerprint,
      PACKAGE: 'example-trim-fields@1.10.0',
    };
  });

  afterAll(async () => {
    await stopEmulator(emulator);
  });

  const result = async (): Promise<unknown> => JSON.parse(await readFile(join(home, 'result.json'), 'utf8'));
  const run = (more: Record<string, string> = {}): Promise<Run> =>
    plainBash(recipe?.content ?? '', home, { ...env, ...more });

  it('installs, twice with the same end', async () => {
    for (const state of ['installed', 'already-present']) {
      const { code, output } = await run();
      expect(code, output).toBe(0);
      expect(await result()).toMatchObject({ kind: 'InstallResult', item: { state, trust: { verified: true } } });
    }
  });

  /** What the platform answered when it was asked for its version, which every try of an install does once. */
  const tries = async (from: number): Promise<number[]> => {
    const log = await (await fetch(`${emulator.url}/emulator/requests`)).text();
    const entries = log
      .trim()
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as { path: string; status: number });
    return entries
      .filter(({ path }) => path === '/v3/version')
      .map(({ status }) => status)
      .slice(from);
  };

  it('installs nothing, in a shell that goes on after a failure, when the key has another fingerprint', async () => {
    const before = (await tries(0)).length;
    const fresh = { CDAPCTL_STATE_DIR: join(home, 'fresh-state'), FINGERPRINT: '0'.repeat(40) };
    const { code, output } = await run(fresh);
    expect(code, output).toBe(9);
    expect(output).toContain('"KEY_UNKNOWN"');
    expect(await tries(before)).toEqual([]);
  });

  it('tries once more when the platform was away', async () => {
    const before = (await tries(0)).length;
    const fault = { match: { path: '/v3/version' }, kind: 'status', status: 503, when: 'before', times: 1 };
    await fetch(`${emulator.url}/emulator/faults`, { method: 'POST', body: JSON.stringify(fault) });
    const { code, output } = await run({ CDAPCTL_RETRIES: '0' });
    expect(code, output).toBe(0);
    expect(await tries(before)).toEqual([503, 200]);
  });

  it('ends with the code that names the cause, without another try', async () => {
    const before = (await tries(0)).length;
    const missing = await run({ PACKAGE: 'example-postgres-driver@42.7.0' });
    expect(missing.code, missing.output).toBe(2);
    expect(await result()).toMatchObject({ kind: 'Error', error: { code: 'INPUT_MISSING', exitCode: 2 } });
    expect(await tries(before)).toEqual([200]);
  });
});

/** Words of examples that stand for something of the reader; `by` is what the test puts there. */
const PLACEHOLDERS: readonly { printed: string; by: (emulator: Emulator) => string; reason: string }[] = [
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
];

/** Examples that end with another code than 0: those that ask a person, and off a terminal change nothing; those that wait for a condition. */
const ASKING: ReadonlyMap<string, number> = new Map([
  ["cdapctl metrics watch etl/orders-hourly --run latest --fail-if 'user.step.records.out>=1'", 11],
  ["cdapctl metrics top etl/orders-hourly --run latest --watch --fail-if 'user.step.records.out>=1'", 11],
  [
    "cdapctl metrics get etl/orders-hourly user.step.records.out --watch -o ndjson --fail-if 'user.step.records.out>=1'",
    11,
  ],
  ['cdapctl hub key add publisher.asc --hub corp', 2],
  ['cdapctl hub key add publisher.asc --hub corp --packages "acme-*"', 2],
  ['cdapctl hub key remove 4F2A91C07D110C5B92E61B0A66F13B8D20A977D1 --hub corp', 13],
]);

describe('the examples of the help', () => {
  const commands = Object.entries(MANIFEST.commands);
  const examples = commands.flatMap(([id, command]) => command.examples.map((example) => [id, example] as const));
  let emulator: Emulator;
  /** A platform whose report service works, with runs. */
  let reporting: Emulator;
  let prepared: string;

  beforeAll(async () => {
    prepared = join(root, 'prepared');
    await mkdir(join(prepared, 'my-hub'), { recursive: true });
    await writeFile(join(prepared, 'my-hub', 'packages.json'), '[]');
    const manifest = { 'Bundle-SymbolicName': 'org.postgresql.jdbc', 'Bundle-Version': '42.7.4' };
    const [name, bytes] = ['org/postgresql/Driver.class', makeDriverClass('org.postgresql.Driver')];
    await writeFile(join(prepared, 'postgresql.jar'), makeJar({ manifest, entries: [{ name, bytes }] }));
    await writeFile(join(prepared, 'token.txt'), 'AbCdEf0123456789\n', { mode: 0o600 });
    const pipeline = olderPipeline('6.11.0', 'etl', 'orders-hourly', oneStep('Copy'));
    const seed = { namespaces: ['etl'], artifacts: stepArtifacts('6.11.0'), applications: [pipeline] };
    await writeFile(join(prepared, 'seed.json'), JSON.stringify(seed));
    emulator = await startEmulator(prepared, '--key-out', 'publisher.asc', '--seed', 'seed.json');
    reporting = await startEmulator(prepared, '--platform', '6.1.1', '--runs', '300');
    await writeFile(
      join(prepared, 'request.json'),
      JSON.stringify({ start: 1714600000, end: 1714700000, fields: ['run'] }),
    );
    // A run for the examples that ask about runs; it has ended long before they do.
    const program = `${emulator.url}/v3/namespaces/etl/apps/orders-hourly/workflows/DataPipelineWorkflow`;
    expect((await fetch(`${program}/start`, { method: 'POST' })).status).toBe(200);
  });

  afterAll(async () => {
    await stopEmulator(emulator);
    await stopEmulator(reporting);
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
      ...(example.includes('./downloads/') ? ['hub download example-trim-fields@1.10.0 -D downloads'] : []),
      ...(example.includes('--from window.json') ? ['schedule suspend -A -n etl --record window.json -y'] : []),
      ...(/^(?:installed:show|installed:uninstall|uninstall)$/u.test(id)
        ? ['install example-trim-fields@1.10.0 -n default -y']
        : []),
    ];
    const journals = '~/.local/state/cdapctl/upgrades';
    const upgraded = `cdapctl upgrade -n etl\nmv ${journals}/*.ndjson ${journals}/2024-05-02T22-00-00Z.ndjson`;
    const more = id.startsWith('upgrade') ? [upgraded] : [];
    const plain = [...lines.map((line) => `cdapctl ${line}`), ...more].join('\n');
    const script = id.startsWith('report') ? reported(id, example) : plain;
    const ready = homes.get(script) ?? prepare(join(root, `home-${homes.size}`), script);
    homes.set(script, ready);
    await cp(await ready, home, { recursive: true });
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
    await cp(prepared, home, { recursive: true });
    const { code, output } = await bash(script, home);
    expect(code, output).toBe(0);
    return home;
  }

  const filled = (example: string): string =>
    PLACEHOLDERS.reduce((text, { printed, by }) => text.replaceAll(printed, by(emulator)), example);

  it('has examples for every command, and only placeholders that are used', () => {
    for (const [id, command] of commands) expect(command.examples.length, id).toBeGreaterThan(0);
    const all = examples.map(([, example]) => example).join('\n');
    for (const { printed } of PLACEHOLDERS) expect(all).toContain(printed);
    for (const example of ASKING.keys()) expect(examples.map(([, printed]) => printed)).toContain(example);
  });

  it.each(examples.filter(([id]) => id !== 'emulator:start'))('works as printed: %s, %s', async (id, example) => {
    await withTempDir(async (folder) => {
      const home = join(folder, 'home');
      await homeFor(id, example, home);
      const { code, output, stdout } = await bash(filled(example), home);
      expect(code, output).toBe(ASKING.get(example) ?? 0);
      expect(output).not.toMatch(/\n\s+at /u);
      if (!/--json\b/u.test(example)) return;
      const document = JSON.parse(stdout) as { schemaVersion: number; kind: string };
      expect(document.schemaVersion).toBe(1);
      expect(document.kind).not.toBe('Error');
    });
  });

  it.each(examples.filter(([id]) => id === 'emulator:start').map(([, example]) => example))(
    'starts, says where, and ends with 0 when it is told: %s',
    async (example) => {
      const [port, hubPort] = await freePorts();
      // The ports of the example may be taken on this machine.
      const line = example.replace('11015', String(port)).replace('8085', String(hubPort));
      await withTempDir(async (home) => {
        const script = `${line} > ready &\nuntil test -s ready; do sleep 0.1; done\ncat ready\nkill %1\nwait %1`;
        const { code, output } = await bash(script, home);
        expect(code, output).toBe(0);
        expect(output).toMatch(/http:\/\/127\.0\.0\.1:\d+/u);
      });
    },
  );
});

describe('what the documents name', () => {
  const cells = (title: string): string[] =>
    [...section(title).matchAll(/^\| ([^|]+) \|/gmu)].map((match) => (match[1] ?? '').trim());
  const visible = Object.entries(MANIFEST.commands)
    .filter(([, { hidden }]) => hidden !== true)
    .map(([id]) => id.replaceAll(':', ' '));

  it('lists every command and every exit code, and no others', () => {
    expect(cells('Commands').slice(1)).toEqual(visible.map((id) => `\`cdapctl ${id}\``));
    expect(cells('Exit codes').slice(1)).toEqual([...EXIT_CODES.keys()].map(String));
    for (const { exit } of Object.values(ERRORS)) expect(EXIT_CODES.has(exit)).toBe(true);
  });

  it.each(GUIDES)('%s tells of every command of its own', (file, own) => {
    const wanted = visible.filter((id) => own.test(id));
    expect(wanted).not.toEqual([]);
    const text = read(file);
    expect(wanted.filter((id) => !new RegExp(`(?:\`|\\bcdapctl )${id}\\b`, 'u').test(text))).toEqual([]);
  });

  it('lists every page of docs in README', () => {
    const pages = readdirSync(join(ROOT, 'docs')).map((name) => `docs/${name}`);
    expect(pages.filter((page) => !section('Read on').includes(`(${page})`))).toEqual([]);
  });

  const topics = new Set(visible.filter((id) => id.includes(' ')).map((id) => id.split(' ')[0]));
  /** Command lines of a text: behind the name of the tool, or in backticks by the name of a topic. */
  const linesOf = (text: string): readonly string[] => {
    const words = String.raw`((?:[a-z][a-z-]*)(?: [a-z][a-z-]*)*)`;
    const [full, short] = [`\\bcdapctl ${words}`, `\`${words}`].map((pattern) => new RegExp(pattern, 'gu'));
    const found = (pattern = /$/gu): string[] => [...text.matchAll(pattern)].map((match) => match[1] ?? '');
    return [...found(full), ...found(short).filter((line) => line.includes(' ') && topics.has(line.split(' ')[0]))];
  };
  /** Codes of warnings and names of variables, as the sources have them. */
  const literals = new Set(
    readdirSync(join(ROOT, 'src'), { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.ts'))
      .flatMap((file) => [...read(`src/${file}`).matchAll(/'([A-Z]+(?:_[A-Z]+)+)'/gu)])
      .map(([, name]) => name),
  );

  it.each(DOCUMENTS)('%s names commands, topics and errors that exist', (file) => {
    const text = read(file);
    const known = (line: string): boolean =>
      visible.some((id) => line === id || line.startsWith(`${id} `)) ||
      // The page of the global flags is made from the flags themselves.
      ['help', 'help flags'].includes(line) ||
      (line.startsWith('help ') && (line.split(' ')[1] ?? '') in HELP_TOPICS);
    expect(linesOf(text).filter((line) => !known(line))).toEqual([]);
    const codes = [...text.matchAll(/[`[]([A-Z]+(?:_[A-Z]+)+)[`\]]/gu)].map((match) => match[1] ?? '');
    const names = [...Object.keys(ERRORS), ...[...EXIT_CODES.values()].map(([name]) => name), ...literals];
    expect(
      codes.filter((code) => !/^(?:(?:CDAPCTL|NODE)_(?!TOO)|NO_PROXY$)/u.test(code) && !names.includes(code)),
    ).toEqual([]);
  });

  it.each(DOCUMENTS)('%s links to files that exist', (file) => {
    const folder = file.includes('/') ? file.slice(0, file.lastIndexOf('/')) : '.';
    const links = [...read(file).matchAll(/\]\(((?!https?:)[^)#]+)\)/gu)].map((match) => match[1] ?? '');
    expect(links.filter((link) => !existsSync(join(ROOT, folder, link)))).toEqual([]);
  });
});
