import * as z from 'zod/mini';
import { counted } from '../../core/counted.js';
import { CliError } from '../../core/errors.js';
import { isSameAddress } from '../../core/hub-address.js';
import { parseJson } from '../../core/json/json.js';
import { existsError } from '../../core/files/local-error.js';
import { LARGEST_TEXT, readTextFile } from '../../core/files/read-bounded.js';
import { writeAtomically } from '../../state/atomic-write.js';
import { scheduleKey } from './find.js';
import type { SwitchTarget } from './switch.js';

/** Most bytes of a record: some hundred thousand schedules. */
const LARGEST = 16 * LARGEST_TEXT;

const Kept = z.strictObject({
  kind: z.literal('ScheduleRecord'),
  v: z.literal(1),
  platform: z.string(),
  at: z.string(),
  reason: z.exactOptional(z.string()),
  /** When all of it was resumed. */
  resumedAt: z.exactOptional(z.string()),
  schedules: z.array(
    z.strictObject({
      namespace: z.string(),
      pipeline: z.string(),
      schedule: z.string(),
      before: z.enum(['active', 'suspended']),
    }),
  ),
});

/** What schedules were before a maintenance window, as a file of the user keeps it. */
export type ScheduleRecord = z.infer<typeof Kept>;

/** A new record, or what is added to one. */
export interface RecordEntry {
  readonly platform: string;
  readonly reason: string | undefined;
  readonly targets: readonly SwitchTarget[];
  /** RFC 3339. */
  readonly at: string;
}

const noRecord = (file: string, why: string): CliError => new CliError('USAGE', `${file} ${why}`, { target: { file } });

/**
 * Reads a record; undefined where there is no file.
 * @throws USAGE for a file that is something else
 */
export async function readRecord(file: string): Promise<ScheduleRecord | undefined> {
  const found = await readTextFile(file, LARGEST);
  if (found.kind === 'absent') return undefined;
  if (found.kind === 'unusable') throw noRecord(file, found.why);
  let value: unknown;
  try {
    value = parseJson(Buffer.from(found.text), file);
  } catch (error) {
    if (error instanceof CliError) throw noRecord(file, 'is not a record of schedules');
    throw error;
  }
  const record = z.safeParse(Kept, value);
  if (!record.success) throw noRecord(file, 'is not a record of schedules');
  return record.data;
}

/**
 * Checks that a record is of this platform.
 * @throws CONFLICT where it is of another one
 */
export function refuseOtherPlatform(
  file: string,
  record: ScheduleRecord,
  platform: string,
  hints: readonly string[] = [],
): void {
  if (isSameAddress(record.platform, platform)) return;
  const details = { target: { file }, ...(hints.length > 0 && { hints }) };
  throw new CliError('CONFLICT', `${file} was written for another platform: ${record.platform}`, details);
}

/**
 * The record of a maintenance window that is still open and can be continued.
 * @throws EXISTS for one that is over, or a file that is something else; CONFLICT for another platform
 */
export async function openRecord(file: string, platform: string): Promise<ScheduleRecord | undefined> {
  const record = await readRecord(file).catch((error: unknown) => {
    throw error instanceof CliError && error.code === 'USAGE' ? existsError(file) : error;
  });
  if (record?.resumedAt !== undefined) throw existsError(file);
  if (record !== undefined) refuseOtherPlatform(file, record, platform);
  return record;
}

/**
 * Checks that a file may be replaced. Only the record of an open window tells which schedules were active.
 * @throws CONFLICT for one with schedules to resume
 */
export async function refuseOpenRecord(file: string): Promise<void> {
  const record = await readRecord(file).catch((error: unknown) => {
    if (error instanceof CliError && error.code === 'USAGE') return undefined;
    throw error;
  });
  const count = record?.schedules.filter(({ before }) => before === 'active').length ?? 0;
  if (record?.resumedAt !== undefined || count === 0) return;
  throw new CliError('CONFLICT', `${file} has ${counted(count, 'schedule')} that would no longer be resumed`, {
    hints: [{ next: 'resume-record', file }, { next: 'other-record' }],
    target: { file },
  });
}

/** A record with what is found now. What was active when its window began stays so, whatever a killed run did since. */
export function recordWith(earlier: ScheduleRecord | undefined, entry: RecordEntry): ScheduleRecord {
  const { platform, reason = earlier?.reason, targets, at } = entry;
  const all = new Map(earlier?.schedules.map((one) => [scheduleKey(one), one]));
  for (const { namespace, pipeline, schedule, before } of targets) {
    const one = { namespace, pipeline, schedule, before };
    if (before === 'active' || !all.has(scheduleKey(one))) all.set(scheduleKey(one), one);
  }
  const schedules = [...all.values()];
  return {
    kind: 'ScheduleRecord',
    v: 1,
    platform,
    at: earlier?.at ?? at,
    ...(reason !== undefined && { reason }),
    schedules,
  };
}

/** Writes a record so that it is on the disk, whole, when this returns. */
export function writeRecord(file: string, record: ScheduleRecord, overwrite: boolean): Promise<void> {
  return writeAtomically(file, `${JSON.stringify(record, undefined, 2)}\n`, { overwrite, mode: 0o644 });
}
