const BLOCK = 512;
const REGULAR = new Set(['0', '\0']);

/** Bytes of a header, and what members are filled up to. */
export const TAR_BLOCK = BLOCK;

/** A member of a tar file as its header tells it; size in bytes. */
export interface TarMember {
  readonly name: string;
  readonly size: number;
  readonly isRegular: boolean;
}

/** How many bytes fill up a member to whole blocks. */
export const tarPadding = (size: number): number => (BLOCK - (size % BLOCK)) % BLOCK;

const octal = (value: number, length: number): string => `${value.toString(8).padStart(length - 1, '0')}\0`;

/** The header of a regular file (POSIX ustar). At most 100 ASCII characters as name, less than 8 GiB. */
export function tarHeader(name: string, size: number): Buffer {
  const header = Buffer.alloc(BLOCK);
  header.write(name, 0, 100, 'latin1');
  header.write(octal(0o644, 8), 100, 'latin1');
  header.write(octal(0, 8), 108, 'latin1');
  header.write(octal(0, 8), 116, 'latin1');
  header.write(octal(size, 12), 124, 'latin1');
  header.write(octal(0, 12), 136, 'latin1');
  header.write('0', 156, 'latin1');
  header.write('ustar\0' + '00', 257, 'latin1');
  header.write(`${octal(checksum(header), 7)} `, 148, 'latin1');
  return header;
}

/** Reads a header: undefined for the end of the file, an error text where it is none. */
export function readTarHeader(header: Buffer): TarMember | string | undefined {
  if (header.every((byte) => byte === 0)) return undefined;
  const text = (start: number, length: number): string => {
    const field = header.subarray(start, start + length);
    const end = field.indexOf(0);
    return field.subarray(0, end === -1 ? length : end).toString('latin1');
  };
  const number = (start: number, length: number): number => {
    const digits = text(start, length).trim();
    return /^[0-7]+$/u.test(digits) ? parseInt(digits, 8) : NaN;
  };
  if (number(148, 8) !== checksum(header)) return 'a header is damaged';
  const size = number(124, 12);
  if (!Number.isSafeInteger(size)) return 'a member has no size';
  const prefix = text(345, 155);
  const name = text(0, 100);
  return {
    name: prefix === '' ? name : `${prefix}/${name}`,
    size,
    isRegular: REGULAR.has(header.toString('latin1', 156, 157)),
  };
}

/** The sum of all bytes, those of the sum itself as blanks. */
function checksum(header: Buffer): number {
  let sum = 0;
  for (let at = 0; at < BLOCK; at++) sum += at >= 148 && at < 156 ? 0x20 : (header[at] ?? 0);
  return sum;
}
