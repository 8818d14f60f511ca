import { formatTime } from '../core/time.js';
import { readSignatureArmor } from './armor.js';
import { FileHashes } from './file-hashes.js';
import { checkKey, numbersOf } from './key-check.js';
import { findSigner, type Keyring, type Match } from './keyring.js';
import { startSignature, type PendingSignature } from './check-signature.js';
import { hashedEcdsa } from './hashed-ecdsa.js';
import { readSignaturePackets } from './packets.js';
import { acceptedHash, CLOCK_SKEW, hashName, MAX_FILE_BYTES, type Hash } from './policy.js';
import { openPublicNumbers, type PublicNumbers } from './public-numbers.js';
import { Refusal } from './refusal.js';
import { HeldBytes, withSecondOpinion, type AcceptedSignature } from './second-opinion.js';
import { readSignaturePacket, type SignaturePacket } from './signature-packet.js';
import { combine } from './combine-verdicts.js';
import { missingVerdict, refusedVerdict, type SignerFacts, type Verdict } from './verdict.js';

const BINARY_DOCUMENT = 0x00;

/** A signature file already judged, waiting for the bytes of the file it belongs to. */
export interface SignatureCheck {
  /** The next bytes of the file, in order. */
  update(chunk: Uint8Array): void;
  /** Whether no signature that counts says that it expires. */
  readonly isLasting: boolean;
  /** SHA-256 of the bytes so far, in hex. */
  sha256(): string;
  /**
   * The verdict over all that was fed. Never rejects for bad content, and gives the same verdict again when asked
   * again.
   */
  finish(): Promise<Verdict>;
}

/**
 * Judges a detached signature (docs/trust.md 1), or that there is none, by the keys of `keyring`. The file streams
 * through node:crypto afterwards. A file of up to 4 MB is held, for openpgp.js has to agree that it is good, unless its
 * SHA-256 is `agreed`, which both have accepted in a signed index.
 */
export async function checkSignature(
  signature: Uint8Array | undefined,
  keyring: Keyring,
  now: Date,
  agreed?: string,
): Promise<SignatureCheck> {
  const hashes = new FileHashes();
  hashes.want('sha256');
  const { judged, packets } =
    signature === undefined
      ? { judged: [{ verdict: missingVerdict() }], packets: undefined }
      : await judgeAll(signature, { keyring, now, hashes });
  const held = judged.some(({ pending }) => pending !== undefined) ? new HeldBytes() : undefined;
  const sha256 = (): string => hashes.digest('sha256').toString('hex');
  const conclusion = async (): Promise<Verdict> => {
    const verdicts = await Promise.all(judged.map(conclude));
    const verdict = combine(verdicts);
    const file = held?.whole();
    if (file === undefined || packets === undefined || agreed === sha256()) return verdict;
    const accepted = judged.flatMap(({ by }, at) => (verdicts[at]?.reason === 'good' && by ? [by] : []));
    return withSecondOpinion(verdict, accepted, { file, packets, now });
  };
  let verdict: Promise<Verdict> | undefined;
  return {
    isLasting: judged.every(({ by }) => by?.expires === undefined),
    update: (chunk) => {
      hashes.update(chunk);
      held?.update(chunk);
      for (const { pending } of judged) pending?.update(chunk);
    },
    sha256,
    finish: async () => (verdict ??= conclusion()),
  };
}

/** What the packets of one signature file are judged with. */
interface JudgeDeps {
  readonly keyring: Keyring;
  readonly now: Date;
  readonly hashes: FileHashes;
  readonly isFed?: boolean;
}

/** A file that has streamed past already: its hashes, and itself if it is small. */
export interface FedFile {
  readonly hashes: FileHashes;
  readonly file: Uint8Array | undefined;
}

/**
 * The verdict over a file that was hashed while its signature was made, so that it is not read again. The hash of each
 * signature must be among those of `fed`.
 */
export async function verifyHashed(
  signature: Uint8Array,
  keyring: Keyring,
  now: Date,
  { hashes, file }: FedFile,
): Promise<Verdict> {
  const { judged } = await judgeAll(signature, { keyring, now, hashes, isFed: file === undefined });
  if (file !== undefined) for (const { pending } of judged) pending?.update(file);
  return combine(await Promise.all(judged.map(conclude)));
}

/** A signature file, taken apart and judged but for the mathematics. */
interface JudgedFile {
  readonly judged: readonly PacketVerdict[];
  /** Undefined where they could not be read. */
  readonly packets: Uint8Array | undefined;
}

async function judgeAll(signature: Uint8Array, deps: JudgeDeps): Promise<JudgedFile> {
  try {
    if (signature.length > MAX_FILE_BYTES) throw new Refusal('too-large', `it is larger than ${MAX_FILE_BYTES} bytes`);
    const packets = readSignatureArmor(signature);
    return { judged: await Promise.all(readSignaturePackets(packets).map((body) => judge(body, deps))), packets };
  } catch (error) {
    return { judged: [{ verdict: verdictOf(error) }], packets: undefined };
  }
}

