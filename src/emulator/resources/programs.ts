import { empty, json, notFound, refuse } from '../answers.js';
import { isObject, parseJson } from '../json.js';
import type { Application, Program, Run } from '../model.js';
import { route, type Route, type RouteRequest } from '../router.js';
import { latestOf, type Store } from '../store.js';
import { isUuid } from '../uuid.js';
import { unconvertible } from './app-list.js';
import { appName, referenced } from './apps.js';
import { activeRuns, runRecord, stateOf } from './runs.js';

/** Program types as paths name them, with the words of JSON answers. */
export const PROGRAM_TYPES: Readonly<Record<string, string>> = {
  mapreduce: 'MapReduce',
  spark: 'Spark',
  custom: 'Custom',
  workflows: 'Workflow',
  services: 'Service',
  workers: 'Worker',
};
const STATUSES = 'PENDING STARTING RUNNING STOPPING SUSPENDED RESUMING COMPLETED FAILED KILLED REJECTED'.split(' ');
const PROGRAM = '/v3/namespaces/{namespace}/apps/{app}/{type}/{program}';

/** Run control of one program (contract 8.1). */
export const programRoutes: readonly Route[] = [
  route('GET', `${PROGRAM}/status`, (request) => {
    const { application, program } = programAt(request);
    return json({ status: programStatus(application, program.name, request.store.now()) });
  }),
  route('POST', `${PROGRAM}/start`, (request) => {
    const { application, program } = programAt(request);
    startRun(request.store, application, program, runtimeArguments(request.text()));
    return empty();
  }),
  route('POST', `${PROGRAM}/stop`, (request) => {
    const { application, program } = programAt(request);
    const active = activeRuns(application, request.store.now()).filter((run) => run.program === program.name);
    if (active.length === 0) refuse(400, `Program '${programId(application, program)}' is not running.`);
    stopRuns(request.store, application, active);
    return empty();
  }),
  route('POST', `${PROGRAM}/runs/{run}/stop`, (request) => {
    const { application, program } = programAt(request);
    const active = activeRuns(application, request.store.now()).filter(({ id }) => id === request.param('run'));
    if (active.length === 0) refuse(400, `Program '${reference(request, program.name)}' is not running.`);
    stopRuns(request.store, application, active);
    return empty();
  }),
  route('GET', `${PROGRAM}/runs`, listRuns),
  route('GET', `${PROGRAM}/runs/{run}`, (request) => {
    const { application, program } = programAt(request);
    const id = request.param('run');
    if (!isUuid(id)) refuse(500, `Invalid UUID string: ${id}`);
    const run = application.runs.find((entry) => entry.id === id && entry.program === program.name);
    const missing = `No run record found for program ${reference(request, program.name)} and runID: ${id}`;
    return run === undefined
      ? refuse(404, missing)
      : json(runRecord(run, request.store.now(), request.store.generation));
  }),
  route('GET', `${PROGRAM}/runcount`, (request) => {
    const { application, program } = programAt(request);
    return json(application.runs.filter((run) => run.program === program.name).length);
  }),
];

interface ProgramPlace {
  readonly application: Application;
  readonly program: Program;
}

/** The program of the path, or the 400 or 404 that tells what is not known. */
export function programAt(request: RouteRequest): ProgramPlace {
  const type = request.param('type');
  if (PROGRAM_TYPES[type] === undefined) {
    const known = Object.keys(PROGRAM_TYPES).join(',');
    refuse(400, `Unknown category name '${type}'. Must be one of ${known}`);
  }
  const application = referenced(request);
  return { application, program: programOf(application, PROGRAM_TYPES[type] ?? '', request.param('program')) };
}

/** A program of the newest version of an application, or 404. */
export function programOf(application: Application, type: string, name: string): Program {
  const program = latestOf(application).programs.find((entry) => entry.name === name && entry.type === type);
  return program ?? notFound(programId(application, { type, name }));
}

/** How errors name a program of the newest version. */
export function programId(application: Application, { type, name }: Pick<Program, 'type' | 'name'>): string {
  const { version } = latestOf(application);
  return `program:${application.namespace}.${application.name}.${version}.${type.toLowerCase()}.${name}`;
}

/** `STARTING`, `RUNNING` or `STOPPED`. */
export function programStatus(application: Application, program: string, now: number): string {
  const states = activeRuns(application, now)
    .filter((run) => run.program === program)
    .map((run) => stateOf(run, now));
  if (states.includes('RUNNING')) return 'RUNNING';
  return states.length > 0 ? 'STARTING' : 'STOPPED';
}

/** Starts a run and gives its id. */
export function startRun(
  store: Store,
  application: Application,
  program: Program,
  runtimeArguments: Run['runtimeArguments'],
): string {
  const { version } = latestOf(application);
  const { name, type } = program;
  const run: Run = { id: store.newId(), program: name, type, started: store.now(), version, runtimeArguments };
  store.putApplication({ ...application, runs: [run, ...application.runs] });
  return run.id;
}

/** Ends runs; they are KILLED. */
export function stopRuns(store: Store, application: Application, active: readonly Run[]): void {
  const stopped = store.now();
  const runs = application.runs.map((run) => (active.includes(run) ? { ...run, stopped } : run));
  store.putApplication({ ...application, runs });
}

/** Reads runtime arguments: a JSON object of texts; numbers become texts. */
function runtimeArguments(body: string): Record<string, string> {
  if (body === '') return {};
  const value = parseJson(body);
  if (value === undefined) refuse(500, `End of input at line 1 column ${body.length + 1}`);
  if (!isObject(value)) refuse(500, 'Expected BEGIN_ARRAY but was STRING at line 1 column 3 path $[0]');
  return argumentTexts(value);
}

/** The members of an object as texts. */
export function argumentTexts(value: unknown): Record<string, string> {
  const members = Object.entries(isObject(value) ? value : {});
  return Object.fromEntries(
    members.map(([name, member]) => {
      if (typeof member === 'string') return [name, member];
      if (typeof member === 'number' || typeof member === 'boolean') return [name, String(member)];
      return refuse(500, 'Expected a string but was BEGIN_OBJECT at line 1 column 7 path $.');
    }),
  );
}

function reference({ param }: RouteRequest, program: string): string {
  const type = (PROGRAM_TYPES[param('type')] ?? '').toLowerCase();
  return `programreference:${param('namespace')}.${param('app')}.${type}.${program}`;
}

function listRuns(request: RouteRequest): ReturnType<typeof json> {
  const { query, store } = request;
  const wanted = (query.get('status') ?? 'ALL').toUpperCase();
  const limit = query.get('limit') ?? '100';
  if (!/^-?\d+$/u.test(limit)) unconvertible(request);
  const application = store.application(request.param('namespace'), appName(request));
  const programs = application === undefined ? [] : latestOf(application).programs;
  const name = request.param('program');
  if (application === undefined || !programs.some((program) => program.name === name)) {
    return notFound(reference(request, name));
  }
  if (wanted !== 'ALL' && !STATUSES.includes(wanted)) {
    refuse(500, `No enum constant io.cdap.cdap.proto.ProgramRunStatus.${wanted}`);
  }
  const records = application.runs
    .filter((run) => run.program === name)
    .map((run) => runRecord(run, store.now(), store.generation));
  const fitting = records.filter(({ status }) => wanted === 'ALL' || status === wanted);
  return json(fitting.slice(0, Math.max(0, Number(limit))));
}
