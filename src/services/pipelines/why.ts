import { largestOf } from '../../core/collections.js';
import { redactor } from '../../core/secrets/redact.js';
import { formatTime } from '../../core/time.js';
import type { ApplicationDetail } from '../../platform/apps.js';
import { jsonParts, type LogMembers } from '../../platform/logs.js';
import { argumentsOf, getNodeStates, type NodeCause, type RunRecord } from '../../platform/runs.js';
import { firstError } from './first-error.js';
import { ifReadable } from './if-readable.js';
import { differencesOf, type Difference } from './differences.js';
import { pipelineRunRecords } from './list-runs.js';
import { pipelineRun, type PipelineRun } from './run-record.js';
import { detailOfRun } from './detail-of-run.js';
import { partsOf, propertiesOfStages, type PostAction } from './show.js';
import type { FoundPipeline } from './find.js';
import { causeInTrace, stageInTrace } from './stack-trace.js';
import type { RunDeps } from './wait.js';

/** Causes of causes that are looked through. */
const DEEPEST = 20;
/** What is read or written has a slash; shorter texts are in many sentences. */
const PLACE = /^(?=.*\/).{6,2000}$/su;
const MACRO = /\$\{([^{}]+)\}/gu;

/** A line of a log in short. */
export interface ShortLine {
  readonly timestamp: number;
  readonly timestampAt: string;
  readonly logLevel?: string | undefined;
  readonly message: string;
}

/** What is known about how a run ended. */
export interface Why {
  readonly namespace: string;
  readonly pipeline: string;
  readonly run: PipelineRun;
  /** The node of the workflow that failed. */
  readonly node?: string | undefined;
  /** The stage that the platform names, where it names one. */
  readonly stage?: string | undefined;
  /** The innermost cause: of the node, else of the first error in the log. */
  readonly cause?: string | undefined;
  readonly logReadable: boolean;
  readonly firstError?: (ShortLine & { readonly stackTrace?: string | undefined }) | undefined;
  readonly linesBefore: readonly ShortLine[];
  readonly linesAfter: readonly ShortLine[];
  readonly lastGood?: PipelineRun | undefined;
  readonly differences: readonly Difference[];
  readonly postActions: readonly PostAction[];
}

type Hide = (text: string) => string;

/**
 * Collects what tells why a run ended as it did. The log repeats the arguments of the run; `secrets` are those
 * that are masked in it, too.
 */
export async function whyOf(
  record: RunRecord,
  pipeline: FoundPipeline,
  { secrets, showSecrets }: { readonly secrets: readonly string[]; readonly showSecrets: boolean },
  deps: Pick<RunDeps, 'platform' | 'signal' | 'emit'>,
): Promise<Why> {
  const { namespace, name } = pipeline;
  const inLog = firstError({ ...pipeline.place, run: record.runid }, deps);
  const [detail, failed, log, good] = await Promise.all([
    detailThen(record, pipeline, deps),
    failedNode(record, pipeline, deps),
    ifReadable('the log of the run', inLog, deps),
    lastGood(record, pipeline, deps),
  ]);
  const { error, before = [], after = [] } = log ?? {};
  const hide: Hide = showSecrets ? (text) => text : redactor(secrets);
  const shown = (line: LogMembers): ShortLine => shortLine(line, hide);
  return {
    ...{ namespace, pipeline: name, run: pipelineRun(record, showSecrets) },
    ...placeOf(record, detail, { failed, error }, hide),
    logReadable: log !== undefined,
    firstError: error && { ...shown(error), stackTrace: error.stackTrace ? hide(error.stackTrace) : undefined },
    linesBefore: before.map(shown),
    linesAfter: after.map(shown),
    lastGood: good && pipelineRun(good, showSecrets),
    differences:
      good === undefined ? [] : await differencesOf(good, record, { ...pipeline, detail }, showSecrets, deps),
    postActions: partsOf(detail).postActions,
  };
}

/** Where a run failed, and of what; from its log, which `hasLog` says it has, only the first error. */
export async function failureIn(
  record: RunRecord,
  pipeline: FoundPipeline,
  { hide, hasLog }: { readonly hide: Hide; readonly hasLog: boolean },
  deps: Pick<RunDeps, 'platform' | 'signal' | 'emit'>,
): Promise<Pick<Why, 'node' | 'stage' | 'cause'>> {
  const { platform, signal } = deps;
  const wanted = { ...pipeline.place, run: record.runid, level: 'ERROR', max: 1 };
  const [detail, failed, [line] = []] = await Promise.all([
    detailThen(record, pipeline, deps),
    ifReadable('the state of the nodes', failedNode(record, pipeline, deps), deps),
    hasLog ? ifReadable('the first error', platform.find(jsonParts.next, wanted, signal), deps) : undefined,
  ]);
  const found = placeOf(record, detail, { failed, error: line?.log }, hide);
  return { ...found, cause: found.cause ?? (line?.log.message ? hide(line.log.message) : undefined) };
}

