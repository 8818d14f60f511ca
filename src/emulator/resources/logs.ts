import { empty, gsonText, json, refuse } from '../http/answers.js';
import type { EmulatorAnswer } from '../http/exchange.js';
import { route, type Route, type RouteRequest } from '../http/route.js';
import type { RunFact } from '../store/run-fact.js';
import { isUuid } from '../store/uuid.js';
import { unconvertible } from './apps/app-list.js';
import { linesOf, memberOf, textOf, type LogLine } from './log-lines.js';
import { failureOf, type RunFailure } from './run-failure.js';
import { noRun, PROGRAM_TYPES } from './programs.js';
import { runWithId } from '../store/program-runs.js';
import { runsOfProgram } from '../store/runs.js';

const PROGRAM = '/v3/namespaces/{namespace}/apps/{app}/{type}/{program}';
const LEVELS = ['TRACE', 'DEBUG', 'INFO', 'WARN', 'ERROR'];
const MEMBERS =
  'timestamp logLevel threadName className simpleClassName lineNumber message stackTrace loggerName mdc isNativeMethod'.split(
    ' ',
  );
const HOUR = 3600;
const AT_ONCE = 500;
const [TEXT, JSON_TYPE] = ['text/plain; charset=utf-8', 'application/json'];

/** The logs of programs and of their runs (docs/platform.md 8.5). */
export const logRoutes: readonly Route[] = [PROGRAM, `${PROGRAM}/runs/{run}`].flatMap((path) => [
  route('GET', `${path}/logs`, whole),
  route('GET', `${path}/logs/next`, (request) => part(request, 'next')),
  route('GET', `${path}/logs/prev`, (request) => part(request, 'prev')),
]);

/** The nodes of a workflow's runs, which tell why one failed (docs/platform.md 11). */
export const nodeRoutes: readonly Route[] = [
  route(
    'GET',
    '/v3/namespaces/{namespace}/apps/{app}/workflows/{program}/runs/{run}/nodes/state',
    ({ store, param, ...request }) => {
      const application = store.application(param('namespace'), param('app'));
      const run = application && runWithId(store, application, param('program'), param('run'));
      if (run === undefined)
        return noRun(
          { store, ...request, param: (name) => (name === 'type' ? 'workflows' : param(name)) },
          param('program'),
          param('run'),
        );
      if (run.inner === undefined) return json({});
      const state = { nodeId: 'phase-1', nodeStatus: run.status, runId: run.inner };
      if (run.status !== 'FAILED') return json({ 'phase-1': state });
      return json({ 'phase-1': { ...state, failureCause: causeOf(failureOf(run, store)) } });
    },
  ),
];

/** Each cause in the one that it led to. */
const causeOf = ({ causes }: RunFailure): object | undefined =>
  causes.reduceRight<object | undefined>(
    (cause, one) => ({ ...one, stackTraces: [], ...(cause !== undefined && { cause }) }),
    undefined,
  );

/** The runs whose lines are asked for, oldest first; unknown programs have none. */
function runsOf(request: RouteRequest): readonly RunFact[] {
  const { store, param } = request;
  const type = PROGRAM_TYPES[param('type')];
  if (type === undefined)
    return refuse(
      500,
      `Unknown category name '${param('type')}'. Must be one of ${Object.keys(PROGRAM_TYPES).join(',')}`,
    );
  const application = store.application(param('namespace'), param('app'));
  const id = param('run');
  if (application === undefined) return [];
  if (id === '') return [...runsOfProgram(store, application, param('program'))].reverse();
  if (!isUuid(id)) return refuse(500, `Invalid UUID string: ${id}`);
  return [runWithId(store, application, param('program'), id) ?? noRun(request, param('program'), id)];
}

