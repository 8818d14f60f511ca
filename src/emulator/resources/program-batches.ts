import { bare, json, notFound, refuse } from '../http/answers.js';
import { nextCronTime } from './cron.js';
import { bodyArray, isObject, stringOf, type JsonObject } from '../http/json.js';
import { route, type Route, type RouteRequest } from '../http/route.js';
import { latestOf } from '../store/store.js';
import { activeIds, programStatus, runCount, startRun, stopRuns } from '../store/program-runs.js';
import { PROGRAM_TYPES, programAt, programId } from './programs.js';
import { argumentTexts } from './runtime-arguments.js';
import { factRecord, runsOfProgram } from '../store/runs.js';
import type { Application, Program } from '../store/model.js';
import type { EmulatorAnswer } from '../http/exchange.js';

const NAMESPACE = '/v3/namespaces/{namespace}';
const MOST_COUNTED = 100;
const BAD_ITEM =
  'Must provide valid appId, programType, and programId for each object: ' +
  `'programType' must be one of [MapReduce, Workflow, Service, Spark, Worker, Custom]`;

/** Calls for several programs at once. */
export const programBatchRoutes: readonly Route[] = [
  route('POST', `${NAMESPACE}/status`, (request) => {
    return json(
      items(request).map((item) =>
        withProgram(request, item, ({ application, program }) => {
          return { status: programStatus(request.store, application, program.name) };
        }),
      ),
    );
  }),
  route('POST', `${NAMESPACE}/start`, (request) => json(items(request).map((item) => started(request, item)))),
  route('POST', `${NAMESPACE}/stop`, (request) => json(items(request).flatMap((item) => stopped(request, item)))),
  route('POST', `${NAMESPACE}/runs`, (request) => json(items(request).map((item) => latestRun(request, item)))),
  route('POST', `${NAMESPACE}/runcount`, (request) => {
    const counted = items(request);
    if (counted.length > MOST_COUNTED) {
      refuse(400, `${counted.length} programs found in the request, the maximum number supported is ${MOST_COUNTED}`);
    }
    return json(
      counted.map((item) =>
        withProgram(request, item, ({ application, program }) => {
          return { runCount: runCount(request.store, application, program.name) };
        }),
      ),
    );
  }),
  route('POST', `${NAMESPACE}/nextruntime`, nextStarts),
  route('GET', `${NAMESPACE}/apps/{app}/{type}/{program}/nextruntime`, (request) => {
    return json(schedulesNext(request.store.now(), programAt(request)));
  }),
];

interface Item {
  readonly appId: string;
  readonly programType: string;
  readonly programId: string;
  readonly source: JsonObject;
}

function items(request: RouteRequest): Item[] {
  return bodyArray(request.text(), request.store.generation).map((source) => {
    if (!isObject(source)) refuse(400, BAD_ITEM);
    const [appId, type, program] = ['appId', 'programType', 'programId'].map((name) => stringOf(source, name));
    const programType = Object.values(PROGRAM_TYPES).find((name) => name.toLowerCase() === type?.toLowerCase());
    if (appId === undefined || programType === undefined || program === undefined) refuse(400, BAD_ITEM);
    return { appId, programType, programId: program, source };
  });
}

function named({ appId, programType, programId: program }: Item): object {
  return { appId, programType, programId: program };
}

/** When active time schedules will start programs next; 6.1.1 has no such call (docs/platform.md 8.2). */
function nextStarts(request: RouteRequest): EmulatorAnswer {
  if (!request.store.generation.hasVersions) {
    return bare(404, `Problem accessing: ${request.uri}. Reason: Not Found`);
  }
  return json(
    items(request).map((item) =>
      withProgram(request, item, (found) => ({ schedules: schedulesNext(request.store.now(), found) })),
    ),
  );
}

