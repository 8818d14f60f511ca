/** What signature packets of a key say of themselves, whatever the file. */
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
const HEADER = Buffer.from([0xc2, 0xff]);

/** What is the same in the packets of one key and one moment. */
export interface PacketHead {
  /** What is hashed after the file: the packet up to its hashed subpackets, and an end beside it. */
  readonly hashed: readonly [Uint8Array, Uint8Array];
  /** The packet up to the digest. */
  readonly bytes: Uint8Array;
}

/** Writes what is the same in all packets, once. */
export function writePacketHead({ algorithm, hash, fingerprint, created }: PacketFacts): PacketHead {
  const time = uint(Math.floor(created.getTime() / 1000), 4);
  const hashed = Buffer.concat([
    subpacket(CREATED, time),
    subpacket(ISSUER_FINGERPRINT, Buffer.from([VERSION]), Buffer.from(fingerprint, 'hex')),
  ]);
  const signedPart = Buffer.concat([
    Buffer.from([VERSION, BINARY_DOCUMENT, algorithm, hash]),
    uint(hashed.length, 2),
    hashed,
  ]);
  const end = Buffer.concat([Buffer.from([VERSION, 0xff]), uint(signedPart.length, 4)]);
  const unhashed = subpacket(ISSUER, Buffer.from(fingerprint.slice(-16), 'hex'));
  return { hashed: [signedPart, end], bytes: Buffer.concat([signedPart, uint(unhashed.length, 2), unhashed]) };
}

/** The whole packet; `numbers` are those of the signature, each as big-endian bytes. */
export function writeSignaturePacket(head: PacketHead, digest: Uint8Array, numbers: readonly Uint8Array[]): Buffer {
  const body = Buffer.concat([head.bytes, digest.subarray(0, 2), ...numbers.map(integer)]);
  return Buffer.concat([HEADER, uint(body.length, 4), body]);
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
