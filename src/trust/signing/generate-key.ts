import { fingerprintOf, keyIdOfUnit } from '../certificate.js';
import { readPublicNumbers } from '../public-numbers.js';

/** What a new key is to be. */
export interface KeyWishes {
  readonly type: 'rsa3072' | 'ed25519';
  readonly name: string | undefined;
  readonly email: string | undefined;
  readonly created: Date;
  /** Seconds from its making until it can no longer sign; 0: never. */
  readonly lifetime: number;
  /** Undefined leaves the secret key unlocked. */
  readonly passphrase: string | undefined;
}

/** A new key, as the files that gpg exports. */
export interface NewKey {
  readonly secret: string;
  readonly public: string;
  /** Upper-case hex. */
  readonly fingerprint: string;
  /** Sixteen upper-case hex digits. */
  readonly keyId: string;
  readonly userId: string;
  /** `RSA 3072`, `Ed25519`. */
  readonly algorithm: string;
}

/** Makes a key of version 4 that certifies and signs, in a form that every gpg from 2.1 reads. */
export async function generateKey(wishes: KeyWishes): Promise<NewKey> {
  const { generateKey: make } = await import('openpgp');
  const { name, email, created, lifetime, passphrase } = wishes;
  const kind = wishes.type === 'rsa3072' ? ({ type: 'rsa', rsaBits: 3072 } as const) : ED25519;
  const { privateKey, publicKey } = await make({
    ...kind,
    userIDs: [{ ...(name !== undefined && { name }), ...(email !== undefined && { email }) }],
    ...(passphrase !== undefined && { passphrase }),
    keyExpirationTime: lifetime,
    date: created,
    subkeys: [],
    format: 'object',
    config: { v6Keys: false, aeadProtect: false },
  });
  return {
    secret: privateKey.armor(),
    public: publicKey.armor(),
    fingerprint: fingerprintOf(publicKey),
    keyId: keyIdOfUnit(publicKey),
    userId: publicKey.getUserIDs()[0] ?? '',
    algorithm: readPublicNumbers(publicKey.keyPacket.write()).name,
  };
}

/** The older algorithm number (22): gpg 2.2 does not know the newer one. */
const ED25519 = { type: 'ecc', curve: 'ed25519Legacy' } as const;
