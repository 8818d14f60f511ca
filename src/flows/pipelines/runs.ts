import { commandLine, connectionWords } from '../../cli/line/command-line.js';
import type { Session } from '../../cli/session.js';
import type { FoundPipeline } from '../../services/pipelines/find.js';
import { ifReadable } from '../../services/pipelines/if-readable.js';
import { runDetails, type RunDetails } from '../../services/pipelines/run-details.js';
import { isOver, secretValues, shownArguments } from '../../services/pipelines/run-record.js';
import { showPipeline, type ShownPipeline } from '../../services/pipelines/show.js';
import type { RunDeps } from '../../services/pipelines/wait.js';
import { whyOf, type Why } from '../../services/pipelines/why.js';
import { shownValues, type MaskedValue } from '../../services/preferences/resolve.js';
import { argumentsOfRun, workflowToken } from '../../services/preferences/run-layers.js';
import type { RunRecord } from '../../platform/runs.js';
import { visible } from '../../output/escape.js';
import { isTable } from '../failed-run.js';

/** Why a run ended as it did, and what it had as arguments, those of its workflow token included. */
export async function explainRun(
  record: RunRecord,
  pipeline: FoundPipeline,
  showSecrets: boolean,
  deps: Pick<RunDeps, 'platform' | 'signal' | 'emit'>,
): Promise<Why & { readonly arguments: readonly MaskedValue[] }> {
  const values = await argumentsOfRun(pipeline, record, deps);
  const secrets = secretValues(values.map(({ key, value }) => [key, value]));
  const why = await whyOf(record, pipeline, { secrets, showSecrets }, deps);
  return { ...why, arguments: shownValues(values, showSecrets) };
}

/** A pipeline as it is shown, with what its last run has in its workflow token. */
export async function pipelineWithToken(
  pipeline: FoundPipeline,
  showSecrets: boolean,
  { platform, signal }: Pick<RunDeps, 'platform' | 'signal'>,
): Promise<ShownPipeline & { readonly token?: Readonly<Record<string, string>> }> {
  const shown = await showPipeline(pipeline, showSecrets, platform, signal);
  if (shown.lastRun === undefined) return shown;
  const token = await workflowToken(pipeline, shown.lastRun.runid, { platform, signal });
  return { ...shown, token: shownArguments(Object.fromEntries(token), showSecrets) };
}

/** One run as it is shown, with its workflow token. */
export async function shownRun(
  record: RunRecord,
  pipeline: FoundPipeline,
  showSecrets: boolean,
  deps: Pick<RunDeps, 'platform' | 'signal' | 'emit'>,
): Promise<RunDetails> {
  const token = await ifReadable('the workflow token', workflowToken(pipeline, record.runid, deps), deps);
  return runDetails(record, pipeline, { token: token && Object.fromEntries(token), showSecrets }, deps);
}

/** Tells people which command goes on with a run that they were shown. */
export function tellNext(
  { status, runid }: Pick<RunRecord, 'status' | 'runid'>,
  { namespace, name }: Pick<FoundPipeline, 'namespace' | 'name'>,
  session: Pick<Session, 'argv' | 'env' | 'terminal'>,
  verb = status === 'FAILED' ? 'why' : isOver(status) ? 'logs' : 'wait',
): void {
  if (!isTable(session)) return;
  const words = ['pipeline', verb, `${namespace}/${name}`, runid, ...connectionWords(session.argv)];
  session.terminal.tell(`next: ${visible(commandLine(words))}`);
}

/** Names the command that lists the runs that failed, where the newest one, which is shown, did not. */
export function tellFailedRuns(
  { namespace, name }: Pick<FoundPipeline, 'namespace' | 'name'>,
  session: Pick<Session, 'argv' | 'env' | 'terminal'>,
): void {
  if (!isTable(session)) return;
  const words = ['pipeline', 'runs', `${namespace}/${name}`, '--status', 'FAILED', ...connectionWords(session.argv)];
  session.terminal.tell(`this is the newest run; those that failed: ${visible(commandLine(words))}`);
}
