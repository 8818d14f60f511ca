import { ByteReader } from './byte-reader.js';
import { MAX_SIGNATURES, MAX_SIGNATURE_BYTES } from './policy.js';
import { Refusal } from './refusal.js';

const SIGNATURE = 2;

/** One OpenPGP packet: its tag, its body, and the whole of it as it stood in the file. */
export interface Packet {
  readonly tag: number;
  readonly body: Uint8Array;
  readonly whole: Uint8Array;
}

/** Splits packets with old or new headers of definite length; anything else is a Refusal (malformed). */
export function* readPackets(bytes: Uint8Array): Generator<Packet> {
  const reader = new ByteReader(bytes);
  while (reader.left > 0) {
    const start = reader.position;
    const header = reader.number(1);
    if ((header & 0x80) === 0) throw new Refusal('malformed', 'it is not OpenPGP data');
    const modern = (header & 0x40) !== 0;
    const body = reader.take(modern ? modernLength(reader) : oldLength(reader, header & 3));
    yield { tag: modern ? header & 0x3f : (header >> 2) & 0x0f, body, whole: bytes.subarray(start, reader.position) };
  }
}

/**
 * The bodies of the packets in a signature file (docs/trust.md 1 step 2). Accepts only signature packets, at least one,
 * within the limits of the policy.
 */
export function readSignaturePackets(bytes: Uint8Array): readonly Uint8Array[] {
  const bodies: Uint8Array[] = [];
  for (const { tag, body } of readPackets(bytes)) {
    if (tag !== SIGNATURE) throw new Refusal('malformed', `it has a packet that is not a signature (tag ${tag})`);
    if (body.length > MAX_SIGNATURE_BYTES)
      throw new Refusal('too-large', `a signature is larger than ${MAX_SIGNATURE_BYTES} bytes`);
    bodies.push(body);
    if (bodies.length > MAX_SIGNATURES)
      throw new Refusal('too-many-signatures', `there are more than ${MAX_SIGNATURES} signatures`);
  }
  if (bodies.length === 0) throw new Refusal('malformed', 'it is empty');
  return bodies;
}

/** The length octets of a new-style packet; partial lengths are refused. */
function modernLength(reader: ByteReader): number {
  const first = reader.number(1);
  if (first < 192) return first;
  if (first < 224) return ((first - 192) << 8) + reader.number(1) + 192;
  if (first === 255) return reader.number(4);
  throw new Refusal('malformed', 'a packet has an indefinite length');
}

function oldLength(reader: ByteReader, kind: number): number {
  if (kind === 3) throw new Refusal('malformed', 'a packet has an indefinite length');
  return reader.number(2 ** kind);
}
