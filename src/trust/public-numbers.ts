import { createPublicKey, type JsonWebKey, type KeyObject } from 'node:crypto';
import { ByteReader } from './byte-reader.js';
import { MIN_RSA_BITS } from './policy.js';
import { Refusal } from './refusal.js';

/** The public numbers of a key packet, ready for node:crypto. */
export interface PublicNumbers {
  /** 4 or 6. */
  readonly version: number;
  /** As in OpenPGP: 1 and 3 RSA, 19 ECDSA, 22 and 27 Ed25519. */
  readonly algorithm: number;
  /** As people write it: `RSA 3072`, `Ed25519`, `ECDSA P-256`. */
  readonly name: string;
  /** Why files signed by it are refused. */
  readonly problem?: Refusal;
  readonly jwk?: JsonWebKey;
}

interface Curve {
  readonly name: string;
  readonly bytes: number;
}

const CURVES: ReadonlyMap<string, Curve> = new Map([
  ['2a8648ce3d030107', { name: 'P-256', bytes: 32 }],
  ['2b81040022', { name: 'P-384', bytes: 48 }],
  ['2b81040023', { name: 'P-521', bytes: 66 }],
]);
const REFUSED_CURVES: ReadonlyMap<string, string> = new Map([
  ['2b8104000a', 'secp256k1'],
  ['2b2403030208010107', 'brainpoolP256r1'],
  ['2b240303020801010b', 'brainpoolP384r1'],
  ['2b240303020801010d', 'brainpoolP512r1'],
]);
const ED25519 = '2b06010401da470f01';
const REFUSED_ALGORITHMS: ReadonlyMap<number, string> = new Map([
  [2, 'RSA for encryption'],
  [16, 'Elgamal'],
  [17, 'DSA'],
  [18, 'ECDH'],
  [25, 'X25519'],
  [26, 'X448'],
  [28, 'Ed448'],
]);

/** Reads the body of a public key packet; throws a Refusal (malformed) when it is broken. */
export function readPublicNumbers(body: Uint8Array): PublicNumbers {
  const reader = new ByteReader(body);
  const version = reader.number(1);
  reader.take(4);
  const algorithm = reader.number(1);
  if (version === 6) reader.take(4);
  return { version, algorithm, ...material(reader, algorithm) };
}

type Material = Omit<PublicNumbers, 'version' | 'algorithm'>;

function material(reader: ByteReader, algorithm: number): Material {
  switch (algorithm) {
    case 1:
    case 3:
      return rsa(reader.integer(), reader.integer());
    case 19:
      return ecdsa(objectId(reader), reader.integer());
    case 22:
      return legacyEd25519(objectId(reader), reader.integer());
    case 27:
      return ed25519(reader.take(32));
    case 17: {
      const name = `DSA ${bitLength(reader.integer())}`;
      return { name, problem: new Refusal('weak-key', `${name} keys are not accepted`) };
    }
    default: {
      const name = REFUSED_ALGORITHMS.get(algorithm) ?? `algorithm number ${algorithm}`;
      return { name, problem: new Refusal('key-unusable', `${name} is not accepted for signatures`) };
    }
  }
}

function rsa(modulus: Buffer, exponent: Buffer): Material {
  const bits = bitLength(modulus);
  const name = `RSA ${bits}`;
  if (bits < MIN_RSA_BITS)
    return { name, problem: new Refusal('weak-key', `${name} is shorter than ${MIN_RSA_BITS} bits`) };
  if (exponent.length === 0 || (exponent.length === 1 && exponent.readUInt8(0) < 3))
    return { name, problem: new Refusal('weak-key', `${name} has a public exponent below 3`) };
  return { name, jwk: { kty: 'RSA', n: modulus.toString('base64url'), e: exponent.toString('base64url') } };
}

function ecdsa(oid: string, point: Buffer): Material {
  const curve = CURVES.get(oid);
  if (curve === undefined) {
    const name = `ECDSA ${REFUSED_CURVES.get(oid) ?? 'on an unknown curve'}`;
    return { name, problem: new Refusal('weak-key', `${name} is not accepted; P-256, P-384 and P-521 are`) };
  }
  const name = `ECDSA ${curve.name}`;
  if (point.length !== 1 + 2 * curve.bytes || point.readUInt8(0) !== 4)
    return { name, problem: new Refusal('key-unusable', `the point of the ${name} key is invalid`) };
  const x = point.subarray(1, 1 + curve.bytes).toString('base64url');
  const y = point.subarray(1 + curve.bytes).toString('base64url');
  return { name, jwk: { kty: 'EC', crv: curve.name, x, y } };
}

function legacyEd25519(oid: string, point: Buffer): Material {
  if (oid === ED25519 && point.length === 33 && point.readUInt8(0) === 0x40) return ed25519(point.subarray(1));
  return { name: 'EdDSA', problem: new Refusal('key-unusable', 'the EdDSA key is not a valid Ed25519 key') };
}

function ed25519(point: Buffer): Material {
  return { name: 'Ed25519', jwk: { kty: 'OKP', crv: 'Ed25519', x: point.toString('base64url') } };
}

const OPENED = new WeakMap<PublicNumbers, KeyObject>();

/** The key for node:crypto; throws a Refusal when the policy forbids it or its numbers are impossible. */
export function openPublicNumbers(numbers: PublicNumbers): KeyObject {
  if (numbers.problem !== undefined || numbers.jwk === undefined)
    throw numbers.problem ?? new Refusal('key-unusable', `${numbers.name} is not accepted`);
  try {
    const key = OPENED.get(numbers) ?? createPublicKey({ key: numbers.jwk, format: 'jwk' });
    OPENED.set(numbers, key);
    return key;
  } catch {
    throw new Refusal('key-unusable', `the numbers of the ${numbers.name} key are invalid`);
  }
}

function objectId(reader: ByteReader): string {
  return reader.take(reader.number(1)).toString('hex');
}

function bitLength(integer: Buffer): number {
  return integer.length === 0 ? 0 : (integer.length - 1) * 8 + (32 - Math.clz32(integer.readUInt8(0)));
}
