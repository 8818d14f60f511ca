import type { Socket } from 'node:net';

/**
 * Counts the bytes that followed a piece of a body in the same read of a socket. undici silently drops these bytes
 * (docs/faults.md N12).
 */
export class PieceEnds {
  readonly #ends = new WeakMap<ArrayBufferLike, number>();

  /** Makes a socket tell where each of its reads ends. */
  watch(socket: Socket): void {
    const read = socket.read.bind(socket);
    socket.read = (size?: number): unknown => {
      const bytes: unknown = read(size);
      if (bytes instanceof Uint8Array) this.#ends.set(bytes.buffer, bytes.byteOffset + bytes.byteLength);
      return bytes;
    };
  }

  /** How many bytes were read together with this piece and stand behind it. */
  bytesAfter(piece: Uint8Array): number {
    const end = piece.byteOffset + piece.byteLength;
    return (this.#ends.get(piece.buffer) ?? end) - end;
  }
}
