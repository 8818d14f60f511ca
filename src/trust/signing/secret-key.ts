import { createPrivateKey, type KeyObject } from 'node:crypto';
import type { PrivateKey } from 'openpgp';
import { CliError, type ErrorCode } from '../../core/errors.js';
import { readKeyBlocks } from '../armor.js';
import { fingerprintOf, type Certificate, type KeyUnit } from '../certificate.js';
import { checkKey, endOf, numbersOf } from '../key-check.js';
import type { KeyringEntry } from '../keyring.js';
import { readPackets } from '../packets.js';
import { MAX_KEY_FILE_BYTES, strictConfig } from '../policy.js';
import { openPublicNumbers } from '../public-numbers.js';
import { Refusal } from '../refusal.js';
import type { Reason } from '../verdict.js';
import { isSecretPacket, secretJwk, wipe, type SecretPacket } from './secret-numbers.js';

const SECRET_KEY = 5;
const EXTEND = 'make a new key, or extend this one (gpg --quick-set-expire) and export it again';
const CODES: Partial<Record<Reason, ErrorCode>> = {
  'key-expired': 'KEY_EXPIRED',
  'key-revoked': 'KEY_REVOKED',
  'weak-key': 'SIG_WEAK',
};

/** A secret key file whose key or subkey for signing was chosen, but not opened. */
export interface SecretKey {
  /** What verifies its signatures. */
  readonly entry: KeyringEntry;
  /** Upper-case hex, of the key or subkey that signs. */
  readonly signer: string;
  /** When it can no longer sign; undefined: never. */
  readonly expires: Date | undefined;
  /** Whether it needs a passphrase. */
  readonly locked: boolean;
  /**
   * Opens it for node:crypto; the copy of openpgp.js is wiped, so this works once.
   * @throws KEY_LOCKED for a passphrase that is missing or wrong
   */
  open(passphrase: string | undefined): Promise<SigningKey>;
}

/** A key that signs. */
export interface SigningKey {
  readonly entry: KeyringEntry;
  /** Upper-case hex, of the key or subkey that signs. */
  readonly signer: string;
  /** As in OpenPGP: 1 and 3 RSA, 19 ECDSA, 22 Ed25519. */
  readonly algorithm: number;
  readonly key: KeyObject;
}

/** When a signature is dated, and when the key is judged. */
export interface SigningTime {
  readonly created: Date;
  readonly now: Date;
}

/**
 * Reads a file of `gpg --export-secret-keys` or `--export-secret-subkeys`, and chooses what signs. That is the newest
 * of the subkeys, else the primary key, among those that have their secret part and may sign.
 * @throws KEY_EXPIRED, KEY_REVOKED, SIG_WEAK, KEY_UNUSABLE
 */
export async function readSecretKey(bytes: Uint8Array, what: string, time: SigningTime): Promise<SecretKey> {
  const key = await parse(bytes, what);
  const { config, enums } = await withConfig();
  const certificate: Certificate = { key: key.toPublic(), config, kinds: enums.signature };
  const { packet, unit } = await choose(key, certificate, what, time);
  const fingerprint = fingerprintOf(key);
  const userId = key.getUserIDs()[0];
  const entry = { certificate, fingerprint, userId, packages: undefined, allowExpired: false };
  const signer = fingerprintOf(unit);
  const locked = !packet.isDecrypted();
  return {
    entry,
    signer,
    expires: await endOf(certificate, unit),
    locked,
    async open(passphrase) {
      if (locked) await unlock(packet, passphrase, what);
      const numbers = numbersOf(certificate, unit);
      try {
        const key = createPrivateKey({ key: secretJwk(packet, numbers), format: 'jwk' });
        return { entry, signer, algorithm: numbers.algorithm, key };
      } catch (cause) {
        throw new CliError('KEY_UNUSABLE', `the secret numbers of ${what} are invalid`, {
          cause,
          target: { file: what },
        });
      } finally {
        wipe(packet);
      }
    },
  };
}

async function withConfig(): Promise<{ config: Certificate['config']; enums: typeof import('openpgp').enums }> {
  const openpgp = await import('openpgp');
  return { config: strictConfig(openpgp), enums: openpgp.enums };
}

