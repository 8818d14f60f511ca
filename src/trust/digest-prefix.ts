import { createHash, type Hash } from 'node:crypto';
import { readSignatureArmor } from './armor.js';
import { trailer } from './check-signature.js';
import { readSignaturePackets } from './packets.js';
import { acceptedHash, MAX_FILE_BYTES } from './policy.js';
import { Refusal } from './refusal.js';
import { readSignaturePacket, type SignaturePacket } from './signature-packet.js';

/** Tells without a key what is no signature over a file, by the first bytes of its digest. */
export interface PrefixCheck {
  update(chunk: Uint8Array): void;
  /** Whether one of the signatures may be over the bytes so far. */
  finish(): boolean;
}

/** Starts to compare a file with its signature file; one that cannot be read is over no file. */
export function startPrefixCheck(signature: Uint8Array): PrefixCheck {
  const open = packetsOf(signature).map((packet) => ({ packet, hash: hashOf(packet) }));
  return {
    update: (chunk) => {
      for (const { hash } of open) hash?.update(chunk);
    },
    finish: () =>
      open.some(({ packet, hash }) => {
        // Of a hash that clients do not accept nothing is known.
        if (hash === undefined) return true;
        const made = hash.copy().update(packet.signedPart).update(trailer(packet)).digest();
        return made.subarray(0, packet.prefix.length).equals(packet.prefix);
      }),
  };
}

function hashOf({ hash, salt }: SignaturePacket): Hash | undefined {
  const accepted = acceptedHash(hash);
  return accepted && createHash(accepted.id).update(salt);
}

function packetsOf(signature: Uint8Array): readonly SignaturePacket[] {
  try {
    if (signature.length > MAX_FILE_BYTES) return [];
    return readSignaturePackets(readSignatureArmor(signature)).map(readSignaturePacket);
  } catch (error) {
    if (error instanceof Refusal) return [];
    throw error;
  }
}
