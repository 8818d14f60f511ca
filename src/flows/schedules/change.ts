import { resolve } from 'node:path';
import type { CommandContext, PlatformPlace } from '../../cli/context-types.js';
import { commandLine } from '../../cli/line/command-line.js';
import type { Session } from '../../cli/session.js';
import { counted } from '../../core/counted.js';
import { CliError } from '../../core/errors.js';
import { fitsAny, isOneName } from '../../core/pipeline-pattern.js';
import type { ShownSwitch } from '../../output/views/schedules.js';
import { findSchedules, schedulesOfApp, type FoundSchedule } from '../../services/schedules/find.js';
import {
  openRecord,
  readRecord,
  recordWith,
  refuseOtherPlatform,
  writeRecord,
  type ScheduleRecord,
} from '../../services/schedules/record.js';
import {
  failureOfSwitches,
  switchSchedules,
  type ScheduleState,
  type SwitchTarget,
} from '../../services/schedules/switch.js';
import { namespaceLock, oneAtATime, writing } from '../run-lock.js';
import { targetLine } from '../target-line.js';
import type { ChosenSchedules } from './selection.js';
import { isSame, shownSwitches } from './show.js';

/** What a change of schedules needs. */
export interface ScheduleRun {
  readonly session: Pick<Session, 'argv' | 'clock' | 'signal' | 'terminal' | 'writing'>;
  readonly context: Pick<CommandContext, 'asker' | 'consent' | 'stateFolder'>;
  readonly target: PlatformPlace;
  readonly wanted: ScheduleState;
  readonly dryRun: boolean;
  /** Whether the line names one pipeline: only a protected context asks then. */
  readonly named: boolean;
}

/** Where a window of maintenance is written down. */
export interface RecordOptions {
  readonly file: string;
  readonly reason: string | undefined;
  readonly clobber: boolean;
}

type Found = readonly FoundSchedule[];

async function collect(batches: AsyncIterable<Found>): Promise<Found> {
  const all: FoundSchedule[] = [];
  for await (const batch of batches) all.push(...batch);
  return all.sort((one, other) => (keyOf(one) < keyOf(other) ? -1 : 1));
}

const keyOf = ({ namespace, pipeline, schedule }: FoundSchedule): string => `${namespace}/${pipeline}/${schedule}`;
const targetOf = ({ namespace, pipeline, schedule, status }: FoundSchedule): SwitchTarget => {
  return { namespace, pipeline, schedule, before: status };
};

async function consent(run: ScheduleRun, changing: readonly SwitchTarget[]): Promise<void> {
  const { session, context, target, wanted, named } = run;
  const counts = new Map<string, number>();
  for (const { namespace } of changing) counts.set(namespace, (counts.get(namespace) ?? 0) + 1);
  session.terminal.tell(targetLine({ ...target }));
  const verb = wanted === 'active' ? 'resume' : 'suspend';
  const deed = `${verb} ${counted(changing.length, 'schedule')}`;
  await context.consent.ask({ deed, namespaces: counts, target, isHarmless: named });
}

const planned = (found: Found, wanted: ScheduleState): readonly ShownSwitch[] =>
  found.map(targetOf).map((one) => ({ ...one, after: wanted, state: one.before === wanted ? 'unchanged' : 'planned' }));

/** Asks, locks, looks again and switches; `before` is done ahead of the first write. */
async function change(
  run: ScheduleRun,
  find: () => Promise<Found>,
  before: (found: Found) => Promise<void>,
): Promise<readonly ShownSwitch[]> {
  const { session, context, target, wanted, dryRun } = run;
  const shown = await find();
  if (dryRun) return planned(shown, wanted);
  const changing = shown.filter(({ status }) => status !== wanted);
  if (changing.length > 0) await consent(run, changing.map(targetOf));
  const locks = [...new Set(shown.map(({ namespace }) => namespace))].map((name) => namespaceLock(target.url, name));
  return oneAtATime(context, locks, session, async () => {
    // A person may have thought for a while.
    const found = context.asker === undefined || changing.length === 0 ? shown : await find();
    await before(found);
    const { signal } = new AbortController();
    const { clock, signal: stop, terminal } = session;
    const deps = {
      ...{ platform: target.platform, signal, stop, clock },
      wait: (milliseconds: number) => clock.sleep(milliseconds, signal),
      warn: (message: string) => {
        terminal.warn('SCHEDULE', message);
      },
    };
    const outcomes = await writing(session, commandLine(session.argv), () =>
      switchSchedules(found.map(targetOf), wanted, deps),
    );
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
  });
}

