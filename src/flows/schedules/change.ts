import type { CommandContext, PlatformPlace } from '../../cli/context-types.js';
import { commandLine } from '../../cli/line/command-line.js';
import type { Session } from '../../cli/session.js';
import { counted } from '../../core/counted.js';
import { CliError } from '../../core/errors.js';
import { visible } from '../../output/escape.js';
import type { ShownSwitch } from '../../output/views/schedules.js';
import { scheduleKey, type FoundSchedule } from '../../services/schedules/find.js';
import {
  failureOfSwitches,
  switchSchedules,
  type ScheduleState,
  type SwitchTarget,
} from '../../services/schedules/switch.js';
import type { LockName } from '../../state/lock.js';
import { namespaceLock, takeLocks } from '../../services/writing/run-lock.js';
import { beginWrite, lockDeps } from '../writing.js';
import { DRY_RUN, targetLine, whereOf } from '../target-line.js';
import { shownSwitches } from './show.js';

/** A change of schedules: of which platform, to which state. */
export interface ScheduleRun {
  readonly session: Pick<Session, 'argv' | 'clock' | 'signal' | 'terminal' | 'writing'>;
  readonly context: Pick<CommandContext, 'asker' | 'consent' | 'emit' | 'stateFolder'>;
  readonly target: PlatformPlace;
  readonly wanted: ScheduleState;
  readonly dryRun: boolean;
}

/** The steps of a change that differ between its kinds. */
export interface ChangeSteps {
  /** Finds the schedules: for the question, and again once no other run of this machine changes them. */
  readonly find: () => Promise<Found>;
  /** Held beside those of the namespaces. */
  readonly locks: readonly LockName[];
  /** Ahead of the first write. */
  readonly before?: (found: Found) => Promise<void>;
  /** When all is as wanted. */
  readonly after?: () => Promise<void>;
}

/** Schedules that are named before a change. */
const MOST_NAMED = 10;

/** Schedules as they were found. */
export type Found = readonly FoundSchedule[];

/** All that is found, in the order of namespaces, pipelines and names. */
export async function collect(batches: AsyncIterable<Found>): Promise<Found> {
  const all: FoundSchedule[] = [];
  for await (const batch of batches) all.push(...batch);
  const keyed = all.map((one) => ({ key: scheduleKey(one), one }));
  return keyed.sort((one, other) => (one.key < other.key ? -1 : 1)).map(({ one }) => one);
}

/** A schedule with what it was. */
export const targetOf = ({ namespace, pipeline, schedule, status }: FoundSchedule): SwitchTarget => {
  return { namespace, pipeline, schedule, before: status };
};

/** How many schedules of which namespaces change. */
function countsOf(changing: readonly SwitchTarget[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const { namespace } of changing) counts.set(namespace, (counts.get(namespace) ?? 0) + 1);
  return counts;
}

function tellTarget({ session, target }: ScheduleRun, changing: readonly SwitchTarget[]): void {
  session.terminal.tell(targetLine({ ...target, where: whereOf([...countsOf(changing).keys()]) }));
}

async function consent(run: ScheduleRun, changing: readonly SwitchTarget[]): Promise<void> {
  const { session, context, target, wanted } = run;
  const { terminal } = session;
  const verb = wanted === 'active' ? 'resume' : 'suspend';
  for (const one of changing.slice(0, MOST_NAMED))
    terminal.tell(visible(`  ${one.namespace}/${one.pipeline}  ${one.schedule}`));
  if (changing.length > MOST_NAMED) terminal.tell(`  and ${changing.length - MOST_NAMED} more`);
  const deed = `${verb} ${counted(changing.length, 'schedule')}`;
  await context.consent.ask({ deed, namespaces: countsOf(changing), target });
}

const planned = (found: Found, wanted: ScheduleState): readonly ShownSwitch[] =>
  found.map(targetOf).map((one) => ({ ...one, after: wanted, state: one.before === wanted ? 'unchanged' : 'planned' }));

/**
 * What is found once the locks are held: other runs, or a person, may have taken a while before.
 * @throws CHANGED_MEANWHILE for a schedule to switch that nobody has confirmed
 */
async function foundAgain({ find }: ChangeSteps, wanted: ScheduleState, confirmed: Found): Promise<Found> {
  const found = await find();
  const keys = new Set(confirmed.map(scheduleKey));
  const other = found.find((one) => one.status !== wanted && !keys.has(scheduleKey(one)));
  if (other === undefined) return found;
  const { namespace, pipeline, schedule } = other;
  const was = wanted === 'active' ? 'suspended' : 'active';
  throw new CliError('CHANGED_MEANWHILE', `schedule ${schedule} of ${namespace}/${pipeline} was not ${was} before`, {
    hints: ['run the same command again'],
    target: { namespace, pipeline },
  });
}

/**
 * Asks, locks, looks again and switches.
 * @throws LOCKED where another run of this machine changes the same schedules, or has the same record
 */
export async function change(run: ScheduleRun, steps: ChangeSteps): Promise<readonly ShownSwitch[]> {
  const { session, context, target, wanted, dryRun } = run;
  const shown = await steps.find();
  const changing = shown.filter(({ status }) => status !== wanted);
  if (changing.length > 0) tellTarget(run, changing.map(targetOf));
  if (dryRun) {
    if (changing.length > 0) session.terminal.tell(DRY_RUN);
    return planned(shown, wanted);
  }
  if (changing.length > 0) await consent(run, changing.map(targetOf));
  const names = new Set(shown.map(({ namespace }) => namespace));
  const places = [...steps.locks, ...[...names].map((name) => namespaceLock(target.url, name))];
  const locks = await takeLocks(places, lockDeps(context, session));
  try {
    const found = await foundAgain(steps, wanted, changing);
    await steps.before?.(found);
    const items = await switchFound(found, run);
    await steps.after?.();
    return items;
  } finally {
    await locks.release();
  }
}

/** Switches what was found; an error has what became of each. */
async function switchFound(
  found: Found,
  { session, context, target, wanted }: ScheduleRun,
): Promise<readonly ShownSwitch[]> {
  const { signal } = new AbortController();
  const { clock, signal: stop } = session;
  const deps = {
    ...{ platform: target.platform, signal, stop, clock, emit: context.emit, warnAs: 'SCHEDULE' },
    wait: (milliseconds: number) => clock.sleep(milliseconds, signal),
  };
  const write = beginWrite(session, commandLine(session.argv));
  const outcomes = await switchSchedules(found.map(targetOf), wanted, deps).finally(write.end);
  const failure = failureOfSwitches(outcomes, wanted, stop.reason);
  const items = await shownSwitches(outcomes, found, { platform: target.platform, signal: session.signal }).catch(
    (error: unknown) => {
      // The next starts are an extra; what was done is told without them.
      if (failure !== undefined || !(error instanceof CliError)) throw failure ?? error;
      return outcomes.map(({ error: failed, ...one }) => ({ ...one, message: failed?.message }));
    },
  );
  if (failure !== undefined) throw new CliError(failure.code, failure.message, { ...failure.details, item: items });
  return items;
}