function* found(request: RouteRequest, from: number, to: number): Generator<LogLine> {
  const { query, store } = request;
  const filter = query.get('filter');
  if (filter !== null && !filter.includes('=')) refuse(500, 'Expected operator = but got end of expression');
  const least = LEVELS.indexOf(/^loglevel=(\w+)$/iu.exec(filter ?? '')?.[1]?.toUpperCase() ?? '');
  for (const run of runsOf(request))
    for (const line of linesOf(
      run,
      Math.min(store.now(), to - 1),
      run.status === 'FAILED' ? failureOf(run, store) : undefined,
    ))
      if (line.at >= from && LEVELS.indexOf(line.level) >= least) yield line;
}

function formatOf({ query }: RouteRequest): 'text' | 'json' | undefined {
  const format = query.get('format') ?? 'text';
  const suppressed = query.getAll('suppress');
  if (suppressed.some((name) => !MEMBERS.includes(name))) return undefined;
  return format === 'text' || format === 'json' ? format : undefined;
}

function seconds(request: RouteRequest, name: string): number | undefined {
  const value = request.query.get(name);
  if (value === null) return undefined;
  return /^-?\d+$/u.test(value) ? Number(value) : unconvertible(request);
}

function shownText(request: RouteRequest, line: LogLine): string {
  const text = textOf(line);
  if (request.query.get('escape') === 'false') return text;
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}

const offsetOf = ({ at }: LogLine): string => `-10000.${at}`;

function whole(request: RouteRequest): EmulatorAnswer {
  const format = formatOf(request);
  if (format === undefined) return { ...empty(500) };
  const now = Math.floor(request.store.now() / 1000) + 1;
  const isRun = request.param('run') !== '';
  const [start = isRun ? 0 : now - HOUR, stop = now] = [seconds(request, 'start'), seconds(request, 'stop')];
  if (stop <= start) refuse(400, "Invalid time range. 'stop' should be greater than 'start'.");
  const lines = found(request, start * 1000, stop * 1000);
  const suppressed = request.query.getAll('suppress');
  const pieces = function* (): Generator<string> {
    if (format === 'json') yield '[';
    let [text, count] = ['', 0];
    for (const line of lines) {
      const item = (): string => gsonText({ log: memberOf(line, suppressed), offset: offsetOf(line) });
      text += format === 'text' ? shownText(request, line) : `${count === 0 ? '' : ','}${item()}`;
      if (++count % AT_ONCE !== 0) continue;
      yield text;
      text = '';
    }
    yield format === 'json' ? `${text}]` : text;
  };
  const [first, more] = startOf(pieces());
  const type = format === 'json' ? JSON_TYPE : TEXT;
  return { status: 200, headers: { 'content-type': type, 'transfer-encoding': 'chunked' }, body: first, more };
}

/** The first piece is made before the answer begins, so that what is refused is an error. */
function startOf(pieces: Generator<string>): readonly [string, Iterable<string>] {
  const first = pieces.next();
  return [first.done === true ? '' : first.value, pieces];
}

function part(request: RouteRequest, way: 'next' | 'prev'): EmulatorAnswer {
  const format = formatOf(request);
  if (format === undefined) return { ...empty(500) };
  const offset = request.query.get('fromOffset');
  const time = /^-?\d+\.(\d+)$/u.exec(offset ?? '')?.[1];
  if (offset !== null && offset !== '' && time === undefined) refuse(400, `Invalid offset provided: ${offset}`);
  const max = seconds(request, 'max') ?? 50;
  const all = [...found(request, 0, Infinity)];
  const isFromEnd = way === 'prev' || (request.param('run') === '' && time === undefined);
  const beyond =
    time === undefined ? all : all.filter(({ at }) => (way === 'next' ? at > Number(time) : at < Number(time)));
  const some = max <= 0 ? [] : isFromEnd ? beyond.slice(-max) : beyond.slice(0, max);
  const suppressed = request.query.getAll('suppress');
  const items = some.map((line) => ({
    log: format === 'json' ? memberOf(line, suppressed) : shownText(request, line),
    offset: offsetOf(line),
  }));
  const headers = { 'content-type': JSON_TYPE, 'transfer-encoding': 'chunked' };
  return { status: 200, headers, body: gsonText(items) };
}
