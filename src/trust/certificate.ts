import type { Config, Key, Subkey } from 'openpgp';
import { CliError } from '../core/errors.js';
import { readKeyBlocks } from './armor.js';
import { readPackets } from './packets.js';
import { MAX_KEY_FILE_BYTES, strictConfig } from './policy.js';
import { Refusal } from './refusal.js';

const PUBLIC_KEY = 6;
const SECRET_TAGS: ReadonlySet<number> = new Set([5, 7]);
/** Signature, public key, trust, user id, public subkey, user attribute. */
const KEY_TAGS: ReadonlySet<number> = new Set([2, PUBLIC_KEY, 12, 13, 14, 17]);

/** A public key with all that belongs to it, and the settings to judge it by. */
export interface Certificate {
  readonly key: Key;
  readonly config: Config;
  /** The library's numbers of kinds of signatures. */
  readonly kinds: typeof import('openpgp').enums.signature;
}

/**
 * Every public key of a file (armored, several blocks, or binary). Throws TRUST_PRIVATE, or KEY_UNUSABLE when the file
 * cannot be read.
 */
export async function readCertificates(bytes: Uint8Array, what = 'the key file'): Promise<readonly Certificate[]> {
  if (bytes.length > MAX_KEY_FILE_BYTES)
    throw new CliError('KEY_UNUSABLE', `${what} is larger than ${MAX_KEY_FILE_BYTES} bytes`);
  try {
    const parts = readKeyBlocks(bytes).flatMap(({ label, packets }) => splitKeys(what, label, packets));
    if (parts.length === 0) throw new Refusal('malformed', 'it has no public key');
    const openpgp = await import('openpgp');
    const config = strictConfig(openpgp);
    return await Promise.all(
      parts.map(async (part) => ({
        key: await openpgp.readKey({ binaryKey: part, config }),
        config,
        kinds: openpgp.enums.signature,
      })),
    );
  } catch (error) {
    if (error instanceof CliError) throw error;
    throw new CliError(
      'KEY_UNUSABLE',
      `${what} cannot be read: ${error instanceof Refusal ? error.message : 'it has an invalid key'}`,
      { cause: error, hints: ['give a public key, as gpg --armor --export FPR writes it'] },
    );
  }
}

function splitKeys(what: string, label: string | undefined, bytes: Uint8Array): readonly Uint8Array[] {
  if (label === 'PRIVATE KEY BLOCK') throw privateKey(what);
  if (label !== undefined && label !== 'PUBLIC KEY BLOCK')
    throw new Refusal('malformed', `it has a "PGP ${label}" instead of a public key`);
  const keys: Uint8Array[][] = [];
  for (const { tag, whole } of readPackets(bytes)) {
    if (SECRET_TAGS.has(tag)) throw privateKey(what);
    if (!KEY_TAGS.has(tag))
      throw new Refusal('malformed', `it has a packet that is not part of a public key (tag ${tag})`);
    if (tag === PUBLIC_KEY) keys.push([]);
    const current = keys.at(-1);
    if (current === undefined) throw new Refusal('malformed', 'it does not start with a public key');
    current.push(whole);
  }
  return keys.map((packets) => Buffer.concat(packets));
}

function privateKey(what: string): CliError {
  return new CliError('TRUST_PRIVATE', `${what} has a private key; use the public key only`, {
    hints: [
      { next: 'public-key' },
      'gpg --armor --export FPR > publisher.asc',
      'unless this is your own key, remove it from this machine, and have its owner replace it',
    ],
  });
}

/** A primary key or subkey. */
export type KeyUnit = Key | Subkey;

/** One key may sign thousands of files, and the library writes its fingerprint anew each time. */
const FINGERPRINTS = new WeakMap<KeyUnit, string>();

/** The fingerprint in upper-case hex. */
export function fingerprintOf(unit: KeyUnit): string {
  const found = FINGERPRINTS.get(unit) ?? unit.getFingerprint().toUpperCase();
  FINGERPRINTS.set(unit, found);
  return found;
}

/** Sixteen upper-case hex digits. */
export function keyIdOfUnit(unit: KeyUnit): string {
  return unit.getKeyID().toHex().toUpperCase();
}
