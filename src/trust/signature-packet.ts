import { ByteReader } from './byte-reader.js';
import { Refusal } from './refusal.js';
import { readSubpackets, type Subpacket } from './subpackets.js';

/** Key id and fingerprint of the signer. */
const ISSUERS: ReadonlySet<number> = new Set([16, 33]);

/** A signature packet of version 4 or 6, strictly read; nothing in it is believed yet. */
export interface SignaturePacket {
  readonly version: 4 | 6;
  readonly type: number;
  readonly algorithm: number;
  readonly hash: number;
  /** What is hashed after the file, without the trailer. */
  readonly signedPart: Uint8Array;
  readonly created: Date;
  readonly expires: Date | undefined;
  /** Upper-case hex; of the key or subkey that signed. */
  readonly fingerprint: string | undefined;
  /** Sixteen upper-case hex digits. */
  readonly keyId: string;
  /** What was marked critical and is not understood. */
  readonly unknownCritical: string | undefined;
  /** The first two bytes of the digest. */
  readonly prefix: Uint8Array;
  readonly salt: Uint8Array;
  /** The numbers of the signature; empty for algorithms that are not known. */
  readonly numbers: readonly Uint8Array[];
}

/** Reads one packet body; throws a Refusal (malformed, unsupported-version). */
export function readSignaturePacket(body: Uint8Array): SignaturePacket {
  const reader = new ByteReader(body);
  const version = reader.number(1);
  if (version !== 4 && version !== 6)
    throw new Refusal('unsupported-version', `it has version ${version}; 4 and 6 are supported`);
  const width = version === 6 ? 4 : 2;
  const [type, algorithm, hash] = [reader.number(1), reader.number(1), reader.number(1)];
  const hashed = readSubpackets(reader.take(reader.number(width)));
  const signedPart = body.subarray(0, reader.position);
  const unhashed = readSubpackets(reader.take(reader.number(width)));
  const prefix = reader.take(2);
  const salt = version === 6 ? reader.take(reader.number(1)) : Buffer.alloc(0);
  const numbers = readNumbers(reader, algorithm);
  reader.end('the signature');
  const created = creationTime(hashed);
  return {
    version,
    type,
    algorithm,
    hash,
    signedPart,
    created,
    expires: expiryTime(hashed, created),
    ...issuer(version, hashed, unhashed),
    unknownCritical: unknownCritical(hashed, unhashed),
    prefix,
    salt,
    numbers,
  };
}

/** Nobody vouches for what is not signed, so there only the issuer may be critical. Gpgv refuses such, too. */
function unknownCritical(hashed: readonly Subpacket[], unhashed: readonly Subpacket[]): string | undefined {
  const signed = hashed.find((entry) => entry.critical && !entry.understood);
  return (signed ?? unhashed.find((entry) => entry.critical && !ISSUERS.has(entry.type)))?.name;
}

function creationTime(hashed: readonly Subpacket[]): Date {
  const times = hashed.filter((entry) => entry.type === 2);
  const [time] = times;
  if (time === undefined) throw new Refusal('malformed', 'it has no signed creation time');
  if (times.length > 1) throw new Refusal('malformed', 'it has two creation times');
  return new Date(seconds(time) * 1000);
}

function expiryTime(hashed: readonly Subpacket[], created: Date): Date | undefined {
  const times = hashed.filter((entry) => entry.type === 3);
  if (times.length > 1) throw new Refusal('malformed', 'it has two expiry times');
  const after = times[0] === undefined ? 0 : seconds(times[0]);
  return after === 0 ? undefined : new Date(created.getTime() + after * 1000);
}

function seconds(entry: Subpacket): number {
  if (entry.body.length !== 4) throw new Refusal('malformed', 'a time does not have four bytes');
  return new ByteReader(entry.body).number(4);
}

function issuer(
  version: 4 | 6,
  hashed: readonly Subpacket[],
  unhashed: readonly Subpacket[],
): { fingerprint: string | undefined; keyId: string } {
  const all = [...hashed, ...unhashed];
  const fingerprints = new Set(
    all.filter((entry) => entry.type === 33).map((entry) => issuerFingerprint(version, entry.body)),
  );
  const ids = new Set(all.filter((entry) => entry.type === 16).map((entry) => issuerId(entry.body)));
  if (version === 6 && hashed.some((entry) => entry.type === 16))
    throw new Refusal('malformed', 'a version 6 signature names a key id');
  for (const fingerprint of fingerprints) ids.add(keyIdOf(fingerprint));
  const [keyId] = ids;
  if (keyId === undefined) throw new Refusal('malformed', 'it does not name its key');
  if (fingerprints.size > 1 || ids.size > 1) throw new Refusal('malformed', 'it names two different keys');
  return { fingerprint: [...fingerprints][0], keyId };
}

function issuerFingerprint(version: 4 | 6, body: Uint8Array): string {
  if (body[0] !== version || body.length !== (version === 6 ? 33 : 21))
    throw new Refusal('malformed', 'a fingerprint does not match the version of the signature');
  return hex(body.subarray(1));
}

function issuerId(body: Uint8Array): string {
  if (body.length !== 8) throw new Refusal('malformed', 'a key id does not have eight bytes');
  return hex(body);
}

/** The key id that belongs to a fingerprint in upper-case hex. */
function keyIdOf(fingerprint: string): string {
  return fingerprint.length === 64 ? fingerprint.slice(0, 16) : fingerprint.slice(-16);
}

function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('hex').toUpperCase();
}

function readNumbers(reader: ByteReader, algorithm: number): readonly Uint8Array[] {
  switch (algorithm) {
    case 1:
    case 2:
    case 3:
      return [reader.integer()];
    case 17:
    case 19:
    case 22:
      return [reader.integer(), reader.integer()];
    case 27:
      return [reader.take(64)];
    default:
      reader.take(reader.left);
      return [];
  }
}
