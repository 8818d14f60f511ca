import { FileSigner, prepareKeys } from '../../../trust/signing/file-signer.js';
import type { SigningKey, SigningTime } from '../../../trust/signing/secret-key.js';
import { readUnchanged } from './read-unchanged.js';

/** What is known of a file after it was read whole: size in bytes, SHA-256 in hex. */
export interface ReadFile {
  readonly size: number;
  readonly sha256: string;
}

/** A file that was read, and its new signature file. */
export interface SignedFile extends ReadFile {
  readonly signature: Uint8Array;
}

/** Makes signature files, each verified before it is given out (docs/faults.md V11). */
export interface Signer {
  /** How many files it can sign at a time. */
  readonly atOnce: number;
  /** How long one file takes, in seconds, where that is worth telling; it may sign something to find out. */
  readonly seconds?: (signal: AbortSignal) => Promise<number>;
  /**
   * Signs a file by its real path while it is read.
   * @throws CHANGED_MEANWHILE when it changed on the way, SELF_CHECK, SIGNER_FAILED, SIGNER_BAD
   */
  readonly signFile: (path: string, signal: AbortSignal) => Promise<SignedFile>;
  readonly signBytes: (bytes: Uint8Array, signal: AbortSignal) => Promise<SignedFile>;
}

/** Signs with every one of several opened keys. */
export function keySigner(keys: readonly SigningKey[], time: SigningTime): Signer {
  const prepared = prepareKeys(keys, time);
  return {
    atOnce: 4,
    async signFile(path, signal) {
      const signer = new FileSigner(prepared, time);
      const size = await readUnchanged(path, signal, (chunk) => {
        signer.update(chunk);
      });
      return { size, sha256: signer.sha256(), signature: await signer.finish() };
    },
    async signBytes(bytes) {
      const signer = new FileSigner(prepared, time);
      signer.update(bytes);
      return { size: bytes.length, sha256: signer.sha256(), signature: await signer.finish() };
    },
  };
}

/** As `keySigner`, with keys that are opened when the first file is to be signed. */
export function lateSigner(open: () => Promise<readonly SigningKey[]>, time: SigningTime): Signer {
  let opened: Promise<Signer> | undefined;
  const signer = (): Promise<Signer> => (opened ??= open().then((keys) => keySigner(keys, time)));
  return {
    atOnce: 4,
    signFile: async (path, signal) => (await signer()).signFile(path, signal),
    signBytes: async (bytes, signal) => (await signer()).signBytes(bytes, signal),
  };
}
