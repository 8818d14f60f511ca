import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { hasGpg } from '../../support/gpg.js';
import { ENTER, startPty } from '../../support/processes/pty.js';
import { runCli, withTempDir, type RunResult } from '../../support/processes/run-cli.js';

const KEYS = resolve(import.meta.dirname, '../../fixtures/keys/signing');
const SPEC = JSON.stringify({ label: 'A', categories: ['example'], actions: [], created: 1 });

interface Site {
  readonly home: string;
  readonly run: (...line: readonly string[]) => Promise<RunResult>;
  readonly sign: (...flags: readonly string[]) => Promise<RunResult>;
  readonly item: (result: RunResult) => Item;
  readonly put: (path: string, content: string | Buffer) => void;
  readonly read: (path: string) => Buffer;
  readonly files: () => readonly string[];
  /** Variables of the runs that follow. */
  readonly env: Record<string, string>;
}
interface Item {
  readonly signed: readonly string[];
  readonly kept: number;
  readonly index: string;
  readonly sequence: number;
  readonly created: string;
  readonly expires: string;
}

/** A hub of two packages with its catalog, and the keys of the fixtures. */
async function atSite(test: (site: Site) => Promise<void>, env: Record<string, string> = {}): Promise<void> {
  await withTempDir(async (home) => {
    for (const name of readdirSync(KEYS)) {
      copyFileSync(join(KEYS, name), join(home, name));
      chmodSync(join(home, name), 0o600);
    }
    const put: Site['put'] = (path, content) => {
      mkdirSync(join(home, path, '..'), { recursive: true });
      writeFileSync(join(home, path), content);
    };
    for (const name of ['one', 'two']) put(`hub/packages/${name}/1.0.0/spec.json`, SPEC);
    put('hub/packages/one/1.0.0/one.jar', Buffer.alloc(5000, 'jar'));
    put('hub/packages/one/1.0.0/icon.png', 'icon');
    const run: Site['run'] = (...line) => runCli(line, { home, cwd: home, env });
    expect((await run('hub', 'build', 'hub')).code).toBe(0);
    await test({
      home,
      env,
      run,
      sign: (...flags) => run('hub', 'sign', 'hub', '--json', ...flags),
      item: ({ code, stdout, stderr }) => {
        expect([code, stderr]).toEqual([0, '']);
        return (JSON.parse(stdout) as { item: Item }).item;
      },
      put,
      read: (path) => readFileSync(join(home, path)),
      files: () => readdirSync(join(home, 'hub'), { recursive: true, encoding: 'utf8' }).sort(),
    });
  });
}

const RSA = ['--key', 'rsa3072.secret.asc'];
const ED = ['--key', 'ed25519.secret.asc'];
const FORCED = ['--force-file', 'one/1.0.0/one.jar'];

