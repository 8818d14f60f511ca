import type { IncomingMessage, ServerResponse } from 'node:http';
import { fileAnswer } from './file-answer.js';
import type { LargeFiles } from './large-files.js';
import type { FoundFile, SmallFiles } from './small-files.js';

/** The files served at the top of a hub, where keys may lie as well. */
const AT_TOP = /^(?:packages|categories|index|metadata)\.json(?:\.asc)?$/u;
/** The page at the address of a hub, where there is one. */
const START_PAGE = 'index.html';
const UNSAFE = /[/\\\p{Cc}]/u;

/** What is served. */
export interface ServedFiles {
  readonly files: Pick<SmallFiles, 'find'>;
  readonly large: Pick<LargeFiles, 'send'>;
  /** Title of the hub, answered as `metadata.json` in place of the file. */
  readonly name?: string | undefined;
  /** Told why a request, whose target it gets, could not be answered. */
  readonly failed?: ((error: unknown, target: string) => void) | undefined;
}

/** Answers a request for a file of a hub; how many bytes of the body were sent. */
export async function answer(served: ServedFiles, request: IncomingMessage, response: ServerResponse): Promise<number> {
  try {
    return await answerWith(served, request, response);
  } catch (error) {
    served.failed?.(error, request.url ?? '');
    if (response.headersSent) response.destroy();
    else refuse(response, 500);
    return 0;
  }
}

async function answerWith(
  { files, large, name }: ServedFiles,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<number> {
  const { method, headers, url = '' } = request;
  response.setHeader('x-content-type-options', 'nosniff');
  response.on('error', () => undefined);
  if (method !== 'GET' && method !== 'HEAD') {
    response.setHeader('allow', 'GET, HEAD');
    return refuse(response, 405);
  }
  if (headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) !== 0)
    return refuse(response, 400);
  const names = requestPath(url);
  if (typeof names === 'number') return refuse(response, names);
  if (name !== undefined && names.join('/') === 'metadata.json') {
    const text = Buffer.from(JSON.stringify({ marketName: name }));
    response.writeHead(200, { 'content-type': 'application/json; charset=utf-8', 'content-length': text.length });
    response.end(method === 'HEAD' ? undefined : text);
    return method === 'HEAD' ? 0 : text.length;
  }
  const file = await files.find(names);
  // Of the files of packages none may become a page of this address.
  const type = names.length === 1 && names[0] === START_PAGE ? 'text/html; charset=utf-8' : undefined;
  return file === undefined ? refuse(response, 404) : send({ file, type, large }, request, response);
}

interface SendOptions extends Pick<ServedFiles, 'large'> {
  readonly file: FoundFile;
  readonly type: string | undefined;
}

async function send(
  { file, type, large }: SendOptions,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<number> {
  const { method, headers } = request;
  const { range, ...conditions } = headers;
  const asked = { ...conditions, range: method === 'GET' ? range : undefined };
  try {
    const head = fileAnswer(file.facts, { ...asked, 'if-range': one(headers['if-range']) }, type);
    response.writeHead(head.status, head.headers);
    const { start, end } = head.bytes ?? { start: 0, end: -1 };
    if (method === 'HEAD' || end < start) {
      response.end();
      return 0;
    }
    if ('handle' in file) return await large.send(file.handle, { start, end }, response);
    response.end(file.bytes.subarray(start, end + 1));
    return end - start + 1;
  } finally {
    if ('handle' in file) await file.handle.close();
  }
}

const one = (value: string | readonly string[] | undefined): string | undefined =>
  typeof value === 'string' ? value : value?.[0];

/** Refuses a request; after 404 its connection stays. */
function refuse(response: ServerResponse, status: number): 0 {
  const headers = status === 404 ? {} : { connection: 'close' };
  response.writeHead(status, { ...headers, 'content-length': 0 });
  response.end();
  return 0;
}

/**
 * The names below the folder of a hub that a request target asks for, with or without `/v2`.
 * @returns 400 when the target cannot be read, 404 when it names nothing that a hub serves
 */
export function requestPath(target: string): readonly string[] | 400 | 404 {
  if (!target.startsWith('/')) return 400;
  const [path = ''] = target.split('?', 1);
  const parts = path.slice(1).split('/');
  let names: readonly string[];
  try {
    names = parts.map((part) => decodeURIComponent(part));
  } catch {
    return 400;
  }
  const below = names[0] === 'v2' ? names.slice(1) : names;
  if (below.length === 1 && (below[0] === '' || below[0] === START_PAGE)) return [START_PAGE];
  // A name that begins with a dot is hidden, or leads upwards.
  if (below.some((name) => name === '' || name.startsWith('.') || UNSAFE.test(name))) return 404;
  return isOfHub(below) ? below : 404;
}

/** Whether a hub has files of such names; keys and notes may lie beside them. */
function isOfHub([first = '', ...others]: readonly string[]): boolean {
  if (others.length === 0) return AT_TOP.test(first);
  if (first === 'packages') return others.length === 3;
  return first === 'categories' && others.length === 2 && others[1] === 'icon.png';
}
