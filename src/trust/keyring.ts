import { smallestOf } from '../core/collections.js';
import { CliError } from '../core/errors.js';
import { fingerprintOf, keyIdOfUnit, readCertificates, type Certificate, type KeyUnit } from './certificate.js';
import { matchesGlob } from '../core/glob.js';
import { checkUsable, endOf, findRevocation } from './key-check.js';
import { readPublicNumbers } from './public-numbers.js';
import { Refusal } from './refusal.js';

/** A key as the trust store of one hub keeps it. */
export interface PinnedKey {
  /** One armored public key. */
  readonly armored: string;
  /** Which packages it may sign, with `*` and `?`; undefined = all, and the files of the hub itself. */
  readonly packages?: string | undefined;
  /** Accept files that were signed while the key was good, though it has expired since. */
  readonly allowExpired?: boolean | undefined;
}

/** One pinned key, opened. */
export interface KeyringEntry {
  readonly certificate: Certificate;
  /** Upper-case hex, of the primary key. */
  readonly fingerprint: string;
  readonly userId: string | undefined;
  readonly packages: string | undefined;
  readonly allowExpired: boolean;
}

/** The keys that may sign one thing. As opened it is the keyring of the hub's own files (keys without a pattern). */
export interface Keyring {
  readonly trusted: readonly KeyringEntry[];
  /** Pinned for this hub, but not for this thing. */
  readonly elsewhere: readonly KeyringEntry[];
}

/**
 * Opens the pinned keys of one hub; no keys make an empty keyring. Throws KEY_UNUSABLE or TRUST_PRIVATE for a damaged
 * store.
 */
export async function openKeyring(keys: readonly PinnedKey[]): Promise<Keyring> {
  const entries = await Promise.all(keys.map(openEntry));
  return keyringFor({ trusted: entries, elsewhere: [] }, undefined);
}

/**
 * The keyring for the files of one package. Undefined = the files of the hub itself, which only keys without a pattern
 * may sign.
 */
export function keyringFor(keyring: Keyring, packageName: string | undefined): Keyring {
  const all = [...keyring.trusted, ...keyring.elsewhere];
  const fits = ({ packages }: KeyringEntry): boolean =>
    packages === undefined || (packageName !== undefined && matchesGlob(packages, packageName));
  return { trusted: all.filter(fits), elsewhere: all.filter((entry) => !fits(entry)) };
}

async function openEntry({ armored, packages, allowExpired }: PinnedKey): Promise<KeyringEntry> {
  const [certificate, ...more] = await readCertificates(new TextEncoder().encode(armored));
  if (certificate === undefined || more.length > 0)
    throw new CliError('KEY_UNUSABLE', `a trusted key file has ${more.length + 1} keys instead of one`);
  const fingerprint = fingerprintOf(certificate.key);
  return {
    certificate,
    fingerprint,
    userId: certificate.key.getUserIDs()[0],
    packages,
    allowExpired: allowExpired === true,
  };
}

/** A key or subkey of an entry. */
export interface Match {
  readonly entry: KeyringEntry;
  readonly unit: KeyUnit;
}

/** The entry whose key or subkey a signature names: by fingerprint when there is one, else by key id. */
export function findSigner(
  entries: readonly KeyringEntry[],
  signer: { readonly fingerprint: string | undefined; readonly keyId: string },
): Match | undefined {
  for (const entry of entries) {
    const unit = entry.certificate.key
      .getKeys()
      .find((one) =>
        signer.fingerprint === undefined
          ? keyIdOfUnit(one) === signer.keyId
          : fingerprintOf(one) === signer.fingerprint,
      );
    if (unit !== undefined) return { entry, unit };
  }
  return undefined;
}

/** A public key as `hub key add` shows it before it is pinned. */
export interface TrustedKey {
  /** Upper-case hex. */
  readonly fingerprint: string;
  /** Sixteen upper-case hex digits. */
  readonly keyId: string;
  readonly userIds: readonly string[];
  /** RFC 3339. */
  readonly createdAt: string;
  /** RFC 3339; absent when it never expires. */
  readonly expiresAt?: string | undefined;
  readonly revoked: boolean;
  /** `RSA 3072`, `Ed25519`, `ECDSA P-256`. */
  readonly algorithm: string;
  /** The public key alone, armored anew. */
  readonly armored: string;
}

/**
 * Reads every key of a file. Throws TRUST_PRIVATE for a private key, SIG_WEAK or KEY_UNUSABLE for one that could never
 * verify anything.
 */
export async function readPublicKeys(bytes: Uint8Array, what?: string): Promise<readonly TrustedKey[]> {
  return Promise.all((await readCertificates(bytes, what)).map(describeKey));
}

/** When a key, or its sub-key with this key id, expires first, in milliseconds; undefined = never. */
export async function expiryOf({ certificate }: KeyringEntry, keyId: string): Promise<number | undefined> {
  const { key } = certificate;
  return (await endOf(certificate, key.getSubkeys().find((one) => keyIdOfUnit(one) === keyId) ?? key))?.getTime();
}

/** The next moment at which a key or sub-key of an entry expires, in milliseconds; Infinity: never. */
export async function nextExpiry({ certificate }: KeyringEntry, now: Date): Promise<number> {
  const { key, config } = certificate;
  const ends = await Promise.all([key, ...key.getSubkeys()].map((one) => one.getExpirationTime(undefined, config)));
  return smallestOf(ends.flatMap((end) => (end instanceof Date && end > now ? [end.getTime()] : [])));
}

async function describeKey(certificate: Certificate): Promise<TrustedKey> {
  const { key, config } = certificate;
  const fingerprint = fingerprintOf(key);
  const revoked = (await findRevocation(certificate, key)) !== undefined;
  if (!revoked) await demandUsable(certificate, fingerprint);
  const expires = await key.getExpirationTime(undefined, config);
  return {
    fingerprint,
    keyId: keyIdOfUnit(key),
    userIds: key.getUserIDs(),
    createdAt: key.getCreationTime().toISOString(),
    ...(expires instanceof Date ? { expiresAt: expires.toISOString() } : {}),
    revoked,
    algorithm: readPublicNumbers(key.keyPacket.write()).name,
    armored: key.armor(),
  };
}

async function demandUsable(certificate: Certificate, fingerprint: string): Promise<void> {
  try {
    await checkUsable(certificate);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    throw new CliError(
      error.reason === 'weak-key' ? 'SIG_WEAK' : 'KEY_UNUSABLE',
      `the key ${fingerprint} cannot be used: ${error.message}`,
      { cause: error, target: { signer: fingerprint } },
    );
  }
}
