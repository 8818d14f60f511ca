import { constants, createSign, privateEncrypt, sign, type Sign } from 'node:crypto';
import { CliError } from '../../core/errors.js';
import { FileHashes } from '../file-hashes.js';
import { acceptedHash, type Hash } from '../policy.js';
import { HeldBytes } from '../second-opinion.js';
import { verifyHashed } from '../verify.js';
import { writeSignatureArmor } from './armor-writer.js';
import type { SigningKey, SigningTime } from './secret-key.js';
import { writePacketHead, writeSignaturePacket, type PacketHead } from './signature-writer.js';

/** OpenPGP numbers of hashes. ECDSA takes one as long as its curve, as gpg demands. */
const SHA256 = 8;
const HASH_OF_CURVE: Readonly<Record<string, number>> = { prime256v1: SHA256, secp384r1: 9, secp521r1: 10 };

/** A key with what is the same in all of its signatures of one moment. */
export interface PreparedKey {
  readonly by: SigningKey;
  readonly hash: Hash;
  readonly head: PacketHead;
}

/** Prepares keys for the signatures of a run, which may be thousands. */
export function prepareKeys(keys: readonly SigningKey[], { created }: SigningTime): readonly PreparedKey[] {
  return keys.map((by) => {
    const number = HASH_OF_CURVE[by.key.asymmetricKeyDetails?.namedCurve ?? ''] ?? SHA256;
    const hash = acceptedHash(number);
    if (hash === undefined) throw new CliError('INTERNAL', `hash ${number} is not accepted`);
    const head = writePacketHead({ algorithm: by.algorithm, hash: number, fingerprint: by.signer, created });
    return { by, hash, head };
  });
}

/** Signs one file with one or several keys while it streams past. Memory does not grow with the file. */
export class FileSigner {
  readonly #hashes = new FileHashes();
  readonly #parts: readonly PartSigner[];
  readonly #held: HeldBytes | undefined;
  readonly #now: Date;

  constructor(keys: readonly PreparedKey[], { now }: Pick<SigningTime, 'now'>) {
    this.#now = now;
    this.#hashes.want('sha256');
    this.#parts = keys.map((key) => new PartSigner(key, this.#hashes));
    // The strict check reads an ECDSA file again.
    this.#held = keys.some(({ by }) => by.key.asymmetricKeyType === 'ec') ? new HeldBytes() : undefined;
  }

  /** The next bytes of the file, in order. */
  update(chunk: Uint8Array): void {
    this.#hashes.update(chunk);
    this.#held?.update(chunk);
    for (const part of this.#parts) part.update(chunk);
  }

  /** SHA-256 of the bytes so far, in hex. */
  sha256(): string {
    return this.#hashes.digest('sha256').toString('hex');
  }

  /**
   * The armored signature file over all that was fed, with one packet of each key. Each was verified as a client would
   * (docs/faults.md V11).
   * @throws SELF_CHECK when one does not verify
   */
  async finish(): Promise<Buffer> {
    const packets = this.#parts.map((part) => part.finish());
    for (const [at, packet] of packets.entries()) await this.#check(packet, at);
    return writeSignatureArmor(packets);
  }

  async #check(packet: Uint8Array, at: number): Promise<void> {
    const part = this.#parts[at];
    if (part === undefined) return;
    const keyring = { trusted: [part.by.entry], elsewhere: [] };
    const fed = { hashes: this.#hashes, file: this.#held?.whole() };
    const { reason, detail = reason } = await verifyHashed(packet, keyring, this.#now, fed);
    if (reason !== 'good')
      throw new CliError('SELF_CHECK', `a new signature of the key ${part.by.signer} does not verify: ${detail}`, {
        target: { signer: part.by.signer },
      });
  }
}

/** The signature of one key. */
class PartSigner {
  readonly by: SigningKey;
  readonly #hash: Hash;
  readonly #head: PacketHead;
  readonly #hashes: FileHashes;
  /** ECDSA hashes once more: node:crypto cannot sign a digest with it. */
  readonly #ecdsa: Sign | undefined;

  constructor({ by, hash, head }: PreparedKey, hashes: FileHashes) {
    this.by = by;
    this.#hash = hash;
    this.#head = head;
    this.#hashes = hashes;
    this.#ecdsa = by.key.asymmetricKeyType === 'ec' ? createSign(hash.id) : undefined;
    hashes.want(hash.id);
  }

  update(chunk: Uint8Array): void {
    this.#ecdsa?.update(chunk);
  }

  finish(): Buffer {
    const { hashed } = this.#head;
    const digest = this.#hashes.digest(this.#hash.id, undefined, ...hashed);
    return writeSignaturePacket(this.#head, digest, this.#numbers(digest, hashed));
  }

  #numbers(digest: Buffer, end: readonly Uint8Array[]): readonly Uint8Array[] {
    const { key } = this.by;
    if (this.#ecdsa !== undefined) {
      for (const part of end) this.#ecdsa.update(part);
      return halves(this.#ecdsa.sign({ key, dsaEncoding: 'ieee-p1363' }));
    }
    if (key.asymmetricKeyType === 'ed25519') return halves(sign(null, digest, key));
    const info = Buffer.concat([Buffer.from(this.#hash.rsaPrefix, 'hex'), digest]);
    return [privateEncrypt({ key, padding: constants.RSA_PKCS1_PADDING }, info)];
  }
}

const halves = (bytes: Buffer): readonly Buffer[] => [
  bytes.subarray(0, bytes.length / 2),
  bytes.subarray(bytes.length / 2),
];
