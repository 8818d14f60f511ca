import { createHash } from 'node:crypto';
import { CliError } from '../../../core/errors.js';
import { readSignatureArmor } from '../../../trust/armor.js';
import { expiryOf, type KeyringEntry } from '../../../trust/keyring.js';
import { readSignaturePackets } from '../../../trust/packets.js';
import { readSignaturePacket } from '../../../trust/signature-packet.js';
import { writeSignatureArmor } from '../../../trust/signing/armor-writer.js';
import { verdictError, type Reason, type Verdict } from '../../../trust/verdict.js';
import { checkSignature } from '../../../trust/verify.js';
import { readUnchanged } from './read-unchanged.js';
import type { Signer } from './signer.js';

/** Gives bytes to a program that signs, piece by piece, each of which must be awaited. */
export type GiveBytes = (write: (chunk: Uint8Array) => Promise<void>) => Promise<void>;

/** What a program printed, stdout byte for byte (latin1), and why it failed if it did. */
export interface EndedSigner extends Readonly<Record<'stdout' | 'stderr', string>> {
  readonly why: string | undefined;
}

/** A program of the user's that makes detached signatures. */
export interface SignerProgram {
  readonly name: string;
  /** The public key that its signatures are by. */
  readonly entry: KeyringEntry;
  readonly now: Date;
  /** Runs it once: the bytes go to its stdin, the signature comes from its stdout. */
  readonly run: (give: GiveBytes, signal: AbortSignal) => Promise<EndedSigner>;
}

const MOST_LINES = 10;
/** What is said of bytes that are no signature of a file. */
const UNREADABLE: ReadonlySet<Reason> = new Set(['malformed', 'wrong-signature-type', 'too-large']);
const DETACHED = 'it must print a detached signature of what it reads on stdin (gpg: the option detach-sign)';
const PROBE = Buffer.from('A probe of the program that signs.\n');

/** Signs by a program, one file after the other. The file is read once more, to verify what it made. */
export function programSigner(program: SignerProgram): Signer {
  const sign = async (read: Reader, what: string | undefined, signal: AbortSignal) => {
    const hash = createHash('sha256');
    const made = await program.run(async (write) => {
      await read(async (chunk) => {
        hash.update(chunk);
        await write(chunk);
      });
    }, signal);
    signal.throwIfAborted();
    const signature = signatureOf(made, program, what);
    const sha256 = hash.digest('hex');
    await verified(signature, { read, what, sha256 }, program);
    return { sha256, signature };
  };
  return {
    atOnce: 1,
    async signFile(path, signal) {
      let size = 0;
      const read: Reader = async (take) => {
        size = await readUnchanged(path, signal, take);
      };
      return { ...(await sign(read, path, signal)), size };
    },
    async signBytes(bytes, signal) {
      return { ...(await sign((take) => take(bytes), undefined, signal)), size: bytes.length };
    },
  };
}

/**
 * Has a few bytes signed, which shows whether the expected key does that. Gives the moment at which that key
 * expires, in milliseconds.
 * @throws SIGNER_FAILED, SIGNER_BAD
 */
export async function probe(signer: Signer, entry: KeyringEntry, signal: AbortSignal): Promise<number | undefined> {
  const { signature } = await signer.signBytes(PROBE, signal);
  const [body] = readSignaturePackets(readSignatureArmor(signature));
  return body && expiryOf(entry, readSignaturePacket(body).keyId);
}

/** Reads the same bytes each time it is called. */
type Reader = (take: (chunk: Uint8Array) => Promise<void>) => Promise<void>;

/** `what` is the file that is signed, if it is one. */
function signatureOf(
  { stdout, stderr, why }: EndedSigner,
  { name }: SignerProgram,
  what: string | undefined,
): Uint8Array {
  const lines = stderr.split(/\r?\n/u).filter((line) => line.trim() !== '');
  const problem = why ?? (stdout === '' ? 'printed no signature' : undefined);
  if (problem !== undefined) {
    const [first, ...more] = lines;
    const said = first === undefined ? '' : `: ${first}`;
    throw new CliError('SIGNER_FAILED', `${name} ${problem}${what === undefined ? '' : ` for ${what}`}${said}`, {
      lines: more.slice(-MOST_LINES),
      target: { file: what ?? name },
    });
  }
  const bytes = Buffer.from(stdout, 'latin1');
  return bytes.readUInt8(0) >= 0x80 ? writeSignatureArmor([bytes]) : bytes;
}

async function verified(
  signature: Uint8Array,
  { read, what = 'it', sha256 }: { readonly read: Reader; readonly what: string | undefined; readonly sha256: string },
  program: SignerProgram,
): Promise<void> {
  const { entry, now } = program;
  const check = await checkSignature(signature, { trusted: [entry], elsewhere: [] }, now);
  await read(async (chunk) => {
    check.update(chunk);
  });
  const verdict = await check.finish();
  if (check.sha256() !== sha256) throw new CliError('CHANGED_MEANWHILE', `${what} changed while it was signed`);
  if (verdict.reason !== 'good') throw otherSignature(verdict, program, what);
}

/** What a program printed, where that is no signature of the file by the key. */
function otherSignature(verdict: Verdict, { name, entry }: SignerProgram, what: string): CliError {
  const { reason, detail = reason, fingerprint, keyId = '' } = verdict;
  const target = { file: what, signer: entry.fingerprint, reason };
  if (reason === 'unknown-key')
    return new CliError('SIGNER_BAD', `${name} signs with the key ${fingerprint ?? keyId}, not ${entry.fingerprint}`, {
      hints: fingerprint === undefined ? [] : [{ next: 'signer-key', fingerprint }],
      target,
    });
  const printed = UNREADABLE.has(reason)
    ? `printed no detached signature: ${detail}`
    : `signed other content than ${what}`;
  if (UNREADABLE.has(reason) || reason === 'bad-signature')
    return new CliError('SIGNER_BAD', `${name} ${printed}`, { hints: [DETACHED], target });
  return new CliError('SIGNER_BAD', `the signature by ${name} is not valid: ${verdictError(verdict, what).message}`, {
    target,
  });
}
