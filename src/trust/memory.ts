import * as z from 'zod/mini';
import { counted } from '../core/counted.js';
import { CliError } from '../core/errors.js';
import { formatTime } from '../core/time.js';
import { isSnapshot, parseVersion } from '../core/version.js';
import { CLOCK_SKEW } from './policy.js';

const DAY = 86_400_000;
const sha256 = z.string().check(z.regex(/^[0-9a-f]{64}$/u));
const moment = z.string().check(z.refine((text) => !Number.isNaN(Date.parse(text)), 'is not a date'));
const count = z.int().check(z.nonnegative());

/**
 * What was seen at one hub, so that what is published once cannot change or go back unseen. The file format of the
 * trust store.
 */
export const HubMemory = z.strictObject({
  version: z.literal(1),
  /** Whether a file with a good signature was ever seen; never becomes false again. */
  signed: z.boolean(),
  index: z.optional(z.strictObject({ sequence: z.int().check(z.minimum(1)), sha256, created: count, expires: count })),
  lastSeenAt: moment,
  /** By `name/version/file`. */
  files: z.record(z.string(), z.strictObject({ sha256, bytes: count, seenAt: moment })),
});

/** What was seen at one hub. */
export type HubMemory = z.infer<typeof HubMemory>;

/** What the signed index of a hub says of itself; times in milliseconds since the epoch. */
export interface IndexFacts {
  readonly sequence: number;
  readonly created: number;
  readonly expires: number;
}

/** What one run has verified and wants to be remembered. */
export interface Observations {
  readonly signed?: boolean;
  readonly index?: IndexFacts & { readonly sha256: string };
  readonly files?: readonly { readonly key: string; readonly sha256: string; readonly bytes: number }[];
}

/** The memory of a hub that was never seen. */
export function emptyMemory(): HubMemory {
  return { version: 1, signed: false, lastSeenAt: new Date(0).toISOString(), files: {} };
}

/**
 * Checks a signed index whose signature is good. Returns ROLLBACK, SIG_FUTURE and STALE errors; STALE is last and left
 * out with `allowStale`. A clock that was set back does not make an index fresh again.
 */
export function checkIndex(
  memory: HubMemory,
  index: IndexFacts,
  digest: string,
  now: Date,
  options: { readonly allowStale?: boolean } = {},
): readonly CliError[] {
  const time = Math.max(now.getTime(), Date.parse(memory.lastSeenAt));
  const found = [
    checkSequence(memory, index, digest),
    checkCreated(index, time),
    options.allowStale === true ? undefined : checkExpiry(index, time),
  ];
  return found.filter((error) => error !== undefined);
}

/** The way out for a person who knows better than the memory. */
const BUILT_ANEW = [
  'only if the owner confirms that the hub was rebuilt, delete its history (its keys are kept):',
  { next: 'forget-hub' },
  { next: 'add-hub', name: 'NAME' },
] as const;

function checkSequence({ index: last }: HubMemory, { sequence }: IndexFacts, digest: string): CliError | undefined {
  if (!Number.isSafeInteger(sequence) || sequence < 1)
    return new CliError(
      'ROLLBACK',
      `the sequence number of the signed index is not a positive integer: ${String(sequence)}`,
    );
  if (last === undefined || sequence > last.sequence) return undefined;
  if (sequence === last.sequence && digest === last.sha256) return undefined;
  if (sequence === last.sequence)
    return new CliError(
      'ROLLBACK',
      `the signed index has the same number ${sequence} as before, but different content`,
      {
        hints: BUILT_ANEW,
      },
    );
  return new CliError(
    'ROLLBACK',
    `the signed index is older than one seen before: number ${sequence} after ${last.sequence} (made ${rfc3339(last.created)})`,
    { hints: ['a mirror may be out of date; try again later or ask the owner of the hub', ...BUILT_ANEW] },
  );
}

function checkCreated({ created }: IndexFacts, time: number): CliError | undefined {
  if (created <= time + CLOCK_SKEW) return undefined;
  return new CliError(
    'SIG_FUTURE',
    `the signed index was made ${rfc3339(created)}, the clock of this machine shows ${rfc3339(time)}`,
    {
      hints: ['check the clock of this machine'],
    },
  );
}

function checkExpiry({ created, expires }: IndexFacts, time: number): CliError | undefined {
  if (expires + CLOCK_SKEW > time) return undefined;
  const days = Math.floor((time - created) / DAY);
  const age = days === 0 ? '' : ` and is ${counted(days, 'day')} old`;
  return new CliError('STALE', `the signed index expired ${rfc3339(expires)}${age} (it is ${rfc3339(time)})`, {
    hints: [
      'if the clock of this machine is right, the hub may be an outdated copy; ask its owner',
      { next: 'allow-stale' },
    ],
  });
}