async function parse(bytes: Uint8Array, what: string): Promise<PrivateKey> {
  try {
    if (bytes.length > MAX_KEY_FILE_BYTES) throw new Refusal('malformed', 'it is too large');
    const [block, ...more] = readKeyBlocks(bytes);
    if (block === undefined || (block.label !== undefined && block.label !== 'PRIVATE KEY BLOCK'))
      throw new Refusal('malformed', block === undefined ? 'it has no key' : `it has a "PGP ${block.label ?? ''}"`);
    const keys = [...readPackets(block.packets)].filter(({ tag }) => tag === SECRET_KEY).length;
    if (keys !== 1 || more.length > 0) throw new Refusal('malformed', 'it must have exactly one secret key');
    const openpgp = await import('openpgp');
    const key = await openpgp.readPrivateKey({ binaryKey: block.packets, config: strictConfig(openpgp) });
    if (key.keyPacket.version !== 4) throw new Refusal('malformed', 'only keys of version 4 can sign for all clients');
    return key;
  } catch (cause) {
    const detail = cause instanceof Refusal ? cause.message : 'it has an invalid key';
    throw new CliError('KEY_UNUSABLE', `${what} cannot be used as a signing key: ${detail}`, {
      cause,
      hints: [{ next: 'secret-key' }, 'or give a key that gpg --export-secret-keys FPR writes'],
      target: { file: what },
    });
  }
}

interface Chosen {
  readonly packet: SecretPacket;
  /** The public side. */
  readonly unit: KeyUnit;
}

async function choose(key: PrivateKey, certificate: Certificate, what: string, time: SigningTime): Promise<Chosen> {
  const units = certificate.key.getKeys();
  const found = key.getKeys().flatMap(({ keyPacket }, at) => {
    const unit = units[at];
    return unit !== undefined && isSecretPacket(keyPacket) && !keyPacket.isMissingSecretKeyMaterial()
      ? [{ packet: keyPacket, unit }]
      : [];
  });
  const isSubkey = ({ unit }: Chosen): number => ('mainKey' in unit ? 1 : 0);
  const age = ({ unit }: Chosen): number => unit.getCreationTime().getTime();
  found.sort((a, b) => isSubkey(b) - isSubkey(a) || age(b) - age(a));
  const problems: Refusal[] = [];
  for (const one of found) {
    const problem = await problemOf(certificate, one.unit, time);
    if (problem === undefined) return one;
    problems.push(problem);
  }
  throw cannotSign(problems, fingerprintOf(key), what);
}

async function problemOf(certificate: Certificate, unit: KeyUnit, time: SigningTime): Promise<Refusal | undefined> {
  try {
    const numbers = numbersOf(certificate, unit);
    openPublicNumbers(numbers);
    if (numbers.algorithm === 27) throw new Refusal('key-unusable', 'gpg cannot read signatures of its algorithm (27)');
    await checkKey(certificate, unit, { signed: time.created, now: time.now, allowExpired: false });
    return undefined;
  } catch (error) {
    if (error instanceof Refusal) return error;
    throw error;
  }
}

function cannotSign(problems: readonly Refusal[], fingerprint: string, what: string): CliError {
  const telling = problems.find(({ reason }) => CODES[reason] !== undefined) ?? problems[0];
  const why = telling?.message ?? 'the file has only its public part';
  const detail = telling?.reason === 'key-revoked' ? `it was revoked ${why}` : why;
  return new CliError(
    (telling && CODES[telling.reason]) ?? 'KEY_UNUSABLE',
    `the key ${fingerprint} in ${what} cannot sign: ${detail}`,
    {
      cause: telling,
      hints: telling?.reason === 'key-expired' ? [EXTEND] : [],
      target: { file: what, signer: fingerprint },
    },
  );
}

async function unlock(packet: SecretPacket, passphrase: string | undefined, what: string): Promise<void> {
  const target = { file: what };
  if (passphrase === undefined) throw new CliError('KEY_LOCKED', `the key in ${what} needs its passphrase`, { target });
  try {
    await packet.decrypt(passphrase);
  } catch (cause) {
    throw new CliError('KEY_LOCKED', `the passphrase does not open the key in ${what}`, { cause, target });
  }
}
