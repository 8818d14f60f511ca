/** What is known of an open file. */
export interface FileFacts {
  readonly name: string;
  readonly size: number;
  readonly inode: bigint;
  readonly modified: Date;
  /** Nanoseconds. */
  readonly changed: bigint;
}

/** What a request says about the file that it wants; headers by lower-case name. */
export type AskedHeaders = Readonly<
  Partial<Record<'if-none-match' | 'if-modified-since' | 'if-range' | 'range', string | undefined>>
>;

/** Head of an answer, and the bytes of the file that follow it. */
export interface FileAnswer {
  readonly status: 200 | 206 | 304 | 416;
  readonly headers: Readonly<Record<string, string | number>>;
  /** Absent without a body. */
  readonly bytes?: ByteRange;
}

const TEXT = 'text/plain; charset=utf-8';
const TYPES: Readonly<Record<string, string>> = {
  json: 'application/json; charset=utf-8',
  png: 'image/png',
  asc: TEXT,
  txt: TEXT,
  tsv: TEXT,
  csv: TEXT,
};

/** The content type of a file by its name; a browser must not guess another one. */
export const contentType = (name: string): string =>
  TYPES[name.slice(name.lastIndexOf('.') + 1).toLowerCase()] ?? 'application/octet-stream';

/** Decides how an open file is answered: as a whole, in part, or not again. */
export function fileAnswer(file: FileFacts, asked: AskedHeaders, type = contentType(file.name)): FileAnswer {
  const { size } = file;
  const etag = `"${[file.inode, BigInt(size), file.changed].map((part) => part.toString(36)).join('-')}"`;
  const modified = file.modified.toUTCString();
  const validators = { etag, 'last-modified': modified, 'cache-control': 'no-cache' };
  if (isKnown(asked, etag, Date.parse(modified))) return { status: 304, headers: validators };
  const condition = asked['if-range'];
  const isSame = condition === undefined || condition === etag;
  const range = isSame ? byteRange(asked.range, size) : undefined;
  if (range === 416) return { status: 416, headers: { 'content-range': `bytes */${size}`, 'content-length': 0 } };
  const bytes = range ?? { start: 0, end: size - 1 };
  const headers = {
    ...validators,
    'accept-ranges': 'bytes',
    'content-type': type,
    'content-length': bytes.end - bytes.start + 1,
  };
  if (range === undefined) return { status: 200, headers, bytes };
  return { status: 206, headers: { ...headers, 'content-range': `bytes ${bytes.start}-${bytes.end}/${size}` }, bytes };
}

/** Whether the asker has the file; its date says so only where it names no tags (RFC 9110, 13.1.3). */
function isKnown(asked: AskedHeaders, etag: string, modified: number): boolean {
  const { 'if-none-match': named, 'if-modified-since': since } = asked;
  if (named === undefined) return since !== undefined && modified <= Date.parse(since);
  const tags = named.split(',').map((tag) => tag.trim().replace(/^W\//u, ''));
  return tags.includes(etag) || tags.includes('*');
}

/** A part of a file: its first and its last byte. */
export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

/**
 * What a Range header asks for. Several ranges, and what is no range, are ignored (RFC 9110, 14.2).
 * @returns undefined for the whole file, 416 when the file has no such bytes
 */
function byteRange(header: string | undefined, size: number): ByteRange | 416 | undefined {
  const [, from = '', to = ''] = /^bytes=(\d*)-(\d*)$/iu.exec(header?.trim() ?? '') ?? [];
  if (from === '' && to === '') return undefined;
  if (from === '')
    return Number(to) === 0 || size === 0 ? 416 : { start: Math.max(0, size - Number(to)), end: size - 1 };
  const start = Number(from);
  if (to !== '' && Number(to) < start) return undefined;
  return start >= size ? 416 : { start, end: to === '' ? size - 1 : Math.min(size - 1, Number(to)) };
}
