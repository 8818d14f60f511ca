import { createHash } from 'node:crypto';
import { chmodSync, mkdirSync, readdirSync, realpathSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { secretKeyOf } from '../../../../../src/services/hosting/sign/key-file.js';
import { planTree } from '../../../../../src/services/hosting/sign/plan-tree.js';
import { lateSigner } from '../../../../../src/services/hosting/sign/signer.js';
import { keyFileEntries, keyFilesAmong, treeKeys } from '../../../../../src/services/hosting/sign/tree-keys.js';
import { writeNewKey } from '../../../../../src/services/hosting/keys/new-key-files.js';
import { temporaryName } from '../../../../../src/state/temporary.js';
import { verifyBytes } from '../../../../../src/trust/verify.js';
import { errorOf, saidBy } from '../../../../support/errors.js';
import * as pgp from '../../../../support/openpgp.js';
import { withTempDir } from '../../../../support/processes/run-cli.js';
import { plainOf } from './sign-site.js';

const { signal } = new AbortController();
const KEY = '-----BEGIN PRIVATE KEY-----\n';

interface Site {
  readonly root: string;
  readonly put: (file: string, content?: string) => string;
  readonly plan: () => Promise<unknown>;
  readonly failed: (work?: Promise<unknown>) => Promise<unknown>;
}

const atTree = (test: (site: Site) => Promise<void>): Promise<void> =>
  withTempDir(async (home) => {
    const root = join(realpathSync(home), 'hub');
    const put: Site['put'] = (file, content = '') => {
      mkdirSync(dirname(join(root, file)), { recursive: true });
      writeFileSync(join(root, file), content);
      return join(root, file);
    };
    const plan = (): Promise<unknown> => planTree(root, [], signal);
    put('packages/a/1.0.0/spec.json');
    put('packages.json');
    await test({ root, put, plan, failed: async (work = plan()) => plainOf(root, saidBy(await errorOf(work))) });
  });

describe('what is signed of a tree', () => {
  it('is each file but signatures, and at the root the catalog and keys', () =>
    atTree(async ({ put, plan }) => {
      const files = ['spec.json', 'spec.json.asc', 'b.jar', 'c.asc', 'c.asc.asc', 'icon.png', temporaryName()];
      for (const file of files) put(`packages/b/2.0.0/${file}`);
      for (const file of ['categories.json', 'README.md', 'key.asc', 'README.md.asc', 'index.json.asc', 'index.html'])
        put(file);
      expect(await plan()).toEqual({
        versions: [
          { name: 'a', version: '1.0.0', files: [{ name: 'spec.json', isSigned: false }], hasLeftovers: false },
          {
            name: 'b',
            version: '2.0.0',
            files: [
              { name: 'b.jar', isSigned: false },
              { name: 'c.asc', isSigned: true },
              { name: 'icon.png', isSigned: false },
              { name: 'spec.json', isSigned: true },
            ],
            hasLeftovers: true,
          },
        ],
        root: ['categories.json', 'key.asc', 'packages.json'],
      });
    }));

  it('finds secret keys in folders of a package version, of which no file is signed', () =>
    atTree(async ({ put, failed }) => {
      put('packages/a/1.0.0/spec.json');
      put('packages.json');
      put('packages/a/1.0.0/old/notes.txt', 'none');
      put('packages/a/1.0.0/old/older/hub.key', KEY);
      expect(await failed()).toMatchObject({
        code: 'BAD_SOURCE',
        lines: ['packages/a/1.0.0/old/older/hub.key: it contains a secret key, which everyone could read'],
      });
    }));

  it('is told to be nothing where anything is wrong', () =>
    atTree(async ({ root, put, failed }) => {
      truncateSync(put('packages/a/1.0.0/spec.json'), 4 * 1024 * 1024 + 1);
      truncateSync(put('packages/a/1.0.0/large.jar'), 2 * 1024 ** 3);
      truncateSync(put('packages/a/1.0.0/larger.jar'), 2 * 1024 ** 3 + 1);
      truncateSync(put('categories.json'), 40_000_001);
      truncateSync(put('packages.json'), 40_000_000);
      put('packages/a/1.0.0/.hidden');
      put('packages/.hidden');
      expect(await failed()).toEqual({
        code: 'BAD_SOURCE',
        message: '5 faults in HUB; nothing was signed',
        lines: [
          'categories.json: it has 40000001 bytes; clients read at most 40000000',
          'packages/.hidden: it is hidden: remove or rename it',
          'packages/a/1.0.0/.hidden: it is hidden: remove or rename it',
          'packages/a/1.0.0/larger.jar: it has 2147483649 bytes; clients read at most 2147483648',
          'packages/a/1.0.0/spec.json: it has 4194305 bytes; clients read at most 4194304',
        ],
        target: { file: 'HUB' },
      });
      put('packages/a/key.txt', KEY);
      put('docs/key.txt', KEY);
      expect(await failed()).toEqual({
        code: 'BAD_SOURCE',
        message: '2 secret keys in HUB; nothing was signed',
        lines: [
          'packages/a/key.txt: it contains a secret key, which everyone could read',
          'docs/key.txt: it contains a secret key, which everyone could read',
        ],
        hints: ['move it to another folder, and generate a new key if others may have read it'],
        target: { file: 'HUB' },
      });
      rmSync(join(root, 'docs'), { recursive: true });
      rmSync(join(root, 'packages/a/key.txt'));
      rmSync(join(root, 'packages.json'));
      expect(await failed()).toEqual({
        code: 'BAD_SOURCE',
        message: 'HUB has no packages.json',
        hints: [{ next: 'build-hub', folder: 'HUB' }],
        target: { file: 'HUB' },
      });
    }));
});

it('is told to be too much before it is signed, where clients would not read the index', () =>
  atTree(async ({ root, failed }) => {
    expect(await failed(planTree(root, ['K'.repeat(20_000_000)], signal))).toEqual({
      code: 'TOO_LARGE',
      message: 'the index would have more than 20000000 bytes, which clients do not read',
      hints: ['split the hub'],
    });
  }));

describe('the keys of a tree', () => {
  it('are those files at its root that sign no other', async () => {
    const names = ['a.asc', 'index.json.asc', 'packages.json', 'packages.json.asc', 'b.key', 'c.asc.asc', 'c.asc'];
    expect(keyFilesAmong(names)).toEqual(['a.asc', 'c.asc']);
  });

  it('are all that can be read, and no secret ones', () =>
    atTree(async ({ root, put, failed }) => {
      const keys = [pgp.makeKey('ed25519'), pgp.makeKey('ed25519')];
      for (const [at, key] of keys.entries()) put(`${at}.asc`, pgp.armorKey(pgp.plainCertificate(key)));
      put('none.asc', 'no key');
      expect((await treeKeys(root)).map(({ fingerprint }) => fingerprint)).toEqual(
        keys.map(({ fingerprint }) => fingerprint.toUpperCase()),
      );
      expect(await failed(keyFileEntries([join(root, 'none.asc')]))).toEqual({
        code: 'KEY_UNUSABLE',
        message: 'HUB/none.asc cannot be read: it has no public key',
        hints: ['give a public key, as gpg --armor --export FPR writes it'],
      });
      const wishes = {
        type: 'ed25519',
        name: 'A',
        email: undefined,
        created: pgp.KEY_TIME,
        lifetime: 0,
        passphrase: undefined,
      } as const;
      await writeNewKey(wishes, join(root, 'x.asc'), join(root, 'y.asc'));
      expect(await failed(treeKeys(root))).toEqual({
        code: 'TRUST_PRIVATE',
        message: 'HUB/x.asc has a private key; use the public key only',
        hints: [
          { next: 'public-key' },
          'gpg --armor --export FPR > publisher.asc',
          'unless this is your own key, remove it from this machine, and have its owner replace it',
        ],
      });
    }));
});

describe('the file of a secret key', () => {
  const wishes = { type: 'ed25519', name: 'A', email: undefined, lifetime: 0, passphrase: undefined } as const;
  const now = pgp.NOW;

  it('is outside of the hub, and read by its owner alone', () =>
    atTree(async ({ root, failed }) => {
      const [file, inside] = [join(root, '../a.key'), join(root, 'a.key')];
      const time = { created: now, now };
      await writeNewKey({ ...wishes, created: pgp.KEY_TIME }, file, join(root, '../a.asc'));
      await writeNewKey({ ...wishes, created: pgp.KEY_TIME }, inside, join(root, 'a.asc'));
      const key = await secretKeyOf(file, root, time);
      expect([key.entry.fingerprint, key.locked, key.expires]).toEqual([key.signer, false, undefined]);
      expect(await failed(secretKeyOf(inside, root, time))).toEqual({
        code: 'USAGE',
        message: 'the secret key HUB/a.key is inside the hub, where others can read it',
        hints: ['move it to another folder'],
        target: { file: 'HUB/a.key' },
      });
      expect(await failed(secretKeyOf(join(root, 'none.key'), root, time))).toEqual({
        code: 'LOCAL_IO',
        message: 'HUB/none.key does not exist',
        hints: [],
        target: { file: 'HUB/none.key' },
      });
      expect(await failed(secretKeyOf(`${root}.key`, root, time))).toMatchObject({
        hints: [{ next: 'generate-key', file: 'HUB.key' }],
      });
      for (const mode of [0o610, 0o601, 0o644]) {
        chmodSync(file, mode);
        expect(saidBy(await errorOf(secretKeyOf(file, root, time)))).toEqual({
          code: 'KEY_PERMS',
          message: `other users can read the secret key ${file}`,
          hints: [`chmod go-rwx ${file}`],
          target: { file },
        });
      }
      // A public key may be readable by all.
      expect((await errorOf(secretKeyOf(join(root, '../a.asc'), root, time))).code).toBe('KEY_UNUSABLE');
    }));

  it('holds a key that was made before the signature', () =>
    atTree(async ({ root }) => {
      const file = join(root, '../a.key');
      await writeNewKey({ ...wishes, created: now }, file, join(root, '../a.asc'));
      const at = (created: number, current = now.getTime()) =>
        errorOf(secretKeyOf(file, root, { created: new Date(created), now: new Date(current) }));
      expect(saidBy(await at(now.getTime() - 1000))).toEqual({
        code: 'USAGE',
        message: `SOURCE_DATE_EPOCH is before the key in ${file} was created`,
        target: { file },
      });
      expect((await at(now.getTime() - 5000, now.getTime() - 5000)).code).not.toBe('USAGE');
      expect((await at(now.getTime() - 5000, now.getTime() - 4001)).code).not.toBe('USAGE');
    }));
});

it('keys are opened once, when the first file is signed', () =>
  atTree(async ({ root, put }) => {
    const file = join(root, '../a.key');
    const created = pgp.KEY_TIME;
    await writeNewKey(
      { type: 'ed25519', name: 'A', email: undefined, lifetime: 0, passphrase: undefined, created },
      file,
      join(root, '../a.asc'),
    );
    const time = { created: pgp.NOW, now: pgp.NOW };
    let opened = 0;
    const signer = lateSigner(async () => {
      opened += 1;
      return [await (await secretKeyOf(file, root, time)).open(undefined)];
    }, time);
    expect([signer.atOnce, opened]).toEqual([4, 0]);
    const entries = await keyFileEntries([join(root, '../a.asc')]);
    const bytes = Buffer.from('bytes');
    for (const made of [await signer.signBytes(bytes, signal), await signer.signFile(put('a', 'bytes'), signal)]) {
      const { signature, ...read } = made;
      expect(read).toEqual({ size: 5, sha256: createHash('sha256').update(bytes).digest('hex') });
      const verdict = await verifyBytes(bytes, signature, { trusted: [...entries], elsewhere: [] }, pgp.NOW);
      expect(verdict.reason).toBe('good');
    }
    expect([opened, readdirSync(root)]).toEqual([1, ['a', 'packages', 'packages.json']]);
  }));
