import type { ReportEntry } from './source.js';

const TIME_BASED = /^([0-9a-f]{8})-([0-9a-f]{4})-1([0-9a-f]{3})-/u;
/** Tenths of microseconds from 1582-10-15, where the times of ids begin, to 1970. */
const EPOCH = 122_192_928_000_000_000n;

/**
 * When the platform made an id, in milliseconds since the epoch; undefined for an id of another kind. The platform
 * gives time-based ids and derives its creation time in seconds from them (docs/platform.md 1.3).
 */
export function timeOfId(id: string): number | undefined {
  const [, low = '', middle = '', high] = TIME_BASED.exec(id) ?? [];
  return high === undefined ? undefined : Number(BigInt(`0x${high}${middle}${low}`) - EPOCH) / 10_000;
}

/** Puts the newer of two reports first, also where both were made in one second. */
export function newestFirst(a: ReportEntry, b: ReportEntry): number {
  return b.created - a.created || (b.createdMillis ?? 0) - (a.createdMillis ?? 0);
}
