import { createHash } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { keyringFor, openKeyring, type Keyring, type PinnedKey } from '../../../src/trust/keyring.js';
import type { Reason, Verdict } from '../../../src/trust/verdict.js';
import { checkSignature, verifyBytes } from '../../../src/trust/verify.js';
import * as pgp from '../../support/openpgp.js';
import { DETAILS, KEY_DETAILS } from './details.js';

const FILE = Buffer.from('{"label":"A package","actions":[]}\n');
const OTHER_FILE = Buffer.from('{"label":"Another package","actions":[]}\n');
const { NOW, KEY_TIME, SIGN_TIME, OWNER, HASH } = pgp;
const EARLIER = new Date('2023-12-01T00:00:00Z');
const LATER = new Date('2024-05-20T00:00:00Z');
const DAY = 86_400;

const trusted = pgp.makeKey('ed25519');
const second = pgp.makeKey('ed25519');
const stranger = pgp.makeKey('ed25519');
const rsa = pgp.makeKey('rsa2048');
const signingSubkey = pgp.makeKey('ed25519');

let keyring: Keyring;

async function keyringOf(...certificates: readonly Buffer[]): Promise<Keyring> {
  return openKeyring(certificates.map((bytes) => ({ armored: pgp.armorKey(bytes) })));
}

async function judge(
  signature: Uint8Array | string,
  ring: Keyring = keyring,
  file: Uint8Array = FILE,
): Promise<Verdict> {
  return verifyBytes(file, Buffer.from(signature), ring, NOW);
}

/** The verdict for a signature by a primary key with a certificate of its own. */
async function judgeWith(
  key: pgp.PgpKey,
  certificate: Buffer,
  options: pgp.SignatureOptions = {},
  pin: Partial<PinnedKey> = {},
): Promise<Verdict> {
  const ring = await openKeyring([{ armored: pgp.armorKey(certificate), ...pin }]);
  return judge(pgp.armorSignature(pgp.signFile(key, FILE, options)), ring);
}

beforeAll(async () => {
  keyring = await keyringOf(pgp.plainCertificate(trusted), pgp.plainCertificate(second), pgp.plainCertificate(rsa));
});

describe('a good signature', () => {
  const kinds: readonly [pgp.KeyKind, string][] = [
    ['rsa2048', 'RSA 2048'],
    ['p256', 'ECDSA P-256'],
    ['p384', 'ECDSA P-384'],
    ['p521', 'ECDSA P-521'],
    ['ed25519', 'Ed25519'],
    ['ed25519-new', 'Ed25519'],
  ];

  it.each(kinds)('by %s is valid, and the verdict says who, when and how', async (kind, algorithm) => {
    const key = kind === 'rsa2048' ? rsa : pgp.makeKey(kind);
    expect(await judgeWith(key, pgp.plainCertificate(key))).toEqual({
      state: 'valid',
      reason: 'good',
      fingerprint: key.fingerprint,
      keyId: key.keyId,
      userId: OWNER,
      signedAt: '2024-05-01T00:00:00Z',
      algorithm,
      hash: 'SHA-256',
      notes: [],
    });
  });

  it.each(kinds)('by %s is bad over a changed file', async (kind) => {
    const key = kind === 'rsa2048' ? rsa : pgp.makeKey(kind);
    const ring = await keyringOf(pgp.plainCertificate(key));
    expect(await judge(pgp.armorSignature(pgp.signFile(key, FILE)), ring, OTHER_FILE)).toMatchObject({
      state: 'invalid',
      reason: 'bad-signature',
      fingerprint: key.fingerprint,
    });
  });

  it.each(['ed25519-new', 'p256', 'rsa2048'] as const)('of version 6 by %s is valid', async (kind) => {
    const key = pgp.makeKey(kind, { version: 6 });
    const verdict = await judgeWith(key, pgp.plainCertificate(key));
    expect(verdict).toMatchObject({
      state: 'valid',
      fingerprint: key.fingerprint,
      keyId: key.fingerprint.slice(0, 16),
    });
  });

  it.each([
    ['SHA-384', 9],
    ['SHA-512', 10],
    ['SHA3-256', 12],
    ['SHA3-512', 14],
  ])('with %s is valid for RSA, ECDSA and Ed25519', async (name, hash) => {
    const p256 = pgp.makeKey('p256');
    const ring = await keyringOf(pgp.plainCertificate(trusted), pgp.plainCertificate(rsa), pgp.plainCertificate(p256));
    for (const key of [trusted, rsa, p256]) {
      expect(await judge(pgp.armorSignature(pgp.signFile(key, FILE, { hash })), ring)).toMatchObject({
        reason: 'good',
        hash: name,
      });
    }
  });

  const { keyId, fingerprint } = trusted;
  const forms: readonly [string, (packet: Buffer) => Uint8Array | string, pgp.SignatureOptions?][] = [
    ['as bare packets', (packet) => packet],
    ['with CRLF line ends', (packet) => pgp.armor('SIGNATURE', packet, { newline: '\r\n' })],
    ['without an armor checksum', (packet) => pgp.armor('SIGNATURE', packet, { checksum: undefined })],
    [
      'with eight short headers',
      (packet) => pgp.armor('SIGNATURE', packet, { headers: Array<string>(8).fill('Comment: made by hand') }),
    ],
    ['with an empty header', (packet) => pgp.armor('SIGNATURE', packet, { headers: ['Version:', 'Comment: '] })],
    ['with blank lines after it', (packet) => `${pgp.armorSignature(packet)}\n \n\r\n`],
    ['with an old packet header', (packet) => Buffer.concat([Buffer.from([0x88]), packet.subarray(1)])],
    ['with an old header of two length bytes', (packet) => Buffer.concat([Buffer.from([0x89, 0]), packet.subarray(1)])],
    [
      'with a header of four length bytes',
      (packet) => Buffer.concat([Buffer.from([0xc2, 255, 0, 0, 0]), packet.subarray(1)]),
    ],
    [
      'with its issuer unsigned',
      pgp.armorSignature,
      { hashed: [pgp.createdSub(SIGN_TIME)], unhashed: [pgp.issuerSub(keyId)] },
    ],
    [
      'with a fingerprint alone',
      pgp.armorSignature,
      { hashed: [pgp.createdSub(SIGN_TIME), pgp.fingerprintSub(fingerprint)] },
    ],
    ['with an expiry still to come', pgp.armorSignature, { more: [pgp.expiresSub(365 * DAY)] }],
    ['with an expiry of zero, which means never', pgp.armorSignature, { more: [pgp.expiresSub(0)] }],
    ['with a notation that is not critical', pgp.armorSignature, { more: [pgp.notationSub(false)] }],
    ['with an unknown statement that is not critical', pgp.armorSignature, { more: [pgp.sub(100, Buffer.from('x'))] }],
    ['from a clock four minutes ahead', pgp.armorSignature, { created: new Date(NOW.getTime() + 240_000) }],
  ];
  it.each(forms)('is valid %s', async (_, form, options) => {
    expect(await judge(form(pgp.signFile(trusted, FILE, options)))).toMatchObject({ state: 'valid', reason: 'good' });
  });

  it('is valid over an empty file and over one in chunks', async () => {
    const check = await checkSignature(Buffer.from(pgp.armorSignature(pgp.signFile(rsa, FILE))), keyring, NOW);
    for (const byte of FILE) check.update(Buffer.from([byte]));
    expect((await check.finish()).state).toBe('valid');
    expect((await check.finish()).state).toBe('valid');
    expect(
      (await judge(pgp.armorSignature(pgp.signFile(trusted, Buffer.alloc(0))), keyring, Buffer.alloc(0))).state,
    ).toBe('valid');
  });
});

