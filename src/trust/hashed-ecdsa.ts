import type { SignaturePacket as LibraryPacket } from 'openpgp';
import { trailer, type PendingSignature } from './check-signature.js';
import type { FileHashes } from './file-hashes.js';
import type { Hash } from './policy.js';
import type { AcceptedSignature } from './second-opinion.js';
import type { SignaturePacket } from './signature-packet.js';

interface Deps {
  readonly hash: Hash;
  /** Fed with the whole file. */
  readonly hashes: FileHashes;
  readonly by: AcceptedSignature;
}

/**
 * An ECDSA signature of a file that was hashed before. openpgp.js checks it, because node:crypto cannot check a digest
 * that is already made.
 */
export function hashedEcdsa(body: Uint8Array, packet: SignaturePacket, { hash, hashes, by }: Deps): PendingSignature {
  const finish = async (): Promise<boolean> => {
    const digest = hashes.digest(hash.id, packet.salt, packet.signedPart, trailer(packet));
    if (!digest.subarray(0, 2).equals(packet.prefix)) return false;
    const { config, kinds } = by.certificate;
    const read = await packetOf(body, config);
    // what openpgp.js checks in place of a hash of its own
    Reflect.set(read, 'hashed', digest);
    return read.verify(by.unit.keyPacket, kinds.binary, {}, packet.created, true, config).then(
      () => true,
      () => false,
    );
  };
  return { update: () => undefined, finish };
}

async function packetOf(body: Uint8Array, config: AcceptedSignature['certificate']['config']): Promise<LibraryPacket> {
  const { readSignature } = await import('openpgp');
  const header = Buffer.from([0xc2, 0xff, 0, 0, 0, 0]);
  header.writeUInt32BE(body.length, 2);
  const { packets } = await readSignature({ binarySignature: Buffer.concat([header, body]), config });
  const [packet] = packets;
  if (packet === undefined) throw new Error('a signature was read before');
  return packet;
}
