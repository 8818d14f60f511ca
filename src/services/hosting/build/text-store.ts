const BLOCK = 1024 * 1024;

/** Where a text lies in a store. */
export interface StoredText {
  readonly block: Buffer;
  readonly start: number;
  readonly end: number;
}

/** Keeps many texts as UTF-8 in few blocks outside of the heap of V8. */
export class TextStore {
  /** Of all texts. */
  bytes = 0;
  #block = Buffer.alloc(0);
  #used = 0;

  add(text: string): StoredText {
    const bytes = Buffer.byteLength(text);
    this.bytes += bytes;
    if (this.#used + bytes > this.#block.length) {
      this.#block = Buffer.allocUnsafeSlow(Math.max(BLOCK, bytes));
      this.#used = 0;
    }
    const start = this.#used;
    this.#used += this.#block.write(text, start);
    return { block: this.#block, start, end: this.#used };
  }
}

/** The bytes of a stored text. */
export const bytesOf = ({ block, start, end }: StoredText): Uint8Array => block.subarray(start, end);
