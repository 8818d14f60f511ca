import { Agent, request } from 'node:http';
import type { Recorded } from './recordings.js';

/** What came back: header names in lower case. */
export interface Replayed {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: string;
}

const PADDED = /^(?<start>.*)(?<fill>.)\k<fill>\k<fill>\.\.\. \((?<length>\d+) characters\)$/su;

/** A path that the recording shortened, in its full length. */
function fullPath(path: string): string {
  const { start, fill, length } = PADDED.exec(path)?.groups ?? {};
  if (start === undefined || fill === undefined || length === undefined) return path;
  return start.padEnd(Number(length), fill);
}

/** Headers that the recording describes, in their full length. */
function fullHeaders(headers: Readonly<Record<string, string>>, largestFirst: boolean): Record<string, string> {
  const entries = Object.entries(headers).flatMap(([name, value]) => {
    const repeated = /^(?:y x |\()(\d+)(?: bytes\))?$/u.exec(value)?.[1];
    if (repeated !== undefined) return [[name, 'y'.repeat(Number(repeated))] as const];
    const plugins = /^JSON array of (\d+) jdbc plugins/u.exec(value)?.[1];
    if (plugins !== undefined) return [[name, JSON.stringify(jdbcPlugins(Number(plugins)))] as const];
    if (name === 'X-<n>') return Array.from({ length: 20 }, (_, index) => [`X-${index}`, 'y'.repeat(495)] as const);
    return [[name, value] as const];
  });
  if (largestFirst) entries.sort(([, a], [, b]) => b.length - a.length);
  return Object.fromEntries(entries);
}

function isText(body: Buffer): boolean {
  return Buffer.from(body.toString('utf8'), 'utf8').equals(body);
}

function jdbcPlugins(count: number): unknown[] {
  const description = 'd'.repeat(80);
  return Array.from({ length: count }, (_, index) => ({
    name: `p${index}`,
    type: 'jdbc',
    className: 'ex.drv.Drv',
    description,
  }));
}

/** Sends a recorded request, with `swap` applied to what its path and body name, and reads the answer even when the upload is refused half way. */
export function send(
  base: string,
  { what, request: sent }: Recorded,
  body: Buffer,
  swap: (text: string) => string,
): Promise<Replayed> {
  const { hostname, port } = new URL(base);
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const headers = fullHeaders(sent.headers ?? {}, what.includes('sent first'));
  delete headers['Content-Length'];
  const whole = isText(body) ? Buffer.from(swap(body.toString('utf8')), 'utf8') : body;
  const carries = !['GET', 'HEAD', 'OPTIONS'].includes(sent.method) || whole.length > 0;
  const length = carries && !('Transfer-Encoding' in headers) ? { 'Content-Length': String(whole.length) } : {};
  return new Promise((resolve, reject) => {
    const call = request({
      hostname,
      port,
      method: sent.method,
      path: swap(fullPath(sent.path)),
      headers: { ...headers, ...length },
      agent,
    });
    call.on('response', (answer) => {
      const chunks: Buffer[] = [];
      answer.on('data', (chunk: Buffer) => chunks.push(chunk));
      answer.on('end', () => {
        agent.destroy();
        resolve({
          status: answer.statusCode ?? 0,
          headers: answer.headers,
          body: Buffer.concat(chunks).toString('utf8'),
        });
      });
    });
    call.on('error', reject);
    if (headers['Expect'] === '100-continue') {
      call.flushHeaders();
      call.on('continue', () => call.end(whole));
    } else {
      call.end(whole.length > 0 ? whole : undefined);
    }
  });
}