describe('a file without a signature', () => {
  it('is missing one, and its digest is told all the same', async () => {
    const check = await checkSignature(undefined, keyring, NOW);
    check.update(FILE);
    expect(check.sha256()).toBe(createHash('sha256').update(FILE).digest('hex'));
    expect(await check.finish()).toMatchObject({ state: 'missing', reason: 'missing' });
  });
});

describe('a signature packet', () => {
  const { keyId, fingerprint } = trusted;
  const time = pgp.createdSub(SIGN_TIME);
  const issuer = pgp.fingerprintSub(fingerprint);
  const flip = (at: number) => (numbers: Buffer) =>
    Buffer.from(numbers.map((byte, index) => (index === at ? byte ^ 1 : byte)));
  const cases: readonly [string, Reason, pgp.SignatureOptions][] = [
    ['of text', 'wrong-signature-type', { type: 0x01 }],
    ['that stands alone', 'wrong-signature-type', { type: 0x02 }],
    ['that certifies a user id', 'wrong-signature-type', { type: 0x13 }],
    ['of a timestamp', 'wrong-signature-type', { type: 0x40 }],
    ['that confirms another', 'wrong-signature-type', { type: 0x50 }],
    ['with MD5', 'weak-hash', { hash: HASH.md5 }],
    ['with SHA-1', 'weak-hash', { hash: HASH.sha1 }],
    ['with RIPEMD-160', 'weak-hash', { hash: HASH.ripemd160 }],
    ['with SHA-224', 'weak-hash', { hash: HASH.sha224 }],
    ['with an unknown hash', 'weak-hash', { hash: 99 }],
    ['of version 2', 'unsupported-version', { version: 2 }],
    ['of version 3', 'unsupported-version', { version: 3 }],
    ['of version 5', 'unsupported-version', { version: 5 }],
    ['of version 6 by a key of version 4', 'malformed', { version: 6 }],
    ['that has expired', 'signature-expired', { more: [pgp.expiresSub(DAY)] }],
    ['from six minutes ahead', 'signature-from-future', { created: new Date(NOW.getTime() + 360_000) }],
    ['from 2106', 'signature-from-future', { hashed: [pgp.sub(2, Buffer.alloc(4, 0xff)), issuer] }],
    ['older than its key', 'key-newer-than-signature', { created: EARLIER }],
    ['without a creation time', 'malformed', { hashed: [issuer] }],
    ['with an unsigned creation time only', 'malformed', { hashed: [issuer], unhashed: [time] }],
    ['with two creation times', 'malformed', { hashed: [time, time, issuer] }],
    ['with a creation time of three bytes', 'malformed', { hashed: [pgp.sub(2, Buffer.alloc(3)), issuer] }],
    ['with two expiry times', 'malformed', { more: [pgp.expiresSub(DAY), pgp.expiresSub(0)] }],
    ['without an issuer', 'malformed', { hashed: [time] }],
    [
      'whose key id is trusted and whose fingerprint is not',
      'malformed',
      { hashed: [time, pgp.fingerprintSub(stranger.fingerprint), pgp.issuerSub(keyId)] },
    ],
    [
      'with a contradicting key id that is not signed',
      'malformed',
      { hashed: [time, issuer], unhashed: [pgp.issuerSub(stranger.keyId)] },
    ],
    ['with two fingerprints', 'malformed', { hashed: [time, issuer, pgp.fingerprintSub(second.fingerprint)] }],
    ['with a fingerprint of another version', 'malformed', { hashed: [time, pgp.fingerprintSub(fingerprint, 5)] }],
    ['with a short key id', 'malformed', { hashed: [time, pgp.issuerSub(keyId.slice(8))] }],
    ['with an empty statement', 'malformed', { hashed: [time, issuer, Buffer.from([0])] }],
    ['with a statement that runs over', 'malformed', { hashed: [time, issuer, Buffer.from([9, 4])] }],
    [
      'with an unknown critical statement',
      'critical-unknown',
      { more: [pgp.sub(100, Buffer.from('x'), { critical: true })] },
    ],
    [
      'with an unknown critical statement that is not signed',
      'critical-unknown',
      { unhashed: [pgp.sub(100, Buffer.from('x'), { critical: true })] },
    ],
    [
      'with a critical user ID that is not signed',
      'critical-unknown',
      { unhashed: [pgp.sub(28, Buffer.from('x'), { critical: true })] },
    ],
    ['with a critical notation', 'critical-unknown', { more: [pgp.notationSub(true)] }],
    [
      'with the wrong digest prefix',
      'bad-signature',
      { prefix: (digest) => Buffer.from(digest.map((byte) => byte ^ 1)) },
    ],
    ['with a changed number', 'bad-signature', { numbers: flip(40) }],
    ['with bytes left over', 'malformed', { numbers: (numbers) => Buffer.concat([numbers, Buffer.from([0])]) }],
    ['with a number cut short', 'malformed', { numbers: (numbers) => numbers.subarray(0, -1) }],
    [
      'with a padded number',
      'malformed',
      { numbers: (numbers) => Buffer.concat([pgp.u16(264), Buffer.alloc(1), numbers.subarray(2)]) },
    ],
    ['with zeros for numbers', 'bad-signature', { numbers: () => Buffer.alloc(4) }],
    [
      'with numbers too long for its key',
      'bad-signature',
      { numbers: () => Buffer.concat([pgp.mpi(Buffer.alloc(64, 0x7f)), pgp.mpi(Buffer.alloc(64, 0x7f))]) },
    ],
    ['that names another algorithm than its key has', 'malformed', { algorithm: 19 }],
    ['that names an unknown algorithm', 'malformed', { algorithm: 99 }],
  ];
  it.each(cases)('%s is refused: %s', async (name, reason, options) => {
    const verdict = await judge(pgp.armorSignature(pgp.signFile(trusted, FILE, options)));
    expect([verdict.reason, verdict.detail]).toEqual([reason, DETAILS[name]]);
  });

  it('by a stranger is refused and shows the whole fingerprint', async () => {
    expect(await judge(pgp.armorSignature(pgp.signFile(stranger, FILE)))).toMatchObject({
      state: 'unknown-signer',
      reason: 'unknown-key',
      fingerprint: stranger.fingerprint,
      detail: stranger.fingerprint,
    });
  });

  it('by a stranger that shows a key id only is refused with that', async () => {
    const options = { hashed: [time], unhashed: [pgp.issuerSub(stranger.keyId)] };
    expect(await judge(pgp.armorSignature(pgp.signFile(stranger, FILE, options)))).toMatchObject({
      reason: 'unknown-key',
      detail: `key id ${stranger.keyId}`,
    });
  });

  it('by a stranger in the name of a trusted key is bad', async () => {
    const options = { hashed: [time, issuer] };
    expect((await judge(pgp.armorSignature(pgp.signFile(stranger, FILE, options)))).reason).toBe('bad-signature');
  });

  it('of version 6 with a salt of the wrong length or a signed key id is malformed', async () => {
    const key = pgp.makeKey('ed25519-new', { version: 6 });
    const both = [pgp.createdSub(SIGN_TIME), pgp.fingerprintSub(key.fingerprint), pgp.issuerSub(key.keyId)];
    expect((await judgeWith(key, pgp.plainCertificate(key), { salt: Buffer.alloc(8) })).reason).toBe('malformed');
    expect((await judgeWith(key, pgp.plainCertificate(key), { hashed: both })).reason).toBe('malformed');
  });

  it('of version 4 by a key of version 6 is malformed', async () => {
    const key = pgp.makeKey('ed25519-new', { version: 6 });
    const options = { version: 4, hashed: [time], unhashed: [pgp.issuerSub(key.keyId)] };
    expect((await judgeWith(key, pgp.plainCertificate(key), options)).reason).toBe('malformed');
  });

  it('that is shorter than the modulus is not taken for a good one', async () => {
    const tiny = { numbers: () => pgp.mpi(Buffer.from([2])) };
    const large = { numbers: () => pgp.mpi(Buffer.alloc(256, 0xff)) };
    for (const options of [tiny, large])
      expect((await judge(pgp.armorSignature(pgp.signFile(rsa, FILE, options)))).reason).toBe('bad-signature');
  });

  it('whose RSA block names another hash of the same digest is bad', async () => {
    const renamed = (digest: Buffer): Buffer => pgp.rawSignature(rsa, HASH.sha3_256, digest, Buffer.alloc(0));
    const same = (digest: Buffer): Buffer => pgp.rawSignature(rsa, HASH.sha256, digest, Buffer.alloc(0));
    expect((await judge(pgp.signFile(rsa, FILE, { numbers: (_, digest) => same(digest) }))).reason).toBe('good');
    expect((await judge(pgp.signFile(rsa, FILE, { numbers: (_, digest) => renamed(digest) }))).reason).toBe(
      'bad-signature',
    );
  });
});

