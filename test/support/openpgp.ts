/** Makes OpenPGP keys and signatures byte by byte, good ones and every kind of bad one; independent of the reader under test. */
import { createHash, generateKeyPairSync, randomBytes, sign, type KeyObject } from 'node:crypto';

/** The moment that tests call now. */
export const NOW = new Date('2024-06-01T12:00:00Z');
/** When the keys of tests were made. */
export const KEY_TIME = new Date('2024-01-01T00:00:00Z');
/** When the signatures of tests were made. */
export const SIGN_TIME = new Date('2024-05-01T00:00:00Z');

export const HASH = {
  md5: 1,
  sha1: 2,
  ripemd160: 3,
  sha256: 8,
  sha384: 9,
  sha512: 10,
  sha224: 11,
  sha3_256: 12,
} as const;
const NODE_HASHES: Record<number, string> = {
  1: 'md5',
  2: 'sha1',
  3: 'ripemd160',
  8: 'sha256',
  9: 'sha384',
  10: 'sha512',
  11: 'sha224',
  12: 'sha3-256',
  14: 'sha3-512',
};
const RSA_PREFIX: Record<number, string> = {
  1: '3020300c06082a864886f70d020505000410',
  2: '3021300906052b0e03021a05000414',
  3: '3021300906052b2403020105000414',
  8: '3031300d060960864801650304020105000420',
  9: '3041300d060960864801650304020205000430',
  10: '3051300d060960864801650304020305000440',
  11: '302d300d06096086480165030402040500041c',
  12: '3031300d060960864801650304020805000420',
  14: '3051300d060960864801650304020a05000440',
};

export type KeyKind =
  | 'rsa1024'
  | 'rsa2048'
  | 'rsa3072'
  | 'p256'
  | 'p384'
  | 'p521'
  | 'secp256k1'
  | 'brainpool'
  | 'ed25519'
  | 'ed25519-new'
  | 'ed448'
  | 'dsa';

/** A key pair with its OpenPGP packet. */
export interface PgpKey {
  readonly kind: KeyKind;
  readonly version: 4 | 6;
  readonly algorithm: number;
  readonly created: Date;
  /** The body of its public key packet. */
  readonly body: Buffer;
  /** Upper-case hex. */
  readonly fingerprint: string;
  readonly keyId: string;
  readonly secret: KeyObject | undefined;
}

export function u16(value: number): Buffer {
  const out = Buffer.alloc(2);
  out.writeUInt16BE(value);
  return out;
}

export function u32(value: number): Buffer {
  const out = Buffer.alloc(4);
  out.writeUInt32BE(value);
  return out;
}

/** A multiprecision integer in its shortest form. */
export function mpi(bytes: Uint8Array): Buffer {
  let at = 0;
  while (at < bytes.length && bytes[at] === 0) at += 1;
  const rest = bytes.subarray(at);
  const bits = rest.length === 0 ? 0 : (rest.length - 1) * 8 + (32 - Math.clz32(rest[0] ?? 0));
  return Buffer.concat([u16(bits), rest]);
}

function seconds(date: Date): Buffer {
  return u32(Math.floor(date.getTime() / 1000));
}

const CURVES: Record<string, [string, string, number]> = {
  p256: ['P-256', '2a8648ce3d030107', 32],
  p384: ['P-384', '2b81040022', 48],
  p521: ['P-521', '2b81040023', 66],
  secp256k1: ['secp256k1', '2b8104000a', 32],
  // Only its name is that of the other curve, which is all that has to be seen.
  brainpool: ['P-256', '2b2403030208010107', 32],
};

function oid(hex: string): Buffer {
  return Buffer.concat([Buffer.from([hex.length / 2]), Buffer.from(hex, 'hex')]);
}

function base64url(text: string | undefined): Buffer {
  return Buffer.from(text ?? '', 'base64url');
}

interface Material {
  readonly algorithm: number;
  readonly numbers: Buffer;
  readonly secret: KeyObject | undefined;
}

