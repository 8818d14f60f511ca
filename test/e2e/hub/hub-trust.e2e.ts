import { createHash } from 'node:crypto';
import { chmodSync, copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { HubSigner } from '../../../src/emulator/hub/sign.js';
import {
  flipByte,
  hubKey,
  hubPackage,
  serveHub,
  signedHub,
  writeHubTree,
  type ServedHub,
  type SignedHubOptions,
  pluginSpec,
} from '../../support/sites/hub-tree.js';
import { runCli, withTempDir, type RunOptions, type RunResult } from '../../support/processes/run-cli.js';

const NOW = Date.now();
const JAR = Buffer.from(Array.from({ length: 5000 }, (_, at) => (at * 7) % 256));
const PLUG = hubPackage({
  name: 'plug',
  spec: pluginSpec(),
  resources: { 'plug.jar': JAR, 'plug.json': '{"parents":[]}' },
});
const OTHER = hubPackage({ name: 'other' });
const FOLDER = 'packages/plug/1.0.0';

let key: HubSigner;
let stranger: HubSigner;
let home = '';
let hub: ServedHub | undefined;
let release: () => void = () => undefined;

beforeAll(async () => {
  [key, stranger] = [await hubKey({ now: NOW }), await hubKey({ now: NOW, owner: 'Stranger' })];
});

beforeEach(
  () =>
    new Promise<void>((ready) => {
      void withTempDir(async (folder) => {
        home = folder;
        ready();
        await new Promise<void>((done) => (release = done));
      });
    }),
);

afterEach(async () => {
  await hub?.close();
  hub = undefined;
  release();
});

const cli = (args: readonly string[], options: RunOptions = {}): Promise<RunResult> =>
  runCli(args, { home, cwd: home, ...options });

/** Serves a hub of two packages, signed by the key unless told, and gives its address. */
async function serve(options: Partial<SignedHubOptions> = {}): Promise<string> {
  const { files } = await signedHub({ packages: [PLUG, OTHER], key, now: NOW, ...options });
  hub = await serveHub(files);
  return hub.url;
}

/** Trusts a key for a hub. */
async function trust(url: string, { publicKey, fingerprint }: HubSigner = key): Promise<void> {
  const added = await cli(['hub', 'key', 'add', '-', '--hub', url, '--fingerprint', fingerprint], { stdin: publicKey });
  expect(added.stderr + String(added.code)).toBe('0');
}

/** Every file of the trust store with its bytes, to see that nothing has changed. */
function store(): Record<string, string> {
  const folder = join(home, '.local/state/cdapctl/trust');
  if (!existsSync(folder)) return {};
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8', withFileTypes: false });
  return Object.fromEntries(
    names
      .map((name): [string, string] => {
        try {
          return [name, readFileSync(join(folder, name), 'utf8')];
        } catch {
          return [name, 'folder'];
        }
      })
      .sort(),
  );
}

interface Document {
  readonly kind: string;
  readonly item?: { readonly files: readonly Record<string, unknown>[] } & Record<string, unknown>;
  readonly items?: readonly Record<string, unknown>[];
  readonly error?: { readonly code: string; readonly exitCode: number; readonly hints: readonly string[] };
  readonly warnings: readonly { readonly message: string }[];
}

/** The one document of a run with `--json`, and nothing beside it. */
function documentOf({ stdout }: RunResult): Document {
  expect(stdout.endsWith('\n')).toBe(true);
  expect(stdout.trimEnd().split('\n')).toHaveLength(1);
  return JSON.parse(stdout) as Document;
}

/** Runs a command with and without `--json`: the exit codes must be equal. */
async function both(
  args: readonly string[],
  again?: () => void,
): Promise<{ text: RunResult; json: Document; code: number | undefined }> {
  const text = await cli(args);
  again?.();
  const json = await cli([...args, '--json']);
  expect(json.code, json.stdout + json.stderr).toBe(text.code);
  return { text, json: documentOf(json), code: text.code };
}

const states = (files: readonly Record<string, unknown>[] | undefined): Record<string, unknown> =>
  Object.fromEntries((files ?? []).map(({ name, state }) => [String(name), state]));

describe('hub verify', () => {
  it('finds every file of a package as published', async () => {
    const url = await serve();
    await trust(url);
    const { text, json, code } = await both(['hub', 'verify', 'plug', '--hub', url]);
    expect(code).toBe(0);
    expect(text.stdout).toMatch(/^FILE +STATE +SIGNER +SIGNED AT$/mu);
    expect(text.stdout).toMatch(
      /^plug\.jar +valid +[0-9A-F]{4} [0-9A-F]{4} \.\.\. [0-9A-F]{4} {2}Test Hub +\d{4}-\d\d-\d\d$/mu,
    );
    expect(text.stderr).toBe('7 files of 1 package checked: 5 valid, 2 need no signature, 0 invalid\n');
    expect(json).toMatchObject({ kind: 'HubVerification', policy: 'require', ok: true, refused: 0, warnings: [] });
    expect(states(json.items)).toEqual({
      'spec.json': 'valid',
      'plug.jar': 'valid',
      'plug.json': 'valid',
      'icon.png': 'valid',
      'index.json': 'valid',
      'packages.json': 'unsigned',
      'categories.json': 'unsigned',
    });
    expect(json.items?.find(({ name }) => name === 'plug.jar')).toMatchObject({
      bytes: JAR.length,
      sha256: createHash('sha256').update(JAR).digest('hex'),
      fingerprint: key.fingerprint,
      ok: true,
    });
  });

  const faults: readonly [string, Partial<SignedHubOptions>, string, number, Record<string, string>, RegExp][] = [
    [
      'a changed byte',
      { tamper: { [`${FOLDER}/plug.jar`]: flipByte } },
      'SIG_BAD',
      9,
      { 'plug.jar': 'invalid' },
      /^plug\.jar +INVALID /mu,
    ],
    [
      'a missing signature',
      { index: false, tamper: { [`${FOLDER}/plug.json.asc`]: () => undefined } },
      'SIG_MISSING',
      9,
      { 'plug.json': 'missing' },
      /^plug\.json +NO SIGNATURE /mu,
    ],
    [
      'a missing file',
      { tamper: { [`${FOLDER}/plug.jar`]: () => undefined } },
      'RESOURCE_MISSING',
      5,
      { 'plug.jar': 'missing' },
      /^plug\.jar +MISSING +the hub has no such file/mu,
    ],
    [
      'a web page for a signature',
      { tamper: { [`${FOLDER}/plug.jar.asc`]: () => Buffer.from('<html>') } },
      'SIG_MALFORMED',
      9,
      { 'plug.jar': 'invalid' },
      /^plug\.jar +INVALID /mu,
    ],
  ];

  it.each(faults)('refuses %s and stores nothing', async (_what, options, error, exit, bad, row) => {
    const url = await serve(options);
    await trust(url);
    const before = store();
    const { text, json, code } = await both(['hub', 'verify', 'plug', '--hub', url]);
    const count = options.index === false ? 5 : 7;
    expect(code).toBe(exit);
    expect(text.stdout).toMatch(row);
    expect(text.stderr).toMatch(new RegExp(`^Error: 1 of ${count} files is not .*\\[${error}\\]$`, 'mu'));
    expect(json.kind).toBe('Error');
    expect(json.error).toMatchObject({ code: error, exitCode: exit });
    expect(json.item).toMatchObject({ policy: 'require', ok: false });
    const refused = (json.item?.files ?? []).filter(({ ok }) => ok === false);
    expect(states(refused)).toEqual(bad);
    expect(json.item?.files).toHaveLength(count);
    expect(store()).toEqual(before);
  });

  it.each([
    ['expired', 'expired-key', 'KEY_EXPIRED'],
    ['revoked', 'revoked-key', 'KEY_REVOKED'],
  ] as const)('refuses what a key signed that is %s', async (state, shown, error) => {
    const bad = await hubKey({ now: NOW, state });
    const url = await serve({ key: bad });
    const added = await cli(['hub', 'key', 'add', '-', '--hub', url, '--fingerprint', bad.fingerprint], {
      stdin: bad.publicKey,
    });
    expect(added.code).toBe(0);
    expect(added.stderr).toContain(`warning: the key is ${state}`);
    const { text, json, code } = await both(['hub', 'verify', 'plug', '--hub', url]);
    expect(code).toBe(9);
    expect(json.error?.code).toBe(error);
    expect(states(json.item?.files)['spec.json']).toBe(shown);
    if (state !== 'expired') return;
    const once = new RegExp(
      `Error: the key ${bad.fingerprint} has expired: it was valid until \\d{4}-\\S*Z {2}\\[`,
      'u',
    );
    const lines = text.stderr.split('\n').filter((line) => line.includes('valid until'));
    expect(lines).toEqual([expect.stringMatching(once)]);
  });

  it('takes the URL of a hub, and warns where there is no index that could expire', async () => {
    const url = await serve();
    await trust(url);
    const soon = ['--expires-within', '3000d'];
    const { text, json, code } = await both(['hub', 'verify', url, ...soon]);
    expect([code, json.error?.code]).toEqual([14, 'EXPIRING']);
    expect(text.stderr).not.toContain('NO_INDEX');
    expect((await cli(['hub', 'verify', url])).stderr).toContain(' of 2 packages checked: ');
    expect((await cli(['hub', 'verify', url, '--hub', 'other'])).code).toBe(2);
    await hub?.close();
    const bare = await serve({ index: false });
    await trust(bare);
    const found = await cli(['hub', 'verify', bare, '--expires-within', '1h']);
    expect([found.code, found.stderr]).toEqual([
      0,
      expect.stringMatching(/has no signed index that can be verified, so its expiry is not checked/u),
    ]);
    expect((await cli(['hub', 'verify', bare])).stderr).not.toContain('no signed index');
    const wrong = await cli(['hub', 'show', bare]);
    expect([wrong.code, wrong.stderr]).toEqual([2, expect.not.stringContaining('./http')]);
  });

  it('accepts an expired key when its fingerprint is named', async () => {
    const old = await hubKey({ now: NOW, state: 'expired' });
    const url = await serve({ key: old, index: false });
    await cli(['hub', 'key', 'add', '-', '--hub', url, '--fingerprint', old.fingerprint], { stdin: old.publicKey });
    const run = await cli(['hub', 'verify', 'plug', '--hub', url, '--allow-expired-key', old.fingerprint]);
    expect(run.code, run.stderr).toBe(0);
    const lower = old.fingerprint.toLowerCase().replaceAll(/.{4}/gu, '$& ').trim();
    const both = `${stranger.fingerprint},${lower}`;
    expect((await cli(['hub', 'verify', 'plug', '--hub', url, '--allow-expired-key', both])).code).toBe(0);
    const short = await cli(['hub', 'verify', 'plug', '--hub', url, '--allow-expired-key', old.fingerprint.slice(24)]);
    expect([short.code, short.stderr]).toEqual([2, expect.stringContaining('is not a full fingerprint')]);
  });

  it('refuses a signer who is trusted for another hub only, and shows the full fingerprint', async () => {
    const url = await serve({ key: stranger });
    await trust(url);
    await trust('http://127.0.0.1:9/other', stranger);
    const { text, json, code } = await both(['hub', 'verify', 'plug', '--hub', url]);
    expect(code).toBe(9);
    expect(json.error?.code).toBe('KEY_UNKNOWN');
    expect(states(json.item?.files)).toMatchObject({ 'spec.json': 'unknown-signer', 'index.json': 'unknown-signer' });
    expect(text.stderr).toContain(stranger.fingerprint);
  });

  it('without a key is refused; with --policy warn it warns that nothing was verified', async () => {
    const url = await serve();
    const { json, text, code } = await both(['hub', 'verify', 'plug', '--hub', url, '--policy', 'warn']);
    expect(code).toBe(0);
    expect(text.stderr).toContain('nothing was verified: no key is trusted for this hub');
    expect(json.warnings.map(({ message }) => message)).toEqual([
      'nothing was verified: no key is trusted for this hub',
    ]);
    const refused = await both(['hub', 'verify', 'plug', '--hub', url]);
    expect(refused.code).toBe(9);
    expect(refused.json.error?.code).toBe('NO_TRUST');
    expect(store()).toEqual({});
  });

  it.each([['verify'], ['download']])('%s of an exact version asks no platform', async (verb) => {
    const url = await serve();
    await trust(url);
    const away = ['--hub', url, '-u', 'http://127.0.0.1:9', '--retries', '0'];
    expect((await cli(['hub', verb, 'plug@1.0.0', ...away])).code).toBe(0);
    expect((await cli(['hub', verb, 'plug', ...away])).code).toBe(7);
  });

  it('remembers what passed: a changed version is refused afterwards, though well signed', async () => {
    const { files } = await signedHub({ packages: [PLUG], key, now: NOW, index: false });
    hub = await serveHub(files);
    await trust(hub.url);
    expect((await cli(['hub', 'verify', 'plug', '--hub', hub.url])).code).toBe(0);
    const changed = Buffer.from('{"parents":["x"]}');
    files.set(`${FOLDER}/plug.json`, changed);
    files.set(`${FOLDER}/plug.json.asc`, Buffer.from(await key.sign(changed)));
    const before = store();
    const { json, code } = await both(['hub', 'verify', 'plug', '--hub', hub.url]);
    expect(code).toBe(9);
    expect(json.error?.code).toBe('CHANGED');
    expect(store()).toEqual(before);
  });

  it('remembers what passed of a hub that is a folder, too', async () => {
    const { files } = await signedHub({ packages: [PLUG], key, now: NOW, index: false });
    const team = join(home, 'team');
    await writeHubTree(team, files);
    expect((await cli(['hub', 'add', 'team', './team'])).code).toBe(0);
    await trust('team');
    expect((await cli(['hub', 'verify', 'plug', '--hub', 'team'])).code).toBe(0);
    const changed = Buffer.from('{"parents":["x"]}');
    writeFileSync(join(team, FOLDER, 'plug.json'), changed);
    writeFileSync(join(team, FOLDER, 'plug.json.asc'), await key.sign(changed));
    const { code, stderr } = await cli(['hub', 'verify', 'plug', '--hub', 'team']);
    expect([code, stderr]).toEqual([9, expect.stringContaining('[CHANGED]')]);
  });

  it('--all looks at every package of the hub, and reads the index once', async () => {
    const url = await serve({ tamper: { [`${FOLDER}/plug.jar`]: flipByte } });
    await trust(url);
    const served = hub;
    const { text, json, code } = await both(['hub', 'verify', '--all', '--hub', url], () => {
      const paths = (served?.requests ?? []).map(({ path }) => path.replace('/v2', ''));
      expect(paths.filter((path) => path === '/index.json')).toHaveLength(1);
      expect(paths.filter((path) => path.endsWith('plug.jar'))).toHaveLength(1);
    });
    expect(code).toBe(9);
    expect(text.stdout).toMatch(/^PACKAGE +FILE /mu);
    expect(text.stdout).toMatch(/^plug@1\.0\.0 +plug\.jar +INVALID /mu);
    expect(text.stdout).toMatch(/^other@1\.0\.0 +spec\.json +valid /mu);
    expect(json.item?.files).toHaveLength(4 + 2 + 3);
  });

  it('--all of several hubs has a column HUB, names the hub in warnings, and ends with 10 where one cannot be read', async () => {
    const url = await serve();
    const other = await serveHub((await signedHub({ packages: [OTHER], now: NOW, index: false })).files);
    await withTempDir(async (folder) => {
      const run = (...args: readonly string[]): Promise<RunResult> => runCli(args, { home: folder });
      for (const [name, address] of [
        ['signed', url],
        ['strange', other.url],
      ] as const)
        expect((await run('hub', 'add', name, address)).code).toBe(0);
      const pin = ['hub', 'key', 'add', '-', '--hub', 'signed', '--fingerprint', key.fingerprint];
      expect((await runCli(pin, { home: folder, stdin: key.publicKey })).code).toBe(0);

      const one = await run('hub', 'verify', '--all', '--hub', 'signed');
      expect(one.stdout).toMatch(/^PACKAGE +FILE /u);
      const all = await run('hub', 'verify', '--all');
      expect([all.code, all.stderr]).toEqual([9, expect.stringMatching(/^Error: no key is trusted .*\[NO_TRUST\]$/mu)]);
      expect(all.stderr).toContain('try      cdapctl hub key add FILE --hub strange --fingerprint FPR');
      const accepted = await run('hub', 'verify', '--all', '--policy', 'warn');
      expect([accepted.code, accepted.stderr]).toEqual([0, expect.stringContaining('warning: hub "strange": ')]);
      expect(all.stdout).toMatch(/^HUB +PACKAGE +FILE +STATE /u);
      expect(all.stdout).toMatch(/^signed +plug@1\.0\.0 +plug\.jar +valid /mu);
      expect(all.stdout).toMatch(/^strange +other@1\.0\.0 +spec\.json +UNKNOWN-SIGNER /mu);
      expect((await run('hub', 'verify', '--all', '-o', 'csv')).stdout).toMatch(/^hub,package,/u);

      await other.close();
      const rest = await run('hub', 'verify', '--all', '--json', '--retries', '0');
      const { error, item } = documentOf(rest);
      expect([rest.code, error?.code]).toEqual([10, 'PARTIAL']);
      expect(rest.stderr + JSON.stringify(error)).toContain('hub \\"strange\\": ');
      expect(new Set(item?.files.map((file) => file['hub']))).toEqual(new Set(['signed']));
    });
  });

  it('of a folder that --hub names says which command verifies it with the keys of a hub', async () => {
    const folder = join(home, 'copy');
    await writeHubTree(folder, (await signedHub({ packages: [PLUG], key, now: NOW })).files);
    expect((await cli(['hub', 'add', 'signed', 'https://hub.example.com/'])).code).toBe(0);
    await trust('signed');
    const got = await cli(['hub', 'download', 'plug@1.0.0', '--hub', './copy', '-D', 'out']);
    expect([got.code, got.stderr]).toEqual([
      0,
      expect.stringContaining('to verify with it: cdapctl hub verify ./copy --hub signed\n'),
    ]);
    expect((await cli(['hub', 'verify', folder, '--hub', 'signed'])).code).toBe(0);
  });

  it('says what exists when there is no such package', async () => {
    const url = await serve();
    const { json, code } = await both(['hub', 'verify', 'plugg', '--hub', url]);
    expect(code).toBe(5);
    expect(json.error?.hints).toContain('Did you mean "plug"?');
    const got = await cli(['hub', 'download', 'plugg', '--hub', url, '-D', 'new/out']);
    expect([got.code, existsSync(join(home, 'new'))]).toEqual([5, false]);
  });

  it.each([
    ['nothing', [], 'specify a package or a folder'],
    ['both', ['plug', '--all'], 'cannot be used together'],
  ])('wants a package or --all, not %s', async (_what, args, message) => {
    const { code, stderr } = await cli(['hub', 'verify', ...args, '--hub', 'http://127.0.0.1:9']);
    expect(code).toBe(2);
    expect(stderr).toContain(message);
  });
});

describe('hub verify of a folder', () => {
  async function written(options: Partial<SignedHubOptions> = {}): Promise<{ folder: string; keyFile: string }> {
    const { files } = await signedHub({ packages: [PLUG, OTHER], key, now: NOW, ...options });
    const folder = join(home, 'tree');
    await writeHubTree(folder, files);
    const keyFile = join(home, 'key.asc');
    writeFileSync(keyFile, key.publicKey);
    return { folder, keyFile };
  }

  it('takes a whole hub with keys of a file, and pins nothing', async () => {
    const { folder, keyFile } = await written();
    const { json, code } = await both(['hub', 'verify', folder, '--keyring', keyFile]);
    expect(code).toBe(0);
    expect(json).toMatchObject({ ok: true, policy: 'require', packages: 2 });
    expect(store()).toEqual({});
  });

  it('takes the folder of one package', async () => {
    const { folder, keyFile } = await written({ tamper: { [`${FOLDER}/plug.jar`]: flipByte } });
    const { json, code } = await both(['hub', 'verify', join(folder, FOLDER), '--keyring', keyFile]);
    expect(code).toBe(9);
    expect(states(json.item?.files)).toEqual({
      'spec.json': 'valid',
      'plug.jar': 'invalid',
      'plug.json': 'valid',
      'icon.png': 'unsigned',
    });
  });

  it('says that the signed index cannot be verified when its signer is not in the keyring', async () => {
    const { folder, keyFile } = await written();
    writeFileSync(keyFile, stranger.publicKey);
    const { json, code } = await both(['hub', 'verify', folder, '--keyring', keyFile]);
    expect(code).toBe(9);
    const details = Object.fromEntries((json.item?.files ?? []).map(({ name, detail }) => [String(name), detail]));
    expect(details['packages.json']).toBe('the signed index cannot be verified');
    expect(details['categories.json']).toBe('the signed index cannot be verified');
  });

  it('refuses a private key as a keyring', async () => {
    const { folder } = await written();
    const file = join(home, 'private.asc');
    writeFileSync(file, '-----BEGIN PGP PRIVATE KEY BLOCK-----\n\nxVgE\n-----END PGP PRIVATE KEY BLOCK-----\n');
    const { json, code } = await both(['hub', 'verify', folder, '--keyring', file]);
    expect(code).toBe(2);
    expect(json.error?.code).toBe('TRUST_PRIVATE');
  });
});

describe('hub download', () => {
  const tree = (folder: string): readonly string[] =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((name) => name.includes('.') && !name.endsWith('.0.0'))
      .sort();

  it('writes verified files with their signatures, which verify and a second hub read again', async () => {
    const url = await serve();
    await trust(url);
    const { text, json, code } = await both(['hub', 'download', 'plug', '--hub', url, '-D', 'out', '--clobber']);
    expect(code, text.stderr).toBe(0);
    expect(text.stdout).toMatch(/^out\/plug\/1\.0\.0\/plug\.jar +downloaded +valid +5000$/mu);
    expect(json.item).toMatchObject({ verified: true, policy: 'require', failed: [] });
    expect(readFileSync(join(home, 'out/plug/1.0.0/plug.jar')).equals(JAR)).toBe(true);
    expect(readFileSync(join(home, 'out/plug/1.0.0/plug.jar.asc'), 'utf8')).toContain('PGP SIGNATURE');
    const again = await cli(['hub', 'verify', './out/plug/1.0.0', '--hub', url, '--json']);
    expect(documentOf(again)).toMatchObject({ ok: true, policy: 'require', files: 4 });
  });

  it.each([
    ['a changed byte', true, { [`${FOLDER}/plug.jar`]: flipByte }, 'SIG_BAD', 9],
    ['a missing signature', false, { [`${FOLDER}/plug.jar.asc`]: () => undefined }, 'SIG_MISSING', 9],
    ['a missing file', true, { [`${FOLDER}/plug.jar`]: () => undefined }, 'RESOURCE_MISSING', 5],
  ] as const)('never gives a file its name after %s', async (_what, index, tamper, error, exit) => {
    const url = await serve({ index, tamper });
    await trust(url);
    const before = store();
    const { json, code } = await both(['hub', 'download', 'plug', '--hub', url, '-D', 'out', '--clobber']);
    expect(code).toBe(exit);
    expect(json.error?.code).toBe(error);
    expect(tree(join(home, 'out')).filter((name) => name.includes('plug.jar'))).toEqual([]);
    expect(readdirSync(join(home, 'out/plug/1.0.0')).filter((name) => name.endsWith('.tmp'))).toEqual([]);
    expect(store()).toEqual(before);
  });

  it('without signatures gives a folder that verify refuses for having none, not for a hub that was changed', async () => {
    const url = await serve();
    await trust(url);
    expect((await cli(['hub', 'verify', 'plug', '--hub', url])).code).toBe(0);
    expect((await cli(['hub', 'download', 'plug', '--hub', url, '-D', 'out', '--no-signatures'])).code).toBe(0);
    const folder = './out/plug/1.0.0';
    const { text, json, code } = await both(['hub', 'verify', folder, '--hub', url]);
    expect(code).toBe(9);
    expect(json.error?.code).toBe('SIG_MISSING');
    expect(text.stderr).toContain('this folder has no signatures (downloaded without signatures?)');
    expect(text.stderr).not.toContain('tampered');
    const whole = await cli(['hub', 'download', 'plug', '--hub', url, '-D', 'whole']);
    expect(whole.code).toBe(0);
    copyFileSync(join(home, 'whole/plug/1.0.0/spec.json.asc'), join(home, folder, 'spec.json.asc'));
    const some = await both(['hub', 'verify', folder, '--hub', url]);
    expect([some.code, some.json.error?.code]).toEqual([9, 'SIG_MISSING']);
  });

  it('asks the hub for nothing when the place cannot be written (L04)', async () => {
    const url = await serve();
    writeFileSync(join(home, 'out'), 'a file');
    const { json, code } = await both(['hub', 'download', 'plug', '--hub', url, '-D', 'out']);
    expect(code).toBe(15);
    expect(json.error?.code).toBe('LOCAL_IO');
    expect(hub?.requests).toEqual([]);
  });

  it('refuses a file that is there before it fetches any (L09); keeps or replaces it when told', async () => {
    const url = await serve();
    await trust(url);
    const folder = join(home, 'out/plug/1.0.0');
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'plug.jar'), 'mine');
    const { json, code } = await both(['hub', 'download', 'plug', '--hub', url, '-D', 'out']);
    expect(code).toBe(6);
    expect(json.error?.code).toBe('EXISTS');
    expect(readdirSync(folder)).toEqual(['plug.jar']);
    expect(hub?.requests.filter(({ path }) => path.includes('plug.j'))).toEqual([]);
    const kept = documentOf(
      await cli(['hub', 'download', 'plug', '--hub', url, '-D', 'out', '--skip-existing', '--json']),
    );
    expect(states(kept.item?.files)).toMatchObject({ 'plug.jar': 'kept', 'plug.json': 'downloaded' });
    expect(readFileSync(join(folder, 'plug.jar'), 'utf8')).toBe('mine');
    expect((await cli(['hub', 'download', 'plug', '--hub', url, '-D', 'out', '--clobber'])).code).toBe(0);
    expect(readFileSync(join(folder, 'plug.jar')).equals(JAR)).toBe(true);
  });

  it('goes on with other packages and ends with 10', async () => {
    const url = await serve({ tamper: { [`${FOLDER}/plug.jar`]: flipByte } });
    await trust(url);
    const { json, text, code } = await both([
      'hub',
      'download',
      'plug',
      'other',
      '--hub',
      url,
      '-D',
      'out',
      '--clobber',
    ]);
    expect(code).toBe(10);
    expect(text.stderr).toContain('1 of 2 packages could not be downloaded');
    expect(json.item?.['failed']).toMatchObject([{ package: 'plug', code: 'SIG_BAD' }]);
    expect(existsSync(join(home, 'out/other/1.0.0/spec.json'))).toBe(true);
  });

  it('takes what there is without verification, and says so', async () => {
    const url = await serve({ tamper: { [`${FOLDER}/plug.jar`]: flipByte } });
    await trust(url);
    const before = store();
    const { json, text, code } = await both([
      'hub',
      'download',
      'plug',
      '--hub',
      url,
      '-D',
      'out',
      '--clobber',
      '--no-verify',
    ]);
    expect(code).toBe(0);
    expect(text.stderr).toContain('NOTHING IS VERIFIED');
    expect(json.item).toMatchObject({ verified: false, policy: 'off' });
    expect(store()).toEqual(before);
  });

  it('writes one file to stdout, and not a byte of a bad one', async () => {
    const url = await serve({ tamper: { [`${FOLDER}/plug.jar`]: flipByte } });
    await trust(url);
    const good = await cli(['hub', 'download', 'plug', '--hub', url, '--resource', 'plug.json', '-D', '-']);
    expect(good).toMatchObject({ code: 0, stdout: '{"parents":[]}', stderr: '' });
    const bad = await cli(['hub', 'download', 'plug', '--hub', url, '--resource', 'plug.jar', '-D', '-']);
    expect(bad).toMatchObject({ code: 9, stdout: '' });
    const two = await cli(['hub', 'download', 'plug', 'other', '--hub', url, '--resource', 'plug.json', '-D', '-']);
    expect(two.code).toBe(2);
  });

  it('knows its flags', async () => {
    const { code, stderr } = await cli(['hub', 'download', 'plug', '--clober']);
    expect(code).toBe(2);
    expect(stderr).toContain('Did you mean --clobber?');
    expect((await cli(['hub', 'download', 'plug', '--clobber', '--skip-existing'])).code).toBe(2);
    expect((await cli(['hub', 'download'])).code).toBe(2);
  });
});

