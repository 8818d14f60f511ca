import type { RunPipeline } from './model.js';
import type { RunFact, StartMethod } from './run-fact.js';

/**
 * One start of a pipeline: everything about it follows from its number. Times in seconds; `room` is how long from
 * `from` on it may begin.
 */
export interface Launch {
  readonly number: number;
  readonly pipeline: RunPipeline;
  readonly from: number;
  readonly room: number;
  /** It does not come to its end. */
  readonly open: boolean;
  /** What would end later is still running. */
  readonly until: number;
  /** When somebody stopped it. */
  readonly stopped: number | undefined;
}

/** No generated run that has an end lasts longer; in seconds. */
export const LONGEST = 6 * 3600;
/** The seconds that a launch needs at least for what it starts. */
export const LEAST_ROOM = 8;

const USERS = ['alice', 'bob', 'alice', undefined, "zoë o'neil", undefined, 'svc_etl@example.com', 'carol'];
const ARGUMENTS: readonly Readonly<Record<string, string>>[] = [
  {},
  { date: '2026-11-20' },
  { date: '2026-11-20', region: 'emea' },
  { note: 'she said "stop", then left', list: 'a,b;c' },
  { text: 'first line\nsecond line\r\nthird line', tab: 'a\tb' },
  { formula: '=SUM(A1:A9)', plus: '+49 30 1234', minus: '-1', at: '@import' },
  { name: 'Größe 東京 😀', schlüssel: 'wért' },
  { path: 'C:\\data\\in', url: 'https://example.com/?a=1&b=<2>' },
  { json: '{"a":[1,2,{"b":"c"}]}', empty: '', blank: ' leading and trailing ' },
];

/** A number from 0 up to, not including, 1 that follows from two numbers. */
export function chance(number: number, what: number): number {
  let mixed = Math.imul(number + 0x9e3779b9, 0x85ebca6b) ^ Math.imul(what + 1, 0xc2b2ae35);
  mixed = Math.imul(mixed ^ (mixed >>> 16), 0x7feb352d);
  mixed = Math.imul(mixed ^ (mixed >>> 15), 0x846ca68b);
  return ((mixed ^ (mixed >>> 16)) >>> 0) / 2 ** 32;
}

/** The id of a generated run, in which its number can be read back. */
function generatedId(number: number): string {
  const head = Math.floor(chance(number, 9) * 2 ** 32);
  return `${hex(head)}-e500-11f1-a5ed-5eed${hex(number)}`;
}

/** The number of a generated run; undefined when the id is none of theirs. */
export function numberOf(id: string): number | undefined {
  const digits = /^[0-9a-f]{8}-e500-11f1-a5ed-5eed([0-9a-f]{8})$/u.exec(id)?.[1];
  return digits === undefined ? undefined : Number.parseInt(digits, 16);
}

/** The runs of a launch: a workflow and the Spark inside it, or one Spark of a pipeline in real time. */
export function runsOf(launch: Launch): readonly RunFact[] {
  const { number, pipeline, from, room, open } = launch;
  const { namespace, name: application, version, artifact, kind } = pipeline;
  const isBatch = kind === 'batch';
  const late = open && isBatch ? Math.max(0, room - LEAST_ROOM - 60) : 0;
  const start = from + late + Math.floor(chance(number, 0) * (room - LEAST_ROOM + 1 - late));
  const running = start + 2 + Math.floor(chance(number, 1) * 3);
  const startMethod = startMethodOf(kind, chance(number, 2));
  const common = { namespace, application, version, artifact, startMethod, user: userOf(number) };
  const runtimeArguments = argumentsOf(number, start, startMethod);
  const { status, ...end } = outcomeOf(launch, running + 2 + lengthOf(kind, number));
  const [id, inner] = [generatedId(2 * number), generatedId(2 * number + 1)];
  if (!isBatch) {
    const neverRan = status === 'FAILED' && chance(number, 4) < 0.5;
    const ran = neverRan ? { end: running } : { running, ...end };
    const program = 'DataStreamsSparkStreaming';
    return [{ id, ...common, type: 'Spark', program, status, start, ...ran, runtimeArguments }];
  }
  const workflow = { type: 'Workflow', program: 'DataPipelineWorkflow', start, running };
  const phase = { type: 'Spark', program: 'phase-1', start: running, running: running + 1 };
  return [
    { id, ...common, ...workflow, status, ...end, runtimeArguments, inner },
    { id: inner, ...common, ...phase, status, ...end, runtimeArguments, outer: id },
  ];
}

function outcomeOf({ number, pipeline, open, until, stopped }: Launch, end: number): Pick<RunFact, 'status' | 'end'> {
  if (!open && end < until) return { status: statusOf(pipeline.kind, chance(number, 3)), end };
  return stopped === undefined ? { status: 'RUNNING' } : { status: 'KILLED', end: stopped };
}

function startMethodOf(kind: RunPipeline['kind'], roll: number): StartMethod {
  if (kind === 'realtime' || roll < 0.25) return 'MANUAL';
  return roll < 0.9 ? 'SCHEDULED' : 'TRIGGERED';
}

function userOf(number: number): string | undefined {
  return USERS[Math.floor(chance(number, 5) * USERS.length)];
}

function argumentsOf(number: number, start: number, method: StartMethod): RunFact['runtimeArguments'] {
  const own = ARGUMENTS[Math.floor(chance(number, 6) * ARGUMENTS.length)] ?? {};
  const schedule = method === 'SCHEDULED' ? { scheduleName: 'dataPipelineSchedule' } : {};
  return { ...own, ...schedule, 'logical.start.time': String(start * 1000) };
}

function statusOf(kind: RunPipeline['kind'], roll: number): string {
  const [completed, failed] = kind === 'batch' ? [0.86, 0.95] : [0.2, 0.5];
  if (roll < completed) return 'COMPLETED';
  return roll < failed ? 'FAILED' : 'KILLED';
}

/** Most batch runs last a minute or so, some hours; those in real time some hours. */
function lengthOf(kind: RunPipeline['kind'], number: number): number {
  const roll = chance(number, 7);
  return Math.floor(kind === 'batch' ? 5 + 120 * roll + 7000 * roll ** 30 : 3600 * (0.1 + 5.5 * roll));
}

function hex(number: number): string {
  return number.toString(16).padStart(8, '0');
}
