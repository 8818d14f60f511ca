import { createHash, hash, type Hash } from 'node:crypto';

/** Up to so many bytes are held: to hash them at the end costs less than a stream for each hash. */
const SMALL = 16 * 1024;

/**
 * Feeds the bytes of a file to all hashes that are needed. Each hash is computed once, however often it is requested.
 */
export class FileHashes {
  /** Salts by what a hash and its salt are called here. */
  readonly #wanted = new Map<string, { readonly id: string; readonly salt: Uint8Array }>();
  /** Of a file that is not small. */
  #streams: Map<string, Hash> | undefined;
  #held = Buffer.alloc(0);

  /** Asks for a hash, as node:crypto calls it, over a salt and the file; before the first bytes. */
  want(id: string, salt: Uint8Array = new Uint8Array()): void {
    // One that has missed bytes stays unknown.
    if (this.#streams === undefined) this.#wanted.set(keyOf(id, salt), { id, salt });
  }

  /** The next bytes of the file. */
  update(chunk: Uint8Array): void {
    if (this.#streams === undefined && this.#held.length + chunk.length <= SMALL) {
      // A copy, as whoever reads may use the buffer again.
      this.#held = Buffer.concat([this.#held, chunk]);
      return;
    }
    this.#streams ??= new Map(
      [...this.#wanted].map(([key, { id, salt }]) => [key, createHash(id).update(salt).update(this.#held)]),
    );
    for (const stream of this.#streams.values()) stream.update(chunk);
  }

  /** The digest of the bytes so far and of `more`; throws for a hash that was not asked for. */
  digest(id: string, salt: Uint8Array = new Uint8Array(), ...more: readonly Uint8Array[]): Buffer {
    const key = keyOf(id, salt);
    if (!this.#wanted.has(key)) throw new Error(`${id} was not asked for`);
    const stream = this.#streams?.get(key)?.copy();
    if (stream === undefined) return hash(id, Buffer.concat([salt, this.#held, ...more]), 'buffer');
    for (const part of more) stream.update(part);
    return stream.digest();
  }
}

function keyOf(id: string, salt: Uint8Array): string {
  return salt.length === 0 ? id : `${id} ${Buffer.from(salt).toString('hex')}`;
}
