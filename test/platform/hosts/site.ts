import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { blocks, chapter, read } from '../../support/documents.js';
import { runCli, type RunResult } from '../../support/processes/run-cli.js';
import { openShell, type Shell } from '../../support/processes/shell.js';

const PAGE = read('docs/host-a-hub.md');
const [CLIENT = ''] = commandsOf('Try it as a client');
/** What stands in all chapters for something of the reader. */
const ADDRESS = 'https://hub.example.org/v2';
/** Larger than what `aws` sends in one piece. */
const LARGE = 9 * 1024 * 1024;

/** The first port of these tests; each host has one of its own. */
export const PORT = Number(process.env['HOSTS_PORT'] ?? 11_041);

/** What is put in the place of a text of the page, which must be there. */
export type Swaps = Readonly<Record<string, string>>;

/** The commands of a chapter of docs/host-a-hub.md, block by block. */
export function commandsOf(title: string): readonly string[] {
  return blocks(chapter(title, PAGE))
    .filter(({ language }) => language === 'sh')
    .map(({ content }) => content);
}

/** Somebody who reads on, over and over, while a hub is published. */
export interface Reader {
  /** Ends after the read at hand; what went wrong, and how many reads there were. */
  stop(): Promise<{ readonly reads: number; readonly wrong: readonly string[] }>;
}

/** The publisher of a hub with the package `my-plugin` in `my-hub`, and those who use it. */
export interface HostSite {
  readonly shell: Shell;
  readonly home: string;
  /** Programs of `prepare`. */
  readonly tools: string;
  /** Of the publisher's key. */
  readonly fingerprint: string;
  /** Runs commands of the page as the publisher would paste them. */
  paste(commands: string | undefined, swaps?: Swaps, env?: Swaps): Promise<string>;
  /** Makes a version of a package. */
  add(name: string, version: string, files?: Readonly<Record<string, string | Buffer>>): void;
  remove(name: string, version: string): void;
  /** Makes the tree again as it was at first, without what tests have put into it. */
  begin(): Promise<void>;
  /** Builds and signs the tree. */
  make(): Promise<void>;
  /** Does what the page says of clients, on a machine that has not met the hub, and compares what came with a tree. */
  visit(address: string, tree?: string): Promise<void>;
  /** The files of a hub in a folder by their paths, with those of the publisher's keys left out. */
  filesOf(folder: string): readonly string[];
  /** Starts to read a hub that was visited. */
  readAgain(): Reader;
  close(): Promise<void>;
}

/** Fetches the tools where they are missing, and makes a publisher with a key. */
export async function openSite(): Promise<HostSite> {
  const tools = execFileSync(join(import.meta.dirname, 'prepare'), { encoding: 'utf8', stdio: ['ignore', 'pipe', 2] });
  const shell = await openShell();
  const home = join(shell.root, 'publisher');
  mkdirSync(home);
  writeFileSync(join(home, 'passphrase.txt'), 'a long passphrase of this test\n', { mode: 0o600 });
  const paste: HostSite['paste'] = async (commands = '', swaps = {}, env = {}) => {
    const { code, output } = await shell.runStrictly(swapped(commands, swaps), home, env);
    expect(code, output).toBe(0);
    return output;
  };
  const made = await paste(
    'cdapctl hub key generate --type ed25519 --name Example --passphrase-file passphrase.txt -O hub.key --json',
  );
  const { fingerprint } = (JSON.parse(made) as { item: { fingerprint: string } }).item;
  const add: HostSite['add'] = (name, version, files = {}) => {
    const folder = join(home, 'my-hub/packages', name, version);
    mkdirSync(folder, { recursive: true });
    for (const [file, content] of Object.entries({ 'spec.json': specification(version), ...files }))
      writeFileSync(join(folder, file), content);
  };
  const site: HostSite = {
    shell,
    home,
    tools: tools.trim(),
    fingerprint,
    paste,
    add,
    remove(name, version) {
      rmSync(join(home, 'my-hub/packages', name, version), { recursive: true });
    },
    async begin() {
      rmSync(join(home, 'my-hub'), { recursive: true, force: true });
      add('my-plugin', '1.0.0', { 'large.csv.gz': Buffer.alloc(LARGE, 'a line\r\n') });
      await site.make();
    },
    async make() {
      await paste('cdapctl hub build ./my-hub --strict');
      await paste('cdapctl hub sign ./my-hub --key hub.key --passphrase-file passphrase.txt');
    },
    visit: (address, tree = join(home, 'my-hub')) => visit(site, address, tree),
    filesOf,
    readAgain: () => readAgain(join(shell.root, 'colleague')),
    close: () => shell.close(),
  };
  await site.begin();
  return site;
}