function schedulesNext(now: number, { application, program }: Found): object[] {
  const { namespace, name, schedules } = application;
  return schedules.flatMap((schedule) => {
    const cron = schedule.trigger['cronExpression'];
    if (schedule.status !== 'SCHEDULED' || schedule.program.programName !== program.name) return [];
    const next = typeof cron === 'string' ? nextCronTime(cron, Math.floor(now / 1000) + 1) : undefined;
    const id = `DEFAULT.${namespace}:${name}:-SNAPSHOT:WORKFLOW:${program.name}:${schedule.name}`;
    return next === undefined ? [] : [{ id, time: next * 1000 }];
  });
}

interface Found {
  readonly application: Application;
  readonly program: Program;
}

function withProgram(request: RouteRequest, item: Item, answer: (found: Found) => object): object {
  const namespace = request.param('namespace');
  const application = request.store.application(namespace, item.appId);
  const program = application === undefined ? undefined : programIn(application, item);
  if (application === undefined || program === undefined) {
    const [kind, version] = request.store.generation.hasVersions ? ['programreference', ''] : ['program', '.-SNAPSHOT'];
    const reference = `${namespace}.${item.appId}${version}.${item.programType.toLowerCase()}.${item.programId}`;
    return { statusCode: 404, error: `'${kind}:${reference}' was not found.`, ...named(item) };
  }
  return { ...answer({ application, program }), statusCode: 200, ...named(item) };
}

function latestRun(request: RouteRequest, item: Item): object {
  const { store } = request;
  const namespace = request.param('namespace');
  const application = store.application(namespace, item.appId);
  const program = application === undefined ? undefined : programIn(application, item);
  if (application === undefined || program === undefined) {
    const name = `${namespace}.${item.appId}.-SNAPSHOT.${item.programType.toLowerCase()}.${item.programId}`;
    return { runs: [], statusCode: 404, error: `'program:${name}' was not found.`, ...named(item) };
  }
  const [latest] = runsOfProgram(store, application, program.name);
  const runs = latest === undefined ? [] : [factRecord(latest, store.generation)];
  return { runs, statusCode: 200, ...named(item) };
}

function programIn(application: Application, item: Item): Program | undefined {
  return latestOf(application).programs.find(({ type, name }) => type === item.programType && name === item.programId);
}

/** The application of an item; since 6.9 an unknown one fails the whole call. */
function applicationOf({ store, param }: RouteRequest, { appId }: Item): Application | undefined {
  const application = store.application(param('namespace'), appId);
  if (application !== undefined || !store.generation.hasVersions) return application;
  return notFound(`applicationreference:${param('namespace')}.${appId}`);
}

function missingApplication({ param }: RouteRequest, item: Item): object {
  const error = `'application:${param('namespace')}.${item.appId}.-SNAPSHOT' was not found.`;
  return { statusCode: 404, error, ...named(item) };
}

function missing(application: Application, item: Item): object {
  const id = programId(application, { type: item.programType, name: item.programId });
  return { statusCode: 404, error: `'${id}' was not found.`, ...named(item) };
}

function started(request: RouteRequest, item: Item): object {
  const application = applicationOf(request, item);
  if (application === undefined) return missingApplication(request, item);
  const program = programIn(application, item);
  if (program === undefined) return missing(application, item);
  const runId = startRun(request.store, application, program, argumentTexts(item.source['runtimeargs']));
  return { statusCode: 200, runId, ...named(item) };
}

function stopped(request: RouteRequest, item: Item): object[] {
  const application = applicationOf(request, item);
  if (application === undefined) return [missingApplication(request, item)];
  const program = programIn(application, item);
  if (program === undefined) return [missing(application, item)];
  const active = activeIds(request.store, application, program.name);
  stopRuns(request.store, application, active);
  if (active.length > 0) return active.map((id) => ({ statusCode: 200, runId: id, ...named(item) }));
  const error = `Program '${programId(application, program)}' is not running.`;
  return [{ statusCode: 400, error, ...named(item) }];
}