describe('a signature file', () => {
  const good = pgp.signFile(trusted, FILE);
  const armored = pgp.armorSignature(good);
  const body = good.subarray(2);
  const cases: readonly [string, Reason, Uint8Array | string][] = [
    ['that is empty', 'malformed', ''],
    ['that is a web page', 'malformed', '<!doctype html><html><body>Not found</body></html>'],
    ['that is JSON', 'malformed', '{"error":"not found"}'],
    ['that is a JSON list', 'malformed', '[1]'],
    ['that is cut in the middle', 'malformed', armored.slice(0, 120)],
    ['that is cut before its end line', 'malformed', armored.slice(0, armored.indexOf('-----END'))],
    ['with text before the armor', 'malformed', `hello\n${armored}`],
    ['with a blank line before the armor', 'malformed', `\n${armored}`],
    ['with text after the armor', 'malformed', `${armored}hello\n`],
    ['with two blocks', 'malformed', `${armored}${armored}`],
    ['with a byte order mark', 'malformed', Buffer.from(`\uFEFF${armored}`)],
    ['with characters beyond ASCII', 'malformed', armored.replace('\n\n', '\nComment: \u00e9\n\n')],
    ['with a control character', 'malformed', armored.replace('\n\n', '\nComment: \u001b[31m\n\n')],
    ['with a wrong checksum', 'malformed', pgp.armor('SIGNATURE', good, { checksum: 'AAAA' })],
    ['with characters that are not base64', 'malformed', armored.replace(/^[A-Za-z0-9+/]{20}/mu, '$&!')],
    ['with base64 bits that say nothing', 'malformed', withLooseBits()],
    [
      'with a line of base64 that is too long',
      'malformed',
      `-----BEGIN PGP SIGNATURE-----\n\n${good.toString('base64')}\n-----END PGP SIGNATURE-----\n`,
    ],
    ['with a blank line inside', 'malformed', armored.replace(/\n(=.{4}\n)/u, '\n\n$1')],
    ['without a blank line', 'malformed', armored.replace('\n\n', '\n')],
    ['with a header without a colon', 'malformed', armored.replace('\n\n', '\nComment\n\n')],
    ['with a long header', 'malformed', armored.replace('\n\n', `\nComment: ${'x'.repeat(600)}\n\n`)],
    ['with nine headers', 'malformed', armored.replace('\n\n', `\n${'Comment: x\n'.repeat(9)}\n`)],
    ['with nothing in the armor', 'malformed', '-----BEGIN PGP SIGNATURE-----\n\n-----END PGP SIGNATURE-----\n'],
    ['with another end line', 'malformed', armored.replace('END PGP SIGNATURE', 'END PGP MESSAGE')],
    ['whose armor says MESSAGE', 'malformed', pgp.armor('MESSAGE', good)],
    ['whose armor says PUBLIC KEY BLOCK', 'malformed', pgp.armorKey(good)],
    ['whose armor says PRIVATE KEY BLOCK', 'malformed', pgp.armor('PRIVATE KEY BLOCK', good)],
    [
      'that is a clear-signed text',
      'malformed',
      `-----BEGIN PGP SIGNED MESSAGE-----\nHash: SHA256\n\nhello\n${armored}`,
    ],
    [
      'that is an inline message',
      'malformed',
      pgp.armorSignature(Buffer.concat([pgp.packet(4, Buffer.alloc(13)), pgp.packet(11, Buffer.from('b')), good])),
    ],
    ['that is a compressed packet', 'malformed', pgp.armorSignature(pgp.packet(8, Buffer.from([0, ...good])))],
    [
      'with a key before the signature',
      'malformed',
      pgp.armorSignature(Buffer.concat([pgp.plainCertificate(trusted), good])),
    ],
    [
      'with a marker packet',
      'malformed',
      pgp.armorSignature(Buffer.concat([pgp.packet(10, Buffer.from('PGP')), good])),
    ],
    [
      'with a padding packet first',
      'malformed',
      pgp.armorSignature(Buffer.concat([pgp.packet(21, Buffer.alloc(4)), good])),
    ],
    ["that is the self-certification of the publisher's key", 'wrong-signature-type', pgp.certify(trusted, OWNER)],
    ['with a padding packet', 'malformed', pgp.armorSignature(Buffer.concat([good, pgp.packet(21, Buffer.alloc(4))]))],
    ['with an unknown packet', 'malformed', pgp.armorSignature(Buffer.concat([good, pgp.packet(60, Buffer.alloc(4))]))],
    ['with bytes after the packet', 'malformed', pgp.armorSignature(Buffer.concat([good, Buffer.from([0])]))],
    ['with a packet that ends too early', 'malformed', pgp.armorSignature(good.subarray(0, -1))],
    ['with a packet of no definite length', 'malformed', Buffer.concat([Buffer.from([0x8b]), body])],
    ['with partial lengths', 'malformed', Buffer.concat([Buffer.from([0xc2, 0xe5]), body])],
    ['with an empty packet', 'malformed', pgp.armorSignature(pgp.packet(2, Buffer.alloc(0)))],
    ['that is not packets at all', 'malformed', pgp.armorSignature(Buffer.from('hello hello'))],
    ['of 100 KB', 'too-large', `${armored}${' '.repeat(100_000)}`],
    ['of 2 MB of blank lines', 'too-large', `${'\n'.repeat(2_000_000)}${armored}`],
    ['of 160,000 headers', 'too-large', armored.replace('\n\n', `\n${'A: b\n'.repeat(160_000)}\n`)],
    ['of 5,000 signatures', 'too-large', Buffer.concat(Array<Buffer>(5000).fill(good))],
    ['of 100 KB of random bytes', 'too-large', Buffer.alloc(100_000, 0xc2)],
    [
      'with a signature of 17 KB',
      'too-large',
      pgp.signFile(trusted, FILE, { unhashed: [...Array<Buffer>(3).fill(pgp.sub(100, Buffer.alloc(6000)))] }),
    ],
    ['with 17 signatures', 'too-many-signatures', Buffer.concat(Array<Buffer>(17).fill(good))],
  ];
  it.each(cases)('%s is refused: %s', async (name, reason, signature) => {
    const verdict = await judge(signature);
    expect([verdict.reason, verdict.detail]).toEqual([reason, DETAILS[name]]);
  });

  it('is good with the very packets that the cases change', async () => {
    expect((await judge(armored)).reason).toBe('good');
  });

  it.each([
    ['BOM', Buffer.concat([Buffer.from('\uFEFF'), FILE])],
    ['CRLF', Buffer.from(FILE.toString().replace('\n', '\r\n'))],
    ['a byte less', FILE.subarray(0, -1)],
    ['a byte more', Buffer.concat([FILE, Buffer.from(' ')])],
    ['nothing', Buffer.alloc(0)],
  ])('is bad for the file with %s', async (_, file) => {
    expect((await judge(armored, keyring, file)).reason).toBe('bad-signature');
  });
});

