import type { Config } from 'openpgp';

/** Largest signature file that is looked at, in bytes. */
export const MAX_FILE_BYTES = 65_536;
/** Largest single signature packet, in bytes. */
export const MAX_SIGNATURE_BYTES = 16_384;
/** Most signatures of one file. */
export const MAX_SIGNATURES = 16;
/** Largest file of public keys that is looked at, in bytes. */
export const MAX_KEY_FILE_BYTES = 4_194_304;
/** How far the clock of a signer may be ahead of ours, in milliseconds. */
export const CLOCK_SKEW = 300_000;
/** Shortest RSA key that is accepted, in bits. */
export const MIN_RSA_BITS = 2048;

/** A hash of files that is accepted. */
export interface Hash {
  /** As people write it. */
  readonly name: string;
  /** As node:crypto calls it. */
  readonly id: string;
  /** Length of the salt of a version 6 signature, in bytes. */
  readonly salt: number;
  /** What stands before the digest in an RSA signature, as hex. */
  readonly rsaPrefix: string;
}

const HASHES: ReadonlyMap<number, Hash> = new Map([
  [8, { name: 'SHA-256', id: 'sha256', salt: 16, rsaPrefix: '3031300d060960864801650304020105000420' }],
  [9, { name: 'SHA-384', id: 'sha384', salt: 24, rsaPrefix: '3041300d060960864801650304020205000430' }],
  [10, { name: 'SHA-512', id: 'sha512', salt: 32, rsaPrefix: '3051300d060960864801650304020305000440' }],
  [12, { name: 'SHA3-256', id: 'sha3-256', salt: 16, rsaPrefix: '3031300d060960864801650304020805000420' }],
  [14, { name: 'SHA3-512', id: 'sha3-512', salt: 32, rsaPrefix: '3051300d060960864801650304020a05000440' }],
]);
const REFUSED_HASHES: ReadonlyMap<number, string> = new Map([
  [1, 'MD5'],
  [2, 'SHA-1'],
  [3, 'RIPEMD-160'],
  [11, 'SHA-224'],
]);

/** The hash of an OpenPGP number, or undefined when it is too weak or unknown. */
export function acceptedHash(number: number): Hash | undefined {
  return HASHES.get(number);
}

/** The name of any hash, for messages. */
export function hashName(number: number): string {
  return HASHES.get(number)?.name ?? REFUSED_HASHES.get(number) ?? `hash number ${number}`;
}

/** The settings that every call into openpgp gets (docs/trust.md 3). The library's own global is never changed. */
export function strictConfig(openpgp: typeof import('openpgp')): Config {
  const { hash } = openpgp.enums;
  return {
    ...openpgp.config,
    rejectHashAlgorithms: new Set([hash.md5, hash.ripemd, hash.sha1]),
    rejectMessageHashAlgorithms: new Set([hash.md5, hash.ripemd, hash.sha1, hash.sha224]),
    minRSABits: MIN_RSA_BITS,
    ignoreUnsupportedPackets: true,
    ignoreMalformedPackets: false,
    enforceGrammar: true,
    allowInsecureVerificationWithReformattedKeys: false,
    allowMissingKeyFlags: false,
  };
}
