import { jsonParts, type LogMembers } from '../../platform/logs.js';
import type { RunRecord } from '../../platform/runs.js';
import { detailOfRun } from './detail-of-run.js';
import type { FoundPipeline } from './find.js';
import { isOver } from './run-record.js';
import { partsOf, type PostAction } from './show.js';
import type { RunDeps } from './wait.js';

/** They run last, so their errors are among the last ones. */
const LAST_ERRORS = 200;

/** The platform logs it after it has set up the post-run actions of a run (docs/platform.md 11). */
const SET_UP = /^Pipeline '.*' running$/su;

/** A post-run action and what became of it in a run. */
export interface RanAction extends PostAction {
  /** `ran`: its condition was met, and the log has no error of it. Undefined where that cannot be told. */
  readonly outcome?: 'pending' | 'skipped' | 'ran' | 'failed' | undefined;
  readonly error?: string | undefined;
}

/**
 * The post-run actions of a run with their outcomes, which only its log tells (docs/platform.md 11). `head` has the
 * first lines of the log. Those of today have no outcome where the version of the run is gone.
 */
export async function postActionsOf(
  record: RunRecord,
  pipeline: FoundPipeline,
  { hide, head }: { readonly hide: (text: string) => string; readonly head: readonly LogMembers[] },
  { platform, signal }: Pick<RunDeps, 'platform' | 'signal'>,
): Promise<readonly RanAction[]> {
  const { place, detail } = pipeline;
  const ran = await detailOfRun(record, pipeline, { platform, signal });
  const { postActions } = partsOf(ran ?? detail);
  if (ran === undefined || postActions.length === 0 || pipeline.kind.kind !== 'batch') return postActions;
  const wanted = { ...place, run: record.runid, level: 'ERROR', max: LAST_ERRORS };
  const errors = head.length === 0 ? undefined : await platform.find(jsonParts.previous, wanted, signal);
  const wasSetUp = record.status === 'COMPLETED' || head.some(({ message }) => SET_UP.test(message ?? ''));
  return postActions.map((action) => {
    const said = `Error while running post action ${action.name}.`;
    const line = errors?.find(({ log }) => log.message?.includes(said));
    if (line !== undefined) return { ...action, outcome: 'failed', error: hide(errorIn(line.log)) };
    const outcome = outcomeOf(action, record);
    return { ...action, outcome: outcome === 'ran' && !(errors && wasSetUp) ? undefined : outcome };
  });
}

const errorIn = ({ stackTrace, message }: LogMembers): string =>
  `${stackTrace ?? ''}\n${message ?? ''}`.trim().split('\n', 1).join('');

function outcomeOf({ runCondition = 'completion' }: PostAction, { status, start }: RunRecord): RanAction['outcome'] {
  if (!isOver(status)) return 'pending';
  if (start === undefined) return 'skipped';
  if (runCondition === 'completion') return 'ran';
  if (runCondition !== 'success' && runCondition !== 'failure') return undefined;
  return (runCondition === 'success') === (status === 'COMPLETED') ? 'ran' : 'skipped';
}
