import * as openpgp from 'openpgp';
import { describe, expect, it } from 'vitest';
import { openKeyring } from '../../../src/trust/keyring.js';
import { HeldBytes, MAX_HELD_BYTES, withSecondOpinion } from '../../../src/trust/second-opinion.js';
import { refusedVerdict } from '../../../src/trust/verdict.js';
import { verifyBytes } from '../../../src/trust/verify.js';
import * as pgp from '../../support/openpgp.js';

const FILE = Buffer.from('a file that two judges look at\n');
const { NOW, KEY_TIME, SIGN_TIME, HASH } = pgp;

async function libraryAccepts(signature: Uint8Array, armoredKey: string): Promise<boolean> {
  try {
    const result = await openpgp.verify({
      message: await openpgp.createMessage({ binary: new Uint8Array(FILE) }),
      signature: await openpgp.readSignature({ binarySignature: signature }),
      verificationKeys: (await openpgp.readKey({ armoredKey })).toPublic(),
      date: NOW,
    });
    await result.signatures[0]?.verified;
    return result.signatures.length === 1;
  } catch {
    return false;
  }
}

async function weAccept(signature: Uint8Array, armoredKey: string): Promise<boolean> {
  return (await verifyBytes(FILE, signature, await openKeyring([{ armored: armoredKey }]), NOW)).state === 'valid';
}

describe('openpgp.js as a second judge', () => {
  const kinds = ['rsa2048', 'p256', 'p384', 'p521', 'ed25519', 'ed25519-new'] as const;

  it.each(kinds)('agrees on good and bad signatures by our maker: %s', async (kind) => {
    const key = pgp.makeKey(kind);
    const armoredKey = pgp.armorKey(pgp.plainCertificate(key));
    const hash = kind === 'p521' ? HASH.sha512 : kind === 'p384' ? HASH.sha384 : HASH.sha256;
    const good = pgp.signFile(key, FILE, { hash });
    const bad = pgp.signFile(key, Buffer.from('another file'), { hash });
    expect([await weAccept(good, armoredKey), await libraryAccepts(good, armoredKey)]).toEqual([true, true]);
    expect([await weAccept(bad, armoredKey), await libraryAccepts(bad, armoredKey)]).toEqual([false, false]);
  });

  const options: readonly openpgp.KeyOptions[] = [
    { userIDs: { name: 'Default', email: 'default@example.org' } },
    { userIDs: { name: 'P-256', email: 'p256@example.org' }, type: 'ecc', curve: 'nistP256' },
    { userIDs: { name: 'New', email: 'new@example.org' }, type: 'curve25519' },
    { userIDs: { name: 'Six', email: 'six@example.org' }, type: 'curve25519', config: { v6Keys: true } },
    { userIDs: { name: 'Subkey', email: 'subkey@example.org' }, subkeys: [{ sign: true }] },
  ];
  it.each(options)('makes signatures that we accept: $userIDs.name', async (option) => {
    const made = await openpgp.generateKey({ ...option, date: KEY_TIME, format: 'object' });
    const signature = await openpgp.sign({
      message: await openpgp.createMessage({ binary: new Uint8Array(FILE) }),
      signingKeys: made.privateKey,
      detached: true,
      date: SIGN_TIME,
      format: 'armored',
    });
    expect(await weAccept(Buffer.from(signature), made.publicKey.armor())).toBe(true);
  });

  const key = pgp.makeKey('ed25519');
  const { fingerprint } = key;
  const canonicalText = Buffer.from(FILE.toString().replaceAll('\n', '\r\n'));
  const twice = [pgp.createdSub(NOW), pgp.createdSub(SIGN_TIME), pgp.fingerprintSub(fingerprint)];
  it.each<[string, Buffer, pgp.SignatureOptions]>([
    ['a text signature', canonicalText, { type: 0x01 }],
    ['two creation times', FILE, { hashed: twice }],
  ])('lets through %s, which we refuse', async (_, data, option) => {
    const armoredKey = pgp.armorKey(pgp.plainCertificate(key));
    const signature = pgp.signFile(key, data, option);
    expect([await libraryAccepts(signature, armoredKey), await weAccept(signature, armoredKey)]).toEqual([true, false]);
  });

  it('is never asked to change its global settings', async () => {
    const before = { ...openpgp.config };
    await weAccept(pgp.signFile(key, FILE), pgp.armorKey(pgp.plainCertificate(key)));
    expect({ ...openpgp.config }).toEqual(before);
  });
});

