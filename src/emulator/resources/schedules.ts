import { empty, json, notFound, Refusal, refuse, text } from '../http/answers.js';
import { keyOrder } from '../store/application-table.js';
import type { Generation } from '../store/generation.js';
import { endOfInput, isObject, parseJson, stringOf, type JsonObject } from '../http/json.js';
import type { Application, Schedule } from '../store/model.js';
import { route, type Route, type RouteRequest } from '../http/route.js';
import { appName, applicationAt } from './apps/apps.js';
import { checkCron } from './apps/pipeline.js';
import { programAt, programOf } from './programs.js';

const APP = '/v3/namespaces/{namespace}/apps/{app}';
const SCHEDULE = `${APP}/schedules/{schedule}`;
const TRIGGERS = ['partition', 'or', 'and', 'time', 'program-status'];
const STATUSES = ['SCHEDULED', 'SUSPENDED'];
const DAY_MS = 86_400_000;
const ACTIONS: Readonly<Record<string, Schedule['status']>> = {
  enable: 'SCHEDULED',
  resume: 'SCHEDULED',
  disable: 'SUSPENDED',
  suspend: 'SUSPENDED',
};

/** Schedules of applications (docs/platform.md 8.4). */
export const scheduleRoutes: readonly Route[] = [
  route('GET', `${APP}/schedules`, (request) => {
    const { schedules } = applicationAt(request, '-SNAPSHOT');
    return json(listed(request, schedules).map((schedule) => shown(schedule, request.store.generation)));
  }),
  route('GET', `${APP}/{type}/{program}/schedules`, (request) => {
    const { application, program } = programAt(request);
    const own = application.schedules.filter((schedule) => schedule.program.programName === program.name);
    return json(listed(request, own).map((schedule) => shown(schedule, request.store.generation)));
  }),
  route('GET', SCHEDULE, (request) => json(shownAlone(known(request).schedule, request.store.generation))),
  route('GET', `${SCHEDULE}/status`, (request) => json({ status: known(request).schedule.status })),
  route('PUT', SCHEDULE, added),
  route('POST', `${SCHEDULE}/update`, updated),
  route('POST', `${SCHEDULE}/{action}`, acted),
  route('DELETE', SCHEDULE, (request) => {
    const { application, schedule } = known(request);
    replace(
      request,
      application,
      application.schedules.filter((other) => other !== schedule),
    );
    return empty();
  }),
];

function listed({ query }: RouteRequest, schedules: readonly Schedule[]): Schedule[] {
  const trigger = query.get('trigger-type');
  const status = query.get('schedule-status');
  if (trigger !== null && !TRIGGERS.includes(trigger)) {
    refuse(400, `Unknown category name '${trigger}'. Must be one of ${TRIGGERS.join(',')}`);
  }
  if (status !== null && !STATUSES.includes(status)) {
    refuse(400, `Invalid schedule status '${status}'. Must be one of ${STATUSES.join(',')}.`);
  }
  const sorted = [...schedules].sort((a, b) => keyOrder(a.name, b.name));
  return sorted.filter((schedule) => {
    const type = String(schedule.trigger['type']).toLowerCase().replaceAll('_', '-');
    return (trigger === null || type === trigger) && (status === null || schedule.status === status);
  });
}

interface Known {
  readonly application: Application;
  readonly schedule: Schedule;
}

function known(request: RouteRequest): Known {
  const application = request.store.application(request.param('namespace'), appName(request));
  const schedule = application?.schedules.find(({ name }) => name === request.param('schedule'));
  if (application !== undefined && schedule !== undefined) return { application, schedule };
  return notFound(scheduleId(request));
}

function scheduleId({ param, store }: RouteRequest): string {
  const version = store.generation.hasVersions ? '' : '.-SNAPSHOT';
  return `schedule:${param('namespace')}.${param('app')}${version}.${param('schedule')}`;
}

/** A schedule in lists; before 6.9 with the version of its application and without a time. */
function shown(schedule: Schedule, { hasVersions }: Generation): object {
  return hasVersions ? schedule : { ...schedule, applicationVersion: '-SNAPSHOT', lastUpdateTime: undefined };
}

/** A schedule that was asked for by name. Before 6.9 without its status, and up to 5.x with types in lower case. */
function shownAlone(schedule: Schedule, generation: Generation): object {
  if (generation.hasVersions) return schedule;
  const alone = { ...shown(schedule, generation), status: undefined };
  if (generation.platform === '6.1.1') return alone;
  const { program, trigger } = schedule;
  const lower = (text: unknown): string => String(text).toLowerCase();
  return {
    ...alone,
    program: { ...program, programType: lower(program.programType) },
    trigger: { ...trigger, type: lower(trigger['type']) },
  };
}

