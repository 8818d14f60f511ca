/** What a signature packet of a file says of itself. */
export interface PacketFacts {
  /** As in OpenPGP: 1 and 3 RSA, 19 ECDSA, 22 Ed25519. */
  readonly algorithm: number;
  /** As in OpenPGP: 8 SHA-256, 9 SHA-384, 10 SHA-512. */
  readonly hash: number;
  /** Forty hex digits; of the key or subkey that signs. */
  readonly fingerprint: string;
  readonly created: Date;
}

const VERSION = 4;
const BINARY_DOCUMENT = 0x00;
const CREATED = 2;
const ISSUER = 16;
const ISSUER_FINGERPRINT = 33;
/** New-style header of a signature packet, with a length of four bytes. */
const HEADER = [0xc2, 0xff];

/** The part of the packet that is hashed after the file: all up to the hashed subpackets. */
export function writeSignedPart({ algorithm, hash, fingerprint, created }: PacketFacts): Buffer {
  const time = uint(Math.floor(created.getTime() / 1000), 4);
  const hashed = Buffer.concat([
    subpacket(CREATED, time),
    subpacket(ISSUER_FINGERPRINT, Buffer.from([VERSION]), Buffer.from(fingerprint, 'hex')),
  ]);
  return Buffer.concat([Buffer.from([VERSION, BINARY_DOCUMENT, algorithm, hash]), uint(hashed.length, 2), hashed]);
}

/** The end of what is hashed: it does not stand in the packet. */
export function writeTrailer(signedPart: Uint8Array): Buffer {
  return Buffer.concat([Buffer.from([VERSION, 0xff]), uint(signedPart.length, 4)]);
}

/** The whole packet; `numbers` are those of the signature, each as big-endian bytes. */
export function writeSignaturePacket(
  signedPart: Uint8Array,
  fingerprint: string,
  digest: Uint8Array,
  numbers: readonly Uint8Array[],
): Buffer {
  const unhashed = subpacket(ISSUER, Buffer.from(fingerprint.slice(-16), 'hex'));
  const body = Buffer.concat([
    signedPart,
    uint(unhashed.length, 2),
    unhashed,
    digest.subarray(0, 2),
    ...numbers.map(integer),
  ]);
  return Buffer.concat([Buffer.from(HEADER), uint(body.length, 4), body]);
}

function subpacket(type: number, ...parts: readonly Uint8Array[]): Buffer {
  const body = Buffer.concat(parts);
  return Buffer.concat([Buffer.from([body.length + 1, type]), body]);
}

/** A multiprecision integer in its shortest form: length in bits, then the bytes. */
function integer(bytes: Uint8Array): Buffer {
  const start = bytes.findIndex((byte) => byte !== 0);
  const short = start === -1 ? new Uint8Array() : bytes.subarray(start);
  const bits = short.length * 8 - (short[0] === undefined ? 0 : Math.clz32(short[0]) - 24);
  return Buffer.concat([uint(bits, 2), short]);
}

function uint(value: number, width: number): Buffer {
  const bytes = Buffer.alloc(width);
  bytes.writeUIntBE(value, 0, width);
  return bytes;
}
