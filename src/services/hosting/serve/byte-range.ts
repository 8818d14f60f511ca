/** A part of a file: its first and its last byte. */
export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

/**
 * What a Range header asks for. Several ranges, and what is no range, are ignored (RFC 9110, 14.2).
 * @returns undefined for the whole file, 416 when the file has no such bytes
 */
export function byteRange(header: string | undefined, size: number): ByteRange | 416 | undefined {
  const [, from = '', to = ''] = /^bytes=(\d*)-(\d*)$/iu.exec(header?.trim() ?? '') ?? [];
  if (from === '' && to === '') return undefined;
  if (from === '')
    return Number(to) === 0 || size === 0 ? 416 : { start: Math.max(0, size - Number(to)), end: size - 1 };
  const start = Number(from);
  if (to !== '' && Number(to) < start) return undefined;
  return start >= size ? 416 : { start, end: to === '' ? size - 1 : Math.min(size - 1, Number(to)) };
}
