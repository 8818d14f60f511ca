import { describe, expect, it } from 'vitest';
import { generateKey, type KeyWishes } from '../../../../src/trust/signing/generate-key.js';
import { readSecretKey } from '../../../../src/trust/signing/secret-key.js';
import { secretJwk, wipe, type SecretPacket } from '../../../../src/trust/signing/secret-numbers.js';
import type { PublicNumbers } from '../../../../src/trust/public-numbers.js';
import { NOW } from '../../../support/openpgp.js';

const WISHES: KeyWishes = {
  type: 'ed25519',
  name: 'Hub',
  email: 'hub@example.org',
  created: NOW,
  lifetime: 0,
  passphrase: undefined,
};
const TIME = { created: NOW, now: NOW };

describe('a generated key', () => {
  it.each([
    ['name and address', WISHES, 'Hub <hub@example.org>'],
    ['a name', { ...WISHES, email: undefined }, 'Hub'],
    ['an address', { ...WISHES, name: undefined }, '<hub@example.org>'],
  ])('has %s, and signs', async (_, wishes, userId) => {
    const made = await generateKey(wishes);
    expect(made).toMatchObject({ userId, algorithm: 'Ed25519', keyId: made.fingerprint.slice(-16) });
    const key = await readSecretKey(Buffer.from(made.secret), 'new', TIME);
    expect(key).toMatchObject({ signer: made.fingerprint, locked: false, expires: undefined });
    expect((await key.open(undefined)).algorithm).toBe(22);
  });

  it('is locked by its passphrase, and expires', async () => {
    const made = await generateKey({ ...WISHES, passphrase: 'correct horse', lifetime: 86_400 });
    const key = await readSecretKey(Buffer.from(made.secret), 'new', TIME);
    expect(key).toMatchObject({ locked: true, expires: new Date(NOW.getTime() + 86_400_000) });
    await expect(key.open('wrong')).rejects.toMatchObject({ code: 'KEY_LOCKED' });
    expect((await key.open('correct horse')).key.asymmetricKeyType).toBe('ed25519');
  });
});

describe('the secret numbers of a key', () => {
  const packet = (privateParams: unknown): SecretPacket => ({ privateParams }) as unknown as SecretPacket;
  const numbers = (jwk: unknown): PublicNumbers => ({ jwk }) as unknown as PublicNumbers;

  it('are not read of a locked key, of an unknown algorithm, or where one is missing', () => {
    expect(() => secretJwk(packet(null), numbers({ kty: 'OKP' }))).toThrow('locked');
    expect(() => secretJwk(packet({}), numbers(undefined))).toThrow('locked');
    expect(() => secretJwk(packet({}), numbers({ kty: 'EC', crv: 'P-256' }))).toThrow('no number d');
  });

  it('have the width of their curve, and are overwritten', () => {
    const secret = packet({ d: new Uint8Array([1, 2]), seed: 5 });
    const { d } = secretJwk(secret, numbers({ kty: 'EC', crv: 'P-256' }));
    expect(Buffer.from(d ?? '', 'base64url').toString('hex')).toBe(`${'00'.repeat(30)}0102`);
    wipe(secret);
    expect(secret.privateParams).toEqual({ d: new Uint8Array(2), seed: 5 });
  });
});