function rfc3339(time: number): string {
  return Number.isNaN(new Date(time).getTime()) ? 'at an impossible time' : formatTime(time);
}

/**
 * Compares a verified file with the one seen before under the same `name/version/file`. Returns CHANGED with the date
 * when they differ. A snapshot may change where it is `isIndexed`: a signed index lists it, whose number never goes
 * down.
 */
export function checkFile(memory: HubMemory, key: string, digest: string, isIndexed = false): CliError | undefined {
  const known = Object.hasOwn(memory.files, key) ? memory.files[key] : undefined;
  if (known === undefined || known.sha256 === digest) return undefined;
  if (isIndexed && mayChange(versionOf(key))) return undefined;
  return new CliError('CHANGED', `${key} had different content on ${known.seenAt.slice(0, 10)}`, {
    lines: [`sha256 then: ${known.sha256}`, `sha256 now:  ${digest}`],
    hints: ['a published version must never change; ask the publisher', ...BUILT_ANEW],
    target: { file: key },
  });
}

const versionOf = (key: string): string => key.split('/')[1] ?? '';

/** Whether files of a version may change where a signed index lists them: those of a snapshot. */
export function mayChange(version: string): boolean {
  const parsed = parseVersion(version);
  return parsed !== undefined && isSnapshot(parsed);
}

/** Checks that a hub still has the protection it once had: DOWNGRADE, or undefined. */
export function checkDowngrade(
  memory: HubMemory,
  observed: { readonly signed: boolean; readonly index: boolean },
): CliError | undefined {
  const hints = ['the hub may have been tampered with; ask its owner'];
  if (memory.signed && !observed.signed)
    return new CliError('DOWNGRADE', 'this hub is no longer signed by a trusted key', { hints });
  if (memory.index !== undefined && !observed.index)
    return new CliError(
      'DOWNGRADE',
      `this hub no longer has a valid signed index (last: number ${memory.index.sequence})`,
      { hints },
    );
  return undefined;
}

/** A memory that expects no signed index, for files that come without the one of their hub. */
export function withoutIndex(memory: HubMemory): HubMemory {
  const { index: _, ...rest } = memory;
  return rest;
}

/**
 * The memory after a run that passed every check. Flags stay set, an index stays known, `lastSeenAt` never goes back,
 * and a file keeps the date when it was first seen.
 */
export function remember(memory: HubMemory, observations: Observations, now: Date): HubMemory {
  const seenAt = now.toISOString();
  const files = { ...memory.files };
  for (const { key, sha256: digest, bytes } of observations.files ?? []) {
    const same = Object.hasOwn(files, key) && files[key]?.sha256 === digest;
    if (!same)
      Object.defineProperty(files, key, {
        value: { sha256: digest, bytes, seenAt },
        enumerable: true,
        configurable: true,
        writable: true,
      });
  }
  const index = observations.index ?? memory.index;
  return {
    version: 1,
    signed: memory.signed || observations.signed === true,
    ...(index === undefined
      ? {}
      : { index: { sequence: index.sequence, sha256: index.sha256, created: index.created, expires: index.expires } }),
    lastSeenAt: Date.parse(memory.lastSeenAt) > now.getTime() ? memory.lastSeenAt : seenAt,
    files,
  };
}

/**
 * Merges the memory of a run with what other runs stored since it began. Nothing that either has seen is lost. For a
 * file in both, the stored one wins; of a snapshot, which may have changed, the later one.
 */
export function mergeMemories(stored: HubMemory, seen: HubMemory): HubMemory {
  const newer = (seen.index?.sequence ?? 0) > (stored.index?.sequence ?? 0) ? seen : stored;
  const later = Date.parse(seen.lastSeenAt) > Date.parse(stored.lastSeenAt) ? seen : stored;
  const changed = Object.entries(seen.files).filter(
    ([key, { seenAt }]) =>
      mayChange(versionOf(key)) && Date.parse(seenAt) > Date.parse(stored.files[key]?.seenAt ?? seenAt),
  );
  return {
    version: 1,
    signed: stored.signed || seen.signed,
    ...(newer.index && { index: newer.index }),
    lastSeenAt: later.lastSeenAt,
    files: { ...seen.files, ...stored.files, ...Object.fromEntries(changed) },
  };
}

/**
 * A sentence for the user when the clock stands before the last time this hub was seen, or undefined. 5 minutes are
 * allowed.
 */
export function clockWarning(memory: HubMemory, now: Date): string | undefined {
  if (now.getTime() + CLOCK_SKEW >= Date.parse(memory.lastSeenAt)) return undefined;
  return `the clock of this machine is wrong: it shows ${now.toISOString()}, but this hub was last read ${memory.lastSeenAt}`;
}