/** Armor whose last base64 character has a bit set that belongs to no byte. */
function withLooseBits(): string {
  const padded = [0, 1]
    .map((size) => pgp.signFile(trusted, FILE, { unhashed: [pgp.sub(100, Buffer.alloc(size))] }))
    .find(({ length }) => length % 3 !== 0);
  const text = pgp.armor('SIGNATURE', padded ?? Buffer.alloc(1), { checksum: undefined });
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
  return text.replace(
    /(.)(=+\n-)/u,
    (_, last: string, rest: string) => `${alphabet.charAt(alphabet.indexOf(last) + 1)}${rest}`,
  );
}

describe('several signatures of one file', () => {
  const good = pgp.signFile(trusted, FILE);
  const bad = pgp.signFile(trusted, OTHER_FILE);
  const foreign = pgp.signFile(stranger, FILE);
  const foreignBad = pgp.signFile(stranger, OTHER_FILE);
  const weak = pgp.signFile(trusted, FILE, { hash: HASH.sha1 });
  const expired = pgp.signFile(trusted, FILE, { more: [pgp.expiresSub(DAY)] });
  const alsoGood = pgp.signFile(second, FILE);
  const old = pgp.signFile(trusted, FILE, { version: 3 });
  const broken = pgp.signFile(trusted, FILE, { hashed: [pgp.createdSub(SIGN_TIME)] });
  const cases: readonly [string, Reason, number, readonly Buffer[]][] = [
    ['good and a stranger', 'good', 1, [good, foreign]],
    ['a stranger and good', 'good', 1, [foreign, good]],
    ["good and a stranger's bad one", 'good', 1, [good, foreignBad]],
    ['good and bad by the same key', 'bad-signature', 0, [good, bad]],
    ['bad and good by the same key', 'bad-signature', 0, [bad, good]],
    ['good and bad by two trusted keys', 'bad-signature', 0, [alsoGood, bad]],
    ['good by two trusted keys', 'good', 0, [good, alsoGood]],
    ['good twice', 'good', 0, [good, good]],
    ['good and one with SHA-1', 'good', 1, [weak, good]],
    ['good and one of version 3', 'good', 1, [good, old]],
    ['good and a malformed one', 'malformed', 0, [good, broken]],
    ['expired and a stranger', 'signature-expired', 0, [foreign, expired]],
    ['strangers only', 'unknown-key', 0, [foreign, foreignBad]],
    ['sixteen good ones', 'good', 0, Array<Buffer>(16).fill(good)],
  ];
  it.each(cases)('%s: %s', async (_, reason, notes, packets) => {
    const verdict = await judge(pgp.armorSignature(Buffer.concat(packets)));
    expect([verdict.reason, verdict.notes.length]).toEqual([reason, notes]);
  });

  it('notes how many were ignored and why', async () => {
    const verdict = await judge(pgp.armorSignature(Buffer.concat([good, foreign])));
    expect(verdict.notes).toEqual([`1 other signature ignored (unknown-key: ${stranger.fingerprint})`]);
  });
});

