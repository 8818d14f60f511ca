import { gsonText, json, refuse } from '../http/answers.js';
import { cronTimes } from './cron.js';
import type { EmulatorAnswer } from '../http/exchange.js';
import type { Application } from '../store/model.js';
import { route, type Route, type RouteRequest } from '../http/route.js';
import type { RunFact } from '../store/run-fact.js';
import { latestOf, type Store } from '../store/store.js';
import { unconvertible } from './apps/app-list.js';
import { startedRuns } from '../store/runs.js';

/** Answers with more records are sent in pieces, so that they are never in memory as a whole. */
const AT_ONCE = 5000;
const LARGEST_DURATION = 2 ** 31 - 1;
/** Who future runs are started by where nobody logs in. */
const SERVER_USER = 'cdap';

/** Runs of all programs in a window of time, and those to come (docs/platform.md 2). */
export const dashboardRoutes: readonly Route[] = [route('GET', '/v3/dashboard', dashboard)];

interface Window {
  readonly namespaces: readonly string[];
  readonly from: number;
  readonly to: number;
}

function dashboard(request: RouteRequest): EmulatorAnswer {
  const { store } = request;
  const window = windowOf(request);
  const records = recordsOf(store, window);
  const first: object[] = [];
  for (let next = records.next(); next.done !== true; next = records.next()) {
    first.push(next.value);
    if (first.length === AT_ONCE) return inPieces(first, records);
  }
  return json(first);
}

function inPieces(first: readonly object[], rest: Iterable<object>): EmulatorAnswer {
  const { headers, body } = json(first);
  const more = function* (): Generator<string> {
    let piece: string[] = [];
    for (const record of rest) {
      piece.push(`,${gsonText(record)}`);
      if (piece.length < AT_ONCE) continue;
      yield piece.join('');
      piece = [];
    }
    yield `${piece.join('')}]`;
  };
  return {
    status: 200,
    headers: { ...headers, 'transfer-encoding': 'chunked' },
    body: body.toString().slice(0, -1),
    more: more(),
  };
}

function windowOf(request: RouteRequest): Window {
  const [start, duration] = ['start', 'duration'].map((name) => {
    const text = request.query.get(name) ?? '0';
    return /^[-+]?\d{1,18}$/u.test(text) ? Number(text) : unconvertible(request);
  });
  if (start === undefined || duration === undefined || Math.abs(duration) > LARGEST_DURATION) {
    return unconvertible(request);
  }
  const namespaces = request.query.getAll('namespace');
  if (start < 0) refuse(400, "'start' time cannot be smaller than 0.");
  if (duration < 0) refuse(400, "'duration' cannot be smaller than 0.");
  if (namespaces.length === 0) refuse(400, "'namespace' cannot be empty, please provide at least one namespace.");
  const bad = namespaces.find((name) => !/^\w+$/u.test(name));
  if (bad !== undefined) {
    refuse(500, `Invalid namespace ID: ${bad}. Should only contain alphanumeric characters or _.`);
  }
  return { namespaces: [...new Set(namespaces)], from: start, to: start + duration };
}

function* recordsOf(store: Store, { namespaces, from, to }: Window): Generator<object> {
  for (const run of store.runTable.touching(from, to)) {
    if (namespaces.includes(run.namespace)) yield pastRecord(run);
  }
  const applications = namespaces.flatMap((namespace) => store.applications(namespace));
  for (const application of applications) {
    for (const run of startedRuns(application, store.now())) {
      if (run.start <= to && (run.end ?? Infinity) >= from) yield pastRecord(run);
    }
  }
  const now = Math.floor(store.now() / 1000);
  if (to <= now) return;
  for (const application of applications) yield* futureRecords(store, application, Math.max(from, now + 1), to);
}

function pastRecord(run: RunFact): object {
  const { namespace, artifact, application, type, program, id, user, startMethod } = run;
  const { start, running, end, status } = run;
  return {
    namespace,
    artifact,
    application: { name: application, version: '-SNAPSHOT' },
    type: type.toUpperCase(),
    program,
    run: id,
    user,
    startMethod,
    start,
    running,
    end,
    status,
  };
}

/** What resumed time schedules will start; a platform 6.1.1 lists it twice, as it was seen to do. */
function* futureRecords(store: Store, application: Application, from: number, to: number): Generator<object> {
  const { namespace, name, schedules } = application;
  const { version, artifact } = latestOf(application);
  const times = store.generation.platform === '6.1.1' ? 2 : 1;
  for (const { status, trigger, program } of schedules) {
    const cron = trigger['cronExpression'];
    if (status !== 'SCHEDULED' || typeof cron !== 'string') continue;
    for (const start of cronTimes(cron, from, to)) {
      const record = {
        namespace,
        artifact,
        application: { name, version },
        type: program.programType.toUpperCase(),
        program: program.programName,
        user: SERVER_USER,
        startMethod: 'SCHEDULED',
        start,
      };
      for (let copy = 0; copy < times; copy++) yield record;
    }
  }
}
