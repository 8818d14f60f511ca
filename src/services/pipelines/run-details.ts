import { redactor } from '../../core/secrets/redact.js';
import { argumentsOf, type RunRecord } from '../../platform/runs.js';
import { jsonParts, type LogMembers } from '../../platform/logs.js';
import type { FoundPipeline } from './find.js';
import { ifReadable } from './if-readable.js';
import { postActionsOf, type RanAction } from './post-actions.js';
import { pipelineRun, secretsOfRun, secretValues, shownArguments, type PipelineRun } from './run-record.js';
import type { RunDeps } from './wait.js';
import { failureIn, type Why } from './why.js';

/** The first lines of a log tell who started the run and that it was set up (docs/platform.md 11). */
const FIRST_LINES = 100;
const STARTED_BY = / is started by user '([^']+)' /u;

/** How a run was started; `user` is the user that the platform ran it as. */
export interface RunStarter {
  readonly by: 'schedule' | 'manual';
  readonly schedule?: string | undefined;
  readonly user?: string | undefined;
}

/** One run with all that is told of it; what cannot be read is undefined. */
export interface RunDetails extends Pick<Why, 'node' | 'stage' | 'cause'> {
  readonly namespace: string;
  readonly pipeline: string;
  readonly run: PipelineRun;
  readonly started?: RunStarter | undefined;
  /** What its nodes put into its workflow token. */
  readonly token?: Readonly<Record<string, string>> | undefined;
  readonly postActions?: readonly RanAction[] | undefined;
}

/**
 * Collects what is told of a run. `token` has the values of its workflow token as they are. Of what cannot be read
 * there is a warning.
 */
export async function runDetails(
  record: RunRecord,
  pipeline: FoundPipeline,
  {
    token,
    showSecrets,
  }: { readonly token: Readonly<Record<string, string>> | undefined; readonly showSecrets: boolean },
  deps: Pick<RunDeps, 'platform' | 'signal' | 'emit'>,
): Promise<RunDetails> {
  const secrets = [...secretsOfRun(record), ...secretValues(Object.entries(token ?? {}))];
  const hide = showSecrets ? (text: string): string => text : redactor(secrets);
  const head = (await ifReadable('the log of the run', firstLines(record, pipeline, deps), deps)) ?? [];
  const told = { hide, hasLog: head.length > 0 };
  const [failure, postActions] = await Promise.all([
    record.status === 'FAILED' ? failureIn(record, pipeline, told, deps) : undefined,
    ifReadable('the post-run actions', postActionsOf(record, pipeline, { hide, head }, deps), deps),
  ]);
  const own = argumentsOf(record);
  const schedule = own?.['scheduleName'];
  const user = head.map(({ message }) => STARTED_BY.exec(message ?? '')?.[1]).find((name) => name !== undefined);
  return {
    ...{ namespace: pipeline.namespace, pipeline: pipeline.name, run: pipelineRun(record, showSecrets) },
    started: own && { by: schedule === undefined ? 'manual' : 'schedule', schedule, user },
    ...failure,
    ...{ token: token && shownArguments(token, showSecrets), postActions },
  };
}

async function firstLines(
  { runid }: RunRecord,
  { place }: FoundPipeline,
  { platform, signal }: Pick<RunDeps, 'platform' | 'signal'>,
): Promise<readonly LogMembers[]> {
  const lines = await platform.find(jsonParts.next, { ...place, run: runid, max: FIRST_LINES }, signal);
  return (lines ?? []).map(({ log }) => log);
}
