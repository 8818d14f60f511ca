import { CliError } from '../../core/errors.js';
import { parseTime } from '../../core/time.js';
import type { MetricTime } from '../../platform/metrics.js';

/** When metrics are asked for, as flags say it. */
export interface TimeFlags {
  readonly aggregate?: boolean;
  readonly start?: string | undefined;
  readonly end?: string | undefined;
  readonly count?: number | undefined;
  readonly resolution?: string | undefined;
  /** Whether times that name no zone are UTC, and not local. */
  readonly utc?: boolean | undefined;
}

/**
 * The time of a query; undefined for totals of all time.
 * @throws USAGE for what the platform would refuse (docs/platform.md 3.2); `now` in milliseconds
 */
export function metricTime(flags: TimeFlags, now: number): MetricTime | undefined {
  const { start, end, count, resolution } = flags;
  const given = Object.entries({ start, end, count, resolution }).flatMap(([name, value]) =>
    value === undefined ? [] : [`--${name}`],
  );
  if (given.length === 0) return undefined;
  if (flags.aggregate === true)
    throw new CliError('USAGE', `--aggregate and ${given.join(', ')} cannot be used together`);
  if (start === undefined && (end === undefined || count === undefined))
    throw new CliError('USAGE', `${given.join(' and ')} ${given.length === 1 ? 'needs' : 'need'} --start`, {
      hints: ['--start now-1h, or --end with --count'],
    });
  const from = start === undefined ? undefined : secondsOf('start', start, now, flags.utc);
  // Without an end or a count the window reaches to now.
  const to = end === undefined && count !== undefined ? undefined : secondsOf('end', end ?? 'now', now, flags.utc);
  if (from !== undefined && to !== undefined && from > to) throw new CliError('USAGE', '--start is after --end');
  return {
    ...(from !== undefined && { start: String(from) }),
    ...(to !== undefined && { end: String(to) }),
    ...(count !== undefined && { count: String(count) }),
    ...(resolution !== undefined && { resolution }),
  };
}

function secondsOf(name: string, text: string, now: number, utc: boolean | undefined): number {
  const seconds = Math.floor(parseTime(text, now, utc) / 1000);
  if (seconds < 0) throw new CliError('USAGE', `--${name} is before 1970`);
  return seconds;
}