describe('hub key', () => {
  const HUB = 'https://hub.example.com/v2';
  let file = '';

  beforeEach(() => {
    file = join(home, 'key.asc');
    writeFileSync(file, key.publicKey);
  });

  it('trusts, lists, shows, exports and removes a key, without any network', async () => {
    const spaced = key.fingerprint
      .toLowerCase()
      .replace(/(.{4})/gu, '$1 ')
      .trim();
    const added = await cli([
      'hub',
      'key',
      'add',
      file,
      '--hub',
      HUB,
      '--fingerprint',
      spaced,
      '--packages',
      'acme-*',
      '--json',
    ]);
    expect(added.code).toBe(0);
    expect(documentOf(added)).toMatchObject({
      kind: 'HubKey',
      item: {
        fingerprint: key.fingerprint,
        change: 'added',
        packages: 'acme-*',
        state: 'good',
        algorithm: 'Ed25519',
        base: HUB,
      },
    });
    const list = await both(['hub', 'key', 'list', '--hub', HUB]);
    expect(list.code).toBe(0);
    expect(list.text.stdout).toContain(key.fingerprint);
    expect(list.json.items).toMatchObject([
      { fingerprint: key.fingerprint, userIds: ['Test Hub <test@hub.example.org>'] },
    ]);
    const shown = await both(['hub', 'key', 'show', key.fingerprint, '--hub', HUB]);
    expect(shown.text.stdout).toContain('user id      Test Hub <test@hub.example.org>');
    expect(shown.json.item).not.toHaveProperty('armored');
    const exported = await cli(['hub', 'key', 'export', key.fingerprint, '--hub', HUB]);
    expect(exported.stdout).toMatch(
      /^-----BEGIN PGP PUBLIC KEY BLOCK-----[\s\S]*-----END PGP PUBLIC KEY BLOCK-----\n$/u,
    );
    const other = 'https://other.example.com/v2';
    const taken = await cli(['hub', 'key', 'add', '-', '--hub', other, '--fingerprint', key.fingerprint], {
      stdin: exported.stdout,
    });
    expect(taken.code).toBe(0);
    const removed = await cli(['hub', 'key', 'remove', key.fingerprint, '--hub', HUB, '-y', '--json']);
    expect(documentOf(removed)).toMatchObject({ item: { change: 'removed' }, warnings: [{ code: 'NO_TRUST' }] });
    expect(documentOf(await cli(['hub', 'key', 'list', '--hub', HUB, '--json'])).items).toEqual([]);
    expect(documentOf(await cli(['hub', 'key', 'list', '--hub', other, '--json'])).items).toHaveLength(1);
  });

  it('says what adding a known key again has changed', async () => {
    const add = async (...more: string[]): Promise<string> =>
      (await cli(['hub', 'key', 'add', file, '--hub', HUB, '--fingerprint', key.fingerprint, ...more])).stdout;
    expect(await add()).toMatch(/^Key (?:[0-9A-F]{4} +){10}is now trusted for hub /u);
    const first = store();
    expect(await add()).toMatch(/ is already trusted for hub \S+; nothing was changed\n$/u);
    expect(store()).toEqual(first);
    expect(await add('--packages', 'acme-*')).toMatch(
      / is now trusted for acme-\* only of hub \S+ \(previously: all packages\)\n$/u,
    );
    expect(await add('--packages', 'acme-*')).toMatch(/ is already trusted for hub \S+; nothing was changed\n$/u);
    expect(await add()).toMatch(/ is now trusted for all packages of hub \S+ \(previously: acme-\* only\)\n$/u);
    const unasked = await cli(['hub', 'key', 'add', file, '--hub', HUB, '--json']);
    expect([unasked.code, documentOf(unasked)]).toMatchObject([0, { item: { change: 'unchanged' } }]);
  });

  it('writes an exported key to a file, once', async () => {
    await trust(HUB);
    const args = ['hub', 'key', 'export', key.fingerprint, '--hub', HUB, '-O', 'out.asc'];
    expect((await cli(args)).code).toBe(0);
    expect(readFileSync(join(home, 'out.asc'), 'utf8')).toContain('PUBLIC KEY BLOCK');
    expect((await cli(args)).code).toBe(6);
    expect((await cli([...args, '--clobber'])).code).toBe(0);
  });

  const refusals: readonly [string, (fingerprint: string) => readonly string[], number, string][] = [
    ['no fingerprint', () => [], 2, 'INPUT_MISSING'],
    ['a yes instead of a fingerprint', () => ['-y'], 2, 'INPUT_MISSING'],
    ['another fingerprint', () => ['--fingerprint', 'F'.repeat(40)], 9, 'KEY_UNKNOWN'],
    ['a short id', (fingerprint) => ['--fingerprint', fingerprint.slice(-16)], 2, 'USAGE'],
    ['no packages', (fingerprint) => ['--fingerprint', fingerprint, '--packages', ''], 2, 'USAGE'],
  ];

  it.each(refusals)('does not trust a key with %s', async (_what, more, exit, error) => {
    const { json, code } = await both(['hub', 'key', 'add', file, '--hub', HUB, ...more(key.fingerprint)]);
    expect(code).toBe(exit);
    expect(json.error?.code).toBe(error);
    expect(store()).toEqual({});
  });

  it('needs the fingerprint to pick one of several keys', async () => {
    writeFileSync(file, `${key.publicKey}\n${stranger.publicKey}`);
    const { json, code } = await both(['hub', 'key', 'add', file, '--hub', HUB]);
    expect([code, json.error?.code]).toEqual([2, 'INPUT_MISSING']);
    const picked = await cli([
      'hub',
      'key',
      'add',
      file,
      '--hub',
      HUB,
      '--fingerprint',
      stranger.fingerprint,
      '--json',
    ]);
    expect(documentOf(picked).item).toMatchObject({
      fingerprint: stranger.fingerprint,
      userIds: ['Stranger <test@hub.example.org>'],
    });
  });

  it('does not take a key away without a yes', async () => {
    await trust(HUB);
    const { json, code } = await both(['hub', 'key', 'remove', key.fingerprint, '--hub', HUB]);
    expect([code, json.error?.code]).toEqual([13, 'CONSENT_MISSING']);
    expect(documentOf(await cli(['hub', 'key', 'list', '--hub', HUB, '--json'])).items).toHaveLength(1);
  });

  it('says that a key is not trusted', async () => {
    for (const verb of ['show', 'export', 'remove']) {
      const { json, code } = await both(['hub', 'key', verb, key.fingerprint, '--hub', HUB]);
      expect([verb, code, json.error?.code]).toEqual([verb, 5, 'NOT_FOUND']);
    }
  });

  it('refuses a store that others may write to (S24)', async () => {
    await trust(HUB);
    const folder = join(home, '.local/state/cdapctl/trust');
    chmodSync(folder, 0o777);
    const { json, code } = await both(['hub', 'key', 'list', '--hub', HUB]);
    expect([code, json.error?.code]).toEqual([2, 'TRUST_PERMS']);
  });

  it('wants one hub for a key when several are meant', async () => {
    const { code, stderr } = await cli([
      'hub',
      'key',
      'add',
      file,
      '--hub',
      HUB,
      '--hub',
      'https://b.example.com',
      '--fingerprint',
      key.fingerprint,
    ]);
    expect(code).toBe(2);
    expect(stderr).toContain('--hub');
  });
});
