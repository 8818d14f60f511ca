import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openKeyring, readPublicKeys } from '../../../src/trust/keyring.js';
import type { Verdict } from '../../../src/trust/verdict.js';
import { verifyBytes } from '../../../src/trust/verify.js';
import { NOW } from '../../support/openpgp.js';

const FOLDER = join(import.meta.dirname, '../../fixtures/keys/gpg');
const load = (name: string): Buffer => readFileSync(join(FOLDER, name));

async function judge(signature: string, key: string, file = load('file.txt')): Promise<Verdict> {
  return verifyBytes(file, load(signature), await openKeyring([{ armored: load(key).toString() }]), NOW);
}

describe('files made by GnuPG', () => {
  it.each([
    ['rsa3072.sig.asc', 'rsa3072.key.asc', 'RSA 3072', 'Example rsa3072 <rsa3072@example.org>'],
    ['rsa3072.sig.bin', 'rsa3072.key.asc', 'RSA 3072', 'Example rsa3072 <rsa3072@example.org>'],
    ['rsa3072-sha512.sig.asc', 'rsa3072.key.asc', 'RSA 3072', 'Example rsa3072 <rsa3072@example.org>'],
    ['ed25519.sig.asc', 'ed25519.key.asc', 'Ed25519', 'Example ed25519 <ed25519@example.org>'],
    ['nistp256.sig.asc', 'nistp256.key.asc', 'ECDSA P-256', 'Example nistp256 <nistp256@example.org>'],
    ['subkey.sig.asc', 'subkey.key.asc', 'Ed25519', 'Example subkey <subkey@example.org>'],
    ['rsa4096.sig.asc', 'rsa4096.key.asc', 'RSA 4096', 'Example rsa4096 <rsa4096@example.org>'],
    ['nistp384.sig.asc', 'nistp384.key.asc', 'ECDSA P-384', 'Example nistp384 <nistp384@example.org>'],
    ['nistp521.sig.asc', 'nistp521.key.asc', 'ECDSA P-521', 'Example nistp521 <nistp521@example.org>'],
    ['sub-rsa3072.sig.asc', 'sub-rsa3072.key.asc', 'RSA 3072', 'Example sub-rsa3072 <sub-rsa3072@example.org>'],
    ['sub-nistp384.sig.asc', 'sub-nistp384.key.asc', 'ECDSA P-384', 'Example sub-nistp384 <sub-nistp384@example.org>'],
  ])('%s is valid', async (signature, key, algorithm, userId) => {
    expect(await judge(signature, key)).toMatchObject({
      state: 'valid',
      algorithm,
      userId,
      signedAt: '2024-05-01T00:00:00Z',
      notes: [],
    });
    expect((await judge(signature, key, Buffer.from('another file'))).reason).toBe('bad-signature');
  });

  it('says that a subkey made a signature, under the fingerprint of its primary key', async () => {
    const [pinned] = await readPublicKeys(load('subkey.key.asc'));
    const verdict = await judge('subkey.sig.asc', 'subkey.key.asc');
    expect(verdict.fingerprint).toBe(pinned?.fingerprint);
    expect(verdict.keyId).not.toBe(pinned?.keyId);
  });

  it.each([
    ['expires.sig.asc', 'ed25519.key.asc', 'signature-expired'],
    ['expired.sig.asc', 'expired.key.asc', 'key-expired'],
    ['subkey-expired.sig.asc', 'subkey-expired.key.asc', 'key-expired'],
    ['revoked.sig.asc', 'revoked.key.asc', 'key-revoked'],
    ['subkey-revoked.sig.asc', 'subkey-revoked.key.asc', 'key-revoked'],
  ])('%s is refused', async (signature, key, reason) => {
    expect(await judge(signature, key)).toMatchObject({ reason });
  });

  it.each(['expired', 'subkey-expired'])('%s.sig.asc is valid where expired keys are accepted', async (name) => {
    const keyring = await openKeyring([{ armored: load(`${name}.key.asc`).toString(), allowExpired: true }]);
    const verdict = await verifyBytes(load('file.txt'), load(`${name}.sig.asc`), keyring, NOW);
    expect([verdict.reason, verdict.notes]).toEqual(['good', ['the key has expired since; accepted as configured']]);
  });

  it.each(['rsa3072.clear.asc', 'rsa3072.inline.asc', 'rsa3072.key.asc'])(
    '%s is not a detached signature',
    async (name) => {
      expect((await judge(name, 'rsa3072.key.asc')).reason).toBe('malformed');
    },
  );

  it('signed by one key are unknown to another', async () => {
    expect((await judge('ed25519.sig.asc', 'rsa3072.key.asc')).reason).toBe('unknown-key');
  });

  it('are read as a binary keyring of four keys', async () => {
    const keys = await readPublicKeys(load('all.key.bin'));
    expect(keys.map(({ algorithm }) => algorithm)).toEqual(['RSA 3072', 'Ed25519', 'ECDSA P-256', 'Ed25519']);
    expect(keys.every(({ expiresAt, revoked }) => expiresAt === undefined && !revoked)).toBe(true);
  });
});
