import { empty, json, notFound, refuse, Refusal, text } from '../http/answers.js';
import type { EmulatorAnswer } from '../http/exchange.js';
import type { Generation } from '../store/generation.js';
import { isObject, parseJson } from '../http/json.js';
import type { Application, Program, Run } from '../store/model.js';
import { route, type Route, type RouteRequest } from '../http/route.js';
import type { RunFact } from '../store/run-fact.js';
import { latestOf, type Store } from '../store/store.js';
import { isUuid } from '../store/uuid.js';
import { unconvertible } from './apps/app-list.js';
import { appName, referenced } from './apps/apps.js';
import { activeRuns, beginOf, factRecord, runsOfProgram, startedRuns, stateOf } from '../store/runs.js';

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

/** Run control of one program (docs/platform.md 8.1). */
export const programRoutes: readonly Route[] = [
  route('GET', `${PROGRAM}/status`, (request) => {
    const { application, program } = programAt(request);
    return json({ status: programStatus(request.store, application, program.name) });
  }),
  route('POST', `${PROGRAM}/start`, (request) => {
    const { application, program } = startable(request);
    startRun(request.store, application, program, runtimeArguments(request.text()));
    return empty();
  }),
  route('POST', `${PROGRAM}/stop`, (request) => {
    const { application, program } = programAt(request);
    const active = activeIds(request.store, application, program.name);
    if (active.length === 0) refuse(400, `Program '${programId(application, program)}' is not running.`);
    stopRuns(request.store, application, active);
    return empty();
  }),
  route('POST', `${PROGRAM}/runs/{run}/stop`, (request) => {
    const { application, program } = programAt(request);
    const id = request.param('run');
    if (!isUuid(id)) throw new Refusal(badRunId(id, request.store.generation));
    const isActive = activeIds(request.store, application, program.name).includes(id);
    if (!isActive) refuse(400, `Program '${programName(request, program.name)}' is not running.`);
    stopRuns(request.store, application, [id]);
    return empty();
  }),
  route('GET', `${PROGRAM}/runs`, listRuns),
  route('GET', `${PROGRAM}/runs/{run}`, (request) => {
    const { application, program } = programAt(request);
    const id = request.param('run');
    if (!isUuid(id)) refuse(500, `Invalid UUID string: ${id}`);
    const run = runWithId(request.store, application, program.name, id);
    return run === undefined ? noRun(request, program.name, id) : json(factRecord(run, request.store.generation));
  }),
  route('GET', `${PROGRAM}/runcount`, (request) => {
    const { application, program } = programAt(request);
    return json(runCount(request.store, application, program.name));
  }),
];

interface ProgramPlace {
  readonly application: Application;
  readonly program: Program;
}

/** The program of the path, or the 400 or 404 that tells what is not known. */
export function programAt(request: RouteRequest): ProgramPlace {
  const type = PROGRAM_TYPES[request.param('type')] ?? unknownType(request);
  const application = referenced(request);
  return { application, program: programOf(application, type, request.param('program')) };
}

function unknownType({ param, store }: RouteRequest): never {
  const type = param('type');
  if (!store.generation.hasVersions) refuse(400, `Invalid program type '${type}'`);
  const known = Object.keys(PROGRAM_TYPES).join(',');
  return refuse(400, `Unknown category name '${type}'. Must be one of ${known}`);
}

