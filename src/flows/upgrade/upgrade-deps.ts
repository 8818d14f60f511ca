import type { CommandContext, PlatformPlace } from '../../cli/context-types.js';
import type { Session } from '../../cli/session.js';
import type { Hint } from '../../core/next-step.js';
import { hintText } from '../../output/next-steps.js';
import type { KeptErrors } from '../../services/upgrade/files/local-failures.js';
import { openFailedRequests, type FailedRequests } from '../../services/upgrade/files/save-requests.js';
import type { PlannedPipeline } from '../../services/upgrade/plan/plan.js';
import type { ExecuteDeps } from '../../services/upgrade/run/execute.js';

/** What an upgrade and its rollback share. */
export interface UpgradeDeps {
  readonly session: Pick<Session, 'argv' | 'clock' | 'signal' | 'terminal' | 'writing'>;
  readonly context: Pick<CommandContext, 'consent' | 'emit' | 'stateFolder'>;
  readonly target: PlatformPlace;
  /** Undefined: all namespaces. */
  readonly namespace: string | undefined;
  readonly command: 'upgrade' | 'rollback';
  readonly engine: 'client' | 'server';
  readonly keeping: KeptErrors;
  /** Whether a plan is shown with every detail. */
  readonly isWhole: boolean;
}

/** Opens the folder for the requests of a plan that fail. Hints are put into words here. */
export async function openRequests(
  { session, context, target, command, keeping }: UpgradeDeps,
  folder: string | undefined,
  planned: readonly PlannedPipeline[],
): Promise<FailedRequests<Hint>> {
  const { stateFolder, emit } = context;
  const { url, capabilities } = target;
  const places = planned.map(({ ref }) => ref);
  const deps = { stateFolder, url, command, capabilities, clock: session.clock, emit, keeping };
  const { save, finish } = await openFailedRequests(folder, places, deps);
  return { save: (place, { hint, ...saved }) => save(place, { ...saved, hint: hint && hintText(hint) }), finish };
}

/** The options of applying its plan and of its result. */
export function executeDeps(base: UpgradeDeps): ExecuteDeps {
  const { session, context, target, namespace, command, engine, keeping } = base;
  const { url, namespaceFrom, version: platformVersion, platform, capabilities } = target;
  return {
    ...{ command, engine, platform, capabilities, keeping },
    target: {
      url,
      ...(namespace !== undefined && { namespace }),
      namespaceFrom: namespace === undefined ? 'all namespaces' : namespaceFrom,
      platformVersion,
      ...(target.context !== undefined && { context: target.context }),
    },
    stop: session.signal,
    clock: session.clock,
    emit: context.emit,
  };
}
