import { redactor } from '../../core/secrets/redact.js';
import { formatTime } from '../../core/time.js';
import type { LogMembers } from '../../platform/logs.js';
import { getNodeStates, type NodeCause, type RunRecord } from '../../platform/runs.js';
import { logLines } from './logs.js';
import { differencesOf, type Difference } from './differences.js';
import { pipelineRunRecords } from './list-runs.js';
import { pipelineRun, type PipelineRun } from './run-record.js';
import { partsOf, type PostAction } from './show.js';
import type { FoundPipeline } from './find.js';
import type { RunWaiting } from './wait.js';

const [LINES_BEFORE, LINES_AFTER] = [5, 5];
/** Causes of causes that are looked through. */
const DEEPEST = 20;

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
  /** The innermost cause. */
  readonly cause?: string | undefined;
  readonly firstError?: (ShortLine & { readonly stackTrace?: string | undefined }) | undefined;
  readonly linesBefore: readonly ShortLine[];
  readonly linesAfter: readonly ShortLine[];
  readonly lastGood?: PipelineRun | undefined;
  readonly differences: readonly Difference[];
  readonly postActions: readonly PostAction[];
}

type Asking = Pick<RunWaiting, 'platform' | 'signal'>;

/**
 * Collects what tells why a run ended as it did. The log repeats the arguments of the run; `secrets` are those
 * that are masked in it, too.
 */
export async function whyOf(
  record: RunRecord,
  pipeline: FoundPipeline,
  { secrets, showSecrets }: { readonly secrets: readonly string[]; readonly showSecrets: boolean },
  asking: Asking,
): Promise<Why> {
  const { namespace, name, detail } = pipeline;
  const { stages, postActions } = partsOf(detail);
  const [failed, error, good] = await Promise.all([
    failedNode(record, pipeline, asking),
    firstError(record, pipeline, asking),
    lastGood(record, pipeline, asking),
  ]);
  const hide = showSecrets ? (text: string): string => text : redactor(secrets);
  const words = [failed?.cause ?? '', error.line?.message ?? '', error.stackTrace ?? ''].join('\n');
  const stage = error.stage ?? stages.find((one) => namesStage(words, one.name))?.name;
  return {
    ...{ namespace, pipeline: name, run: pipelineRun(record, showSecrets), node: failed?.node, stage },
    cause: failed?.cause && hide(failed.cause),
    firstError: error.line && { ...hidden(error.line, hide), stackTrace: error.stackTrace && hide(error.stackTrace) },
    linesBefore: error.before.map((line) => hidden(line, hide)),
    linesAfter: error.after.map((line) => hidden(line, hide)),
    lastGood: good && pipelineRun(good, showSecrets),
    differences: good === undefined ? [] : await differencesOf(good, record, pipeline, showSecrets, asking),
    postActions,
  };
}

const hidden = (line: ShortLine, hide: (text: string) => string): ShortLine => ({
  ...line,
  message: hide(line.message),
});

const namesStage = (text: string, name: string): boolean =>
  [`stage '${name}'`, `stage "${name}"`, `stage ${name} `, `stage ${name},`].some((form) =>
    text.toLowerCase().includes(form.toLowerCase()),
  );

async function failedNode(
  { runid }: RunRecord,
  { place, kind }: FoundPipeline,
  { platform, signal }: Asking,
): Promise<{ readonly node: string; readonly cause: string | undefined } | undefined> {
  if (kind.kind !== 'batch') return undefined;
  const nodes = (await platform.find(getNodeStates, { ...place, run: runid }, signal)) ?? {};
  const [failed] = Object.entries(nodes).filter(([, { nodeStatus }]) => nodeStatus === 'FAILED');
  return failed && { node: failed[0], cause: innermost(failed[1].failureCause) };
}

/** The message of the cause that has none itself. */
function innermost(cause: NodeCause | null | undefined): string | undefined {
  let found = cause;
  for (let depth = 0; found?.cause && depth < DEEPEST; depth += 1) found = found.cause;
  if (!found) return undefined;
  const { className, message } = found;
  return [className, message].filter((part) => typeof part === 'string' && part !== '').join(': ');
}

interface ErrorInLog {
  readonly line: ShortLine | undefined;
  readonly stackTrace: string | undefined;
  readonly stage: string | undefined;
  readonly before: readonly ShortLine[];
  readonly after: readonly ShortLine[];
}

/** The first error of a log and the lines around it; no more of the log is read. */
async function firstError({ runid }: RunRecord, { place }: FoundPipeline, asking: Asking): Promise<ErrorInLog> {
  const before: ShortLine[] = [];
  const after: ShortLine[] = [];
  let error: LogMembers | undefined;
  for await (const { log } of logLines({ place: { ...place, run: runid } }, asking)) {
    if (error !== undefined) {
      if (after.push(shortLine(log)) === LINES_AFTER) break;
    } else if (log.logLevel === 'ERROR') error = log;
    else if (before.push(shortLine(log)) > LINES_BEFORE) before.shift();
  }
  if (error === undefined) return { line: undefined, stackTrace: undefined, stage: undefined, before: [], after: [] };
  return { line: shortLine(error), stackTrace: error.stackTrace ?? undefined, stage: stageIn(error), before, after };
}

function shortLine({ timestamp, logLevel, message }: LogMembers): ShortLine {
  return { timestamp, timestampAt: formatTime(timestamp), logLevel, message: message ?? '' };
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
  { platform, signal }: Asking,
): Promise<RunRecord | undefined> {
  const end = starting === undefined ? {} : { end: starting + 1 };
  const wanted = { ...end, statuses: ['COMPLETED'], limit: 2 };
  for await (const run of pipelineRunRecords(place, wanted, platform, signal)) if (run.runid !== runid) return run;
  return undefined;
}