function makeMaterial(kind: KeyKind): Material {
  if (kind === 'dsa')
    return {
      algorithm: 17,
      secret: undefined,
      numbers: Buffer.concat([128, 20, 128, 128].map((size) => mpi(Buffer.alloc(size, 0xc1)))),
    };
  if (kind.startsWith('rsa')) {
    const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: Number(kind.slice(3)) });
    const { n, e } = publicKey.export({ format: 'jwk' });
    return { algorithm: 1, secret: privateKey, numbers: Buffer.concat([mpi(base64url(n)), mpi(base64url(e))]) };
  }
  if (kind === 'ed448') {
    const pair = generateKeyPairSync('ed448');
    return { algorithm: 28, secret: pair.privateKey, numbers: base64url(pair.publicKey.export({ format: 'jwk' }).x) };
  }
  if (kind.startsWith('ed25519')) {
    const pair = generateKeyPairSync('ed25519');
    const point = base64url(pair.publicKey.export({ format: 'jwk' }).x);
    if (kind === 'ed25519-new') return { algorithm: 27, secret: pair.privateKey, numbers: point };
    const numbers = Buffer.concat([oid('2b06010401da470f01'), mpi(Buffer.concat([Buffer.from([0x40]), point]))]);
    return { algorithm: 22, secret: pair.privateKey, numbers };
  }
  const [name, id, width] = CURVES[kind] ?? ['', '', 0];
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: name });
  const { x, y } = publicKey.export({ format: 'jwk' });
  const pad = (text: string | undefined): Buffer =>
    Buffer.concat([Buffer.alloc(width - base64url(text).length), base64url(text)]);
  return {
    algorithm: 19,
    secret: privateKey,
    numbers: Buffer.concat([oid(id), mpi(Buffer.concat([Buffer.from([4]), pad(x), pad(y)]))]),
  };
}

/** A new key pair; RSA takes a moment, the others none. */
export function makeKey(kind: KeyKind, options: { created?: Date; version?: 4 | 6 } = {}): PgpKey {
  const { created = KEY_TIME, version = 4 } = options;
  const { algorithm, numbers, secret } = makeMaterial(kind);
  const length = version === 6 ? u32(numbers.length) : Buffer.alloc(0);
  const body = Buffer.concat([Buffer.from([version]), seconds(created), Buffer.from([algorithm]), length, numbers]);
  const fingerprint = createHash(version === 6 ? 'sha256' : 'sha1')
    .update(forHash(body))
    .digest('hex')
    .toUpperCase();
  return {
    kind,
    version,
    algorithm,
    created,
    body,
    fingerprint,
    keyId: version === 6 ? fingerprint.slice(0, 16) : fingerprint.slice(-16),
    secret,
  };
}

function forHash(body: Buffer): Buffer {
  return body[0] === 6
    ? Buffer.concat([Buffer.from([0x9b]), u32(body.length), body])
    : Buffer.concat([Buffer.from([0x99]), u16(body.length), body]);
}

/** A packet with a new-style header. */
export function packet(tag: number, body: Uint8Array): Buffer {
  const { length } = body;
  const head =
    length < 192
      ? [length]
      : length < 8384
        ? [192 + ((length - 192) >> 8), (length - 192) & 0xff]
        : [255, ...u32(length)];
  return Buffer.concat([Buffer.from([0xc0 | tag, ...head]), body]);
}

/** One statement inside a signature. */
export function sub(type: number, body: Uint8Array, { critical = false } = {}): Buffer {
  const length = body.length + 1;
  const head = length < 192 ? [length] : [192 + ((length - 192) >> 8), (length - 192) & 0xff];
  return Buffer.concat([Buffer.from([...head, type | (critical ? 0x80 : 0)]), body]);
}

export const createdSub = (date: Date): Buffer => sub(2, seconds(date));
export const expiresSub = (after: number): Buffer => sub(3, u32(after));
export const keyExpiresSub = (after: number): Buffer => sub(9, u32(after));
export const issuerSub = (keyId: string): Buffer => sub(16, Buffer.from(keyId, 'hex'));
export const fingerprintSub = (fingerprint: string, version = fingerprint.length === 64 ? 6 : 4): Buffer =>
  sub(33, Buffer.concat([Buffer.from([version]), Buffer.from(fingerprint, 'hex')]));
export const flagsSub = (flags: number): Buffer => sub(27, Buffer.from([flags]));
export const notationSub = (critical: boolean): Buffer =>
  sub(20, Buffer.concat([Buffer.from([0x80, 0, 0, 0]), u16(8), u16(1), Buffer.from('a@test.xy')]), { critical });

/** How a signature departs from the ordinary one. */
export interface SignatureOptions {
  readonly version?: number;
  readonly type?: number;
  readonly hash?: number;
  readonly created?: Date;
  /** Statements after the creation time and issuer. */
  readonly more?: readonly Buffer[];
  /** All signed statements, instead of the usual. */
  readonly hashed?: readonly Buffer[];
  readonly unhashed?: readonly Buffer[];
  readonly algorithm?: number;
  readonly prefix?: (digest: Buffer) => Buffer;
  readonly salt?: Buffer;
  /** Changes the numbers after signing. */
  readonly numbers?: (numbers: Buffer, digest: Buffer) => Buffer;
}

