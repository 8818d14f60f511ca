import { execFileSync } from 'node:child_process';
import { copyFileSync, cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { blocks, chapter, read } from '../../support/documents.js';
import { freePorts } from '../../support/free-ports.js';
import { hasGpg } from '../../support/gpg.js';
import { startCli, type RunningCli } from '../../support/processes/running-cli.js';
import { openShell, plainWords, type Shell } from '../../support/processes/shell.js';

const TLS = resolve(import.meta.dirname, '../../fixtures/tls');
const PAGE = read('docs/host-a-hub.md');
const SIGN = commandsOf('Sign');
const SERVE = commandsOf('Serve');
const MIRROR = commandsOf('Mirror');
const ADDRESS = 'https://hub.example.org/v2';
const PASSPHRASE = 'a long passphrase of this test';

type Swaps = Readonly<Record<string, string>>;

/** The commands of a chapter, block by block. */
function commandsOf(title: string): readonly string[] {
  return blocks(chapter(title, PAGE))
    .filter(({ language }) => language === 'sh')
    .map(({ content }) => content.trim());
}

const swapped = (commands: string, swaps: Swaps): string =>
  Object.entries(swaps).reduce((text, [printed, by]) => {
    expect(text).toContain(printed);
    return text.replaceAll(printed, by);
  }, commands);

describe('the page on hosting a hub, as printed,', () => {
  let shell: Shell;
  let home: string;
  let url = '';
  let tlsPort = 0;
  let fingerprint = '';
  const servers: RunningCli[] = [];

  const paste = async (commands: string | undefined, swaps: Swaps = {}, at = home): Promise<string> => {
    const env = { CDAPCTL_PASSPHRASE: PASSPHRASE, GNUPGHOME: join(home, 'gnupg') };
    const { code, output } = await shell.runStrictly(swapped(commands ?? '', swaps), at, env);
    expect(code, output).toBe(0);
    return output;
  };
  const serve = async (line: string | undefined, swaps: Swaps): Promise<RunningCli> => {
    const words = plainWords(swapped(line ?? '', swaps)) ?? [];
    const running = startCli(words, { home, env: {}, timeout: 60_000 });
    servers.push(running);
    await running.see('to stop it');
    return running;
  };
  /** Makes another version, builds and signs. */
  const make = async (version: string): Promise<void> => {
    const versions = join(home, 'my-hub/packages/example-package');
    const filter = (path: string): boolean => !path.endsWith('.asc');
    cpSync(join(versions, '1.0.0'), join(versions, version), { recursive: true, filter });
    await paste(commandsOf('Build the catalog')[0]);
    await paste(SIGN[0]);
  };
  const contents = (folder: string): ReadonlyMap<string, string> =>
    new Map(
      readdirSync(folder, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map(({ parentPath, name }) => join(parentPath, name))
        .filter((path) => !/\/\.|README\.md$/u.test(path))
        .sort()
        .map((path) => [path.slice(folder.length), readFileSync(path, 'latin1')]),
    );

  beforeAll(async () => {
    shell = await openShell();
    home = join(shell.root, 'publisher');
    mkdirSync(home);
    writeFileSync(join(home, 'passphrase.txt'), `${PASSPHRASE}\n`, { mode: 0o600 });
    await paste(/`(cdapctl hub init .*?)`/u.exec(chapter('The source tree', PAGE))?.[1]);
    const made = await paste(`${commandsOf('Create a key')[0] ?? ''} --json`);
    fingerprint = (JSON.parse(made) as { item: { fingerprint: string } }).item.fingerprint;
    await make('1.0.1');
    const [port, other] = await freePorts();
    tlsPort = other;
    url = `http://127.0.0.1:${port}/v2`;
    await serve(SERVE[0], { 8085: `${port}` });
  });
  afterAll(async () => {
    for (const server of servers) server.kill('SIGTERM');
    expect((await Promise.all(servers.map(({ ended }) => ended))).map(({ code }) => code)).toEqual([0, 0]);
    await shell.close();
  });

  it.runIf(hasGpg)('signs by a program', async () => {
    const [gnupg, tree] = [join(home, 'gnupg'), join(home, 'card')];
    mkdirSync(gnupg, { mode: 0o700 });
    const gpg = (...line: readonly string[]): string =>
      execFileSync('gpg', ['--homedir', gnupg, '--batch', '--passphrase', '', ...line], {
        encoding: 'utf8',
        stdio: 'pipe',
      });
    gpg('--quick-generate-key', 'card@example.org', 'ed25519', 'sign', 'never');
    const card = /^fpr:+([0-9A-F]+):/mu.exec(gpg('--with-colons', '--list-keys'))?.[1] ?? '';
    cpSync(join(home, 'my-hub'), tree, { recursive: true });
    for (const name of ['index.json', 'index.json.asc']) rmSync(join(tree, name));
    gpg('--armor', '--output', join(tree, 'publisher.asc'), '--export', card);
    await paste(SIGN[1], { FPR: card, './my-hub': './card' });
    await paste('cdapctl hub verify ./card --all --strict --keyring ./card/publisher.asc');
    execFileSync('gpgconf', ['--homedir', gnupg, '--kill', 'all']);
  });

  it('serves over TLS to clients that know the certificate, and reads it again', async () => {
    copyFileSync(join(TLS, 'good.pem'), join(home, 'server.pem'));
    writeFileSync(join(home, 'server.key'), readFileSync(join(TLS, 'good.key')), { mode: 0o600 });
    const running = await serve(SERVE[1], { '0.0.0.0': `127.0.0.1 --port ${tlsPort}` });
    const secure = `https://127.0.0.1:${tlsPort}/v2`;
    expect(running.said()).toContain(`cdapctl hub add NAME ${secure}`);
    await paste(`cdapctl hub verify ${secure} --keyring hub.key.pub --strict --ca-file ${join(TLS, 'root.pem')}`);
    running.kill('SIGHUP');
    await running.see('opened access.log again');
    expect(readFileSync(join(home, 'access.log'), 'utf8')).toContain('GET /v2/index.json');
  });

  it('mirrors to a folder, and by two bundles to a closed network', async () => {
    const [mirror = '', bundles, load] = MIRROR;
    const [first = '', second = ''] = bundles?.split('\n') ?? [];
    await paste(mirror, { [ADDRESS]: url });
    expect(contents(join(home, 'mirror'))).toEqual(contents(join(home, 'my-hub')));
    await paste(first);
    await make('1.0.2');
    await paste(second);
    const manifest = /`(tar -xOf .*)`/u.exec(chapter('Mirror', PAGE))?.[1];
    await paste(`${manifest ?? ''}\n${swapped(second, { 'hub-2.tar': 'other.tar', 'hub-1.tar': 'hub-1.json' })}`);

    const closed = join(shell.root, 'closed');
    mkdirSync(closed);
    for (const name of ['hub-1.tar', 'hub-2.tar']) copyFileSync(join(home, name), join(closed, name));
    copyFileSync(join(home, 'hub.key.pub'), join(closed, 'publisher.asc'));
    await paste(load, { [ADDRESS]: url, FINGERPRINT: fingerprint }, closed);
    expect(contents(join(closed, 'mirror'))).toEqual(contents(join(home, 'my-hub')));
  });
});
