import type { RunFact } from '../store/run-fact.js';
import type { RunFailure } from './run-failure.js';

/** A line of the log of a run; `at` in milliseconds since the epoch. */
export interface LogLine {
  readonly at: number;
  readonly level: 'INFO' | 'WARN' | 'ERROR';
  readonly thread: string;
  readonly logger: string;
  readonly line: number;
  readonly message: string;
  readonly stack: string;
  readonly run: RunFact;
}

const SMART = 'io.cdap.cdap.datapipeline.SmartWorkflow';
const CONTROLLER = 'io.cdap.cdap.internal.app.runtime.ProgramControllerServiceAdapter';
const DRIVER = 'io.cdap.cdap.internal.app.runtime.workflow.WorkflowDriver';
/** The lines of a run up to a time (milliseconds), oldest first. Several may be of one millisecond. */
export function* linesOf(run: RunFact, now: number, failure?: RunFailure): Generator<LogLine> {
  for (const line of allLines(run, now, failure)) {
    if (line.at > now) return;
    yield line;
  }
}

/** Makes the lines of a run. */
const lineOf =
  (run: RunFact) =>
  (at: number, level: LogLine['level'], message: string, more: Partial<LogLine> = {}): LogLine => ({
    ...{ at, level, message, run, thread: 'WorkflowDriver', logger: SMART, line: 448, stack: '', ...more },
  });

function* allLines(run: RunFact, now: number, failure?: RunFailure): Generator<LogLine> {
  const { application, program, id, start, running, end, status } = run;
  const of = lineOf(run);
  const given = Object.entries(run.runtimeArguments).map(([name, value]) => `${name}=${value}`);
  const began = start * 1000;
  yield of(
    began,
    'INFO',
    `Pipeline '${application}' is started by user '${run.user ?? 'root'}' with arguments {${given.join(', ')}}`,
  );
  yield of(began, 'INFO', `Pipeline '${application}' running`, { line: 486 });
  const starting = `Starting workflow execution for '${program}' with Run id '${id}'`;
  yield of(began + 1, 'INFO', starting, { logger: DRIVER, line: 649 });
  let latest = began + 2;
  if (running !== undefined) {
    const thread = 'SparkRunner-phase-1';
    latest = Math.max(latest, running * 1000 + 2);
    yield of(latest, 'WARN', 'Set SPARK_LOCAL_IP if you need to bind to another address', {
      ...{ thread, logger: 'org.apache.spark.util.Utils', line: 73 },
    });
    const last = end ?? Math.floor(now / 1000);
    for (let second = Math.max(running, start) + 1; second < last; second++) {
      const count = (second - running) * 100;
      yield of(second * 1000, 'INFO', `${count} records processed`, {
        thread,
        logger: 'io.cdap.cdap.etl.common.Progress',
        line: 61,
      });
    }
  }
  if (end === undefined) return;
  const done = Math.max(end * 1000, latest + 1);
  if (failure !== undefined) yield* failureLines(run, done, failure);
  const outcome = status === 'COMPLETED' ? 'succeeded' : status.toLowerCase();
  yield of(done + 1, 'INFO', `Workflow '${program}' with run id '${id}' ${outcome}`, { logger: DRIVER, line: 658 });
  yield of(done + 1, 'INFO', `Pipeline '${application}' ${outcome}.`, { line: 544 });
}

function* failureLines(run: RunFact, at: number, { causes, stack }: RunFailure): Generator<LogLine> {
  const of = lineOf(run);
  const thread = 'Executor task launch worker for task 0';
  const logger = 'org.apache.spark.executor.Executor';
  yield of(at, 'ERROR', 'Exception in task 0.0 in stage 0.0 (TID 0)', { thread, logger, line: 91, stack });
  const message = causes.at(-1)?.message ?? '';
  const told = `Spark program 'phase-1' failed with error: ${message}. Please check the system logs for more details.`;
  yield of(at, 'ERROR', told, { thread: 'SparkRunner-phase-1', logger: CONTROLLER, line: 89 });
  yield of(at, 'ERROR', `Pipeline '${run.application}' failed.`, { line: 553 });
}

/** A line as text, with its line end; a stack trace belongs to it. */
export function textOf({ at, level, thread, logger, line, message, stack }: LogLine): string {
  const time = new Date(at).toISOString().replace('T', ' ').replace('.', ',').slice(0, 23);
  const parts = logger.split('.');
  const short = parts.map((part, index) => (index === parts.length - 1 ? part : part.charAt(0))).join('.');
  return `${time} - ${level.padEnd(5)} [${thread}:${short}@${line}] - ${message}\n${stack}`;
}

/** A line as JSON has it, without the members that are suppressed. */
export function memberOf(
  { at, level, thread, logger, line, message, stack, run }: LogLine,
  suppressed: readonly string[],
): object {
  const all = {
    timestamp: at,
    logLevel: level,
    threadName: thread,
    className: logger,
    simpleClassName: logger.slice(logger.lastIndexOf('.') + 1),
    lineNumber: line,
    message,
    stackTrace: stack,
    loggerName: logger,
    mdc: { '.runId': run.id, '.namespaceId': run.namespace, '.applicationId': run.application, '.origin': 'program' },
    isNativeMethod: false,
  };
  return Object.fromEntries(Object.entries(all).filter(([name]) => !suppressed.includes(name)));
}