/** The verdict over a file that is in memory. */
export async function verifyBytes(
  bytes: Uint8Array,
  signature: Uint8Array,
  keyring: Keyring,
  now: Date,
): Promise<Verdict> {
  const check = await checkSignature(signature, keyring, now);
  check.update(bytes);
  return check.finish();
}

/** The verdict of one packet; with `pending` it holds only if the mathematics agree. */
interface PacketVerdict {
  readonly verdict: Verdict;
  readonly pending?: PendingSignature;
  readonly by?: AcceptedSignature;
}

async function conclude({ verdict, pending }: PacketVerdict): Promise<Verdict> {
  if (pending === undefined || (await pending.finish())) return verdict;
  return { ...verdict, ...refusedVerdict('bad-signature', 'the file, or the signature, was changed') };
}

async function judge(body: Uint8Array, { keyring, now, hashes, isFed }: JudgeDeps): Promise<PacketVerdict> {
  const facts: { -readonly [K in keyof SignerFacts]: SignerFacts[K] } = {};
  try {
    const packet = readSignaturePacket(body);
    facts.fingerprint = packet.fingerprint;
    facts.keyId = packet.keyId;
    facts.signedAt = rfc3339(packet.created);
    facts.hash = hashName(packet.hash);
    const match = knownSigner(packet, keyring);
    const { certificate, fingerprint, userId, allowExpired } = match.entry;
    facts.fingerprint = fingerprint;
    facts.userId = userId;
    const numbers = numbersOf(certificate, match.unit);
    facts.algorithm = numbers.name;
    const hash = checkPacket(packet, numbers, now);
    const key = openPublicNumbers(numbers);
    const notes = await checkKey(certificate, match.unit, { signed: packet.created, now, allowExpired });
    const by = { certificate, unit: match.unit, created: packet.created, expires: packet.expires };
    const pending =
      isFed === true && key.asymmetricKeyType === 'ec'
        ? hashedEcdsa(body, packet, { hash, hashes, by })
        : startSignature(packet, hash, key, hashes);
    return { verdict: { state: 'valid', reason: 'good', ...facts, notes }, pending, by };
  } catch (error) {
    return { verdict: verdictOf(error, facts) };
  }
}

function knownSigner(packet: SignaturePacket, { trusted, elsewhere }: Keyring): Match {
  const match = findSigner(trusted, packet);
  if (match !== undefined) return match;
  if (trusted.length === 0 && elsewhere.length === 0)
    throw new Refusal('unknown-key', 'cannot be verified: no trusted key');
  const signer = packet.fingerprint ?? `key id ${packet.keyId}`;
  const other = findSigner(elsewhere, packet)?.entry.packages;
  throw new Refusal('unknown-key', other === undefined ? signer : `${signer} is trusted for ${other} only`);
}

/** What a signature packet says of itself (docs/trust.md 1 step 5). */
function checkPacket(packet: SignaturePacket, numbers: PublicNumbers, now: Date): Hash {
  const { type, version, created, expires, unknownCritical } = packet;
  if (type !== BINARY_DOCUMENT)
    throw new Refusal(
      'wrong-signature-type',
      `it has type ${type.toString(16).padStart(2, '0')}; a file signature has type 00`,
    );
  const hash = acceptedHash(packet.hash);
  if (hash === undefined) throw new Refusal('weak-hash', `${hashName(packet.hash)} is not accepted`);
  if (packet.algorithm !== numbers.algorithm || version !== numbers.version)
    throw new Refusal('malformed', 'its algorithm or version does not match its key');
  if (version === 6 && packet.salt.length !== hash.salt)
    throw new Refusal('malformed', 'its salt has the wrong length');
  if (unknownCritical !== undefined) throw new Refusal('critical-unknown', unknownCritical);
  if (created.getTime() > now.getTime() + CLOCK_SKEW)
    throw new Refusal(
      'signature-from-future',
      `it was made ${rfc3339(created)}, but the clock of this machine shows ${rfc3339(now)}`,
    );
  if (expires !== undefined && expires <= now)
    throw new Refusal(
      'signature-expired',
      `it was valid from ${rfc3339(created)} to ${rfc3339(expires)}; now it is ${rfc3339(now)}`,
    );
  return hash;
}

function verdictOf(error: unknown, facts: SignerFacts = {}): Verdict {
  if (!(error instanceof Refusal) || error.reason === 'good' || error.reason === 'unsigned') throw error;
  return refusedVerdict(error.reason, error.message, facts);
}

const rfc3339 = (date: Date): string => formatTime(date.getTime());
