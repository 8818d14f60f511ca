import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { checkNewKey, writeNewKey } from '../../../../../src/services/hosting/keys/new-key-files.js';
import { openKeyring } from '../../../../../src/trust/keyring.js';
import { errorOf, saidBy } from '../../../../support/errors.js';
import { withTempDir } from '../../../../support/processes/run-cli.js';

describe('the files of a new key', () => {
  it('are both there or none, when the second one cannot be written', () =>
    withTempDir(async (folder) => {
      const publicFile = join(folder, 'hub.key.pub');
      const wishes = {
        type: 'ed25519',
        name: 'Example',
        email: undefined,
        // It is read when the key is made, which is after both files were begun.
        get created() {
          mkdirSync(publicFile, { recursive: true });
          return new Date(1_700_000_000_000);
        },
        lifetime: 0,
        passphrase: undefined,
      } as const;
      await expect(writeNewKey(wishes, join(folder, 'hub.key'), publicFile)).rejects.toMatchObject({ exitCode: 15 });
      expect(readdirSync(folder).filter((name) => !name.startsWith('.'))).toEqual(['hub.key.pub']);
    }));

  const WISHES = {
    type: 'ed25519',
    name: 'Example',
    email: 'a@example.org',
    created: new Date(1_700_000_000_000),
  } as const;

  it('are described, and only the owner reads the secret one', () =>
    withTempDir(async (folder) => {
      const made = async (lifetime: number, passphrase: string | undefined) => {
        const [file, publicFile] = [join(folder, `${lifetime}.key`), join(folder, `${lifetime}.asc`)];
        const { fingerprint, keyId, ...told } = await writeNewKey(
          { ...WISHES, lifetime, passphrase },
          file,
          publicFile,
        );
        const { trusted } = await openKeyring([{ armored: readFileSync(publicFile, 'latin1'), allowExpired: true }]);
        expect([trusted.map((entry) => entry.fingerprint), keyId]).toEqual([[fingerprint], fingerprint.slice(-16)]);
        expect(readFileSync(file, 'latin1')).toMatch(/^-{5}BEGIN PGP PRIVATE KEY BLOCK-{5}\r?\n/u);
        expect(statSync(file).mode & 0o777).toBe(0o600);
        return { ...told, file: basename(told.file), publicFile: basename(told.publicFile) };
      };
      expect(await made(0, undefined)).toEqual({
        userId: 'Example <a@example.org>',
        algorithm: 'Ed25519',
        createdAt: '2023-11-14T22:13:20.000Z',
        locked: false,
        file: '0.key',
        publicFile: '0.asc',
      });
      expect(await made(86_400, 'pass')).toEqual({
        userId: 'Example <a@example.org>',
        algorithm: 'Ed25519',
        createdAt: '2023-11-14T22:13:20.000Z',
        expiresAt: '2023-11-15T22:13:20.000Z',
        locked: true,
        file: '86400.key',
        publicFile: '86400.asc',
      });
    }));

  it('are two, and replace none', () =>
    withTempDir(async (folder) => {
      const wishes = { ...WISHES, lifetime: 0, passphrase: undefined };
      const [file, other] = [join(folder, 'a'), join(folder, 'b')];
      expect(saidBy(await errorOf(checkNewKey(file, `${folder}/./a`)))).toEqual({
        code: 'USAGE',
        message: 'the secret and the public key need two different files',
      });
      await checkNewKey(file, other);
      writeFileSync(other, 'mine');
      for (const [secret, open] of [
        [file, other],
        [other, file],
      ] as const)
        for (const work of [checkNewKey(secret, open), writeNewKey(wishes, secret, open)])
          expect((await errorOf(work)).message).toBe(`${other} exists`);
      expect(readdirSync(folder)).toEqual(['b']);
    }));
});