/** The same for a start: a platform 6.1.1 then misses the program, not the application. */
function startable(request: RouteRequest): ProgramPlace {
  const { store, param } = request;
  const [namespace, app] = [param('namespace'), param('app')];
  if (store.generation.platform === '6.1.1' && store.application(namespace, app) === undefined) {
    const type = (PROGRAM_TYPES[param('type')] ?? '').toLowerCase();
    notFound(`program:${namespace}.${app}.-SNAPSHOT.${type}.${param('program')}`);
  }
  return programAt(request);
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
export function programStatus({ runTable, now }: Store, application: Application, program: string): string {
  const states = activeRuns(application, now())
    .filter((run) => run.program === program)
    .map((run) => stateOf(run, now()));
  const { namespace, name } = application;
  const isGenerated = runTable.active({ namespace, application: name, program }).length > 0;
  if (isGenerated || states.includes('RUNNING')) return 'RUNNING';
  return states.length > 0 ? 'STARTING' : 'STOPPED';
}

/** The ids of the runs of a program that have not come to their end. */
export function activeIds({ runTable, now }: Store, application: Application, program: string): string[] {
  const { namespace, name } = application;
  const started = activeRuns(application, now()).filter((run) => run.program === program);
  return [...started, ...runTable.active({ namespace, application: name, program })].map(({ id }) => id);
}

/** How many runs a program has. */
export function runCount({ runTable, now }: Store, application: Application, program: string): number {
  const { namespace, name } = application;
  const started = startedRuns(application, now()).filter((run) => run.program === program);
  return started.length + runTable.countOf({ namespace, application: name, program });
}

/** A run of a program by its id; undefined when it has none such. */
export function runWithId(
  { runTable, now }: Store,
  application: Application,
  program: string,
  id: string,
): RunFact | undefined {
  const { namespace, name } = application;
  const run = startedRuns(application, now()).find((one) => one.id === id) ?? runTable.run(id);
  const isOwn = run?.program === program && run.application === name && run.namespace === namespace;
  return isOwn ? run : undefined;
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
  const started = beginOf(store, application);
  const { namespace } = application;
  const stored = store.preferences.resolved([namespace, application.name, `${type}/${name}`]);
  const own = { id: store.newId(), program: name, type, started, version };
  const given = { runtimeArguments: { ...stored, ...runtimeArguments } };
  const run: Run = { ...own, ...given, ...(namespace === 'system' ? {} : store.nextRuns) };
  store.putApplication({ ...application, runs: [run, ...application.runs] });
  return run.id;
}

/** Ends runs by their ids; they are KILLED. */
export function stopRuns(store: Store, application: Application, ids: readonly string[]): void {
  const stopped = store.now();
  const runs = application.runs.map((run) => (ids.includes(run.id) ? { ...run, stopped } : run));
  for (const id of ids) store.runTable.stop(id, Math.floor(stopped / 1000));
  store.putApplication({ ...application, runs });
}

/** Reads runtime arguments: a JSON object of texts; numbers become texts. */
export function runtimeArguments(body: string): Record<string, string> {
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

/** How errors about runs name the program of the path. */
function programName({ param, store }: RouteRequest, program: string): string {
  const type = (PROGRAM_TYPES[param('type')] ?? '').toLowerCase();
  const [kind, version] = store.generation.hasVersions ? ['programreference', ''] : ['program', '.-SNAPSHOT'];
  return `${kind}:${param('namespace')}.${param('app')}${version}.${type}.${program}`;
}

/** Refuses a run that is not there. */
export function noRun(request: RouteRequest, program: string, id: string): never {
  const name = programName(request, program);
  if (request.store.generation.hasVersions) refuse(404, `No run record found for program ${name} and runID: ${id}`);
  return notFound(`program_run:${name.replace(/^program:/u, '')}.${id}`);
}

function badRunId(id: string, { hasVersions }: Generation): EmulatorAnswer {
  if (!hasVersions) return text(400, 'Error parsing run-id.');
  return { ...json(''), status: 400, body: `Invalid UUID string: ${id}` };
}

function listRuns(request: RouteRequest): EmulatorAnswer {
  const { query, store } = request;
  const wanted = (query.get('status') ?? 'ALL').toUpperCase();
  const limit = query.get('limit') ?? '100';
  if (!/^[-+]?\d{1,10}$/u.test(limit) || Math.abs(Number(limit)) >= 2 ** 31) unconvertible(request);
  const type = PROGRAM_TYPES[request.param('type')] ?? unknownType(request);
  const application = store.application(request.param('namespace'), appName(request));
  const name = request.param('program');
  const programs = application === undefined ? [] : latestOf(application).programs;
  if (application === undefined || !programs.some((program) => program.name === name && program.type === type)) {
    return notFound(programName(request, name));
  }
  const [from = 0, to = Infinity] = [timeOf(request, 'start'), timeOf(request, 'end')];
  if (wanted !== 'ALL' && !STATUSES.includes(wanted)) {
    refuse(500, `No enum constant io.cdap.cdap.proto.ProgramRunStatus.${wanted}`);
  }
  const { hasVersions } = store.generation;
  if (to < from && hasVersions) refuse(400, `Invalid end time ${to}. It must be greater than the start time ${from}`);
  if (to < from) refuse(500, 'inconsistent range');
  // Before 6.9 a window begins a second early.
  const earliest = hasVersions ? from : from - 1;
  const records: object[] = [];
  for (const run of runsOfProgram(store, application, name, to)) {
    if (run.start < earliest || records.length >= Number(limit)) break;
    if (wanted === 'ALL' || run.status === wanted) records.push(factRecord(run, store.generation));
  }
  return json(records);
}

function timeOf({ query, store }: RouteRequest, name: 'start' | 'end'): number | undefined {
  const value = query.get(name);
  if (value === null || value === '') return undefined;
  if (/^[-+]?\d+$/u.test(value)) return Number(value);
  return store.generation.hasVersions
    ? refuse(400, `Invalid vaule ${value} for ${name}`)
    : refuse(500, `For input string: "${value}"`);
}