/**
 * Suspends or resumes the schedules of a selection. With a record, what was active is on the disk before the first
 * write, and a run that was killed goes on with it.
 * @throws EXISTS for a file that is no open record, NOT_FOUND for a pattern without a schedule
 */
export async function changeSchedules(
  { selection }: ChosenSchedules,
  run: ScheduleRun,
  record?: RecordOptions,
): Promise<readonly ShownSwitch[]> {
  const { target, session } = run;
  const deps = { platform: target.platform, signal: session.signal };
  const file = record === undefined ? undefined : resolve(record.file);
  const earlier = file === undefined || record?.clobber === true ? undefined : await openRecord(file, target.url);
  return change(
    run,
    async () => {
      const found = await collect(findSchedules(selection, deps));
      refuseUnmatched(selection.patterns, found);
      return found;
    },
    async (found) => {
      if (file === undefined) return;
      const entry = {
        ...{ platform: target.url, reason: record?.reason, targets: found.map(targetOf) },
        at: new Date(session.clock.now()).toISOString(),
      };
      await writeRecord(file, recordWith(earlier, entry), earlier !== undefined || record?.clobber === true);
      const again = commandLine(['schedule', 'resume', '--from', record?.file ?? file]);
      session.terminal.tell(`resume exactly these with: ${again}`);
    },
  );
}

/** Refuses a pattern without a schedule: a misspelt one would leave all running. */
function refuseUnmatched(patterns: readonly string[], found: Found): void {
  const misses = (pattern: string): boolean =>
    !isOneName(pattern) && !found.some(({ namespace, pipeline: name }) => fitsAny([pattern], { namespace, name }));
  const unmatched = patterns.find(misses);
  if (unmatched !== undefined)
    throw new CliError('NOT_FOUND', `no pipeline with a schedule matches ${JSON.stringify(unmatched)}`, {
      hints: ['cdapctl schedule list'],
    });
}

/** Reads again what a record names: those of its schedules that are still there. */
async function recorded(record: ScheduleRecord, { target, session }: ScheduleRun): Promise<Found> {
  const active = record.schedules.filter(({ before }) => before === 'active');
  const apps = new Map(active.map((one) => [`${one.namespace}/${one.pipeline}`, one]));
  const found: FoundSchedule[] = [];
  for (const { namespace, pipeline: name } of apps.values())
    found.push(...(await schedulesOfApp({ namespace, name }, { platform: target.platform, signal: session.signal })));
  return found.filter((one) => active.some((other) => isSame(one, other)));
}

/**
 * Resumes exactly what a record says was active, and marks the record when all of it is. A schedule that is gone by now
 * is told of.
 * @throws USAGE for a file that is no record, CONFLICT for one of another platform
 */
export async function resumeRecorded(file: string, run: ScheduleRun): Promise<readonly ShownSwitch[]> {
  const { session, target, dryRun } = run;
  const { terminal } = session;
  const record = await readRecord(resolve(file));
  if (record === undefined) throw new CliError('NOT_FOUND', `there is no file ${file}`, { target: { file } });
  refuseOtherPlatform(file, record, target.url);
  if (record.resumedAt !== undefined) {
    terminal.tell(`${file} was resumed at ${record.resumedAt}; nothing was changed`);
    return [];
  }
  const items = await change(
    run,
    () => recorded(record, run),
    async () => undefined,
  );
  const gone = record.schedules
    .filter((one) => one.before === 'active' && !items.some((item) => isSame(item, one)))
    .map((one): ShownSwitch => ({ ...one, state: 'gone' }));
  if (gone.length > 0)
    terminal.warn(
      'GONE',
      `${counted(gone.length, 'schedule')} of the record no longer exist${gone.length === 1 ? 's' : ''}`,
    );
  if (!dryRun)
    await writeRecord(resolve(file), { ...record, resumedAt: new Date(session.clock.now()).toISOString() }, true);
  return [...items, ...gone];
}
