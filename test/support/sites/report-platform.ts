import type { Socket } from 'node:net';
import { rawAnswer, rawServer, type RawRequest, type RawServer } from '../raw-server.js';

const SPARK = '/v3/namespaces/system/apps/ReportGenerationApp/spark/ReportGenerationSpark';
const CREATED = 1_795_239_600;

/** Id of the one report that a report platform has. */
export const REPORT_ID = 'fb6e8934-e56c-11f1-a9aa-acde48001122';

/** A request for a page. */
export interface PageRequest {
  readonly offset: number;
  readonly limit: number;
  /** 1 for the first request for a page. */
  readonly n: number;
  readonly socket: Socket;
}

/** Answers a request for a page in any way it likes; undefined: as it should be. */
export type PageScript = (asked: PageRequest) => Buffer | 'handled' | undefined;

/** A platform 6.1.1 of which only the report service is there, with one report. */
export interface ReportPlatform {
  readonly server: RawServer;
  readonly url: string;
  /** Requests for pages, in order. */
  readonly pages: readonly PageRequest[];
  script: PageScript;
  /** Records of the report; of any other number its summary may speak. */
  rows: readonly object[];
  announced: number | undefined;
  status: 'RUNNING' | 'COMPLETED' | 'FAILED';
  /** The answer of a page as it should be. */
  answer(asked: Pick<PageRequest, 'offset' | 'limit'>, more?: { rows?: readonly object[]; total?: number }): Buffer;
}

/** Records with cells that are awkward in csv. */
export function awkwardRows(count: number): Readonly<Record<string, unknown>>[] {
  const users = ['alice', null, '=cmd|1', 'o"neill, jr', 'two\nlines', 'é漢', '-5', '-x'];
  return Array.from({ length: count }, (_, at) => ({
    run: `run-${at}`,
    program: at % 2 === 0 ? 'DataPipelineWorkflow' : 'phase-1',
    end: at % 5 === 0 ? null : 1_795_239_000 + at,
    user: users[at % users.length],
  }));
}

/** The columns of such a report. */
export const COLUMNS = ['run', 'end', 'user'] as const;

function info({ rows, announced = rows.length, status }: ReportPlatform): string {
  const [start, end] = [CREATED - 90_000, CREATED];
  const request = { name: 'nightly', start, end, fields: ['run', 'end', 'user'], filters: [] };
  const summary = {
    ...{ namespaces: [], start, end, artifacts: [], owners: [], startMethods: [] },
    durations: { min: 0, max: 0, average: 0 },
    starts: { oldest: start, newest: end },
    recordCount: announced,
    creationTimeMillis: CREATED * 1000,
    expirationTimeMillis: (CREATED + 172_800) * 1000,
  };
  const error = 'java.lang.Exception: no \u001b[2J space\n\tat a.b.C(D.java:1)';
  return JSON.stringify({
    ...{ request, name: 'nightly', created: CREATED, status },
    ...(status === 'COMPLETED' && { summary, expiry: CREATED + 172_800 }),
    ...(status === 'FAILED' && { error }),
  });
}

/** Starts one with so many awkward records. */
export async function reportPlatform(count: number): Promise<ReportPlatform> {
  const pages: PageRequest[] = [];
  const serve = (socket: Socket, { target }: RawRequest): void => {
    const { pathname, searchParams } = new URL(target, 'http://platform');
    const send = (status: number, text: string): void => void socket.write(rawAnswer(status, text));
    if (pathname === '/v3/version') send(200, '{"version":"6.1.1"}');
    else if (pathname === `${SPARK}/status`) send(200, '{"status":"RUNNING"}');
    else if (pathname === `${SPARK}/methods/health`) send(200, '');
    else if (pathname === `${SPARK}/methods/reports/info`) send(200, info(platform));
    else if (pathname === `${SPARK}/methods/reports/download`) {
      const [offset, limit] = ['offset', 'limit'].map((name) => Number(searchParams.get(name)));
      const asked = { offset: offset ?? 0, limit: limit ?? 0, n: pages.length + 1, socket };
      pages.push(asked);
      const answer = platform.script(asked) ?? platform.answer(asked);
      if (answer !== 'handled') socket.write(answer);
    } else send(404, 'Not Found');
  };
  const server = await rawServer(serve);
  const platform: ReportPlatform = {
    server,
    url: server.url,
    pages,
    script: () => undefined,
    rows: awkwardRows(count),
    announced: undefined,
    status: 'COMPLETED',
    answer: ({ offset, limit }, { rows = platform.rows, total = rows.length } = {}) => {
      const details = rows.slice(offset, offset + limit).map((row) => JSON.stringify(row));
      const text = `{"offset":${offset}, "limit":${limit}, "total":${total}, "details":[${details.join(', ')}]}`;
      return rawAnswer(200, text, { 'content-type': 'text/plain; charset=UTF-8' });
    },
  };
  return platform;
}

/** A plain writer of csv that shares nothing with the tool. */
export function plainCsv(
  rows: readonly Readonly<Record<string, unknown>>[],
  names: readonly string[] = COLUMNS,
): string {
  const cell = (value: unknown): string => {
    if (value === null || value === undefined) return '';
    const text = typeof value === 'string' ? value : JSON.stringify(value);
    const risky = '=+-@\t\r\0'.includes(text.charAt(0)) && text !== '' && Number.isNaN(Number(text));
    const safe = risky ? `'${text}` : text;
    return ['"', ',', '\r', '\n'].some((letter) => safe.includes(letter)) ? `"${safe.split('"').join('""')}"` : safe;
  };
  const times = ['start', 'running', 'end'];
  const twin = (seconds: unknown): string =>
    typeof seconds === 'number' ? new Date(seconds * 1000).toISOString().replace(/T(.{8}).*/u, ' $1') : '';
  const header = names.flatMap((name) => (times.includes(name) ? [name, `${name}Utc`] : [name]));
  const cells = (row: (typeof rows)[number]): readonly unknown[] =>
    names.flatMap((name) => (times.includes(name) ? [row[name], twin(row[name])] : [row[name]]));
  return [header, ...rows.map(cells)].map((line) => `${line.map(cell).join(',')}\r\n`).join('');
}