describe('the key', () => {
  const id = pgp.userId(OWNER);
  const certified = pgp.certify(trusted, OWNER);
  const cert = (options: pgp.SignatureOptions): Buffer => pgp.plainCertificate(trusted, options);
  const soft = pgp.revoke(trusted, { flag: 3 });
  const otherUser = 'Second <second@example.org>';
  const after = (date: Date): number => (date.getTime() - KEY_TIME.getTime()) / 1000;

  const cases: readonly [string, Reason, Buffer][] = [
    ['that expired before the signature', 'key-expired', cert({ more: [pgp.flagsSub(3), pgp.keyExpiresSub(DAY)] })],
    [
      'that expired after the signature',
      'key-expired',
      cert({ more: [pgp.flagsSub(3), pgp.keyExpiresSub(after(LATER))] }),
    ],
    ['that expires later', 'good', cert({ more: [pgp.flagsSub(3), pgp.keyExpiresSub(after(NOW) + 1)] })],
    [
      'whose self-signature has expired',
      'key-expired',
      cert({ more: [pgp.flagsSub(3), pgp.expiresSub(after(LATER))] }),
    ],
    ['revoked without a reason', 'key-revoked', pgp.certificate(trusted, pgp.revoke(trusted), id, certified)],
    ['revoked as stolen', 'key-revoked', pgp.certificate(trusted, pgp.revoke(trusted, { flag: 2 }), id, certified)],
    ['revoked as retired after the signature', 'key-revoked', pgp.certificate(trusted, soft, id, certified)],
    [
      'revoked as replaced after the signature',
      'key-revoked',
      pgp.certificate(trusted, pgp.revoke(trusted, { flag: 1 }), id, certified),
    ],
    [
      'with a revocation forged by another key',
      'good',
      pgp.certificate(trusted, pgp.revoke(trusted, { by: stranger }), id, certified),
    ],
    [
      'with a revocation forged in its own name',
      'good',
      pgp.certificate(
        trusted,
        pgp.revoke(trusted, {
          numbers: () => Buffer.concat([pgp.mpi(Buffer.alloc(32, 7)), pgp.mpi(Buffer.alloc(32, 7))]),
        }),
        id,
        certified,
      ),
    ],
    ['without a user id', 'key-unusable', pgp.certificate(trusted)],
    ['with an unsigned user id', 'key-unusable', pgp.certificate(trusted, id)],
    [
      'with a user id signed by another key',
      'key-unusable',
      pgp.certificate(trusted, id, pgp.certify(trusted, OWNER, { by: stranger })),
    ],
    [
      'whose only user id is revoked',
      'key-unusable',
      pgp.certificate(trusted, id, certified, pgp.revokeUser(trusted, OWNER)),
    ],
    [
      'with one of two user ids revoked',
      'good',
      pgp.certificate(
        trusted,
        id,
        certified,
        pgp.revokeUser(trusted, OWNER),
        pgp.userId(otherUser),
        pgp.certify(trusted, otherUser),
      ),
    ],
    ['that may certify only', 'key-not-for-signing', cert({ more: [pgp.flagsSub(0x01)] })],
    ['that may encrypt only', 'key-not-for-signing', cert({ more: [pgp.flagsSub(0x0c)] })],
    ['without key flags', 'key-not-for-signing', cert({ more: [] })],
    ['whose self-signature is newer than the signature', 'key-newer-than-signature', cert({ created: LATER })],
    [
      'whose self-signature comes from the future',
      'key-newer-than-signature',
      cert({ created: new Date('2030-01-01T00:00:00Z') }),
    ],
    [
      'that was extended, with the old self-signature kept',
      'good',
      pgp.certificate(
        trusted,
        id,
        pgp.certify(trusted, OWNER, { more: [pgp.flagsSub(3), pgp.keyExpiresSub(after(LATER))] }),
        pgp.certify(trusted, OWNER, { created: LATER }),
      ),
    ],
    [
      'that lost its signing flag later',
      'key-not-for-signing',
      pgp.certificate(
        trusted,
        id,
        certified,
        pgp.certify(trusted, OWNER, { created: LATER, more: [pgp.flagsSub(0x01)] }),
      ),
    ],
  ];
  it.each(cases)('%s: %s', async (name, reason, certificate) => {
    const verdict = await judgeWith(trusted, certificate);
    expect([verdict.reason, verdict.detail]).toEqual([reason, KEY_DETAILS[name]]);
  });

  it.each(['rsa1024', 'secp256k1', 'brainpool', 'dsa'] as const)(
    'of kind %s is weak, and the verdict names it',
    async (kind) => {
      const key = pgp.makeKey(kind);
      const verdict = await judgeWith(key, pgp.plainCertificate(key));
      expect(verdict).toMatchObject({ state: 'weak', reason: 'weak-key' });
      expect(verdict.detail).toMatch(/RSA 1024|secp256k1|brainpoolP256r1|DSA 1024/u);
    },
  );

  it('of a kind that we do not know is unusable', async () => {
    const key = pgp.makeKey('ed448');
    expect(await judgeWith(key, pgp.plainCertificate(key))).toMatchObject({
      reason: 'key-unusable',
      detail: 'Ed448 is not accepted for signatures',
    });
  });

  it.each<[string, Reason, Buffer]>([
    [
      'revoked with SHA-1',
      'key-revoked',
      pgp.certificate(rsa, pgp.revoke(rsa, { hash: HASH.sha1, flag: 2 }), id, pgp.certify(rsa, OWNER)),
    ],
    ['whose self-signature uses SHA-1', 'weak-key', pgp.plainCertificate(rsa, { hash: HASH.sha1 })],
    ['whose self-signature uses MD5', 'weak-key', pgp.plainCertificate(rsa, { hash: HASH.md5 })],
    [
      'with a second self-signature that uses SHA-1',
      'good',
      pgp.certificate(rsa, id, pgp.certify(rsa, OWNER), pgp.certify(rsa, OWNER, { hash: HASH.sha1 })),
    ],
  ])('of kind RSA %s: %s', async (_, reason, certificate) => {
    expect((await judgeWith(rsa, certificate)).reason).toBe(reason);
  });

  it('that vouches for itself from before it was made is newer than the signature all the same', async () => {
    const key = pgp.makeKey('ed25519', { created: LATER });
    expect((await judgeWith(key, pgp.plainCertificate(key))).reason).toBe('key-newer-than-signature');
  });

  it('says when and why it was revoked', async () => {
    const certificate = pgp.certificate(trusted, pgp.revoke(trusted, { flag: 2, text: 'laptop gone' }), id, certified);
    expect((await judgeWith(trusted, certificate)).detail).toBe('2024-05-15T00:00:00Z, stolen or lost ("laptop gone")');
  });

  it('that has expired since is accepted when that was allowed, with a note', async () => {
    const verdict = await judgeWith(
      trusted,
      cert({ more: [pgp.flagsSub(3), pgp.keyExpiresSub(after(LATER))] }),
      {},
      { allowExpired: true },
    );
    expect([verdict.reason, verdict.notes.length]).toEqual(['good', 1]);
  });

  it.each<[string, Reason, Buffer, pgp.SignatureOptions]>([
    ['one that was expired already', 'key-expired', cert({ more: [pgp.flagsSub(3), pgp.keyExpiresSub(DAY)] }), {}],
    ['a revoked one', 'key-revoked', pgp.certificate(trusted, soft, id, certified), {}],
    [
      'one that lost its signing flag',
      'key-not-for-signing',
      pgp.certificate(trusted, id, certified, pgp.certify(trusted, OWNER, { created: LATER, more: [pgp.flagsSub(1)] })),
      {},
    ],
    [
      'a signature that has expired',
      'signature-expired',
      pgp.plainCertificate(trusted),
      { more: [pgp.expiresSub(DAY)] },
    ],
  ])('never excuses, by that, %s', async (_, reason, certificate, options) => {
    expect((await judgeWith(trusted, certificate, options, { allowExpired: true })).reason).toBe(reason);
  });
});

