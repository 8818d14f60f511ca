import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { CliError, ErrorCode } from '../../../src/core/errors.js';
import { openKeyring, readPublicKeys, type TrustedKey } from '../../../src/trust/keyring.js';
import * as pgp from '../../support/openpgp.js';
import { codeOf, errorOf } from '../../support/errors.js';

const { KEY_TIME, OWNER, HASH } = pgp;
const DAY = 86_400;
const key = pgp.makeKey('ed25519');
const rsa = pgp.makeKey('rsa2048');
const plain = pgp.plainCertificate(key);
const armored = pgp.armorKey(plain);
const secretPacket = pgp.packet(5, Buffer.concat([key.body, Buffer.from([0, 1, 2, 3])]));

async function read(bytes: Uint8Array | string): Promise<readonly TrustedKey[]> {
  return readPublicKeys(Buffer.from(bytes));
}

async function only(bytes: Uint8Array | string): Promise<TrustedKey> {
  const [first, ...more] = await read(bytes);
  if (first === undefined || more.length > 0) throw new Error(`expected one key, got ${more.length + (first ? 1 : 0)}`);
  return first;
}

describe('reading public keys', () => {
  it('shows what a person compares before trusting', async () => {
    const found = await only(armored);
    expect(found).toEqual({
      fingerprint: key.fingerprint,
      keyId: key.keyId,
      userIds: [OWNER],
      createdAt: KEY_TIME.toISOString(),
      revoked: false,
      algorithm: 'Ed25519',
      armored: found.armored,
    });
    expect(found.fingerprint).toMatch(/^[0-9A-F]{40}$/u);
  });

  it.each([
    ['rsa2048', 'RSA 2048'],
    ['p256', 'ECDSA P-256'],
    ['p384', 'ECDSA P-384'],
    ['p521', 'ECDSA P-521'],
    ['ed25519-new', 'Ed25519'],
  ] as const)('names the algorithm of %s', async (kind, name) => {
    expect((await only(pgp.plainCertificate(pgp.makeKey(kind)))).algorithm).toBe(name);
  });

  it('reads keys of version 6', async () => {
    const modern = pgp.makeKey('ed25519-new', { version: 6 });
    expect(await only(pgp.plainCertificate(modern))).toMatchObject({
      fingerprint: modern.fingerprint,
      keyId: modern.keyId,
    });
  });

  it('armors a key so that it reads the same again', async () => {
    const once = await only(plain);
    expect(await only(once.armored)).toEqual(once);
  });

  it.each<[string, Buffer | string]>([
    ['two armored blocks', `${armored}${pgp.armorKey(pgp.plainCertificate(rsa))}`],
    [
      'two blocks with text around, as in KEYS files',
      `Keys of the publisher\n\n${armored}\nnext: M\u00fcller\n${pgp.armorKey(pgp.plainCertificate(rsa))}end\n`,
    ],
    ['a text with a byte order mark', `\uFEFF${armored}${pgp.armorKey(pgp.plainCertificate(rsa))}`],
    ['one block with two keys', pgp.armorKey(Buffer.concat([plain, pgp.plainCertificate(rsa)]))],
    ['a binary file with two keys', Buffer.concat([plain, pgp.plainCertificate(rsa)])],
  ])('reads all of %s', async (_, bytes) => {
    expect((await read(bytes)).map(({ fingerprint }) => fingerprint)).toEqual([key.fingerprint, rsa.fingerprint]);
  });

  it('shows expiry and revocation', async () => {
    const expiring = pgp.plainCertificate(key, { more: [pgp.flagsSub(3), pgp.keyExpiresSub(DAY)] });
    const revoked = pgp.certificate(key, pgp.revoke(key, { flag: 3 }), pgp.userId(OWNER), pgp.certify(key, OWNER));
    expect((await only(expiring)).expiresAt).toBe('2024-01-02T00:00:00.000Z');
    expect(await only(revoked)).toMatchObject({ revoked: true });
  });

  const cut = armored.slice(0, 200);
  const cases: readonly [string, ErrorCode, RegExp, Buffer | string][] = [
    ['an armored private key', 'TRUST_PRIVATE', /private key/u, pgp.armor('PRIVATE KEY BLOCK', secretPacket)],
    ['a private key in a block that says public', 'TRUST_PRIVATE', /private key/u, pgp.armorKey(secretPacket)],
    ['a binary private key', 'TRUST_PRIVATE', /private key/u, secretPacket],
    [
      'a private subkey',
      'TRUST_PRIVATE',
      /private key/u,
      Buffer.concat([plain, pgp.packet(7, secretPacket.subarray(2))]),
    ],
    [
      'a private key after a public one',
      'TRUST_PRIVATE',
      /private key/u,
      `${armored}${pgp.armor('PRIVATE KEY BLOCK', secretPacket)}`,
    ],
    [
      'a private key whose block is not even base64',
      'KEY_UNUSABLE',
      /base64/u,
      '-----BEGIN PGP PRIVATE KEY BLOCK-----\n\n!!\n-----END PGP PRIVATE KEY BLOCK-----\n',
    ],
    ['nothing', 'KEY_UNUSABLE', /no public key/u, ''],
    ['a web page', 'KEY_UNUSABLE', /no public key/u, '<html></html>'],
    ['a signature', 'KEY_UNUSABLE', /PGP SIGNATURE/u, pgp.armorSignature(pgp.signFile(key, Buffer.alloc(1)))],
    ['a binary signature', 'KEY_UNUSABLE', /does not start with a public key/u, pgp.signFile(key, Buffer.alloc(1))],
    ['a block without an end', 'KEY_UNUSABLE', /end line/u, cut],
    ['a wrong checksum', 'KEY_UNUSABLE', /checksum/u, pgp.armor('PUBLIC KEY BLOCK', plain, { checksum: 'AAAA' })],
    [
      'a good block and a broken one',
      'KEY_UNUSABLE',
      /checksum/u,
      `${armored}${pgp.armor('PUBLIC KEY BLOCK', plain, { checksum: 'AAAA' })}`,
    ],
    ['a cut packet', 'KEY_UNUSABLE', /ends too early/u, plain.subarray(0, -3)],
    [
      'a packet of no definite length',
      'KEY_UNUSABLE',
      /definite length/u,
      Buffer.concat([Buffer.from([0x9b]), key.body]),
    ],
    [
      'a packet that belongs elsewhere',
      'KEY_UNUSABLE',
      /tag 11/u,
      Buffer.concat([plain, pgp.packet(11, Buffer.from('b'))]),
    ],
    [
      'a key of version 3',
      'KEY_UNUSABLE',
      /invalid key/u,
      pgp.packet(6, Buffer.concat([Buffer.from([3]), key.body.subarray(1)])),
    ],
    ['more than 4 MB', 'KEY_UNUSABLE', /larger/u, Buffer.alloc(4_194_305, 0x0a)],
    ['a key without a user id', 'KEY_UNUSABLE', /user id/u, pgp.certificate(key)],
    ['a key for encryption', 'KEY_UNUSABLE', /flags/u, pgp.plainCertificate(key, { more: [pgp.flagsSub(0x0c)] })],
    ['a key without flags', 'KEY_UNUSABLE', /gpg --quick-set-expire/u, pgp.plainCertificate(key, { more: [] })],
    ['a key certified with SHA-1', 'SIG_WEAK', /SHA-1/u, pgp.plainCertificate(rsa, { hash: HASH.sha1 })],
    ['RSA 1024', 'SIG_WEAK', /RSA 1024/u, pgp.plainCertificate(pgp.makeKey('rsa1024'))],
    ['DSA', 'SIG_WEAK', /DSA 1024/u, pgp.plainCertificate(pgp.makeKey('dsa'))],
    ['Ed448', 'KEY_UNUSABLE', /Ed448/u, pgp.plainCertificate(pgp.makeKey('ed448'))],
  ];
  it.each(cases)('refuses %s with %s', async (_, code, text, bytes) => {
    const error = await read(bytes).then(
      () => undefined,
      (thrown: unknown) => thrown as CliError,
    );
    expect(error?.code).toBe(code);
    expect(error?.message).toMatch(text);
  });

  it('accepts a key that certifies only when a subkey signs', async () => {
    const subkey = pgp.makeKey('ed25519');
    const parts = [
      pgp.userId(OWNER),
      pgp.certify(key, OWNER, { more: [pgp.flagsSub(1)] }),
      pgp.subkeyPacket(subkey),
      pgp.bind(key, subkey),
    ];
    expect((await only(pgp.certificate(key, ...parts))).fingerprint).toBe(key.fingerprint);
  });

  it('refuses an RSA key whose exponent makes every signature good', async () => {
    const length = rsa.body.length;
    const forged = Buffer.concat([rsa.body.subarray(0, length - 5), pgp.mpi(Buffer.from([1]))]);
    await expect(read(pgp.certificate({ ...rsa, body: forged }, pgp.userId(OWNER)))).rejects.toMatchObject({
      code: 'SIG_WEAK',
    });
  });
});

