import { chmodSync, copyFileSync, mkdirSync, mkdtempSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { hubPackage, serveHub, signedHub, writeHubTree, type ServedHub } from '../../support/sites/hub-tree.js';
import { runCli, withTempDir, type RunOptions, type RunResult } from '../../support/processes/run-cli.js';

const KEYS = resolve(import.meta.dirname, '../../fixtures/keys/signing');
const NOW = Date.now();
const GOOD = hubPackage({ name: 'plug' });
const EVIL = hubPackage({ name: 'plug', spec: { label: 'Evil' } });

let hub: ServedHub;
let home = '';
let here = '';
let release: () => void = () => undefined;

beforeAll(async () => {
  await new Promise<void>((ready) => {
    void withTempDir(async (folder) => {
      home = folder;
      ready();
      await new Promise<void>((done) => (release = done));
    });
  });
  const { files, key } = await signedHub({ packages: [GOOD], now: NOW });
  hub = await serveHub(files);
  here = home;
  expect((await cli(['hub', 'add', 'sample', hub.url])).code).toBe(0);
  const pinned = ['hub', 'key', 'add', '-', '--hub', 'sample', '--fingerprint', key.fingerprint];
  expect((await cli(pinned, { stdin: key.publicKey })).code).toBe(0);
});

beforeEach(() => {
  here = mkdtempSync(join(home, 'here-'));
});

afterAll(async () => {
  await hub.close();
  release();
});

const cli = (args: readonly string[], options: RunOptions = {}): Promise<RunResult> =>
  runCli(args, { home, cwd: here, ...options });

/** Writes a hub that nobody signed into a folder below the current one. */
async function unsignedHub(folder: string): Promise<string> {
  const { files } = await signedHub({ packages: [EVIL], now: NOW });
  const unsigned = [...files].filter(([name]) => !name.endsWith('.asc') && name !== 'index.json');
  await writeHubTree(join(here, folder), new Map(unsigned));
  return join(here, folder);
}

const show = async (named: string, options: RunOptions = {}): Promise<string> => {
  const { code, stdout } = await cli(['hub', 'show', named, '--json'], options);
  const { item, error } = JSON.parse(stdout) as {
    item: { hub: string; spec: { label: string } } | null;
    error?: { code: string; message: string; hints: string[] };
  };
  return item === null
    ? `${String(code)} ${error?.code ?? ''} ${error?.message ?? ''} ${(error?.hints ?? []).join(' | ')}`
    : `${item.hub}: ${item.spec.label}`;
};

describe('a project file', () => {
  it('that names the folder it lies in as a hub is refused, also from a folder below', async () => {
    const clone = await unsignedHub('clone');
    writeFileSync(join(clone, '.cdapctl.yaml'), 'hubs: [".."]\n');
    mkdirSync(join(clone, 'deep'));
    const { code, stdout, stderr } = await cli(['install', 'plug', '-y'], { cwd: join(clone, 'deep') });
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toContain(
      `Error: ${join(clone, '.cdapctl.yaml')}, line 1, column 8: hubs.0 must be the name of a configured hub`,
    );
  });

  it('chooses among hubs of the user, and HUB/NAME still means the hub of that name', async () => {
    const clone = await unsignedHub('clone');
    expect((await cli(['hub', 'add', 'other', await unsignedHub('hubs/other')])).code).toBe(0);
    writeFileSync(join(clone, '.cdapctl.yaml'), 'hubs: [other]\n');
    expect(await show('plug', { cwd: clone })).toBe('other: Evil');
    expect(await show('sample/plug', { cwd: clone })).toBe('sample: Label of plug');
    expect(await show('other/plug', { cwd: clone, env: { CDAPCTL_HUB: 'sample' } })).toBe('other: Evil');
  });
});

describe('the current folder', () => {
  it.each(['plug', 'plug@1.0.0'])('does not change what sample/%s means', async (named) => {
    await unsignedHub(`sample/${named}`);
    await unsignedHub('sample');
    expect(await show(`sample/${named}`)).toBe('sample: Label of plug');
  });

  it('is meant only with ./, as is said where a folder has the name of no package', async () => {
    await unsignedHub('my-hub');
    expect(await show('my-hub')).toMatch(/^5 PACKAGE_NOT_FOUND .*for the folder: \.\/my-hub$/u);
    expect(await show('my-hub-2')).not.toContain('for the folder');
    const { code, stderr } = await cli(['hub', 'verify', './my-hub']);
    expect([code, stderr]).toEqual([9, expect.stringContaining('--keyring FILE')]);
  });

  it('is meant only with ./ where a hub is named, too', async () => {
    const folder = await unsignedHub('pub');
    copyFileSync(join(KEYS, 'ed25519.secret.asc'), join(here, 'secret.asc'));
    chmodSync(join(here, 'secret.asc'), 0o600);
    for (const line of [
      ['hub', 'sign', folder, '--key', 'secret.asc', '--against', 'pub'],
      ['hub', 'list', '--hub', 'pub'],
      ['context', 'add', 'etl', '-u', 'http://127.0.0.1:1', '--hub', 'pub'],
    ]) {
      const { code, stderr } = await cli(line);
      expect([code, stderr]).toEqual([5, expect.stringContaining('for the folder: ./pub')]);
    }
    expect((await cli(['hub', 'list', '--hub', 'none'])).stderr).not.toContain('for the folder');
  });

  it('does not become a hub by a symbolic link of the name of a hub', async () => {
    symlinkSync(await unsignedHub('elsewhere'), join(here, 'sample'));
    expect(await show('sample/plug')).toBe('sample: Label of plug');
    expect(await show('plug', { env: { CDAPCTL_HUB: 'sample' } })).toBe('sample: Label of plug');
  });

  it('is not looked at for a hub that is not there', async () => {
    await unsignedHub('Sample/plug');
    expect(await show('Sample/plug')).toMatch(/^5 HUB_NOT_FOUND .*Sample.*\.\/Sample\/plug/u);
    expect(await show('Sample/packages/plug')).toMatch(/^2 USAGE .*\.\/Sample\/packages\/plug/u);
    const { code, stderr } = await cli(['hub', 'list', '--hub', 'Sample/plug']);
    expect([code, stderr]).toEqual([5, expect.stringContaining('hub "Sample/plug" not found')]);
  });

  it('does not become a hub by an address that lost its scheme', async () => {
    await unsignedHub('hub.example.com/v2');
    const { code, stderr } = await cli(['hub', 'add', 'corp', 'hub.example.com/v2']);
    expect(code).toBe(2);
    expect(stderr).toContain('cdapctl hub add corp https://hub.example.com/v2');
    expect(stderr).toContain('cdapctl hub add corp ./hub.example.com/v2');
  });

  it('is read where a folder is written as one', async () => {
    await unsignedHub('sample/plug');
    expect(await show('./sample/plug')).toBe('./sample/plug: Evil');
    expect(await show('plug', { env: { CDAPCTL_HUB: './sample/plug' } })).toBe('./sample/plug: Evil');
    expect((await cli(['hub', 'add', 'near', './sample/plug'])).code).toBe(0);
    mkdirSync(join(here, 'away'));
    expect(await show('near/plug', { cwd: join(here, 'away') })).toBe('near: Evil');
  });
});
