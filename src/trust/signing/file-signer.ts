import { constants, createPrivateKey, createSign, privateEncrypt, sign, type KeyObject, type Sign } from 'node:crypto';
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

/** What makes signatures of one key and one moment. */
interface Maker {
  readonly key: KeyObject;
  readonly hash: Hash;
  readonly head: PacketHead;
}

/** A key with what is the same in all of its signatures of one moment. */
interface PreparedKey extends Maker {
  readonly by: SigningKey;
  /** The same with memory of its own; only of Ed25519, which is deterministic. */
  readonly again: Maker | undefined;
  /** Whether a signature was verified. */
  isProved: boolean;
}

/** Prepares keys for the signatures of a run, which may be thousands. They remember whether one was verified. */
export function prepareKeys(keys: readonly SigningKey[], { created }: SigningTime): readonly PreparedKey[] {
  return keys.map((by) => {
    const { key, algorithm, signer } = by;
    const number = HASH_OF_CURVE[key.asymmetricKeyDetails?.namedCurve ?? ''] ?? SHA256;
    const hash = acceptedHash(number);
    if (hash === undefined) throw new CliError('INTERNAL', `hash ${number} is not accepted`);
    const maker = (key: KeyObject): Maker => {
      return { key, hash, head: writePacketHead({ algorithm, hash: number, fingerprint: signer, created }) };
    };
    const again = key.asymmetricKeyType === 'ed25519' ? maker(copyOf(key)) : undefined;
    return { ...maker(key), by, again, isProved: false };
  });
}

function copyOf(key: KeyObject): KeyObject {
  const bytes = key.export({ format: 'der', type: 'pkcs8' });
  try {
    return createPrivateKey({ key: bytes, format: 'der', type: 'pkcs8' });
  } finally {
    bytes.fill(0);
  }
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
   * The armored signature file over all that was fed, with one packet of each key. Each was verified, or came out twice
   * (docs/faults.md V11).
   * @throws SELF_CHECK when one does not verify
   */
  async finish(): Promise<Buffer> {
    const packets = this.#parts.map((part) => part.finish());
    for (const [at, packet] of packets.entries()) await this.#check(packet, at);
    return writeSignatureArmor(packets);
  }

  async #check(packet: Buffer, at: number): Promise<void> {
    const part = this.#parts[at];
    if (part === undefined || part.makesAgain(packet)) return;
    const keyring = { trusted: [part.of.by.entry], elsewhere: [] };
    const fed = { hashes: this.#hashes, file: this.#held?.whole() };
    const { reason, detail = reason } = await verifyHashed(packet, keyring, this.#now, fed);
    if (reason !== 'good')
      throw new CliError('SELF_CHECK', `a new signature of the key ${part.of.by.signer} does not verify: ${detail}`, {
        target: { signer: part.of.by.signer },
      });
    part.of.isProved = true;
  }
}

/** The signature of one key. */
class PartSigner {
  readonly of: PreparedKey;
  readonly #hashes: FileHashes;
  /** ECDSA hashes once more: node:crypto cannot sign a digest with it. */
  readonly #ecdsa: Sign | undefined;

  constructor(of: PreparedKey, hashes: FileHashes) {
    this.of = of;
    this.#hashes = hashes;
    this.#ecdsa = of.key.asymmetricKeyType === 'ec' ? createSign(of.hash.id) : undefined;
    hashes.want(of.hash.id);
  }

  update(chunk: Uint8Array): void {
    this.#ecdsa?.update(chunk);
  }

  finish(): Buffer {
    return this.#make(this.of);
  }

  /** Whether the packet of a proved key comes out again. That is a third of verifying it (docs/decisions/015). */
  makesAgain(packet: Buffer): boolean {
    const { again, isProved } = this.of;
    return isProved && again !== undefined && this.#make(again).equals(packet);
  }

  #make(by: Maker): Buffer {
    const digest = this.#hashes.digest(by.hash.id, undefined, ...by.head.hashed);
    return writeSignaturePacket(by.head, digest, this.#numbers(by, digest));
  }

  #numbers({ key, hash, head }: Maker, digest: Buffer): readonly Uint8Array[] {
    if (this.#ecdsa !== undefined) {
      for (const part of head.hashed) this.#ecdsa.update(part);
      return halves(this.#ecdsa.sign({ key, dsaEncoding: 'ieee-p1363' }));
    }
    if (key.asymmetricKeyType === 'ed25519') return halves(sign(null, digest, key));
    const info = Buffer.concat([Buffer.from(hash.rsaPrefix, 'hex'), digest]);
    return [privateEncrypt({ key, padding: constants.RSA_PKCS1_PADDING }, info)];
  }
}

const halves = (bytes: Buffer): readonly Buffer[] => [
  bytes.subarray(0, bytes.length / 2),
  bytes.subarray(bytes.length / 2),
];