/** The body of a signature packet over `data`. */
export function signatureBody(key: PgpKey, data: Uint8Array, options: SignatureOptions = {}): Buffer {
  const version = options.version ?? key.version;
  const hash = options.hash ?? HASH.sha256;
  const issuer =
    version === 6 ? [fingerprintSub(key.fingerprint)] : [fingerprintSub(key.fingerprint), issuerSub(key.keyId)];
  const hashed = Buffer.concat(
    options.hashed ?? [createdSub(options.created ?? SIGN_TIME), ...issuer, ...(options.more ?? [])],
  );
  const unhashed = Buffer.concat(options.unhashed ?? []);
  const width = version === 6 ? u32 : u16;
  const head = Buffer.from([version, options.type ?? 0, options.algorithm ?? key.algorithm, hash]);
  const signed = Buffer.concat([head, width(hashed.length), hashed]);
  const salt =
    version === 6
      ? (options.salt ?? randomBytes({ 8: 16, 9: 24, 10: 32, 12: 16, 14: 32 }[hash] ?? 16))
      : Buffer.alloc(0);
  const trailer = Buffer.concat([Buffer.from([version, 0xff]), u32(signed.length)]);
  const digest = createHash(NODE_HASHES[hash] ?? 'sha256')
    .update(Buffer.concat([salt, data, signed, trailer]))
    .digest();
  const toSign = Buffer.concat([salt, data, signed, trailer]);
  const numbers = (options.numbers ?? ((same) => same))(rawSignature(key, hash, digest, toSign), digest);
  const saltPart = version === 6 ? Buffer.concat([Buffer.from([salt.length]), salt]) : salt;
  return Buffer.concat([
    signed,
    width(unhashed.length),
    unhashed,
    (options.prefix ?? ((same) => same))(digest).subarray(0, 2),
    saltPart,
    numbers,
  ]);
}

/** The numbers of a signature, without any packet around them. */
export function rawSignature(key: PgpKey, hash: number, digest: Buffer, toSign: Buffer): Buffer {
  const { secret, kind } = key;
  if (secret === undefined) return Buffer.concat([mpi(Buffer.alloc(20, 0xb1)), mpi(Buffer.alloc(20, 0xb1))]);
  if (kind.startsWith('rsa')) return mpi(rsaSign(secret, hash, digest));
  if (kind === 'ed448') return sign(null, digest, secret);
  if (kind.startsWith('ed25519')) {
    const made = sign(null, digest, secret);
    return kind === 'ed25519-new' ? made : Buffer.concat([mpi(made.subarray(0, 32)), mpi(made.subarray(32))]);
  }
  const made = sign(NODE_HASHES[hash], toSign, { key: secret, dsaEncoding: 'ieee-p1363' });
  return Buffer.concat([mpi(made.subarray(0, made.length / 2)), mpi(made.subarray(made.length / 2))]);
}

function rsaSign(secret: KeyObject, hash: number, digest: Buffer): Buffer {
  const { n, d } = secret.export({ format: 'jwk' });
  const size = base64url(n).length;
  const tail = Buffer.concat([Buffer.from([0]), Buffer.from(RSA_PREFIX[hash] ?? '', 'hex'), digest]);
  const block = Buffer.concat([Buffer.from([0, 1]), Buffer.alloc(size - 2 - tail.length, 0xff), tail]);
  return power(block, base64url(d), base64url(n));
}

function power(base: Buffer, exponent: Buffer, modulus: Buffer): Buffer {
  const m = BigInt(`0x${modulus.toString('hex')}`);
  let [result, square, left] = [1n, BigInt(`0x${base.toString('hex')}`) % m, BigInt(`0x${exponent.toString('hex')}`)];
  for (; left > 0n; left >>= 1n) {
    if ((left & 1n) === 1n) result = (result * square) % m;
    square = (square * square) % m;
  }
  return Buffer.from(result.toString(16).padStart(modulus.length * 2, '0'), 'hex');
}

/** A signature packet over a file. */
export function signFile(key: PgpKey, data: Uint8Array, options: SignatureOptions = {}): Buffer {
  return packet(2, signatureBody(key, data, options));
}

/** A self-certification of a user id; `by` forges it. */
export function certify(primary: PgpKey, userId: string, options: SignatureOptions & { by?: PgpKey } = {}): Buffer {
  const id = Buffer.from(userId);
  const data = Buffer.concat([forHash(primary.body), Buffer.from([0xb4]), u32(id.length), id]);
  return packet(
    2,
    signatureBody(options.by ?? primary, data, { type: 0x13, created: KEY_TIME, more: [flagsSub(0x03)], ...options }),
  );
}

