import { constants, createVerify, publicDecrypt, verify, type KeyObject } from 'node:crypto';
import type { FileHashes } from './file-hashes.js';
import type { Hash } from './policy.js';
import type { SignaturePacket } from './signature-packet.js';

/**
 * A signature that waits for the bytes of its file. Feed them in order to it and to the hashes that it was started
 * with, then ask once. Memory does not grow with the file.
 */
export interface PendingSignature {
  update(chunk: Uint8Array): void;
  /** Whether digest and numbers agree. */
  finish(): boolean | Promise<boolean>;
}

/**
 * Starts to hash a file for one signature. ECDSA is hashed twice, because node:crypto cannot check a digest that is
 * already made and does not show the one that it makes.
 */
export function startSignature(
  packet: SignaturePacket,
  hash: Hash,
  key: KeyObject,
  hashes: FileHashes,
): PendingSignature {
  hashes.want(hash.id, packet.salt);
  const stream = key.asymmetricKeyType === 'ec' ? createVerify(hash.id).update(packet.salt) : undefined;
  const update = (chunk: Uint8Array): void => {
    stream?.update(chunk);
  };
  const finish = (): boolean => {
    const end = [packet.signedPart, trailer(packet)];
    const made = hashes.digest(hash.id, packet.salt, ...end);
    end.forEach(update);
    if (!made.subarray(0, 2).equals(packet.prefix)) return false;
    try {
      if (stream !== undefined)
        return stream.verify({ key, dsaEncoding: 'ieee-p1363' }, fixedWidth(packet, curveBytes(key)));
      return key.asymmetricKeyType === 'rsa'
        ? verifyRsa(packet, hash, key, made)
        : verify(null, made, key, fixedWidth(packet, 32));
    } catch {
      return false;
    }
  };
  return { update, finish };
}

/** What is hashed after the file and the signed part of the packet. */
export function trailer({ version, signedPart }: SignaturePacket): Uint8Array {
  const bytes = Buffer.from([version, 0xff, 0, 0, 0, 0]);
  bytes.writeUInt32BE(signedPart.length, 2);
  return bytes;
}

/** The whole padded block is built and compared, so that nothing of it stays unread. */
function verifyRsa(packet: SignaturePacket, hash: Hash, key: KeyObject, digest: Buffer): boolean {
  const size = ((key.asymmetricKeyDetails?.modulusLength ?? 0) + 7) >> 3;
  const block = publicDecrypt({ key, padding: constants.RSA_NO_PADDING }, joined(packet.numbers, size));
  const tail = Buffer.concat([Buffer.from([0]), Buffer.from(hash.rsaPrefix, 'hex'), digest]);
  const filler = Buffer.alloc(size - 2 - tail.length, 0xff);
  return block.equals(Buffer.concat([Buffer.from([0, 1]), filler, tail]));
}

function fixedWidth(packet: SignaturePacket, width: number): Buffer {
  return packet.numbers.length === 1 ? Buffer.concat(packet.numbers) : joined(packet.numbers, width);
}

/** Numbers padded on the left; one that is too long makes a length that no check accepts. */
function joined(numbers: readonly Uint8Array[], width: number): Buffer {
  return Buffer.concat(
    numbers.map((number) => Buffer.concat([Buffer.alloc(Math.max(0, width - number.length)), number])),
  );
}

function curveBytes(key: KeyObject): number {
  const widths: Record<string, number> = { prime256v1: 32, secp384r1: 48, secp521r1: 66 };
  return widths[key.asymmetricKeyDetails?.namedCurve ?? ''] ?? 0;
}