/** The pipeline as it was in a run, or as it is today where that cannot be read. */
async function detailThen(
  record: RunRecord,
  pipeline: FoundPipeline,
  deps: Pick<RunDeps, 'platform' | 'signal' | 'emit'>,
): Promise<ApplicationDetail> {
  const then = await ifReadable('the version of the run', detailOfRun(record, pipeline, deps), deps);
  return then ?? pipeline.detail;
}

function placeOf(
  record: RunRecord,
  detail: ApplicationDetail,
  { failed, error }: { readonly failed: FailedNode | undefined; readonly error: LogMembers | undefined },
  hide: Hide,
): Pick<Why, 'node' | 'stage' | 'cause'> {
  const { stages } = partsOf(detail);
  const trace = error?.stackTrace ?? '';
  const cause = failed?.cause ?? causeInTrace(trace);
  const words = [...(failed?.messages ?? []), error?.message ?? '', trace].join('\n');
  const named = stages.find(({ name }) => namesStage(words, name))?.name;
  const stage =
    (error && stageIn(error)) ??
    named ??
    stageInTrace(trace, stages) ??
    stageOfPlace(cause ?? '', propertiesOfStages(detail), argumentsOf(record) ?? {});
  return { node: failed?.node, stage, cause: cause && hide(cause) };
}

/** Spark has stages of its own. */
const OF_SPARK = /stage (?:failure:|\d+\.\d+ )/gu;

function namesStage(text: string, name: string): boolean {
  const told = text.replace(OF_SPARK, '').toLowerCase();
  const forms = [`stage '${name}'`, `stage "${name}"`, ...[' ', ',', ':'].map((end) => `stage ${name}${end}`)];
  return forms.some((form) => told.includes(form.toLowerCase()));
}

interface FailedNode {
  readonly node: string;
  readonly cause: string | undefined;
  /** Of its cause, of the cause of that, and so on. */
  readonly messages: readonly string[];
}

async function failedNode(
  { runid }: RunRecord,
  { place, kind }: FoundPipeline,
  { platform, signal }: Pick<RunDeps, 'platform' | 'signal'>,
): Promise<FailedNode | undefined> {
  if (kind.kind !== 'batch') return undefined;
  const nodes = (await platform.find(getNodeStates, { ...place, run: runid }, signal)) ?? {};
  const [failed] = Object.entries(nodes).filter(([, { nodeStatus }]) => nodeStatus === 'FAILED');
  if (failed === undefined) return undefined;
  const [node, { failureCause }] = failed;
  const messages = [...causesOf(failureCause)].map(({ className, message }) =>
    [className, message].filter((part) => typeof part === 'string' && part !== '').join(': '),
  );
  // The last one has no cause itself.
  return { node, cause: messages.at(-1), messages };
}

function* causesOf(cause: NodeCause | null | undefined): Generator<NodeCause> {
  let found = cause;
  for (let depth = 0; found && depth <= DEEPEST; depth += 1, found = found.cause) yield found;
}

function shortLine({ timestamp, logLevel, message }: LogMembers, hide: Hide): ShortLine {
  return { timestamp, timestampAt: formatTime(timestamp), logLevel, message: hide(message ?? '') };
}

/** The stage that the context of a line names. */
function stageIn({ mdc }: LogMembers): string | undefined {
  if (typeof mdc !== 'object' || mdc === null) return undefined;
  const found: unknown = Object.entries(mdc).find(([key]) => /stage/iu.test(key))?.[1];
  return typeof found === 'string' && found !== '' ? found : undefined;
}

async function lastGood(
  { runid, starting }: RunRecord,
  { place }: FoundPipeline,
  { platform, signal }: Pick<RunDeps, 'platform' | 'signal'>,
): Promise<RunRecord | undefined> {
  const end = starting === undefined ? {} : { end: starting + 1 };
  const wanted = { ...end, statuses: ['COMPLETED'], limit: 2 };
  for await (const run of pipelineRunRecords(place, wanted, platform, signal)) if (run.runid !== runid) return run;
  return undefined;
}

/** Paths and addresses are told with one slash or several. */
const plain = (text: string): string => text.replace(/:\/{2,}/gu, ':/').replace(/\/+$/u, '');

/**
 * The stage whose path or address a cause names: that of the longest one. Macros in it are replaced by the arguments
 * of the run. Undefined where it is of several stages.
 */
function stageOfPlace(
  cause: string,
  properties: ReadonlyMap<string, Readonly<Record<string, string>>>,
  given: Readonly<Record<string, string>>,
): string | undefined {
  const told = plain(cause);
  const lengthOf = (value: string): number => {
    const place = plain(value.replace(MACRO, (macro, key: string) => given[key] ?? macro));
    const [, ...rests] = PLACE.test(place) ? told.split(place) : [];
    return rests.some((rest) => !/^[\w-]/u.test(rest)) ? place.length : 0;
  };
  const lengths = [...properties].map(([name, all]) => ({ name, length: largestOf(Object.values(all).map(lengthOf)) }));
  const most = largestOf(lengths.map(({ length }) => length));
  const [found, ...others] = lengths.filter(({ length }) => length === most);
  return most > 0 && others.length === 0 ? found?.name : undefined;
}
