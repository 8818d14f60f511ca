import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readPublicKeys } from '../../../../src/trust/keyring.js';
import { readSecretKey, type SecretKey } from '../../../../src/trust/signing/secret-key.js';
import { NOW } from '../../../support/openpgp.js';

const KEYS = join(import.meta.dirname, '../../../fixtures/keys/signing');
const TIME = { created: NOW, now: NOW };
const load = (name: string): Buffer => readFileSync(join(KEYS, name));
const read = (name: string): Promise<SecretKey> => readSecretKey(load(name), name, TIME);

describe('a secret key', () => {
  it.each(['ed25519.secret.asc', 'ed25519.secret.gpg'])('is read from %s', async (name) => {
    const key = await read(name);
    const [pinned] = await readPublicKeys(load('ed25519.public.asc'));
    expect(key).toMatchObject({ signer: pinned?.fingerprint, locked: false, expires: undefined });
    expect((await key.open(undefined)).key.type).toBe('private');
  });

  it('signs by its subkey where the primary key stayed at home', async () => {
    const key = await read('subkey.secret.asc');
    expect(key.signer).not.toBe(key.entry.fingerprint);
    expect((await key.open('correct horse')).key.asymmetricKeyType).toBe('rsa');
  });

  it('signs by the subkey that took the place of a revoked one', async () => {
    const key = await (await read('replaced.secret.asc')).open(undefined);
    expect([key.algorithm, key.key.asymmetricKeyDetails?.namedCurve]).toEqual([19, 'secp384r1']);
  });

  it.each<[string, Uint8Array]>([
    ['too large a file', Buffer.alloc(4_194_305)],
    ['another block', Buffer.from('-----BEGIN PGP MESSAGE-----\n\nyw==\n-----END PGP MESSAGE-----\n')],
    ['an empty file', Buffer.alloc(0)],
    ['a damaged file', load('ed25519.secret.gpg').subarray(0, 60)],
  ])('is not read from %s', async (_, bytes) => {
    await expect(readSecretKey(bytes, 'file', TIME)).rejects.toMatchObject({ code: 'KEY_UNUSABLE' });
  });

  it.each([
    ['missing', undefined],
    ['wrong', 'battery staple'],
    ['empty', ''],
  ])('V06: stays locked by a passphrase that is %s', async (_, passphrase) => {
    const key = await read('locked.secret.asc');
    expect(key.locked).toBe(true);
    const error: unknown = await key.open(passphrase).catch((cause: unknown) => cause);
    expect(error).toMatchObject({ code: 'KEY_LOCKED', exitCode: 3 });
    expect(String(error)).not.toContain('battery');
  });

  it.each([
    ['expired.secret.asc', 'KEY_EXPIRED'],
    ['revoked.secret.asc', 'KEY_REVOKED'],
    ['certifies.secret.asc', 'KEY_UNUSABLE'],
    ['subkey-expired.secret.asc', 'KEY_EXPIRED'],
    ['subkey-revoked.secret.asc', 'KEY_REVOKED'],
    ['ed25519.public.asc', 'KEY_UNUSABLE'],
  ])('V07: %s cannot sign (%s)', async (name, code) => {
    await expect(read(name)).rejects.toMatchObject({ code, exitCode: 9 });
  });

  it('V07: does not sign with an old date once it has expired', async () => {
    const created = new Date('2024-01-10T00:00:00Z');
    const reading = readSecretKey(load('expired.secret.asc'), 'expired', { created, now: NOW });
    await expect(reading).rejects.toMatchObject({
      code: 'KEY_EXPIRED',
      message: expect.stringMatching(/ in expired cannot sign: it was valid until 2024-01-31T00:00:00Z$/u) as string,
      details: { hints: ['make a new key, or extend this one (gpg --quick-set-expire) and export it again'] },
    });
    const then = await readSecretKey(load('expired.secret.asc'), 'expired', { created, now: created });
    expect(then.expires).toEqual(new Date('2024-01-31T00:00:00Z'));
  });

  it('is one of its file', async () => {
    const two = Buffer.concat([load('ed25519.secret.asc'), load('rsa3072.secret.asc')]);
    await expect(readSecretKey(two, 'two.asc', TIME)).rejects.toThrow('exactly one');
  });
});