describe('an ECDSA key whose numbers are no point', () => {
  const p256 = pgp.makeKey('p256');
  const { length } = p256.body;

  it.each<[string, RegExp, (body: Buffer) => void]>([
    ['not on its curve', /numbers of the ECDSA P-256 key are invalid/u, (body) => body.fill(1, length - 8)],
    ['not written out', /point of the ECDSA P-256 key is invalid/u, (body) => body.writeUInt8(5, length - 65)],
  ])('is refused: %s', async (_, text, change) => {
    const body = Buffer.from(p256.body);
    change(body);
    await expect(read(pgp.certificate({ ...p256, body }, pgp.userId(OWNER)))).rejects.toMatchObject({
      code: 'KEY_UNUSABLE',
      message: expect.stringMatching(text) as unknown,
    });
  });
});

describe('any bytes at all', () => {
  it('read as keys, or fail with an error of ours', async () => {
    const flipped = fc.record({ at: fc.nat(plain.length - 1), value: fc.nat(255) }).map(({ at, value }) => {
      const copy = Buffer.from(plain);
      copy[at] = value;
      return copy;
    });
    const codes: readonly unknown[] = ['TRUST_PRIVATE', 'KEY_UNUSABLE', 'SIG_WEAK'];
    await fc.assert(
      fc.asyncProperty(fc.oneof(flipped, fc.uint8Array({ maxLength: 200 })), async (bytes) => {
        const code: unknown = await read(bytes).then(
          () => 'TRUST_PRIVATE',
          (error: unknown) => (error as CliError).code,
        );
        expect(codes).toContain(code);
      }),
      { numRuns: 300 },
    );
  });
});

describe('opening a keyring', () => {
  it('names the file that has a private key', async () => {
    const error = await errorOf(readPublicKeys(Buffer.from(secretPacket), 'keys/a.asc'));
    expect(error.message).toBe('keys/a.asc has a private key; use the public key only');
  });

  it.each<[string, ErrorCode, string]>([
    ['that holds a private key', 'TRUST_PRIVATE', pgp.armor('PRIVATE KEY BLOCK', secretPacket)],
    ['that holds two keys', 'KEY_UNUSABLE', `${armored}${armored}`],
    ['that holds no key', 'KEY_UNUSABLE', 'nothing'],
  ])('fails for a pinned text %s', async (_, code, text) => {
    expect(await codeOf(openKeyring([{ armored: text }]))).toBe(code);
  });
});
