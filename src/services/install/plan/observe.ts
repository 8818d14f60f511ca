import type { Capabilities } from '../../../platform/capabilities.js';
import type { Platform } from '../../../platform/client.js';
import type { InstallEntry } from '../../../state/install-journal.js';
import type { JarSource, Observation, PackageCommands, PreparedAction, StagedJar, Target } from '../action.js';
import { goesOn } from '../journal/again.js';
import { historyOf, stepKey } from '../journal/step-history.js';

/** The platform that is compared with a package, and what the journal of its install knows. */
export interface ObserveOptions {
  readonly platform: Platform;
  readonly namespace: string;
  readonly capabilities: Capabilities;
  readonly force: boolean;
  readonly again: boolean;
  readonly entries: readonly InstallEntry[];
  /** Fetches and digests a JAR. Asked for only where the journal knows the action, whose key holds that digest. */
  readonly jar: (source: JarSource) => Promise<StagedJar>;
  readonly commands: PackageCommands;
  readonly signal: AbortSignal;
}

const never = async (): Promise<void> => {
  throw new Error('a plan writes nothing');
};

/**
 * Looks at the platform for every step, in order, without writing anything. Steps see what earlier ones will have made.
 */
export async function observeAll(
  actions: readonly PreparedAction[],
  options: ObserveOptions,
): Promise<ReadonlyMap<number, Observation>> {
  const seen = new Map<number, Observation>();
  const upcoming: Target[] = [];
  const { again, platform, namespace, capabilities, force, commands, signal } = options;
  const steps = actions.flatMap(({ n, step }) => (step === undefined ? [] : n));
  const entries = again && !goesOn(options.entries, steps) ? [] : options.entries;
  for (const action of actions) {
    const { step } = action;
    if (step === undefined) continue;
    const known = entries.some((entry) => entry.type === 'step' && entry.n === action.n);
    const jar = known && step.jar !== undefined ? await options.jar(step.jar) : undefined;
    const history = historyOf(entries, action.n, stepKey(action, jar));
    const context = {
      platform,
      namespace,
      capabilities,
      force,
      again,
      signal,
      commands,
      history,
      jar,
      clock: { monotonic: () => 0 },
      wait: never,
      note: never,
      emit: () => undefined,
      warnAs: 'INSTALL',
    };
    const observation = await step.observe({ ...context, upcoming: [...upcoming] });
    seen.set(action.n, observation);
    if (observation.state !== 'refused') upcoming.push(step.target);
  }
  return seen;
}
