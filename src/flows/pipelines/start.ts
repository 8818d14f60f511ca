import { commandLine, connectionWords } from '../../cli/line/command-line.js';
import { counted } from '../../core/counted.js';
import { CliError } from '../../core/errors.js';
import type { RunRecord } from '../../platform/runs.js';
import { givenTo, isOver, secretValues, shownArguments, unsureProfile } from '../../services/pipelines/run-record.js';
import { runsBefore, startPipeline } from '../../services/pipelines/start.js';
import { pipelineWord } from '../../services/pipelines/wait.js';
import { refuseMissingMacros } from '../preferences/arguments.js';
import { beginWrite } from '../writing.js';
import { namedRun } from '../named-pipeline.js';
import { tellTarget, waitingOf, type Operation } from './operate.js';

/** What a start was asked for. */
export interface StartWish {
  readonly given: Readonly<Record<string, string>>;
  /** The run whose arguments are taken, those given over them. */
  readonly like: string | undefined;
  readonly ifNotRunning: boolean;
  /** Whether it starts although a macro has no value. */
  readonly noCheck: boolean;
  readonly showSecrets: boolean;
  readonly dryRun: boolean;
}

/** What became of a start: a new run, or one that was active already; undefined in a dry run. */
export interface Start {
  readonly run: { readonly runid: string; readonly status: string } | undefined;
  readonly arguments: Readonly<Record<string, string>>;
}

/**
 * Starts a pipeline after a yes. A realtime pipeline runs once; a batch pipeline that runs already is told of.
 * @throws RUNNING for a realtime pipeline that runs, MACRO_MISSING for macros without a value
 */
export async function startRun(wish: StartWish, operation: Operation): Promise<Start> {
  const { pipeline, session, context, target } = operation;
  const given = await argumentsFor(wish, operation);
  // What the platform says about a value does not show it either.
  if (!wish.showSecrets) for (const secret of secretValues(Object.entries(given))) session.terminal.secrets.add(secret);
  const first = await runsNow(wish, operation);
  if ('run' in first) return first;
  const stored = wish.noCheck ? 0 : await checkMacros(given, new Set(Object.keys(wish.given)), operation);
  tellTarget(operation);
  const detail = argumentsLine(shownArguments(given, wish.showSecrets), stored);
  if (wish.dryRun) {
    context.emit({ type: 'state', what: `pipeline ${pipeline.name}`, state: 'not started (dry run)', detail });
    return { run: undefined, arguments: given };
  }
  const remarks = first.active.length === 0 ? [] : [alreadyRuns(first.active, pipeline.name)];
  const namespaces = new Map([[pipeline.namespace, 1]]);
  await context.consent.ask({ deed: `start pipeline ${pipeline.name}`, namespaces, target, remarks });
  // Somebody else may have started it while the question was open.
  const now = await runsNow(wish, operation);
  if ('run' in now) return now;
  const { before, active } = now;
  if (active.length > 0)
    session.terminal.warn('RUNNING', `${alreadyRuns(active, pipeline.name)}; starting another run`);
  // Never aborts: the first Ctrl-C lets the request in flight end (docs/faults.md L26).
  const { signal } = new AbortController();
  const look = commandLine(['pipeline', 'runs', pipelineWord(pipeline), ...connectionWords(session.argv)]);
  const write = beginWrite(session, look);
  const runid = await startPipeline(pipeline, given, before, waitingOf(operation, signal)).finally(write.end);
  context.emit({ type: 'state', what: `run ${runid}`, state: 'started', detail });
  return { run: { runid, status: 'PENDING' }, arguments: given };
}

/** The runs before a start; or with `--if-not-running` the one that is active and stands for it. */
async function runsNow(
  { ifNotRunning }: StartWish,
  operation: Operation,
): Promise<Start | { readonly before: readonly RunRecord[]; readonly active: readonly RunRecord[] }> {
  const { pipeline, session } = operation;
  const before = await runsBefore(pipeline, waitingOf(operation));
  const active = before.filter(({ status }) => !isOver(status));
  const [newest] = active;
  if (newest !== undefined && ifNotRunning) {
    session.terminal.note(`note: ${alreadyRuns(active, pipeline.name)}; nothing was started`);
    return { run: newest, arguments: givenTo(newest) ?? {} };
  }
  if (newest !== undefined && pipeline.kind.kind === 'realtime') throw running(active, operation);
  return { before, active };
}

/** What a run gets: arguments of its own, and how many more are stored for it. */
function argumentsLine(shown: Start['arguments'], stored: number): string | undefined {
  const own = Object.entries(shown).map(([name, value]) => `${name}=${value}`);
  if (own.length === 0) return stored === 0 ? undefined : `arguments: ${stored} from preferences`;
  return `arguments: ${own.join(', ')}${stored === 0 ? '' : ` (+${stored} from preferences)`}`;
}

/**
 * Checks the macros and returns how many arguments come from preferences. Who may start a pipeline may not be allowed
 * to read the preferences of the instance.
 */
async function checkMacros(
  given: Start['arguments'],
  named: ReadonlySet<string>,
  operation: Operation,
): Promise<number> {
  const { session } = operation;
  try {
    const all = new Map(Object.entries(given));
    const { unused, values } = await refuseMissingMacros(operation, all, session.argv, session.signal);
    // What another run was given is not on the line.
    const mistyped = unused.filter((key) => named.has(key));
    if (mistyped.length > 0) session.terminal.warn('UNUSED', `no macro uses: ${mistyped.join(', ')}`);
    return values.filter(({ key }) => !all.has(key)).length;
  } catch (error) {
    if (!(error instanceof CliError) || error.code !== 'FORBIDDEN') throw error;
    session.terminal.warn('NOT_CHECKED', `the macros of the pipeline were not checked: ${error.message}`);
    return 0;
  }
}

async function argumentsFor({ given, like }: StartWish, operation: Operation): Promise<Start['arguments']> {
  if (like === undefined) return given;
  const { pipeline } = operation;
  const run = await namedRun(like, operation, operation, 'like');
  const its = givenTo(run);
  if (its === undefined)
    throw new CliError('BAD_ANSWER', `the arguments of run ${run.runid} cannot be read`, {
      target: { namespace: pipeline.namespace, pipeline: pipeline.name, run: run.runid },
    });
  const profile = unsureProfile(run);
  if (profile !== undefined && given['system.profile.name'] === undefined) {
    const why = `run ${run.runid} has not started, so that nothing says who chose its compute profile`;
    operation.session.terminal.warn('PROFILE', `${why}; to choose it as well: ${commandLine(['--profile', profile])}`);
  }
  return { ...its, ...given };
}

const alreadyRuns = (active: readonly RunRecord[], name: string): string =>
  `pipeline ${name} has ${counted(active.length, 'active run')}`;

function running(active: readonly RunRecord[], { pipeline }: Operation): CliError {
  const [newest] = active;
  return new CliError('RUNNING', `realtime pipeline "${pipeline.name}" is already running`, {
    lines: active.slice(0, 5).map(({ runid, status }) => `${runid}  ${status}`),
    hints: [
      { next: 'stop-all-runs', pipeline: pipelineWord(pipeline) },
      'to exit with 0 in this case: --if-not-running',
    ],
    target: { namespace: pipeline.namespace, pipeline: pipeline.name, ...(newest && { run: newest.runid }) },
  });
}
