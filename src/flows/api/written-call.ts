import { statSync } from 'node:fs';
import type { Session } from '../../cli/session.js';
import { readStdin } from '../../cli/terminal/terminal.js';
import { CliError } from '../../core/errors.js';
import { localError } from '../../core/files/local-error.js';
import type { RequestBody } from '../../http/transport.js';
import type { WrittenCall } from '../../platform/access/any-call.js';

const JSON_TYPE = 'application/json';
/** What the tool itself sets, or must come from a file and not from a line. */
const OURS = /^(?:authorization|cookie|proxy-.*|host|connection|content-length|transfer-encoding|expect|upgrade|te)$/iu;
/** A name as RFC 9110 has it, and a value of one line. */
const HEADER = /^\s*([\w!#$%&'*+.^`|~-]+)\s*:[\t ]*([\t\x20-\x7e\x80-\xff]*)$/u;

/** What the line of a request says. */
export interface CallLine {
  readonly method: string;
  readonly path: string;
  readonly data?: string | undefined;
  readonly header?: readonly string[] | undefined;
}

function methodOf(text: string): WrittenCall['method'] {
  const method = text.toUpperCase();
  if (method === 'GET' || method === 'POST' || method === 'PUT' || method === 'DELETE') return method;
  throw new CliError('USAGE', `unknown method ${JSON.stringify(text.slice(0, 40))}: use GET, POST, PUT or DELETE`);
}

function headersOf(lines: readonly string[]): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const line of lines) {
    const [, name = '', value = ''] = HEADER.exec(line) ?? [];
    if (name === '') throw new CliError('USAGE', '--header takes NAME:VALUE, on one line and in ASCII');
    if (OURS.test(name))
      throw new CliError('USAGE', `the header ${name} is set by cdapctl`, {
        hints: ['use -a FILE to send another token'],
      });
    headers[name.toLowerCase()] = value;
  }
  return headers;
}

async function bodyOf(data: string | undefined, signal: AbortSignal): Promise<RequestBody | undefined> {
  if (data === undefined) return undefined;
  if (data === '-') return { kind: 'bytes', content: await readStdin(signal), contentType: JSON_TYPE };
  if (!data.startsWith('@')) return { kind: 'text', text: data, contentType: JSON_TYPE };
  const file = data.slice(1);
  try {
    const stat = statSync(file);
    if (!stat.isFile()) throw new CliError('LOCAL_IO', `${file} is not a regular file`, { target: { file } });
    const contentType = file.endsWith('.json') ? JSON_TYPE : 'application/octet-stream';
    return { kind: 'file', file, bytes: stat.size, contentType };
  } catch (error) {
    throw localError(error, 'read', file);
  }
}

/**
 * The request that a line asks for.
 * @throws USAGE for a method or header that is none, or data of a GET
 */
export async function writtenCall(line: CallLine, { signal }: Pick<Session, 'signal'>): Promise<WrittenCall> {
  const method = methodOf(line.method);
  if (method === 'GET' && line.data !== undefined)
    throw new CliError('USAGE', 'a GET request has no data: use the query of the path');
  const headers = headersOf(line.header ?? []);
  return { method, path: line.path, headers, body: await bodyOf(line.data, signal) };
}
