/** A part of a file: offsets of its first and last byte. */
export interface ByteRange {
  readonly first: number;
  readonly last: number;
}

const SINGLE = /^bytes=(\d*)-(\d*)$/iu;

/**
 * Parses a `Range` header for a file of `size` bytes; `outside` stands for an answer 416. Returns `undefined` when the
 * whole file is to be sent: no header, several ranges, another unit, or a range that ends before it begins.
 */
export function selectRange(header: string | undefined, size: number): ByteRange | 'outside' | undefined {
  const match = SINGLE.exec(header?.replaceAll(' ', '') ?? '');
  if (match === null) return undefined;
  const [, from = '', to = ''] = match;
  if (from === '' && to === '') return undefined;
  const last = size - 1;
  if (from === '') {
    const count = Math.min(Number(to), size);
    return count === 0 ? 'outside' : { first: size - count, last };
  }
  const first = Number(from);
  if (to !== '' && Number(to) < first) return undefined;
  if (first > last) return 'outside';
  return { first, last: to === '' ? last : Math.min(Number(to), last) };
}