function replace({ store }: RouteRequest, application: Application, schedules: Schedule[]): void {
  store.putApplication({ ...application, schedules });
}

function acted(request: RouteRequest): ReturnType<typeof json> {
  const action = request.param('action');
  const status = ACTIONS[action];
  if (status === undefined) {
    refuse(400, `Action for schedules may only be 'enable', 'disable', 'suspend', or 'resume' but is'${action}'`);
  }
  const { application, schedule } = known(request);
  if (schedule.status === status) {
    refuse(409, `Schedule '${scheduleId(request)}' is already ${status === 'SCHEDULED' ? 'enabled' : 'disabled'}`);
  }
  const changed = { ...schedule, status, lastUpdateTime: request.store.now() };
  replace(
    request,
    application,
    application.schedules.map((other) => (other === schedule ? changed : other)),
  );
  const ok = request.store.generation.platform === '4.3.5' ? '"OK"' : 'OK';
  return { ...text(200, ok), headers: { 'content-type': 'application/json' } };
}

function bodyOf(request: RouteRequest): JsonObject {
  const body = parseJson(request.text());
  if (request.text() === '' || body === null) throw new Refusal(empty(500));
  return isObject(body) ? body : refuse(400, `Request body is invalid json: ${endOfInput(request.text())}`);
}

function triggerOf(body: JsonObject, generation: Generation): JsonObject | undefined {
  const trigger = body['trigger'];
  if (!isObject(trigger)) return undefined;
  if (!TRIGGERS.includes(String(trigger['type']).toLowerCase().replaceAll('_', '-'))) {
    refuse(500, 'Unable to map trigger type null to a trigger class');
  }
  const cron = stringOf(trigger, 'cronExpression');
  if (cron !== undefined) checkCron(cron, 500, generation);
  return trigger;
}

function added(request: RouteRequest): ReturnType<typeof empty> {
  const body = bodyOf(request);
  const path = request.param('schedule');
  const name = stringOf(body, 'name') ?? path;
  if (name !== path) {
    const told = `the body of the request (${name}) does not match the schedule name in the path parameter (${path})`;
    refuse(400, `Schedule name in ${told}`);
  }
  const trigger = triggerOf(body, request.store.generation);
  const program = body['program'];
  if (!isObject(program)) refuse(400, 'No program was specified for the schedule');
  if (trigger === undefined) refuse(400, 'No trigger was specified for the schedule');
  const programName = stringOf(program, 'programName') ?? '';
  const { namespace, application } = applicationFor(request, programName);
  programOf(application, 'Workflow', programName);
  if (application.schedules.some((other) => other.name === name))
    refuse(409, `'${scheduleId(request)}' already exists`);
  const schedule: Schedule = {
    namespace,
    application: application.name,
    name,
    description: stringOf(body, 'description') ?? '',
    program: { programName, programType: 'WORKFLOW' },
    properties: isObject(body['properties']) ? body['properties'] : {},
    trigger,
    constraints: Array.isArray(body['constraints']) ? body['constraints'] : [],
    timeoutMillis: typeof body['timeoutMillis'] === 'number' ? body['timeoutMillis'] : DAY_MS,
    status: 'SUSPENDED',
    lastUpdateTime: request.store.now(),
  };
  replace(request, application, [...application.schedules, schedule]);
  return empty();
}

function applicationFor(request: RouteRequest, program: string): { namespace: string; application: Application } {
  const namespace = request.param('namespace');
  const application = request.store.application(namespace, appName(request));
  return {
    namespace,
    application: application ?? notFound(`programreference:${namespace}.${request.param('app')}.workflow.${program}`),
  };
}

function updated(request: RouteRequest): ReturnType<typeof empty> {
  const { application, schedule } = known(request);
  const body = bodyOf(request);
  const changed: Schedule = {
    ...schedule,
    description: stringOf(body, 'description') ?? schedule.description,
    properties: isObject(body['properties']) ? body['properties'] : schedule.properties,
    trigger: triggerOf(body, request.store.generation) ?? schedule.trigger,
    constraints: Array.isArray(body['constraints']) ? body['constraints'] : schedule.constraints,
    timeoutMillis: typeof body['timeoutMillis'] === 'number' ? body['timeoutMillis'] : schedule.timeoutMillis,
    lastUpdateTime: request.store.now(),
  };
  replace(
    request,
    application,
    application.schedules.map((other) => (other === schedule ? changed : other)),
  );
  return empty();
}
