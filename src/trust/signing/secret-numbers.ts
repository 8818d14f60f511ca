import type { JsonWebKey } from 'node:crypto';
import type { SecretKeyPacket, SecretSubkeyPacket } from 'openpgp';
import type { PublicNumbers } from '../public-numbers.js';

const CURVE_BYTES: Readonly<Record<string, number>> = { 'P-256': 32, 'P-384': 48, 'P-521': 66, Ed25519: 32 };

/** The secret part of a key or subkey, as openpgp.js keeps it. */
export type SecretPacket = SecretKeyPacket | SecretSubkeyPacket;

/** Whether a key packet has a secret part. */
export function isSecretPacket(packet: object): packet is SecretPacket {
  return 'isMissingSecretKeyMaterial' in packet;
}

/** The secret numbers of an unlocked key as node:crypto reads them. Throws when they are none of a known algorithm. */
export function secretJwk(packet: SecretPacket, { jwk }: PublicNumbers): JsonWebKey {
  const { privateParams } = packet;
  if (jwk === undefined || privateParams === null) throw new Error('the key is locked');
  const number = (name: string): Uint8Array => {
    const value: unknown = Reflect.get(privateParams, name);
    if (!(value instanceof Uint8Array)) throw new Error(`the key has no number ${name}`);
    return value;
  };
  switch (jwk.kty) {
    case 'RSA':
      return { ...jwk, ...rsaNumbers(number('d'), number('p'), number('q'), number('u')) };
    case 'EC':
      return { ...jwk, d: fixedWidth(number('d'), CURVE_BYTES[jwk.crv ?? ''] ?? 0) };
    default:
      return { ...jwk, d: fixedWidth(number('seed'), 32) };
  }
}

/** Overwrites the secret numbers that openpgp.js keeps. */
export function wipe({ privateParams }: SecretPacket): void {
  for (const value of Object.values(privateParams ?? {})) if (value instanceof Uint8Array) value.fill(0);
}

/** The primes change places: OpenPGP has the inverse of p modulo q, JWK that of q modulo p. */
function rsaNumbers(d: Uint8Array, p: Uint8Array, q: Uint8Array, u: Uint8Array): JsonWebKey {
  const modulo = (prime: Uint8Array): string => {
    const rest = (integerOf(d) % (integerOf(prime) - 1n)).toString(16);
    return Buffer.from(rest.padStart(rest.length + (rest.length % 2), '0'), 'hex').toString('base64url');
  };
  return { d: base64url(d), p: base64url(q), q: base64url(p), dp: modulo(q), dq: modulo(p), qi: base64url(u) };
}

const integerOf = (bytes: Uint8Array): bigint => BigInt(`0x${Buffer.from(bytes).toString('hex')}`);

const base64url = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64url');

function fixedWidth(bytes: Uint8Array, width: number): string {
  return base64url(Buffer.concat([Buffer.alloc(Math.max(0, width - bytes.length)), bytes]));
}