describe('a subkey', () => {
  const primary = trusted;
  const subkey = signingSubkey;
  const base = [
    pgp.userId(OWNER),
    pgp.certify(primary, OWNER, { more: [pgp.flagsSub(0x01)] }),
    pgp.subkeyPacket(subkey),
  ];
  const bound = pgp.bind(primary, subkey);
  const cases: readonly [string, Reason, readonly Buffer[]][] = [
    ['bound and cross-signed', 'good', [bound]],
    ['without a binding', 'key-unusable', []],
    ['bound by another key', 'key-unusable', [pgp.bind(primary, subkey, { by: stranger })]],
    ['without a cross-signature', 'key-unusable', [pgp.bind(primary, subkey, { crossSigner: null })]],
    ['cross-signed by another key', 'key-unusable', [pgp.bind(primary, subkey, { crossSigner: stranger })]],
    ['for encryption', 'key-not-for-signing', [pgp.bind(primary, subkey, { flags: 0x0c })]],
    [
      'that expired since',
      'key-expired',
      [pgp.bind(primary, subkey, { more: [pgp.keyExpiresSub((LATER.getTime() - KEY_TIME.getTime()) / 1000)] })],
    ],
    [
      'whose cross-signature expired since',
      'key-expired',
      [pgp.bind(primary, subkey, { crossMore: [pgp.expiresSub((LATER.getTime() - KEY_TIME.getTime()) / 1000)] })],
    ],
    ['bound after the signature', 'key-newer-than-signature', [pgp.bind(primary, subkey, { created: LATER })]],
    ['revoked as stolen', 'key-revoked', [pgp.revoke(primary, { subkey, flag: 2 }), bound]],
    ['revoked as retired after the signature', 'key-revoked', [bound, pgp.revoke(primary, { subkey, flag: 3 })]],
    ['with a forged revocation', 'good', [bound, pgp.revoke(primary, { subkey, by: stranger })]],
  ];
  it.each(cases)('%s: %s', async (name, reason, parts) => {
    const verdict = await judgeWith(subkey, pgp.certificate(primary, ...base, ...parts));
    const { detail, fingerprint, keyId } = verdict;
    expect([verdict.reason, detail, fingerprint, keyId]).toEqual([
      reason,
      KEY_DETAILS[`subkey ${name}`],
      primary.fingerprint,
      subkey.keyId,
    ]);
  });

  it('bound with SHA-1 is weak', async () => {
    const ecdsa = pgp.makeKey('p256');
    const parts = [
      pgp.userId(OWNER),
      pgp.certify(rsa, OWNER),
      pgp.subkeyPacket(ecdsa),
      pgp.bind(rsa, ecdsa, { hash: HASH.sha1 }),
    ];
    expect((await judgeWith(ecdsa, pgp.certificate(rsa, ...parts))).reason).toBe('weak-key');
  });

  it('does not outlive its primary key', async () => {
    const short = pgp.certify(primary, OWNER, { more: [pgp.flagsSub(1), pgp.keyExpiresSub(DAY)] });
    const certificate = pgp.certificate(primary, pgp.userId(OWNER), short, pgp.subkeyPacket(subkey), bound);
    expect((await judgeWith(subkey, certificate)).reason).toBe('key-expired');
    const revoked = pgp.certificate(primary, pgp.revoke(primary), ...base, bound);
    expect((await judgeWith(subkey, revoked)).reason).toBe('key-revoked');
  });

  it('newer than the signature is refused', async () => {
    const young = pgp.makeKey('ed25519', { created: LATER });
    const certificate = pgp.certificate(
      primary,
      pgp.userId(OWNER),
      pgp.certify(primary, OWNER),
      pgp.subkeyPacket(young),
      pgp.bind(primary, young, { created: LATER }),
    );
    expect((await judgeWith(young, certificate)).reason).toBe('key-newer-than-signature');
  });

  it('under a primary key that is too short is weak', async () => {
    const short = pgp.makeKey('rsa1024');
    const certificate = pgp.certificate(
      short,
      pgp.userId(OWNER),
      pgp.certify(short, OWNER),
      pgp.subkeyPacket(subkey),
      pgp.bind(short, subkey),
    );
    expect((await judgeWith(subkey, certificate)).reason).toBe('weak-key');
  });
});