/** Makes a program of the tools, or of the system, one of the shell. */
export function lend({ shell }: HostSite, name: string, program: string): void {
  symlinkSync(program, join(shell.root, 'bin', name));
}

const swapped = (commands: string, swaps: Swaps): string =>
  Object.entries(swaps).reduce((text, [printed, by]) => {
    expect(text).toContain(printed);
    return text.replaceAll(printed, by);
  }, commands);

const specification = (version: string): string =>
  JSON.stringify({
    specVersion: '1.0',
    label: `My plugin ${version}`,
    description: 'For the tests of hosts',
    author: 'Example',
    org: 'Example',
    created: 1_700_000_000,
    cdapVersion: '[6.1.0,7.0.0-SNAPSHOT)',
    categories: ['hydrator-plugin'],
    actions: [{ type: 'informational', label: 'Steps', arguments: [{ name: 'steps', value: [`Nothing ${version}`] }] }],
  });

async function visit({ shell, home, fingerprint }: HostSite, address: string, tree: string): Promise<void> {
  const own = join(shell.root, 'colleague');
  rmSync(own, { recursive: true, force: true });
  mkdirSync(own);
  copyFileSync(join(home, 'hub.key.pub'), join(own, 'hub.key.pub'));
  const script = swapped(CLIENT, { [ADDRESS]: address, FPR: fingerprint });
  const { code, output } = await shell.runStrictly(script, own);
  expect(code, output).toBe(0);
  expect(output).toContain('my-plugin');
  const versions = readdirSync(join(own, 'my-plugin'));
  expect(versions).toHaveLength(1);
  const [version = ''] = versions;
  const files = readdirSync(join(own, 'my-plugin', version)).filter((name) => !name.startsWith('.'));
  const place = join('packages/my-plugin', version);
  expect(files).toEqual(readdirSync(join(tree, place)));
  for (const file of files)
    expect(
      readFileSync(join(own, 'my-plugin', version, file)).equals(readFileSync(join(tree, place, file))),
      file,
    ).toBe(true);
}

function filesOf(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name).slice(folder.length + 1))
    .filter((path) => !/(?:^|\/)\./u.test(path))
    .sort();
}

function readAgain(home: string): Reader {
  const ending = new AbortController();
  const wrong: string[] = [];
  let reads = 0;
  const look = async (...line: readonly string[]): Promise<void> => {
    const { code, stdout }: RunResult = await runCli(line, { home, cwd: home, timeout: 300_000 });
    reads += 1;
    if (code !== 0) wrong.push(`${line.join(' ')} ended with ${String(code)}: ${stdout}`);
  };
  const all = (async () => {
    while (!ending.signal.aborted) {
      await look('hub', 'list', '--hub', 'example', '--refresh', '--json');
      await look('hub', 'verify', '--hub', 'example', '--all', '--policy', 'require', '--json');
      await look('hub', 'download', 'my-plugin@1.0.0', '--hub', 'example', '--clobber', '--json');
    }
  })();
  return {
    async stop() {
      ending.abort();
      await all;
      return { reads, wrong };
    },
  };
}
