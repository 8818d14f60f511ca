import { createHash, type Hash } from 'node:crypto';

/**
 * Feeds the bytes of a file to all hashes that are needed. Each hash is computed once, however often it is requested.
 */
export class FileHashes {
  readonly #hashes = new Map<string, Hash>();

  /** Asks for a hash, as node:crypto calls it, over a salt and the file; before the first bytes. */
  want(id: string, salt: Uint8Array = new Uint8Array()): void {
    const key = keyOf(id, salt);
    if (!this.#hashes.has(key)) this.#hashes.set(key, createHash(id).update(salt));
  }

  /** The next bytes of the file. */
  update(chunk: Uint8Array): void {
    for (const hash of this.#hashes.values()) hash.update(chunk);
  }

  /** The digest of the bytes so far and of `more`; throws for a hash that was not asked for. */
  digest(id: string, salt: Uint8Array = new Uint8Array(), ...more: readonly Uint8Array[]): Buffer {
    const hash = this.#hashes.get(keyOf(id, salt))?.copy();
    if (hash === undefined) throw new Error(`${id} was not asked for`);
    for (const part of more) hash.update(part);
    return hash.digest();
  }
}

function keyOf(id: string, salt: Uint8Array): string {
  return salt.length === 0 ? id : `${id} ${Buffer.from(salt).toString('hex')}`;
}
