import { createHash } from 'node:crypto';
import type { EmulatorAnswer, EmulatorRequest, EmulatorRoutes } from '../http/exchange.js';

const OCTETS = 'application/octet-stream';
const TEXT = 'text/plain; charset=utf-8';
const CONTENT_TYPES: Readonly<Record<string, string>> = {
  json: 'application/json',
  png: 'image/png',
  asc: TEXT,
  txt: TEXT,
  tsv: TEXT,
  csv: TEXT,
};
const PREFIX = /^\/v2(?=\/)/u;

function refusal(status: number, text: string, headers: Readonly<Record<string, string>> = {}): EmulatorAnswer {
  return { status, headers: { 'content-type': TEXT, ...headers }, body: `${text}\n` };
}

/** The path of a file below the root of the hub, or `undefined` for a path that no client should use. */
function decodePath(path: string): string | undefined {
  if (!path.startsWith('/')) return undefined;
  const segments = path.replace(PREFIX, '').slice(1).split('/');
  try {
    const decoded = segments.map(decodeURIComponent);
    const sound = decoded.every((text) => !/[/\\\u0000-\u001f\u007f]/u.test(text) && text !== '.' && text !== '..');
    return sound ? decoded.join('/') : undefined;
  } catch {
    return undefined;
  }
}

function contentType(name: string): string {
  return CONTENT_TYPES[name.slice(name.lastIndexOf('.') + 1)] ?? OCTETS;
}

function isKnown(etag: string, ifNoneMatch: string | undefined): boolean {
  const known = ifNoneMatch?.split(',').map((text) => text.trim().replace(/^W\//u, '')) ?? [];
  return known.includes(etag) || known.includes('*');
}

/** A part of a file: offsets of its first and last byte. */
interface ByteRange {
  readonly first: number;
  readonly last: number;
}

const SINGLE_RANGE = /^bytes=(\d*)-(\d*)$/iu;

/**
 * Parses a `Range` header for a file of `size` bytes; `outside` stands for an answer 416. Returns `undefined` when the
 * whole file is to be sent: no header, several ranges, another unit, or a range that ends before it begins.
 */
function selectRange(header: string | undefined, size: number): ByteRange | 'outside' | undefined {
  const match = SINGLE_RANGE.exec(header?.replaceAll(' ', '') ?? '');
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

function fileAnswer(name: string, bytes: Buffer, { method, headers }: EmulatorRequest): EmulatorAnswer {
  const etag = `"${createHash('sha256').update(bytes).digest('hex').slice(0, 32)}"`;
  const shared = { 'accept-ranges': 'bytes', 'cache-control': 'no-cache', etag };
  if (isKnown(etag, headers['if-none-match'])) return { status: 304, headers: shared, body: '' };
  const whole = { ...shared, 'content-type': contentType(name) };
  const ifRange = headers['if-range'];
  const ranged = method === 'GET' && (ifRange === undefined || ifRange === etag);
  const range = ranged ? selectRange(headers['range'], bytes.length) : undefined;
  if (range === undefined) return { status: 200, headers: whole, body: bytes };
  if (range === 'outside') {
    return refusal(416, 'the range lies outside of the file', { 'content-range': `bytes */${bytes.length}` });
  }
  const { first, last } = range;
  const partial = { ...whole, 'content-range': `bytes ${first}-${last}/${bytes.length}` };
  return { status: 206, headers: partial, body: bytes.subarray(first, last + 1) };
}

/**
 * Serves the files of a hub and nothing else, with and without `/v2`. HEAD is answered like GET, its body is dropped
 * when it is sent.
 */
export function hubRoutes({ files }: { readonly files: ReadonlyMap<string, Buffer> }): EmulatorRoutes {
  return (request) => {
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      return refusal(405, 'only GET and HEAD', { allow: 'GET, HEAD' });
    }
    if (request.body.length > 0) return refusal(400, 'a read has no body');
    const path = decodePath(request.path);
    if (path === undefined) return refusal(400, 'not a path of a hub');
    const bytes = files.get(path);
    return bytes === undefined ? refusal(404, `no such file: ${path}`) : fileAnswer(path, bytes, request);
  };
}
