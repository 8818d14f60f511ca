import { ByteReader } from './byte-reader.js';
import { Refusal } from './refusal.js';

const NOTATION = 20;

/** One statement inside a signature. */
export interface Subpacket {
  readonly type: number;
  readonly critical: boolean;
  /** Whether its meaning is known to us; notations never are. */
  readonly understood: boolean;
  readonly name: string;
  readonly body: Uint8Array;
}

/** Types whose meaning is taken into account, or has none for the signature of a file. */
const UNDERSTOOD: ReadonlySet<number> = new Set([
  2, 3, 4, 5, 6, 7, 9, 11, 16, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 32, 33, 34, 39,
]);

/** Reads one area of subpackets to its end; throws a Refusal (malformed). */
export function readSubpackets(area: Uint8Array): readonly Subpacket[] {
  const reader = new ByteReader(area);
  const found: Subpacket[] = [];
  while (reader.left > 0) {
    const length = subpacketLength(reader);
    if (length === 0) throw new Refusal('malformed', 'it has an empty subpacket');
    const head = reader.number(1);
    const type = head & 0x7f;
    const name = type === NOTATION ? 'a critical notation' : `a critical subpacket of type ${type}`;
    found.push({
      type,
      critical: (head & 0x80) !== 0,
      understood: UNDERSTOOD.has(type),
      name,
      body: reader.take(length - 1),
    });
  }
  return found;
}

function subpacketLength(reader: ByteReader): number {
  const first = reader.number(1);
  if (first < 192) return first;
  if (first < 255) return ((first - 192) << 8) + reader.number(1) + 192;
  return reader.number(4);
}
