import { looksSecret } from '../../core/secrets/redact.js';
import type { FoundPipeline } from '../../services/pipelines/find.js';
import { shownArguments } from '../../services/pipelines/run-record.js';
import { showPipeline, type ShownPipeline } from '../../services/pipelines/show.js';
import type { RunWaiting } from '../../services/pipelines/wait.js';
import { whyOf, type Why } from '../../services/pipelines/why.js';
import { shownValues, type MaskedValue } from '../../services/preferences/resolve.js';
import { argumentsOfRun, workflowToken } from '../../services/preferences/run-layers.js';
import type { RunRecord } from '../../platform/runs.js';

type Asking = Pick<RunWaiting, 'platform' | 'signal'>;

/** Why a run ended as it did, and what it had as arguments, those of its workflow token included. */
export async function explainRun(
  record: RunRecord,
  pipeline: FoundPipeline,
  showSecrets: boolean,
  asking: Asking,
): Promise<Why & { readonly arguments: readonly MaskedValue[] }> {
  const values = await argumentsOfRun(pipeline, record, asking);
  const secrets = values.flatMap(({ key, value }) => (looksSecret(key) && value !== '' ? [value] : []));
  const why = await whyOf(record, pipeline, { secrets, showSecrets }, asking);
  return { ...why, arguments: shownValues(values, showSecrets) };
}

/** A pipeline as it is shown, with what its last run has in its workflow token. */
export async function pipelineWithToken(
  pipeline: FoundPipeline,
  showSecrets: boolean,
  { platform, signal }: Asking,
): Promise<ShownPipeline & { readonly token?: Readonly<Record<string, string>> }> {
  const shown = await showPipeline(pipeline, showSecrets, platform, signal);
  if (shown.lastRun === undefined) return shown;
  const token = await workflowToken(pipeline, shown.lastRun.runid, { platform, signal });
  return { ...shown, token: shownArguments(Object.fromEntries(token), showSecrets) };
}
