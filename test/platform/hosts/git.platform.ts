import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { environmentOf, runCli } from '../../support/processes/run-cli.js';
import { plainWords } from '../../support/processes/shell.js';
import { commandsOf, openSite, PORT, type HostSite } from './site.js';

const LIMIT = 600_000;
const [START, SOURCES, CLONE, EACH, ALL, HOOK, SERVE] = commandsOf('From a Git repository');
const PRINTED = 'https://git.example.org/my-hub.git';
const IDENTITY = Object.fromEntries(
  ['AUTHOR', 'COMMITTER'].flatMap((who) => [
    [`GIT_${who}_NAME`, 'Example'],
    [`GIT_${who}_EMAIL`, 'hub@example.org'],
  ]),
);
const RAW = PORT + 2;
const SERVED = PORT + 3;

/** What a site for repositories does with the raw address of a file: the bytes of the branch, as text. */
function rawServer(repository: string): Server {
  return createServer(({ url = '' }, response) => {
    const blob = `main:${decodeURIComponent(url.replace('/raw/main/', ''))}`;
    const options = { encoding: 'buffer', maxBuffer: 2 ** 26 } as const;
    execFile('git', ['--git-dir', repository, 'cat-file', 'blob', blob], options, (error, bytes) => {
      if (error !== null) response.writeHead(404).end();
      else response.writeHead(200, { 'content-type': 'text/plain; charset=utf-8' }).end(bytes);
    });
  });
}

describe('a hub from a Git repository', () => {
  let site: HostSite;
  let repository: string;
  let root: string;
  let swaps: Record<string, string>;
  let server: ChildProcess | undefined;

  beforeAll(async () => {
    site = await openSite();
    root = join(site.home, 'srv');
    repository = join(root, 'my-hub.git');
    swaps = { '/srv/hub': root };
  }, LIMIT);
  beforeEach(async () => {
    for (const name of ['checkout', 'srv']) rmSync(join(site.home, name), { recursive: true, force: true });
    await site.begin();
    await paste(START);
  });
  afterEach(async () => {
    server?.kill();
    if (server?.exitCode === null) await once(server, 'exit');
    server = undefined;
  });
  afterAll(() => site.close());

  const paste = (commands: string | undefined, more = {}): Promise<string> => site.paste(commands, more, IDENTITY);
  const git = (line: string): Promise<string> => paste(`git ${line}`);
  /** Starts the server of the page, and waits until it listens. */
  async function serve(): Promise<string> {
    const line = SERVE?.trim()
      .replaceAll('/srv/hub', root)
      .replace('0.0.0.0 --port 8085', `127.0.0.1 --port ${SERVED}`);
    server = spawn(join(site.shell.root, 'bin/cdapctl'), [...(plainWords(line ?? '') ?? []), '--json'], {
      env: environmentOf(site.home),
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    const [started] = (await once(createInterface({ input: server.stdout ?? process.stdin }), 'line')) as [string];
    return (JSON.parse(started) as { item: { url: string } }).item.url;
  }

  it(
    'with the sources only is built, signed and published from the checkout of a build server',
    async () => {
      await git(`init --quiet --bare --initial-branch main ${repository}`);
      await paste(SOURCES, { [PRINTED]: repository });
      expect((await git('-C ./my-hub ls-files')).split('\n')).not.toContain('index.json');
      await paste(CLONE, { [PRINTED]: repository });
      await paste(EACH, swaps);
      const address = await serve();
      const checkout = join(site.home, 'checkout');
      await site.visit(address, checkout);

      const kept = 'packages/my-plugin/1.0.0/large.csv.gz.asc';
      const before = readFileSync(join(root, 'public', kept));
      site.add('my-plugin', '1.1.0');
      await git('-C ./my-hub add --all');
      await git('-C ./my-hub commit --quiet --message more');
      await git(`-C ./my-hub push --quiet ${repository} main`);
      await paste(EACH, swaps);
      expect(readFileSync(join(root, 'public', kept)), 'signed again').toEqual(before);
      expect(site.filesOf(join(root, 'public'))).toEqual(site.filesOf(checkout));
      await site.visit(address, checkout);
    },
    LIMIT,
  );

  it(
    'with catalog and signatures is published by a push to a server that has no key, and by its raw files',
    async () => {
      await paste(HOOK, swaps);
      await paste(ALL, { [PRINTED]: repository });
      await site.visit(await serve());
      const raw = rawServer(repository);
      raw.listen(RAW, '127.0.0.1');
      await once(raw, 'listening');
      await site.visit(`http://127.0.0.1:${RAW}/raw/main`);

      site.add('my-plugin', '1.1.0');
      site.remove('my-plugin', '1.0.0');
      await paste(ALL, { [PRINTED]: repository });
      expect(existsSync(join(root, 'public/packages/my-plugin/1.0.0/spec.json'))).toBe(false);
      for (const address of [`http://127.0.0.1:${SERVED}/v2`, `http://127.0.0.1:${RAW}/raw/main`])
        await site.visit(address);
      raw.close();
    },
    LIMIT,
  );

  it.each([
    ['keeps its bytes where Git changes line ends', true, 0],
    ['would not do so without .gitattributes', false, 9],
  ])(
    '%s',
    async (_, isKept, code) => {
      await git(`init --quiet --bare --initial-branch main ${repository}`);
      if (!isKept) rmSync(join(site.home, 'my-hub/.gitattributes'));
      await paste(ALL, { [PRINTED]: repository });
      await git(`-c core.autocrlf=true clone --quiet ${repository} ./checkout`);
      const line = ['hub', 'verify', './checkout', '--all', '--policy', 'require', '--keyring', './hub.key.pub'];
      const { code: found, stdout } = await runCli(line, { home: site.home, cwd: site.home });
      expect(found, stdout).toBe(code);
    },
    LIMIT,
  );
});
