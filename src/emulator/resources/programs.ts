import { empty, json, notFound, refuse, Refusal, text } from '../http/answers.js';
import type { EmulatorAnswer } from '../http/exchange.js';
import type { Generation } from '../store/generation.js';
import type { Application, Program } from '../store/model.js';
import { route, type Route, type RouteRequest } from '../http/route.js';
import { activeIds, programStatus, runCount, runWithId, startRun, stopRuns } from '../store/program-runs.js';
import { latestOf } from '../store/store.js';
import { isUuid } from '../store/uuid.js';
import { unconvertible } from './apps/app-list.js';
import { appName, referenced } from './apps/apps.js';
import { factRecord, runsOfProgram } from '../store/runs.js';
import { runtimeArguments } from './runtime-arguments.js';

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
