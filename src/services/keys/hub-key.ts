import type { PinnedKey } from '../../state/trust-store.js';
import { readPublicKeys, type TrustedKey } from '../../trust/keyring.js';

/** Where the keys of one hub are kept, and what the hub is called. */
export interface KeyPlace {
  readonly name: string;
  /** Normalised base URL of the hub. */
  readonly base: string;
  /** The trust store. */
  readonly folder: string;
}

/** A key that is, or is about to be, pinned for a hub. */
export interface HubKey {
  readonly hub: string;
  readonly base: string;
  /** Upper-case hex. */
  readonly fingerprint: string;
  readonly keyId: string;
  readonly userIds: readonly string[];
  readonly algorithm: string;
  /** RFC 3339. */
  readonly createdAt: string;
  readonly expiresAt?: string | undefined;
  /** What became of the key by now. */
  readonly state: 'good' | 'expired' | 'revoked';
  /** Which packages it may sign; all when absent. */
  readonly packages?: string | undefined;
  readonly addedAt?: string | undefined;
  /** The public key alone. */
  readonly armored: string;
}

/** What the store records of a key beside the key. */
export type PinDetails = Partial<Pick<PinnedKey, 'packages' | 'addedAt'>>;

/** Describes a key of a hub as it stands at a time. */
export function hubKeyOf(
  { name, base }: KeyPlace,
  { revoked, ...key }: TrustedKey,
  { packages, addedAt }: PinDetails,
  now: number,
): HubKey {
  const expired = key.expiresAt !== undefined && Date.parse(key.expiresAt) <= now;
  const state = revoked ? 'revoked' : expired ? 'expired' : 'good';
  return { hub: name, base, ...key, state, packages, addedAt };
}

/**
 * Describes a key as the store holds it.
 * @throws KEY_UNUSABLE when the store is damaged
 */
export async function describePinned(place: KeyPlace, pinned: PinnedKey, now: number): Promise<readonly HubKey[]> {
  const keys = await readPublicKeys(Buffer.from(pinned.armored, 'utf8'));
  return keys.map((key) => hubKeyOf(place, key, pinned, now));
}
