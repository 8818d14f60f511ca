import type { SignaturePacket } from 'openpgp';
import type { Certificate, KeyUnit } from './certificate.js';
import { refusedVerdict, type Verdict } from './verdict.js';

/** Largest file that openpgp.js is asked about as well, in bytes: it wants the whole file in memory. */
export const MAX_HELD_BYTES = 4_194_304;

/** A signature that our judge finds good. */
export interface AcceptedSignature {
  readonly certificate: Certificate;
  /** The key or subkey that made it. */
  readonly unit: KeyUnit;
  readonly created: Date;
  readonly expires?: Date | undefined;
}

/** The bytes of a file, as long as they are few enough to be shown to openpgp.js. */
export class HeldBytes {
  #pieces: Buffer[] | undefined = [];
  #length = 0;

  /** Takes a copy of the next bytes of the file. */
  update(chunk: Uint8Array): void {
    this.#length += chunk.length;
    if (this.#length > MAX_HELD_BYTES) this.#pieces = undefined;
    this.#pieces?.push(Buffer.from(chunk));
  }

  /** All bytes, or undefined when there were too many. */
  whole(): Buffer | undefined {
    return this.#pieces && Buffer.concat(this.#pieces);
  }
}

/** A file with the packets of its signature file, and the moment at which they are judged. */
export interface SignedBytes {
  readonly file: Uint8Array;
  readonly packets: Uint8Array;
  readonly now: Date;
}

/**
 * Keeps a good verdict only if openpgp.js also accepts the same signatures. It reads packets with its own parser. A
 * verdict never gets better (docs/decisions/002-own-judge-of-signatures.md).
 */
export async function withSecondOpinion(
  verdict: Verdict,
  accepted: readonly AcceptedSignature[],
  signed: SignedBytes,
): Promise<Verdict> {
  if (verdict.reason !== 'good') return verdict;
  const objection = await objectionTo(accepted, signed).catch(wordsOf);
  if (objection === undefined) return verdict;
  const detail = `cdapctl accepts it, but openpgp.js does not (${objection})`;
  return { ...verdict, ...refusedVerdict('disputed', detail), notes: verdict.notes };
}

/**
 * What openpgp.js objects to in any of the signatures. Checks only the signature, at half the cost of `openpgp.verify`.
 * That call also checks the key at the moment of signing, as key-check.ts already did.
 */
async function objectionTo(accepted: readonly AcceptedSignature[], signed: SignedBytes): Promise<string | undefined> {
  const [first] = accepted;
  if (first === undefined) return 'it was not asked';
  const { config, kinds } = first.certificate;
  const openpgp = await import('openpgp');
  const { packets } = await openpgp.readSignature({ binarySignature: signed.packets, config });
  const message = await openpgp.createMessage({ binary: signed.file });
  const left = new Set<SignaturePacket>(packets);
  for (const { unit, created } of accepted) {
    // A clock of a signer that is a little ahead is for our policy to judge.
    const at = created > signed.now ? created : signed.now;
    const against: string[] = [];
    let agreed: SignaturePacket | undefined;
    for (const packet of left) {
      if (packet.signatureType !== kinds.binary || !packet.issuerKeyID.equals(unit.getKeyID())) continue;
      const problem = await packet
        .verify(unit.keyPacket, kinds.binary, message.packets[0] ?? {}, at, true, config)
        .then(() => undefined, wordsOf);
      if (problem === undefined) agreed = packet;
      else against.push(problem);
      if (agreed !== undefined) break;
    }
    if (agreed === undefined) return against[0] ?? 'it does not find it';
    left.delete(agreed);
  }
  return undefined;
}

const wordsOf = (error: unknown): string => (error instanceof Error ? error.message : 'it fails');
