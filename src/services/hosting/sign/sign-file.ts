import { createHash } from 'node:crypto';
import { isThere } from '../../../core/files/exists.js';
import { unlessAborted } from '../../../core/unless-aborted.js';
import { LIMITS } from '../../../hub/source.js';
import { readSignatureArmor } from '../../../trust/armor.js';
import { findSigner, type KeyringEntry } from '../../../trust/keyring.js';
import { readSignaturePackets } from '../../../trust/packets.js';
import { Refusal } from '../../../trust/refusal.js';
import { readSignaturePacket } from '../../../trust/signature-packet.js';
import { checkSignature } from '../../../trust/verify.js';
import { stampOf, type FileStamp } from '../tree/file-stamp.js';
import { sha256Of } from '../tree/tree-memory.js';
import type { PlannedFile } from './plan-tree.js';
import { readShort, readUnchanged } from './read-unchanged.js';
import type { KnownFile, NotedFile } from './sign-memory.js';
import type { ReadFile } from './signer.js';

/** A file whose signature file has a valid signature of every key, or not. */
export interface CheckedFile extends ReadFile {
  readonly isSigned: boolean;
  /** Whether it has signatures of other keys too, of which clients are warned. */
  readonly hasOthers: boolean;
  /** SHA-256 of a signature file by these keys alone that does not expire before them; else undefined. */
  readonly signature: Buffer | undefined;
}

/** A file as it was before it was read. */
export interface FoundFile {
  readonly name: string;
  readonly stamp: FileStamp;
  /** Of its signature file; undefined when there is none. */
  readonly signature: FileStamp | undefined;
}

/** Of a file that has gone since. It is as no stamp that is remembered, so it is read, and missed then. */
const GONE: FileStamp = { size: 0, changedAt: 0, id: '' };

/** Looks at a file without reading it. */
export function findFile(path: string, { name, isSigned }: PlannedFile): FoundFile {
  return { name, stamp: stampOf(path) ?? GONE, signature: isSigned ? stampOf(`${path}.asc`) : undefined };
}

/** Whose signatures are asked for, and when. */
export interface CheckRequest {
  readonly entries: readonly KeyringEntry[];
  readonly now: Date;
}

/** Reads a file, and judges its signature file by each key alone. */
export async function checkFile(path: string, request: CheckRequest, signal: AbortSignal): Promise<CheckedFile> {
  const signature = await signatureOf(path, signal);
  const { entries, now } = request;
  // Without a signature the first check still has the digest.
  const wanted = signature === undefined ? entries.slice(0, 1) : entries;
  const checks = await Promise.all(
    wanted.map((entry) => checkSignature(signature, { trusted: [entry], elsewhere: [] }, now)),
  );
  const size = await readUnchanged(path, signal, (chunk) => {
    for (const check of checks) check.update(chunk);
  });
  const verdicts = await Promise.all(checks.map((check) => check.finish()));
  const isSigned = verdicts.every(({ reason }) => reason === 'good');
  const hasOthers = signature !== undefined && isSigned && isByOthers(signature, entries);
  const isLasting = signature !== undefined && isSigned && !hasOthers && checks.every((check) => check.isLasting);
  const sha256 = checks[0]?.sha256() ?? '';
  return { size, sha256, isSigned, hasOthers, signature: isLasting ? sha256Of(signature) : undefined };
}

/** Whether a file is to be signed, as far as can be told without reading one that is not remembered. */
export async function isOpen(
  path: string,
  planned: PlannedFile,
  known: KnownFile | undefined,
  entries: readonly KeyringEntry[],
  signal: AbortSignal,
): Promise<boolean> {
  const found = findFile(path, planned);
  if (found.signature === undefined) return true;
  if (known?.signature !== undefined) return (await seenAgain(path, found, known, signal)) === undefined;
  const signature = await signatureOf(path, signal);
  return signature === undefined || isByOthers(signature, entries);
}

/** Whether a signature file has a signature of another key, or one that cannot be read. */
function isByOthers(signature: Uint8Array, entries: readonly KeyringEntry[]): boolean {
  try {
    const packets = readSignaturePackets(readSignatureArmor(signature));
    return packets.some((body) => findSigner(entries, readSignaturePacket(body)) === undefined);
  } catch (error) {
    if (error instanceof Refusal) return true;
    throw error;
  }
}

/** Whether a file and its signature are as an earlier run saw them. Reads only what may have changed. */
export async function seenAgain(
  path: string,
  { stamp, signature }: FoundFile,
  known: KnownFile,
  signal: AbortSignal,
): Promise<NotedFile | undefined> {
  const digest = known.signature;
  if ((signature === undefined) !== (digest === undefined)) return undefined;
  if (signature !== undefined && digest !== undefined && !known.isUnchanged('signature', signature)) {
    const bytes = await signatureOf(path, signal);
    if (bytes === undefined || !sha256Of(bytes).equals(digest)) return undefined;
  }
  if (!known.isUnchanged('file', stamp)) {
    const hash = createHash('sha256');
    await readUnchanged(path, signal, (chunk) => {
      hash.update(chunk);
    });
    if (hash.digest('hex') !== known.listed.sha256) return undefined;
  }
  return { stamp, signature: signature && digest && { stamp: signature, digest } };
}

async function signatureOf(path: string, signal: AbortSignal): Promise<Uint8Array | undefined> {
  if (!isThere(`${path}.asc`)) return undefined;
  // One that is too large, or no file, is none: it is written anew, or that fails.
  return (await unlessAborted(readShort(`${path}.asc`, LIMITS.signature), signal)) ?? new Uint8Array();
}