describe('what only one of two judges accepts', () => {
  const key = pgp.makeKey('ed25519');
  const armored = pgp.armorKey(pgp.plainCertificate(key));
  const { now, created } = { now: NOW, created: SIGN_TIME };
  const good = { state: 'valid', reason: 'good', notes: ['a note'] } as const;
  const entry = async () => {
    const [one] = (await openKeyring([{ armored }])).trusted;
    if (one === undefined) throw new Error('no key');
    return one;
  };

  // A signature inside a signature that is none: means nothing for a file, and openpgp.js reads it.
  const odd = [pgp.createdSub(created), pgp.fingerprintSub(key.fingerprint), pgp.sub(32, Buffer.from('none'))];
  it.each([
    ['a file of up to 4 MB', MAX_HELD_BYTES, 'invalid disputed'],
    ['a larger file, which no library is asked about', MAX_HELD_BYTES + 1, 'valid good'],
  ])('is refused for %s: %i bytes', async (_, size, expected) => {
    const file = Buffer.alloc(size, 'x');
    const verdict = await verifyBytes(
      file,
      pgp.signFile(key, file, { hashed: odd }),
      await openKeyring([{ armored }]),
      NOW,
    );
    expect(`${verdict.state} ${verdict.reason}`).toBe(expected);
  });

  it('is refused beside the signature of a stranger, too', async () => {
    const packets = [pgp.signFile(key, FILE, { hashed: odd }), pgp.signFile(pgp.makeKey('ed25519'), FILE)];
    const verdict = await verifyBytes(FILE, Buffer.concat(packets), await openKeyring([{ armored }]), NOW);
    expect([verdict.state, verdict.reason]).toEqual(['invalid', 'disputed']);
  });

  it.each([
    ['a changed file', pgp.signFile(key, Buffer.from('another file')), 1, 'Signed digest did not match'],
    ['one good signature where two were accepted', pgp.signFile(key, FILE), 2, 'it does not find it'],
    ['a signature of text', pgp.signFile(key, FILE, { type: 0x01 }), 1, 'it does not find it'],
    ['no packets', Buffer.alloc(0), 1, 'Error during parsing'],
  ])('says what openpgp.js has against %s', async (_, packets, times, words) => {
    const { certificate } = await entry();
    const accepted = Array.from({ length: times }, () => ({ certificate, unit: certificate.key, created }));
    const verdict = await withSecondOpinion(good, accepted, { file: FILE, packets, now });
    expect([verdict.state, verdict.reason, verdict.notes]).toEqual(['invalid', 'disputed', good.notes]);
    expect(verdict.detail).toContain(words);
  });

  it('makes nothing good that our judge refuses', async () => {
    const { certificate } = await entry();
    const bad = refusedVerdict('bad-signature', 'changed');
    const signed = { file: FILE, packets: pgp.signFile(key, FILE), now };
    expect(await withSecondOpinion(bad, [{ certificate, unit: certificate.key, created }], signed)).toBe(bad);
    expect((await withSecondOpinion(good, [], signed)).reason).toBe('disputed');
  });

  it('is not held beyond 4 MB', () => {
    const held = new HeldBytes();
    held.update(Buffer.alloc(MAX_HELD_BYTES));
    expect(held.whole()?.length).toBe(MAX_HELD_BYTES);
    for (let more = 0; more < 2; more++) {
      held.update(Buffer.alloc(1));
      expect(held.whole()).toBeUndefined();
    }
  });
});