/** The binding of a subkey; `crossSigner: null` leaves its own signature out, `crossMore` adds statements to it. */
export function bind(
  primary: PgpKey,
  subkey: PgpKey,
  options: SignatureOptions & {
    by?: PgpKey;
    crossSigner?: PgpKey | null;
    crossMore?: readonly Buffer[];
    flags?: number;
  } = {},
): Buffer {
  const data = Buffer.concat([forHash(primary.body), forHash(subkey.body)]);
  const { crossSigner = subkey, crossMore = [] } = options;
  const created = options.created ?? KEY_TIME;
  const cross = { type: 0x19, created, more: crossMore };
  const back = crossSigner === null ? [] : [sub(32, signatureBody(crossSigner, data, cross))];
  const more = [flagsSub(options.flags ?? 0x02), ...(options.more ?? [])];
  return packet(
    2,
    signatureBody(options.by ?? primary, data, { ...options, type: 0x18, created, more, unhashed: back }),
  );
}

/** A revocation of a primary key, or of a subkey of it; `flag` undefined gives no reason. */
export function revoke(
  primary: PgpKey,
  options: SignatureOptions & { by?: PgpKey; subkey?: PgpKey; flag?: number; text?: string } = {},
): Buffer {
  const data = Buffer.concat([forHash(primary.body), ...(options.subkey ? [forHash(options.subkey.body)] : [])]);
  const why =
    options.flag === undefined
      ? []
      : [sub(29, Buffer.concat([Buffer.from([options.flag]), Buffer.from(options.text ?? '')]))];
  const type = options.subkey ? 0x28 : 0x20;
  return packet(
    2,
    signatureBody(options.by ?? primary, data, {
      type,
      created: new Date('2024-05-15T00:00:00Z'),
      more: why,
      ...options,
    }),
  );
}

/** A revocation of a user id. */
export function revokeUser(primary: PgpKey, userId: string): Buffer {
  return certify(primary, userId, { type: 0x30, created: new Date('2024-05-15T00:00:00Z'), more: [] });
}

/** A public key: packets of the primary key, then its parts in order. */
export function certificate(primary: PgpKey, ...parts: readonly Buffer[]): Buffer {
  return Buffer.concat([packet(6, primary.body), ...parts]);
}

export function userId(text: string): Buffer {
  return packet(13, Buffer.from(text));
}

export function subkeyPacket(key: PgpKey): Buffer {
  return packet(14, key.body);
}

/** An ordinary public key: one user id, certified, allowed to sign. */
export function plainCertificate(primary: PgpKey, options: SignatureOptions = {}): Buffer {
  if (primary.version === 6) {
    const direct = packet(
      2,
      signatureBody(primary, forHash(primary.body), {
        type: 0x1f,
        created: KEY_TIME,
        more: [flagsSub(0x03)],
        ...options,
      }),
    );
    return certificate(primary, direct, userId(OWNER), certify(primary, OWNER, options));
  }
  return certificate(primary, userId(OWNER), certify(primary, OWNER, options));
}

/** The user id of ordinary keys. */
export const OWNER = 'Example Publisher <packages@example.org>';

/** ASCII armor in its usual form. */
export function armor(
  label: string,
  bytes: Uint8Array,
  options: { headers?: readonly string[]; checksum?: string | undefined; newline?: string } = {},
): string {
  const { headers = [], newline = '\n' } = options;
  const checksum = 'checksum' in options ? options.checksum : crc24(bytes);
  const body =
    Buffer.from(bytes)
      .toString('base64')
      .match(/.{1,64}/gu) ?? [];
  const end = checksum === undefined ? [] : [`=${checksum}`];
  return [`-----BEGIN PGP ${label}-----`, ...headers, '', ...body, ...end, `-----END PGP ${label}-----`, ''].join(
    newline,
  );
}

export const armorSignature = (bytes: Uint8Array): string => armor('SIGNATURE', bytes);
export const armorKey = (bytes: Uint8Array): string => armor('PUBLIC KEY BLOCK', bytes);

export function crc24(bytes: Uint8Array): string {
  let crc = 0xb704ce;
  for (const byte of bytes) {
    for (let bit = 7; bit >= 0; bit -= 1) {
      const carry = ((crc >> 23) & 1) ^ ((byte >> bit) & 1);
      crc = ((crc << 1) & 0xffffff) ^ (carry === 1 ? 0x864cfb : 0);
    }
  }
  return Buffer.from([crc >> 16, (crc >> 8) & 0xff, crc & 0xff]).toString('base64');
}