describe('hub sign', () => {
  it('signs every file but icons and writes an index that clients accept', () =>
    atSite(async ({ home, run, sign, item, files }) => {
      expect(item(await sign(...RSA))).toMatchObject({
        signed: ['packages/one/1.0.0/one.jar', 'packages/one/1.0.0/spec.json', 'packages/two/1.0.0/spec.json'],
        kept: 0,
        index: 'written',
        sequence: 1,
      });
      expect(files().filter((name) => name.endsWith('.asc'))).toEqual([
        'index.json.asc',
        'packages/one/1.0.0/one.jar.asc',
        'packages/one/1.0.0/spec.json.asc',
        'packages/two/1.0.0/spec.json.asc',
      ]);
      const verified = await run('hub', 'verify', './hub', '--all', '--strict', '--keyring', 'rsa3072.public.asc');
      expect([verified.code, verified.stderr]).toEqual([
        0,
        expect.stringContaining('5 valid, 2 need no signature, 0 invalid'),
      ]);
      if (!hasGpg) return;
      const keyring = join(home, 'keyring.gpg');
      execFileSync('gpg', ['--homedir', home, '--batch', '--dearmor', '-o', keyring, join(home, 'rsa3072.public.asc')]);
      for (const name of ['index.json', 'packages/one/1.0.0/one.jar', 'packages/two/1.0.0/spec.json']) {
        const file = join(home, 'hub', name);
        execFileSync('gpgv', ['--keyring', keyring, `${file}.asc`, file], { stdio: 'ignore' });
      }
    }));

  it('refreshes with all keys of the index, or not at all', () =>
    atSite(async ({ sign, item, read }) => {
      item(await sign(...RSA, ...ED));
      const before = read('hub/index.json.asc');
      const one = await sign('--refresh', ...ED);
      expect([one.code, one.stdout]).toEqual([2, expect.stringContaining('whose signature would be lost')]);
      expect(read('hub/index.json.asc')).toEqual(before);
      expect(item(await sign('--refresh', ...RSA, ...ED))).toMatchObject({ sequence: 2 });
    }));

  it('does not sign the signature of a file that was removed', () =>
    atSite(async ({ home, sign, item, files, read, put }) => {
      item(await sign(...ED));
      const [jar, before] = [read('hub/packages/one/1.0.0/one.jar'), files()];
      rmSync(join(home, 'hub/packages/one/1.0.0/one.jar'));
      const { code, stdout } = await sign(...ED);
      expect([code, stdout]).toEqual([6, expect.stringContaining('packages/one/1.0.0/one.jar (removed)')]);
      put('hub/packages/one/1.0.0/one.jar', jar);
      expect(files()).toEqual(before);
    }));

  it('lets a snapshot change for those who have verified it before, and no release', () =>
    atSite(async ({ run, put }) => {
      const [jar, snapshot] = ['hub/packages/one/1.0.0/one.jar', 'hub/packages/two/1.1.0-SNAPSHOT'];
      const make = async (): Promise<void> => {
        expect((await run('hub', 'build', 'hub', ...FORCED)).code).toBe(0);
        expect((await run('hub', 'sign', 'hub', ...ED, ...FORCED)).code).toBe(0);
      };
      put(`${snapshot}/spec.json`, SPEC);
      put(`${snapshot}/two.jar`, 'first');
      await make();
      const key = ['ed25519.public.asc', '--fingerprint', '8DAD5AD40E5CA864579CD333581AD27837171D8C'];
      expect((await run('hub', 'key', 'add', ...key, '--hub', './hub', '-y')).code).toBe(0);
      expect((await run('hub', 'verify', './hub')).code).toBe(0);
      put(`${snapshot}/two.jar`, 'second');
      await make();
      expect((await run('hub', 'verify', './hub')).code).toBe(0);
      put(jar, 'other');
      await make();
      const { code, stderr } = await run('hub', 'verify', './hub');
      expect([code, stderr]).toEqual([9, expect.stringContaining('one/1.0.0/one.jar had different content')]);
    }));

  it('signs the index alone with --index-only', () =>
    atSite(async ({ home, run, sign, item, files, put }) => {
      const check = await sign(...RSA, '--index-only', '--check');
      expect([check.code, (JSON.parse(check.stdout) as { item: Item }).item]).toMatchObject([14, { signed: [] }]);
      expect(item(await sign(...RSA, '--index-only'))).toMatchObject({ signed: [], kept: 0, index: 'written' });
      expect(files().filter((name) => name.endsWith('.asc'))).toEqual(['index.json.asc']);
      const verify = () => run('hub', 'verify', './hub', '--all', '--strict', '--keyring', 'rsa3072.public.asc');
      const { code, stderr } = await verify();
      expect([code, stderr]).toEqual([0, expect.stringContaining('5 valid, 2 need no signature, 0 invalid')]);
      expect(item(await sign(...RSA, '--index-only'))).toMatchObject({ index: 'unchanged', sequence: 1 });
      expect((await sign(...RSA, '--index-only', '--check')).code).toBe(0);
      if (hasGpg) {
        const keyring = join(home, 'keyring.gpg');
        const dearmor = ['--batch', '--dearmor', '-o', keyring, join(home, 'rsa3072.public.asc')];
        execFileSync('gpg', ['--homedir', home, ...dearmor]);
        const [signature, index] = ['hub/index.json.asc', 'hub/index.json'].map((name) => join(home, name));
        execFileSync('gpgv', ['--keyring', keyring, signature ?? '', index ?? ''], { stdio: 'ignore' });
      }
      put('hub/packages/one/1.0.0/one.jar', Buffer.alloc(5000, 'jaR'));
      expect((await verify()).code).toBe(9);
    }));

  it('keeps good signatures with --index-only, and rejects those that clients would', () =>
    atSite(async ({ sign, item, put, read }) => {
      item(await sign(...ED));
      expect(item(await sign(...ED, '--index-only'))).toMatchObject({ signed: [], kept: 3, index: 'unchanged' });
      const index = read('hub/index.json');
      put('hub/packages/one/1.0.0/one.jar', 'changed');
      for (const flags of [[], ['--check']]) {
        const { code, stdout } = await sign(...ED, '--index-only', ...FORCED, ...flags);
        expect([code, stdout]).toEqual([12, expect.stringContaining('packages/one/1.0.0/one.jar.asc: ')]);
        expect(stdout).not.toContain('spec.json.asc');
      }
      expect(read('hub/index.json').equals(index)).toBe(true);
      expect((await sign(...ED, ...RSA, '--index-only', ...FORCED)).stdout).toContain('3 faults');
    }));

  it('signs only what changed, and writes nothing where nothing did', () =>
    atSite(async ({ sign, item, put, read }) => {
      item(await sign(...ED));
      const [index, kept] = [read('hub/index.json'), read('hub/packages/two/1.0.0/spec.json.asc')];
      expect(item(await sign(...ED))).toMatchObject({ signed: [], kept: 3, index: 'unchanged', sequence: 1 });
      expect(read('hub/index.json').equals(index)).toBe(true);
      put('hub/packages/one/1.0.0/one.jar', 'changed');
      for (const flags of [[], ['--check']]) {
        const refused = await sign(...ED, ...flags);
        expect([refused.code, refused.stdout]).toEqual([6, expect.stringContaining('--force-file one/1.0.0/one.jar')]);
      }
      expect((await sign(...ED, ...FORCED, '--check')).code).toBe(14);
      expect((await sign(...ED, '--force-file', 'one.jar')).code).toBe(2);
      expect(item(await sign(...ED, ...FORCED))).toMatchObject({
        signed: ['packages/one/1.0.0/one.jar'],
        kept: 2,
        index: 'written',
        sequence: 2,
      });
      expect(read('hub/packages/two/1.0.0/spec.json.asc').equals(kept)).toBe(true);
      expect((await sign(...ED, '--check')).code).toBe(0);
    }));

  it.runIf(hasGpg)('V11: signs by a program on stdin and stdout, and writes nothing where it fails', () =>
    atSite(async ({ home, env, run, sign, item, read, files }) => {
      const gpg = (...line: readonly string[]): string =>
        execFileSync('gpg', ['--homedir', join(home, 'gnupg'), '--batch', ...line], {
          encoding: 'utf8',
          stdio: 'pipe',
        });
      mkdirSync(join(home, 'gnupg'), { mode: 0o700 });
      gpg('--import', join(home, 'ed25519.secret.asc'));
      const fingerprint = /^fpr:+([0-9A-F]+):/mu.exec(gpg('--with-colons', '--list-keys'))?.[1] ?? '';
      env['GNUPGHOME'] = join(home, 'gnupg');
      const by = (command: string): readonly string[] => ['--signer', command, '--fingerprint', fingerprint];
      const public_ = ['--keyring', 'ed25519.public.asc'];
      const unknown = await sign(...by('gpg'));
      expect([unknown.code, unknown.stdout]).toEqual([9, expect.stringContaining('--keyring FILE')]);
      for (const [command, code, words] of [
        ["sh -c 'echo no card >&2; exit 2'", 11, 'sh ended with status 2: no card'],
        ['nosuch-program', 11, 'nosuch-program was not found'],
        ["sh -c 'cat; yes | head -c 100000'", 11, 'printed more than 65536 characters'],
        ['cat', 11, 'gpg: the option detach-sign'],
      ] as const) {
        const failed = await sign(...by(command), ...public_);
        expect([failed.code, failed.stdout]).toEqual([code, expect.stringContaining(words)]);
      }
      expect(files().filter((name) => name.endsWith('.asc'))).toEqual([]);
      const command = `gpg --batch --detach-sign --local-user ${fingerprint}`;
      expect((await sign(...by(command), ...public_, '--check')).code).toBe(14);
      const signed = await sign(...by(command), ...public_);
      expect([signed.code, signed.stderr]).toEqual([
        0,
        expect.stringMatching(/^note: signing 3 files and the index takes about \d+\.\d+ s each, \d+ s in all\n$/u),
      ]);
      expect(read('hub/packages/one/1.0.0/one.jar.asc').toString()).toContain('BEGIN PGP SIGNATURE');
      const again = await sign(...by('nosuch-program'), ...public_);
      expect([item(again), again.stderr]).toMatchObject([{ signed: [], kept: 3, index: 'unchanged' }, '']);
      expect((await sign(...by('nosuch-program'), ...public_, '--refresh')).code).toBe(11);
      expect((await run('hub', 'verify', './hub', '--all', '--strict', ...public_)).code).toBe(0);
      expect(item(await sign(...ED))).toMatchObject({ signed: [], kept: 3, index: 'unchanged' });
      execFileSync('gpgconf', ['--homedir', join(home, 'gnupg'), '--kill', 'all']);
    }),
  );

  it('says how to build the catalog that is missing', () =>
    atSite(async ({ home, run }) => {
      rmSync(join(home, 'hub/packages.json'));
      const { code, stderr } = await run('hub', 'sign', 'hub', ...ED);
      expect([code, stderr]).toEqual([12, expect.stringMatching(/first: cdapctl hub build \S*\/hub$/mu)]);
    }));

  it('signs with two keys, each of which is enough', () =>
    atSite(async ({ run, sign, item }) => {
      item(await sign(...ED));
      expect(item(await sign(...ED, ...RSA))).toMatchObject({ kept: 0, sequence: 2 });
      for (const kind of ['ed25519', 'rsa3072'])
        expect((await run('hub', 'verify', './hub', '--all', '--keyring', `${kind}.public.asc`)).code).toBe(0);
      const old = await run('hub', 'verify', './hub', '--all', '--keyring', 'rsa3072.public.asc');
      expect(old.stderr.match(/other signature ignored .*changing keys.*hub key add/gu)).toHaveLength(1);
      expect(item(await sign(...RSA, '--index-only'))).toMatchObject({ signed: [], kept: 3, sequence: 3 });
      const check = await sign(...RSA, '--check');
      expect([check.code, check.stdout]).toEqual([14, expect.stringContaining('packages/two/1.0.0/spec.json')]);
      const alone = item(await sign(...RSA));
      expect([alone.signed.length, alone.kept]).toEqual([3, 0]);
      const ended = await run('hub', 'verify', './hub', '--all', '--keyring', 'rsa3072.public.asc');
      expect([ended.code, ended.stderr]).toEqual([0, expect.not.stringContaining('ignored')]);
      expect(item(await sign(...RSA))).toMatchObject({ signed: [], kept: 3, index: 'unchanged' });
    }));

  it('renews number and dates of the index alone', () =>
    atSite(async ({ sign, item, put, read }) => {
      expect((await sign(...ED, '--refresh')).code).toBe(9);
      item(await sign(...ED));
      put('hub/packages/one/1.0.0/one.jar', 'not published yet');
      const before = JSON.parse(read('hub/index.json').toString()) as { packages: unknown };
      expect(item(await sign(...ED, '--refresh', '--expires', '90d'))).toMatchObject({ index: 'written', sequence: 2 });
      expect(JSON.parse(read('hub/index.json').toString())).toMatchObject({
        format: 1,
        sequence: 2,
        packages: before.packages,
      });
    }));

  it('names the next command after build and sign', () =>
    atSite(async ({ home, run, put }) => {
      put('hub/packages/three/1.0.0/spec.json', SPEC);
      const built = await run('hub', 'build', 'hub');
      expect([built.code, built.stderr]).toEqual([
        0,
        expect.stringContaining('next: cdapctl hub sign hub --key FILE\n'),
      ]);
      const publish = 'next: cdapctl hub publish hub TARGET\n';
      const signed = async () => {
        const { code, stderr } = await run('hub', 'sign', 'hub', ...ED);
        expect([code, stderr]).toEqual([0, publish]);
      };
      await signed();
      await signed();
      rmSync(join(home, 'hub/packages/three/1.0.0/spec.json.asc'));
      await signed();
      expect((await run('hub', 'sign', 'hub', ...ED, '--check')).stderr).toBe('');
      expect((await run('hub', 'build', 'hub', '--site')).stderr).toContain(publish);
      put('hub/packages/four/1.0.0/spec.json', SPEC);
      expect((await run('hub', 'build', 'hub')).stderr).toContain('next: cdapctl hub sign hub');
      rmSync(join(home, 'hub/index.html'));
      expect((await run('hub', 'build', 'hub', '--site')).stderr).toContain('next: cdapctl hub sign hub');
    }));

  it('says how an unchanged index is renewed, where it would get another expiry', () =>
    atSite(async ({ run, sign, item }) => {
      item(await sign(...ED));
      const { code, stdout, stderr } = await run('hub', 'sign', 'hub', ...ED, '--expires', '10y');
      expect([code, stdout]).toEqual([0, expect.stringContaining('index 1 unchanged')]);
      const line = 'hub sign hub --key ed25519.secret.asc --expires 10y --refresh';
      const note = `note: the index has not changed, so it expires as before; to renew it: cdapctl ${line}\n`;
      expect(stderr).toBe(`${note}next: cdapctl hub publish hub TARGET\n`);
      const renewed = await run(...line.split(' '));
      expect([renewed.code, renewed.stdout]).toEqual([0, expect.stringContaining('index 2 of hub written')]);
    }));

  it('continues the number of a published hub, and rejects a tree that is older', () =>
    atSite(async ({ home, sign, item }) => {
      item(await sign(...ED));
      item(await sign(...ED, '--refresh'));
      cpSync(join(home, 'hub'), join(home, 'published'), { recursive: true });
      rmSync(join(home, 'hub/index.json'));
      expect(item(await sign(...ED, '--against', './published'))).toMatchObject({ sequence: 3 });
      rmSync(join(home, 'hub/index.json'));
      item(await sign(...ED));
      const { code, stdout } = await sign(...ED, '--against', './published');
      expect([code, stdout]).toEqual([9, expect.stringContaining('"ROLLBACK"')]);
      expect(stdout).toContain('to continue the number anyway: --force');
      expect(item(await sign(...ED, '--against', './published', '--force'))).toMatchObject({ sequence: 3 });
    }));

  it('continues no number of an index that no key of the tree has signed', () =>
    atSite(async ({ home, sign, item, put, read }) => {
      item(await sign(...ED));
      const unsigned = JSON.parse(read('hub/index.json').toString()) as object;
      put('hub/index.json', JSON.stringify({ ...unsigned, sequence: Number.MAX_SAFE_INTEGER - 1 }));
      cpSync(join(home, 'hub'), join(home, 'published'), { recursive: true });
      for (const flags of [[], ['--refresh'], ['--check']]) {
        const { code, stdout } = await sign(...ED, ...flags);
        expect([code, stdout]).toEqual([9, expect.stringContaining('does not match its signature')]);
      }
      rmSync(join(home, 'hub/index.json'));
      const { code, stdout } = await sign(...ED, '--against', './published');
      expect([code, stdout]).toEqual([9, expect.stringContaining('"SIG_BAD"')]);
      expect(item(await sign(...ED))).toMatchObject({ sequence: 1 });
    }));

  it('continues the number of an index by a key that the tree names, and of another one only with --force', () =>
    atSite(async ({ home, sign, item }) => {
      item(await sign(...ED));
      const { code, stdout } = await sign(...RSA);
      expect([code, stdout]).toEqual([
        9,
        expect.stringMatching(/"KEY_UNKNOWN".*put its public key into the hub as publisher.asc/su),
      ]);
      expect(stdout).toContain('--force');
      copyFileSync(join(home, 'ed25519.public.asc'), join(home, 'hub/publisher.asc'));
      expect(item(await sign(...RSA))).toMatchObject({ sequence: 2, kept: 0 });
      rmSync(join(home, 'hub/publisher.asc'));
      const forced = await sign('--key', 'nistp256.secret.asc', '--force');
      const { item: signed, warnings } = JSON.parse(forced.stdout) as { item: Item; warnings: { code: string }[] };
      expect([forced.code, signed.sequence, warnings.map((one) => one.code)]).toEqual([0, 3, ['INDEX_UNVERIFIED']]);
    }));

  it('gives an index no number that clients cannot read', () =>
    atSite(async ({ sign, put, read, item }) => {
      item(await sign(...ED));
      const index = JSON.parse(read('hub/index.json').toString()) as object;
      put('hub/index.json', JSON.stringify({ ...index, sequence: Number.MAX_SAFE_INTEGER }));
      const { code, stdout } = await sign(...ED, '--force');
      expect([code, stdout]).toEqual([12, expect.stringContaining('has the highest number')]);
    }));

  it('counts the expiry from the clock, whatever SOURCE_DATE_EPOCH dates', () =>
    atSite(
      async ({ sign, item }) => {
        const { created, expires } = item(await sign(...ED, '--expires', '1d'));
        expect(created).toBe('2025-01-01T00:00:00.000Z');
        expect(Math.abs(Date.parse(expires) - Date.now() - 86_400_000)).toBeLessThan(600_000);
      },
      { SOURCE_DATE_EPOCH: '1735689600' },
    ));

  it.each([
    ['4294967296', 'is in the future'],
    ['4102444800', 'is in the future'],
    ['1', 'is before the key'],
    ['soon', 'must be a number of seconds'],
  ])('rejects SOURCE_DATE_EPOCH=%s, which %s', (epoch, why) =>
    atSite(
      async ({ sign, files }) => {
        const { code, stdout } = await sign(...ED);
        expect([code, stdout]).toEqual([2, expect.stringContaining('"USAGE"')]);
        expect(stdout).toContain(why);
        expect(files().filter((name) => name.endsWith('.asc'))).toEqual([]);
      },
      { SOURCE_DATE_EPOCH: epoch },
    ),
  );

  it('signs files the same byte for byte for the same SOURCE_DATE_EPOCH', () =>
    atSite(
      async ({ home, sign, item, files, read }) => {
        item(await sign(...RSA, ...ED));
        const all = files().filter((name) => name.endsWith('.asc') && name !== 'index.json.asc');
        const first = all.map((name) => read(`hub/${name}`).toString());
        for (const name of [...all, 'index.json']) rmSync(join(home, 'hub', name));
        item(await sign(...RSA, ...ED));
        expect(all.map((name) => read(`hub/${name}`).toString())).toEqual(first);
      },
      { SOURCE_DATE_EPOCH: '1735689600' },
    ));

  it('V06: opens a locked key with its passphrase only, from a file or the variable', () =>
    atSite(
      async ({ sign, put, files }) => {
        const locked = ['--key', 'locked.secret.asc'];
        put('wrong', 'battery staple\n');
        const wrong = await sign(...locked, '--passphrase-file', 'wrong');
        expect([wrong.code, wrong.stdout]).toEqual([3, expect.stringContaining('"KEY_LOCKED"')]);
        expect(wrong.stdout + wrong.stderr).not.toContain('battery');
        expect(files().filter((name) => name.endsWith('.asc'))).toEqual([]);
        expect((await sign(...locked)).code).toBe(0);
      },
      { CDAPCTL_PASSPHRASE: 'correct horse' },
    ));

  it('V07: signs with no key that has expired or was revoked', () =>
    atSite(async ({ sign, files }) => {
      for (const [name, error] of [
        ['expired', 'KEY_EXPIRED'],
        ['revoked', 'KEY_REVOKED'],
      ] as const) {
        const { code, stdout } = await sign('--key', `${name}.secret.asc`);
        expect([code, stdout]).toEqual([9, expect.stringContaining(`"${error}"`)]);
      }
      expect(files().filter((name) => name.endsWith('.asc'))).toEqual([]);
    }));

  it('V08: uses no key that others can read', () =>
    atSite(async ({ home, sign }) => {
      chmodSync(join(home, 'ed25519.secret.asc'), 0o640);
      const { code, stdout } = await sign(...ED);
      expect([code, stdout]).toEqual([2, expect.stringContaining('"KEY_PERMS"')]);
      expect(existsSync(join(home, 'hub/index.json'))).toBe(false);
      chmodSync(join(home, 'ed25519.public.asc'), 0o644);
      const swapped = await sign('--key', 'ed25519.public.asc');
      expect(swapped.stdout).toContain('public');
      expect(swapped.stdout).not.toContain('KEY_PERMS');
    }));

  it('V04: signs nothing in a tree with a link', () =>
    atSite(async ({ home, sign, files }) => {
      symlinkSync('/etc/hostname', join(home, 'hub/packages/one/1.0.0/link.txt'));
      const { code, stdout } = await sign(...ED);
      expect([code, stdout]).toEqual([12, expect.stringContaining('packages/one/1.0.0/link.txt')]);
      expect(files().filter((name) => name.endsWith('.asc'))).toEqual([]);
    }));

  it('checks without the passphrase, and writes nothing', () =>
    atSite(async ({ sign, files }) => {
      const before = files();
      const { code, stdout } = await sign('--key', 'locked.secret.asc', '--check');
      expect([code, stdout]).toEqual([14, expect.stringContaining('"missing"')]);
      expect(files()).toEqual(before);
    }));

  it('says in a check what would be signed', () =>
    atSite(async ({ home, run, sign, item, files }) => {
      item(await sign(...ED));
      rmSync(join(home, 'hub', files().find((name) => name.endsWith('spec.json.asc')) ?? ''));
      const { code, stdout } = await run('hub', 'sign', './hub', ...ED, '--check');
      expect([code, stdout]).toEqual([14, expect.stringContaining('1 file to sign')]);
    }));

  it('takes no time that is over at once', () =>
    atSite(async ({ sign, files }) => {
      const before = files();
      expect((await sign(...ED, '--expires', '0s')).code).toBe(2);
      expect(files()).toEqual(before);
    }));

  it.each([
    ['59d', ['KEY_EXPIRES']],
    ['61d', []],
  ])('warns 60 days before a key expires, not before: %s', (expires, expected) =>
    atSite(async ({ run, sign }) => {
      const flags = ['--type', 'ed25519', '--name', 'Short', '--no-passphrase', '-O', 'short.key'];
      expect((await run('hub', 'key', 'generate', ...flags, '--expires', expires)).code).toBe(0);
      const { code, stdout } = await sign('--key', 'short.key');
      const { warnings } = JSON.parse(stdout) as { warnings: { code: string }[] };
      expect([code, warnings.map((warning) => warning.code)]).toEqual([0, expected]);
    }),
  );

  it('is verified with 14 while the index or the key expires within the time that is asked', () =>
    atSite(async ({ put, run, sign }) => {
      const made = ['--type', 'ed25519', '--name', 'Short', '--no-passphrase', '-O', 'short.key', '--expires', '40d'];
      const generated = await run('hub', 'key', 'generate', ...made, '--public', 'short.asc');
      expect(generated.code).toBe(0);
      expect((await sign('--key', 'short.key', '--expires', '10d')).code).toBe(0);
      const verify = (...more: string[]) => run('hub', 'verify', './hub', '--all', '--keyring', 'short.asc', ...more);
      expect((await verify('--expires-within', '9d')).code).toBe(0);
      const soon = await verify('--expires-within', '11d');
      expect([soon.code, soon.stderr]).toEqual([
        14,
        expect.stringMatching(/1 signed index or key expires soon[^]*index\.json expires at/u),
      ]);
      expect(soon.stderr).toContain('cdapctl hub sign ./hub --refresh --key FILE');
      put('hub/.cdapctl-published', '');
      expect((await verify('--expires-within', '11d')).stderr).toContain('./hub is published from another folder');
      put('hub/.cdapctl-mirror/state.json', JSON.stringify({ version: 1, whole: false }));
      expect((await verify('--expires-within', '11d')).stderr).not.toContain('is a mirror');
      put('hub/.cdapctl-mirror/state.json', JSON.stringify({ version: 1, whole: true }));
      expect((await verify('--expires-within', '11d')).stderr).toContain(
        './hub is a mirror: run its cdapctl hub mirror',
      );
      const { code, stdout } = await verify('--expires-within', '41d', '--json');
      const { error } = JSON.parse(stdout) as { error: { code: string; item?: unknown } };
      const { item } = JSON.parse(stdout) as { item: { ok: boolean; expiring: { name: string }[] } };
      expect([code, error.code, item.ok]).toEqual([14, 'EXPIRING', true]);
      expect(item.expiring.map(({ name }) => name)).toEqual(['index.json', expect.stringMatching(/^[0-9A-F]{40}$/u)]);
    }));

  it('signs and lists an .asc that is a file itself', () =>
    atSite(async ({ sign, item, put, read, files }) => {
      put('hub/packages/two/1.0.0/data.asc', 'data');
      expect(item(await sign(...ED)).signed).toContain('packages/two/1.0.0/data.asc');
      expect(files()).toContain('packages/two/1.0.0/data.asc.asc');
      expect(read('hub/index.json').toString()).toContain('"data.asc"');
      expect(item(await sign(...ED))).toMatchObject({ signed: [], index: 'unchanged' });
    }));

  it('signs nothing where clients would not read a file or the index', () =>
    atSite(async ({ home, sign, files }) => {
      const before = files();
      const large = join(home, 'hub/packages/two/1.0.0/large.jar');
      writeFileSync(large, '');
      truncateSync(large, 2 ** 31 + 1);
      for (const flags of [[], ['--check']]) {
        const { code, stdout } = await sign(...ED, ...flags);
        expect([code, stdout]).toEqual([12, expect.stringContaining('large.jar: it has 2147483649 bytes')]);
      }
      rmSync(large);
      // Such characters take six times as much in JSON.
      for (let at = 0; at < 14_000; at++)
        writeFileSync(join(home, 'hub/packages/two/1.0.0', `${'\u0001'.repeat(240)}${at}`), '');
      for (const flags of [[], ['--check']]) {
        const { code, stdout } = await sign(...ED, ...flags);
        expect([code, stdout]).toEqual([12, expect.stringContaining('more than 20000000 bytes')]);
      }
      expect(files().filter((name) => !name.includes('\u0001'))).toEqual(before);
    }));

  it('lists a folder of many files once', () =>
    atSite(async ({ home, sign, item, put, read, env }) => {
      for (let at = 0; at < 40; at++) put(`hub/packages/two/1.0.0/${at}.json`, '{}');
      put(
        'count.cjs',
        `const fs = require('node:fs'); let count = 0; const { readdirSync } = fs;
        fs.readdirSync = (...args) => { count++; return readdirSync(...args); };
        process.on('exit', () => fs.writeFileSync(${JSON.stringify(join(home, 'count'))}, String(count)));`,
      );
      env['NODE_OPTIONS'] = `--require=${join(home, 'count.cjs')}`;
      expect(item(await sign(...ED)).signed).toHaveLength(43);
      expect(Number(read('count').toString())).toBeLessThan(20);
    }));

  it('names every file with an error', () =>
    atSite(async ({ home, sign }) => {
      for (let at = 10; at < 40; at++) symlinkSync('x', join(home, `hub/packages/one/1.0.0/link-${at}`));
      const { stdout } = await sign(...ED);
      expect(stdout).toContain('30 faults');
      expect(stdout).toContain('link-39: it is a symbolic link');
    }));

  it('opens each key with a passphrase of its own', () =>
    atSite(async ({ run, sign, item, put }) => {
      const made = ['hub', 'key', 'generate', '--type', 'ed25519', '--name', 'Other', '-O', 'other.key'];
      put('one', 'correct horse\n');
      put('two', 'battery staple\n');
      expect((await run(...made, '--passphrase-file', 'two')).code).toBe(0);
      const keys = ['--key', 'locked.secret.asc', '--key', 'other.key'];
      const both = ['--passphrase-file', 'one', '--passphrase-file', 'two'];
      expect(item(await sign(...keys, ...both)).signed).toHaveLength(3);
      expect(item(await sign(...keys, ...ED, ...both)).signed).toHaveLength(3);
      const one = await sign(...keys, '--passphrase-file', 'one');
      expect([one.code, one.stdout]).toEqual([3, expect.stringContaining('"KEY_LOCKED"')]);
      expect(one.stdout).toContain('in the order of --key');
      const three = await sign(...keys, ...both, '--passphrase-file', 'two');
      expect([three.code, three.stdout]).toEqual([2, expect.stringContaining('3 passphrases for 2 locked keys')]);
    }));

  it('needs no passphrase where nothing is to be signed', () =>
    atSite(async ({ sign, item, put }) => {
      put('one', 'correct horse\n');
      item(await sign('--key', 'locked.secret.asc', '--passphrase-file', 'one'));
      expect(item(await sign('--key', 'locked.secret.asc'))).toMatchObject({ signed: [], index: 'unchanged' });
      const { code, stdout } = await sign('--key', 'locked.secret.asc', '--refresh');
      expect([code, stdout]).toEqual([2, expect.stringContaining('"INPUT_MISSING"')]);
    }));

  it('says of the index alone what was, or would be, written', () =>
    atSite(async ({ run }) => {
      const sign = async (...more: string[]) => (await run('hub', 'sign', 'hub', ...ED, ...more)).stdout;
      expect(await sign('--check')).toMatch(/^3 files to sign, 0 kept in hub\nindex 1 to write, valid until /u);
      expect(await sign()).toMatch(/^3 files signed, 0 kept in hub\nindex 1 written, valid until /u);
      expect(await sign('--refresh')).toMatch(/^index 2 of hub written, valid until /u);
      expect(await sign('--check')).toMatch(/^0 files to sign, 3 kept in hub\nindex 2 unchanged, valid until /u);
    }));

  it('asks for no passphrase without a terminal, and says how to give it', () =>
    atSite(async ({ sign, files }) => {
      const { code, stdout } = await sign('--key', 'locked.secret.asc');
      expect([code, stdout]).toEqual([2, expect.stringContaining('"INPUT_MISSING"')]);
      expect(stdout).toContain('--passphrase-file FILE');
      expect(files()).not.toContain('index.json');
    }));

  it('V06: takes a passphrase from stdin', () =>
    atSite(async ({ home, item }) => {
      const line = ['hub', 'sign', 'hub', '--json', '--key', 'locked.secret.asc', '--passphrase-file', '-'];
      const signWith = (stdin: string) => runCli(line, { home, cwd: home, stdin });
      const wrong = await signWith('battery staple\n');
      expect([wrong.code, wrong.stdout]).toEqual([3, expect.stringContaining('"KEY_LOCKED"')]);
      expect(item(await signWith('correct horse\n'))).toMatchObject({ index: 'written' });
    }));

  it.each([
    ['signs after a wrong one', ['battery staple', 'correct horse'], 0],
    ['gives up after three', ['battery staple', 'paper clip', 'correct'], 3],
  ])('V06: asks for the passphrase and %s', (_, typed, expected) =>
    atSite(async ({ home, files }) => {
      const pty = startPty(['hub', 'sign', 'hub', '--key', 'locked.secret.asc'], home, join(home, 'result'));
      for (const [at, passphrase] of typed.entries()) {
        if (at > 0) await pty.see('does not open the key');
        await pty.see('Passphrase for locked.secret.asc:');
        pty.type(passphrase + ENTER);
      }
      expect(await pty.end(), pty.shown()).toBe(expected);
      for (const passphrase of typed) expect(pty.shown()).not.toContain(passphrase);
      expect(files().includes('index.json.asc')).toBe(expected === 0);
    }),
  );

  it('signs nothing while a secret key is anywhere in the hub, and lint finds it', () =>
    atSite(async ({ home, run, sign, put, files }) => {
      const places = ['hub.key', 'keys/old/hub.key', 'packages/not-mine.key', 'packages/one/also-not.key'];
      for (const place of ['.git/hub.key', ...places]) {
        mkdirSync(join(home, 'hub', place, '..'), { recursive: true });
        copyFileSync(join(home, 'rsa3072.secret.asc'), join(home, 'hub', place));
      }
      put('hub/README.txt', 'no key');
      const { code, stdout } = await sign(...ED);
      const { error } = JSON.parse(stdout) as { error: { message: string; lines: string[]; hints: string[] } };
      expect([code, error.message]).toEqual([12, expect.stringContaining('4 secret keys in ')]);
      for (const place of places) expect(stdout).toContain(`${place}: it contains a secret key`);
      expect(stdout).not.toContain('.git/');
      expect(files()).not.toContain('index.json');
      const lint = await run('hub', 'lint', 'hub', '--json');
      expect([lint.code, lint.stdout.match(/"SECRET_KEY"/gu)]).toEqual([12, places.map(() => '"SECRET_KEY"')]);
      expect((await run('hub', 'lint', 'hub', '--rule', 'SECRET_KEY=off')).code).toBe(0);
    }));

  it('uses no secret key that is inside the hub', () =>
    atSite(async ({ home, sign, files }) => {
      copyFileSync(join(home, 'ed25519.secret.asc'), join(home, 'hub/hub.key'));
      chmodSync(join(home, 'hub/hub.key'), 0o600);
      const inside = await sign('--key', 'hub/hub.key');
      expect([inside.code, inside.stdout]).toEqual([2, expect.stringContaining('is inside the hub')]);
      copyFileSync(join(home, 'rsa3072.secret.asc'), join(home, 'hub/publisher.asc'));
      const listed = await sign(...ED);
      expect([listed.code, listed.stdout]).toEqual([2, expect.stringContaining('"TRUST_PRIVATE"')]);
      expect(files()).not.toContain('index.json');
    }));
});
