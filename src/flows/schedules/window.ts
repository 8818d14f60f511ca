import { realpath } from 'node:fs/promises';
import { isDeepStrictEqual } from 'node:util';
import { basename, dirname, join, resolve } from 'node:path';
import { commandLine } from '../../cli/line/command-line.js';
import { timestamp } from '../../core/clock.js';
import { counted } from '../../core/counted.js';
import { CliError } from '../../core/errors.js';
import { fitsAny, isOneName } from '../../core/pipeline-pattern.js';
import { timeText } from '../../output/writers/columns.js';
import type { ShownSwitch } from '../../output/views/schedules.js';
import { findSchedules, scheduleKey, schedulesOfApps } from '../../services/schedules/find.js';
import {
  openRecord,
  readRecord,
  recordWith,
  refuseOpenRecord,
  refuseOtherPlatform,
  writeRecord,
  type ScheduleRecord,
} from '../../services/schedules/record.js';
import type { LockName } from '../../state/lock.js';
import { change, collect, targetOf, type Found, type ScheduleRun } from './change.js';
import type { ChosenSchedules } from './selection.js';

/** Where a window of maintenance is written down. */
export interface RecordOptions {
  readonly file: string;
  readonly reason: string | undefined;
  readonly clobber: boolean;
}

/** One run at a time reads a record and writes it again. */
async function recordLock(file: string): Promise<LockName> {
  const path = resolve(file);
  const folder = await realpath(dirname(path)).catch(() => dirname(path));
  return { kind: 'file', path: join(folder, basename(path)) };
}

/** The record that is to be continued; none where it may be replaced. */
async function earlierRecord({ file, clobber }: RecordOptions, platform: string): Promise<ScheduleRecord | undefined> {
  if (!clobber) return openRecord(resolve(file), platform);
  await refuseOpenRecord(resolve(file));
  return undefined;
}

async function keepRecord(record: RecordOptions, found: Found, { session, target }: ScheduleRun): Promise<void> {
  const { file, reason, clobber } = record;
  const earlier = await earlierRecord(record, target.url);
  const at = timestamp(session.clock);
  const written = recordWith(earlier, { platform: target.url, reason, targets: found.map(targetOf), at });
  await writeRecord(resolve(file), written, earlier !== undefined || clobber);
  const count = written.schedules.filter(({ before }) => before === 'active').length;
  const isSame = isDeepStrictEqual(written, earlier);
  if (earlier !== undefined)
    session.terminal.tell(
      `${isSame ? 'nothing to add' : 'added'} to ${file}, which now has ${counted(count, 'schedule')} to resume`,
    );
  session.terminal.tell(
    count === 0
      ? `no schedule was active: ${file} has none to resume`
      : `resume exactly these with: ${commandLine(['schedule', 'resume', '--from', file])}`,
  );
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
  const find = async (): Promise<Found> => {
    const found = await collect(findSchedules(selection, { platform: target.platform, signal: session.signal }));
    refuseUnmatched(selection.patterns, found);
    return found;
  };
  if (record === undefined) return change(run, { find, locks: [] });
  await earlierRecord(record, target.url);
  const before = (found: Found): Promise<void> => keepRecord(record, found, run);
  return change(run, { find, locks: [await recordLock(record.file)], before });
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
  const apps = new Map(
    active.map(({ namespace, pipeline: name }) => [`${namespace}/${name}`, { namespace, name }] as const),
  );
  const keys = new Set(active.map(scheduleKey));
  const deps = { platform: target.platform, signal: session.signal };
  const found = await collect(schedulesOfApps(apps.values(), deps));
  return found.filter((one) => keys.has(scheduleKey(one)));
}

/** Refuses a record that is another one by now: it may have more to resume. */
async function refuseChanged(file: string, record: ScheduleRecord): Promise<void> {
  const now = await readRecord(resolve(file));
  if (JSON.stringify(now) === JSON.stringify(record)) return;
  throw new CliError('CHANGED_MEANWHILE', `${file} was changed at the same time`, {
    hints: ['run the same command again'],
    target: { file },
  });
}

/**
 * Resumes exactly what a record says was active, and marks the record when all of it is. A schedule that is gone by now
 * is told of.
 * @throws LOCAL_IO without the file, USAGE for one that is no record, CONFLICT for one of another platform,
 *   CHANGED_MEANWHILE where another run writes it
 */
export async function resumeRecorded(file: string, run: ScheduleRun): Promise<readonly ShownSwitch[]> {
  const { session, target } = run;
  const { terminal } = session;
  const record = await readRecord(resolve(file));
  if (record === undefined) throw new CliError('LOCAL_IO', `the record ${file} does not exist`, { target: { file } });
  const there = commandLine(['schedule', 'resume', '--from', file, '-u', record.platform]);
  refuseOtherPlatform(file, record, target.url, [there]);
  if (record.resumedAt !== undefined) {
    const when = timeText(new Date(record.resumedAt), terminal.stderr);
    terminal.tell(`${file} was resumed at ${when}`);
    return [];
  }
  const items = await change(run, {
    find: async () => {
      await refuseChanged(file, record);
      return recorded(record, run);
    },
    locks: [await recordLock(file)],
    after: () => writeRecord(resolve(file), { ...record, resumedAt: timestamp(session.clock) }, true),
  });
  const listed = new Set(items.map(scheduleKey));
  const gone = record.schedules
    .filter((one) => one.before === 'active' && !listed.has(scheduleKey(one)))
    .map((one): ShownSwitch => ({ ...one, state: 'gone' }));
  if (gone.length > 0)
    terminal.warn(
      'GONE',
      `${counted(gone.length, 'schedule')} of the record no longer exist${gone.length === 1 ? 's' : ''}`,
    );
  return [...items, ...gone];
}
