import { CliError, type ErrorCode } from '../../core/errors.js';
import { counted } from '../../core/counted.js';
import { argumentsOf, listRuns, type RunRecord } from '../../platform/runs.js';
import { startRun } from '../../platform/programs.js';
import { getPreferences, type PreferencePlace } from '../../platform/preferences.js';
import { answerLost, neverSent } from '../writing/send.js';
import type { FoundPipeline } from './find.js';
import { givenTo } from './run-record.js';
import { pipelineWord, type RunDeps } from './wait.js';

/** Runs that are known before a start, and looked through after one whose answer is lost. */
const LOOKED_THROUGH = 100;
/** How long such a run is looked for, in milliseconds. It may be invisible for seconds (docs/platform.md 8.1). */
const INVISIBLE = 10_000;
/** Before so many milliseconds a run of somebody else may show and ours not yet. */
const ALL_SHOW = 3000;
const NAP = 1000;
const CODES: Readonly<Record<number, ErrorCode>> = { 401: 'AUTH', 403: 'FORBIDDEN', 404: 'NOT_FOUND', 409: 'CONFLICT' };

/**
 * Starts a run and gives its id. It is sent once. When the answer is lost, the runs that began since are read, and the
 * only one that has these arguments and those that are stored, and no others, is taken, with a warning.
 * @throws UNKNOWN_OUTCOME where no run or more than one of them may be ours
 */
export async function startPipeline(
  pipeline: FoundPipeline,
  runtimeargs: Readonly<Record<string, string>>,
  before: readonly RunRecord[],
  deps: RunDeps,
): Promise<string> {
  const { platform, signal } = deps;
  const { namespace, name: appId, kind } = pipeline;
  const item = { appId, programType: kind.programType, programId: kind.program, runtimeargs };
  try {
    const [answer] = await platform.call(startRun, { namespace, item }, signal);
    if (answer?.statusCode === 200 && answer.runId !== undefined) return answer.runId;
    throw refused(pipeline, answer);
  } catch (error) {
    if (!mayHaveStarted(error)) throw error;
    return await startedAfterAll(error, { pipeline, runtimeargs, before }, deps);
  }
}

/** Runs of a pipeline before a start: what is not among them began since. */
export async function runsBefore(
  { place }: FoundPipeline,
  { platform, signal }: Pick<RunDeps, 'platform' | 'signal'>,
): Promise<readonly RunRecord[]> {
  return platform.call(listRuns, { ...place, limit: LOOKED_THROUGH }, signal);
}

/** A lost answer; or one that says nothing, of a start that was sent and not refused. */
const mayHaveStarted = (error: unknown): error is CliError =>
  (answerLost(error) && !neverSent(error)) || (error instanceof CliError && error.code === 'BAD_ANSWER');

function refused(
  { namespace, name }: FoundPipeline,
  answer: { readonly statusCode: number; readonly error?: string | undefined } | undefined,
): CliError {
  if (answer === undefined || answer.statusCode === 200)
    return new CliError('BAD_ANSWER', `the platform did not say which run of "${name}" it started`);
  const { statusCode, error } = answer;
  return new CliError(
    CODES[statusCode] ?? 'REMOTE_FAILED',
    `the platform did not start pipeline "${name}" (${statusCode})`,
    {
      serverSaid: error,
      target: { namespace, pipeline: name },
    },
  );
}

type Values = ReadonlyMap<string, string>;

interface LostStart {
  readonly pipeline: FoundPipeline;
  readonly runtimeargs: Readonly<Record<string, string>>;
  readonly before: readonly RunRecord[];
}

async function startedAfterAll(lost: CliError, start: LostStart, deps: RunDeps): Promise<string> {
  const { clock, emit, signal } = deps;
  const from = clock.monotonic();
  let failed: unknown;
  for (let stored: Values | undefined; ;) {
    const found = await (async () => {
      stored ??= await storedArguments(start.pipeline, deps);
      return await newRuns(start, stored, deps);
    })().catch((error: unknown) => {
      if (!(error instanceof CliError) || signal.aborted) throw error;
      failed = error;
      return { ours: [], all: [] };
    });
    const { ours, all } = found;
    const [run, ...others] = ours;
    const passed = clock.monotonic() - from;
    if (run !== undefined && others.length === 0 && passed >= ALL_SHOW) {
      const message = `the response was lost; run ${run.runid}, which started since then with the same arguments, is used instead`;
      emit({ type: 'warning', code: 'RESPONSE_LOST', message });
      return run.runid;
    }
    if (others.length > 0 || passed > INVISIBLE) throw unknown(lost, others.length > 0 ? ours : all, start, failed);
    await clock.sleep(NAP, signal);
  }
}

/** What a run of the pipeline finds stored; nothing where one may not read it. */
async function storedArguments(
  { place: { namespace, app: application, type, program } }: FoundPipeline,
  { platform, signal }: RunDeps,
): Promise<Values> {
  const places: readonly PreferencePlace[] = [
    { level: 'instance' },
    { level: 'namespace', namespace },
    { level: 'app', namespace, application },
    { level: 'program', namespace, application, type, program },
  ];
  const all = await Promise.all(
    places.map((one) =>
      platform.find(getPreferences, one, signal).catch((error: unknown) => {
        if (error instanceof CliError && error.code === 'FORBIDDEN') return {};
        throw error;
      }),
    ),
  );
  return new Map(all.flatMap((values) => Object.entries(values ?? {})));
}

/**
 * The runs that began since by hand; `ours` have the very arguments of the start. One that is only being prepared has
 * arguments of the platform in their place (docs/platform.md 8.1), so that nobody knows yet.
 */
async function newRuns(
  { pipeline, runtimeargs, before }: LostStart,
  stored: Values,
  deps: RunDeps,
): Promise<{ readonly ours: readonly RunRecord[]; readonly all: readonly RunRecord[] }> {
  const known = new Set(before.map(({ runid }) => runid));
  const wanted = Object.entries(runtimeargs);
  const expected = new Map([...stored, ...wanted]);
  const all = (await runsBefore(pipeline, deps)).filter(
    (run) => !known.has(run.runid) && argumentsOf(run)?.['scheduleName'] === undefined,
  );
  const ours = all.filter((run) => {
    const has = argumentsOf(run);
    const given = Object.entries(givenTo(run) ?? {});
    return (
      has !== undefined &&
      wanted.every(([name, value]) => has[name] === value) &&
      given.every(([name, value]) => expected.get(name) === value)
    );
  });
  return { ours, all };
}

function unknown(lost: CliError, candidates: readonly RunRecord[], { pipeline }: LostStart, failed: unknown): CliError {
  const { namespace, name } = pipeline;
  const seen =
    candidates.length > 0
      ? `${counted(candidates.length, 'run')} of it started since then`
      : failed === undefined
        ? 'no new run of it is visible'
        : 'its runs cannot be read';
  return new CliError(
    'UNKNOWN_OUTCOME',
    `the start of pipeline "${name}" was sent, but its outcome is unknown: ${seen}`,
    {
      cause: lost,
      request: lost.details.request,
      serverSaid: lost.details.serverSaid,
      lines: [
        `the response was lost: ${lost.message}`,
        ...candidates.slice(0, 10).map(({ runid, status }) => `${runid}  ${status}`),
      ],
      hints: [
        { next: 'list-runs', pipeline: pipelineWord(pipeline) },
        'check its runs first: starting it again could start a second run',
      ],
      target: { namespace, pipeline: name },
    },
  );
}
