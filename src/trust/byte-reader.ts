import { Refusal } from './refusal.js';

/** Reads big-endian numbers and runs of bytes from the front. Throws a Refusal (malformed) where too few are left. */
export class ByteReader {
  readonly #bytes: Buffer;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  /** How many bytes were read. */
  get position(): number {
    return this.#at;
  }

  /** How many bytes are left. */
  get left(): number {
    return this.#bytes.length - this.#at;
  }

  /** The next bytes, as a view. */
  take(count: number): Buffer {
    const start = this.#pass(count);
    return this.#bytes.subarray(start, this.#at);
  }

  /** The next unsigned number of 1 to 4 bytes. */
  number(width: number): number {
    return this.#bytes.readUIntBE(this.#pass(width), width);
  }

  /** The next multiprecision integer; only the shortest encoding is accepted. */
  integer(): Buffer {
    const bits = this.number(2);
    const bytes = this.take(Math.ceil(bits / 8));
    const first = bytes.length === 0 ? 0 : bytes.readUInt8(0);
    const used = bytes.length === 0 ? 0 : (bytes.length - 1) * 8 + (32 - Math.clz32(first));
    if (used !== bits) throw new Refusal('malformed', 'a number is not written in its shortest form');
    return bytes;
  }

  /** Where the next so many bytes begin, which are read then. */
  #pass(count: number): number {
    if (count > this.left) throw new Refusal('malformed', 'a packet ends too early');
    this.#at += count;
    return this.#at - count;
  }

  /** Throws when something is left over. */
  end(what: string): void {
    if (this.left > 0) throw new Refusal('malformed', `${what} is followed by ${this.left} more bytes`);
  }
}
