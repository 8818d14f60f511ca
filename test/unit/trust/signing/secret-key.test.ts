import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readPublicKeys } from '../../../../src/trust/keyring.js';
import { readSecretKey, type SecretKey } from '../../../../src/trust/signing/secret-key.js';
import { errorOf, saidBy } from '../../../support/errors.js';
import { NOW } from '../../../support/openpgp.js';

const KEYS = join(import.meta.dirname, '../../../fixtures/keys/signing');
const TIME = { created: NOW, now: NOW };
const EXTEND = 'make a new key, or extend this one (gpg --quick-set-expire) and export it again';
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

  it.each<[string, Uint8Array, string]>([
    ['too large a file', Buffer.alloc(4_194_305), 'it is too large'],
    [
      'another block',
      Buffer.from('-----BEGIN PGP MESSAGE-----\n\nyw==\n-----END PGP MESSAGE-----\n'),
      'it has a "PGP MESSAGE"',
    ],
    ['a public key', load('ed25519.public.asc'), 'it has a "PGP PUBLIC KEY BLOCK"'],
    ['an empty file', Buffer.alloc(0), 'it has no key'],
    ['a damaged file', load('ed25519.secret.gpg').subarray(0, 60), 'a packet ends too early'],
    [
      'a file of two keys',
      Buffer.concat([load('ed25519.secret.gpg'), load('ed25519.secret.gpg')]),
      'it must have exactly one secret key',
    ],
    [
      'a file of two blocks',
      Buffer.concat([load('ed25519.secret.asc'), load('rsa3072.secret.asc')]),
      'it must have exactly one secret key',
    ],
  ])('is not read from %s', async (_, bytes, detail) => {
    const error = await errorOf(readSecretKey(bytes, 'a.asc', TIME));
    expect(saidBy(error)).toEqual({
      code: 'KEY_UNUSABLE',
      message: `a.asc cannot be used as a signing key: ${detail}`,
      hints: [{ next: 'secret-key' }, 'or give a key that gpg --export-secret-keys FPR writes'],
      target: { file: 'a.asc' },
    });
    expect(error).toMatchObject({ cause: { reason: 'malformed' } });
  });

  it.each([
    ['missing', undefined, 'the key in locked.secret.asc needs its passphrase'],
    ['wrong', 'battery staple', 'the passphrase does not open the key in locked.secret.asc'],
    ['empty', '', 'the passphrase does not open the key in locked.secret.asc'],
  ])('V06: stays locked by a passphrase that is %s', async (_, passphrase, message) => {
    const key = await read('locked.secret.asc');
    expect(key.locked).toBe(true);
    const error = await errorOf(key.open(passphrase));
    expect(saidBy(error)).toEqual({ code: 'KEY_LOCKED', message, target: { file: 'locked.secret.asc' } });
    expect([error.exitCode, String(error).includes('battery')]).toEqual([3, false]);
  });

  it.each([
    ['expired.secret.asc', 'KEY_EXPIRED', 'it was valid until 2024-01-31T00:00:00Z', [EXTEND]],
    ['revoked.secret.asc', 'KEY_REVOKED', 'it was revoked 2024-01-01T00:00:00Z, no reason given', []],
    ['certifies.secret.asc', 'KEY_UNUSABLE', 'its flags do not allow signing files', []],
    ['subkey-expired.secret.asc', 'KEY_EXPIRED', 'it was valid until 2024-02-01T00:00:00Z', [EXTEND]],
    ['subkey-revoked.secret.asc', 'KEY_REVOKED', 'it was revoked 2024-02-01T00:00:00Z, stolen or lost', []],
  ])('V07: %s cannot sign (%s)', async (name, code, detail, hints) => {
    const error = await errorOf(read(name));
    const { message, details } = error;
    expect([error.code, error.exitCode, message.replace(/^.* in /u, ''), details.hints]).toEqual([
      code,
      9,
      `${name} cannot sign: ${detail}`,
      hints,
    ]);
    expect(details.target).toEqual({ file: name, signer: expect.stringMatching(/^[0-9A-F]{40}$/u) as string });
  });

  it('V07: does not sign with an old date once it has expired', async () => {
    const created = new Date('2024-01-10T00:00:00Z');
    const reading = readSecretKey(load('expired.secret.asc'), 'expired', { created, now: NOW });
    await expect(reading).rejects.toMatchObject({
      code: 'KEY_EXPIRED',
      message: expect.stringMatching(/ in expired cannot sign: it was valid until 2024-01-31T00:00:00Z$/u) as string,
      details: { hints: [EXTEND] },
    });
    const then = await readSecretKey(load('expired.secret.asc'), 'expired', { created, now: created });
    expect(then.expires).toEqual(new Date('2024-01-31T00:00:00Z'));
  });
});