describe('a keyring', () => {
  const signature = pgp.armorSignature(pgp.signFile(trusted, FILE));

  it('without keys knows nobody', async () => {
    expect((await judge(signature, await openKeyring([]))).reason).toBe('unknown-key');
  });

  it.each([
    ['acme-*', 'acme-tools', 'good'],
    ['acme-*', 'other', 'unknown-key'],
    ['acme-*', undefined, 'unknown-key'],
    ['acme-*', 'xacme-tools', 'unknown-key'],
    ['Acme-*', 'acme-tools', 'unknown-key'],
    ['a?c', 'abc', 'good'],
    ['a?c', 'ac', 'unknown-key'],
    ['*', 'anything', 'good'],
    ['*-*-x', 'a-b-c-x', 'good'],
    ['*-*-x', 'a-x', 'unknown-key'],
    [undefined, 'anything', 'good'],
    [undefined, undefined, 'good'],
  ])('with a key for %s judges a signature of %s as %s', async (packages, name, reason) => {
    const ring = await openKeyring([{ armored: pgp.armorKey(pgp.plainCertificate(trusted)), packages }]);
    expect((await judge(signature, keyringFor(ring, name))).reason).toBe(reason);
  });

  it('as opened lets only keys without a pattern sign, and says for what a key is trusted', async () => {
    const ring = await openKeyring([{ armored: pgp.armorKey(pgp.plainCertificate(trusted)), packages: 'acme-*' }]);
    expect(await judge(signature, ring)).toMatchObject({
      reason: 'unknown-key',
      detail: `${trusted.fingerprint} is trusted for acme-* only`,
    });
  });

  it('can be narrowed again and again', async () => {
    const ring = await openKeyring([{ armored: pgp.armorKey(pgp.plainCertificate(trusted)), packages: 'acme-*' }]);
    const narrowed = keyringFor(keyringFor(ring, 'other'), 'acme-tools');
    expect((await judge(signature, narrowed)).reason).toBe('good');
  });
});
