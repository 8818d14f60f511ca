import type { Replayed } from './call.js';
import { membersOf } from './members.js';
import type { Recorded } from './recordings.js';

const UUID = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/gu;
const COMPARED_HEADERS = ['content-type', 'www-authenticate', 'content-encoding'];
/** Ids under which reports are shared; their padding stands behind. */
const SHARE_ID = /(?<![\w-])[\w-]{107}(?==)/gu;
const JAVA_OBJECT = /(?:\$\$Lambda\$\d+\/\d+)?@[0-9a-f]{7,8}\b/gu;
const ADDRESS = /https?:\/\/(?:localhost|127\.0\.0\.1):\d+/gu;

/** What differs between a recorded answer and the emulator's, as sentences; ids, addresses and times are free. */
export function differences({ response }: Recorded, actual: Replayed, compared: 'members' | 'values'): string[] {
  const found: string[] = [];
  if (response.status !== actual.status) {
    return [`status ${actual.status} for ${response.status}: ${actual.body.slice(0, 200)}`];
  }
  for (const name of COMPARED_HEADERS) {
    const [wanted, got] = [response.headers?.[name], actual.headers[name]];
    if (wanted !== got) found.push(`${name} ${String(got)} for ${String(wanted)}`);
  }
  if (response.headers?.['connection'] === 'close' && actual.headers['connection'] !== 'close') {
    found.push('the connection stays open');
  }
  if (response.headers?.['content-encoding'] !== undefined) return found;
  const body = response.body ?? '';
  if (!isJson(body)) return [...found, ...textDifference(response, actual.body)];
  const members = memberDifferences(body, actual.body);
  const values = members.length > 0 || compared === 'members' ? [] : valueDifference(body, actual.body);
  return [...found, ...members, ...values];
}

/** An answer is compared by its members when it is a JSON object or array, whatever its content type says (docs/platform.md 0.2). */
function isJson(body: string): boolean {
  return /^\s*[[{]/u.test(body);
}

function textDifference(response: Recorded['response'], actual: string): string[] {
  const wanted = normal(response.body ?? '');
  const got = normal(actual);
  const same = response.bodyNote === undefined ? got === wanted : got.startsWith(wanted);
  return same ? [] : [`text ${JSON.stringify(got.slice(0, 300))} for ${JSON.stringify(wanted.slice(0, 300))}`];
}

function normal(text: string): string {
  const ids = text.replace(UUID, '<id>').replace(SHARE_ID, '<share>').replace(ADDRESS, '<address>');
  return ids.replace(JAVA_OBJECT, '<object>').replace(/(?<=completed tasks = )\d+/u, '<number>');
}

function memberDifferences(body: string, actual: string): string[] {
  const wanted = membersOf(body);
  const got = membersOf(actual);
  if (!got.complete) return [`no JSON: ${actual.slice(0, 200)}`];
  const missing = [...wanted.paths].filter((path) => !got.paths.has(path));
  const extra = wanted.complete ? [...got.paths].filter((path) => !wanted.paths.has(path)) : [];
  return [...missing.map((path) => `missing ${path}`), ...extra.map((path) => `too much ${path}`)];
}

/** The values of a complete answer, order of lists included; free are ids, times, addresses and what describes the server. */
function valueDifference(wanted: string, actual: string): string[] {
  if (!membersOf(wanted).complete) return [];
  const [left, right] = [wanted, actual].map((body) => JSON.stringify(JSON.parse(normal(body), freed)));
  return left === right ? [] : [`values ${String(right).slice(0, 400)} for ${String(left).slice(0, 400)}`];
}

const FREE = ['expiry', 'description', 'identity', 'generation', 'created', 'value', 'logs', 'configSchema'];

function freed(key: string, value: unknown): unknown {
  if (FREE.includes(key)) return '<free>';
  if (typeof value === 'number' && value > 1e11) return '<time>';
  if (key === 'configHash' && value !== 0) return '<hash>';
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** Learns which of our ids stands for which recorded one, from two answers to the same request: those that are new in both, in order. */
export function pairIds(recordedBody: string, actualBody: string, pairs: Map<string, string>): void {
  for (const pattern of [UUID, SHARE_ID]) {
    const known = new Set(pairs.values());
    const recordedIds = [...new Set(recordedBody.match(pattern))].filter((id) => !pairs.has(id));
    const actualIds = [...new Set(actualBody.match(pattern))].filter((id) => !known.has(id));
    if (recordedIds.length !== actualIds.length) continue;
    for (const [index, id] of recordedIds.entries()) pairs.set(id, actualIds[index] ?? id);
  }
}
