import { CliError } from '../errors.js';
import { parseJson } from './json.js';

const LARGEST = 16 * 1024 * 1024;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPENING = new Set([0x5b, 0x7b]);
const CLOSING = new Set([0x5d, 0x7d]);

/** Cuts the members out of an array that comes in pieces. */
class Cutter {
  /** What has arrived of the member that is being read. */
  #pending: Buffer = Buffer.alloc(0);
  #depth = 0;
  #text: 'none' | 'plain' | 'escape' = 'none';
  #isWhole = false;

  push(piece: Uint8Array): readonly Buffer[] {
    const bytes = Buffer.concat([this.#pending, piece]);
    const found: Buffer[] = [];
    let start = 0;
    for (let at = this.#pending.length; at < bytes.length; at++) {
      const before = this.#depth;
      this.#step(bytes.readUInt8(at));
      if (before === 1 && this.#depth === 2) start = at;
      if (before === 2 && this.#depth === 1) found.push(bytes.subarray(start, at + 1));
    }
    this.#pending = this.#depth > 1 ? bytes.subarray(start) : Buffer.alloc(0);
    return found;
  }

  get size(): number {
    return this.#pending.length;
  }

  get isWhole(): boolean {
    return this.#isWhole;
  }

  #step(byte: number): void {
    if (this.#text === 'escape') this.#text = 'plain';
    else if (this.#text === 'plain') this.#text = byte === QUOTE ? 'none' : byte === BACKSLASH ? 'escape' : 'plain';
    else if (byte === QUOTE) this.#text = 'plain';
    else if (OPENING.has(byte)) this.#depth += 1;
    else if (CLOSING.has(byte)) {
      this.#depth -= 1;
      if (this.#depth === 0) this.#isWhole = true;
    }
  }
}

/**
 * The objects of a JSON array one by one while they arrive, in constant memory.
 * @throws BAD_JSON, or TOO_LARGE for one of more than 16 MB
 */
export async function* objectsIn(body: AsyncIterable<Uint8Array>, what: string): AsyncGenerator<unknown, void, void> {
  const cutter = new Cutter();
  for await (const piece of body) {
    for (const bytes of cutter.push(piece)) yield parseJson(bytes, what);
    if (cutter.size > LARGEST) throw new CliError('TOO_LARGE', `${what} has an element larger than 16 MB`);
  }
  if (!cutter.isWhole) throw new CliError('BAD_JSON', `${what} ends too early`);
}
