import { existsSync, readdirSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import EmulatorStart from '../../src/commands/emulator/start.js';
import { ERRORS } from '../../src/core/errors.js';
import { PIPELINES } from '../../src/emulator/store/run-table.js';
import { EXIT_CODES } from '../../src/output/exit-codes.js';
import { HELP_TOPICS } from '../../src/output/help-topics.js';
import { blocks, chapter, GUIDES, read } from '../support/documents.js';
import { freePorts } from '../support/free-ports.js';
import { ASKING, BORDERS, COMMANDS, EXAMPLES, PLACEHOLDERS } from '../support/help-examples.js';
import { ROOT, withTempDir } from '../support/processes/run-cli.js';
import {
  openShell,
  startEmulatorProcess,
  stopEmulatorProcess,
  type EmulatorProcess,
  type Shell,
  type ShellRun,
} from '../support/processes/shell.js';

interface ManifestCommand {
  readonly hidden?: boolean;
}

const MANIFEST = JSON.parse(read('oclif.manifest.json')) as { commands: Record<string, ManifestCommand> };
const DOCUMENTS = [
  ...['README.md', 'SECURITY.md', 'CONTRIBUTING.md', 'CHANGELOG.md'],
  ...readdirSync(join(ROOT, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name.replaceAll('\\', '/')}`),
];

let shell: Shell;

beforeAll(async () => {
  shell = await openShell();
});

afterAll(async () => {
  await shell.close();
});

describe('five minutes with the emulator', () => {
  const PORTS = ['18015', '18085'] as const;
  const steps: { script: string; shown: string[] }[] = [];
  for (const { language, content } of blocks(chapter('Five minutes with the emulator'))) {
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
      const { code, output } = await shell.runStrictly(`exec 2>&1\n${swap(script, PORTS, ports)}`, home);
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

describe('the script for a build server', () => {
  const [recipe] = blocks(chapter('On a build server')).filter(({ language }) => language === 'bash');
  let home: string;
  let emulator: EmulatorProcess;
  let env: Record<string, string>;

  beforeAll(async () => {
    home = join(shell.root, 'build-server');
    await mkdir(home);
    const accounts = [{ user: 'build', password: 'unused', token: 'AbCdEf0123456789' }];
    await writeFile(join(home, 'accounts.json'), JSON.stringify(accounts));
    await writeFile(join(home, 'token'), 'AbCdEf0123456789\n', { mode: 0o600 });
    emulator = await startEmulatorProcess(home, '--key-out', 'publisher-key.asc', '--auth-file', 'accounts.json');
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
    expect(await stopEmulatorProcess(emulator)).toEqual([0, null]);
  });

  const result = async (): Promise<unknown> => JSON.parse(await readFile(join(home, 'result.json'), 'utf8'));
  const run = (more: Record<string, string> = {}): Promise<ShellRun> =>
    shell.run(recipe?.content ?? '', home, { ...env, ...more });

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

describe('the help', () => {
  it('has examples for every command, all of them in a file of tests, and only placeholders that are used', () => {
    for (const [id, { examples }] of COMMANDS) expect(examples.length, id).toBeGreaterThan(0);
    const all = EXAMPLES.map(([, example]) => example);
    for (const { printed } of PLACEHOLDERS) expect(all.join('\n')).toContain(printed);
    for (const example of ASKING.keys()) expect(all).toContain(example);
    const files = readdirSync(join(ROOT, 'test/e2e')).filter((name) => name.startsWith('help-examples-'));
    expect(files).toHaveLength(BORDERS.length - 1);
    expect(EXAMPLES.filter(([id]) => id < (BORDERS[0] ?? '') || id >= (BORDERS.at(-1) ?? ''))).toEqual([]);
  });
});

describe('what the documents name', () => {
  const cells = (title: string): string[] =>
    [...chapter(title).matchAll(/^\| ([^|]+) \|/gmu)].map((match) => (match[1] ?? '').trim());
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

  it('tells how many pipelines the runs of the emulator bring', () => {
    const count = PIPELINES.batch + PIPELINES.realtime;
    expect(/(\d+)\s+more\s+that/u.exec(chapter('Five minutes with the emulator'))?.[1]).toBe(String(count));
    expect(EmulatorStart.flags.runs.summary).toContain(` ${count} pipelines`);
  });

  it('lists every page of docs in README', () => {
    const pages = readdirSync(join(ROOT, 'docs')).map((name) => `docs/${name}`);
    expect(pages.filter((page) => !chapter('Read on').includes(`(${page})`))).toEqual([]);
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
