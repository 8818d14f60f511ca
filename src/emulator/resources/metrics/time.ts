import { refuse } from '../../http/answers.js';

/** What of a query says when it looks; values as text. */
export type TimeParameters = (name: string) => string | undefined;

/** How the points of a series are thinned out to a number. */
export type SeriesAggregate = 'FALSE' | 'SUM' | 'LATEST';

/** A query over all time, or a series between two epoch seconds; `resolution` and `gap` in seconds. */
export type MetricsTime =
  | { readonly kind: 'total' }
  | {
      readonly kind: 'series';
      readonly start: number;
      readonly end: number;
      readonly resolution: number;
      readonly thinning: SeriesAggregate;
      readonly count: number | undefined;
      readonly interpolate: string | undefined;
      readonly gap: number;
    };

const UNITS: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600, d: 86_400 };
const RESOLUTIONS: Readonly<Record<string, number>> = { '1s': 1, '1m': 60, '1h': 3600 };
const ENUM = 'io.cdap.cdap.api.dataset.lib.cube.AggregationOption';

/** Reads when a query looks, or refuses with the platform's sentence. `now` in epoch seconds (docs/platform.md 3.2). */
export function metricsTime(parameter: TimeParameters, now: number): MetricsTime {
  const aggregate = parameter('aggregate');
  const thinning = aggregate === undefined ? 'FALSE' : thinningOf(aggregate);
  const [start, end] = ['start', 'end'].map((name) => timeOf(parameter(name), now));
  const count = countOf(parameter('count'));
  if (thinning === 'TRUE' || (start === undefined && end === undefined)) return { kind: 'total' };
  const resolution = resolutionOf(parameter('resolution'), start, end);
  const length = count === undefined ? undefined : count * resolution;
  const from = start ?? (end === undefined || length === undefined ? undefined : end - length);
  const to = end ?? (start === undefined || length === undefined ? undefined : start + length);
  if (from === undefined || to === undefined) {
    refuse(400, 'At least two of count/start/end parameters are required for time-range queries ');
  }
  if (from > to) refuse(400, `The start time ${from} should not be larger than the end time ${to}`);
  if (count !== undefined && count <= 0) {
    refuse(400, 'Invalid metrics aggregation request, the limit must be greater than 0');
  }
  const gap = Number(parameter('maxInterpolateGap') ?? Infinity);
  const interpolate = parameter('interpolate');
  return { kind: 'series', start: from, end: to, resolution, thinning, count, interpolate, gap };
}

function thinningOf(text: string): SeriesAggregate | 'TRUE' {
  const option = text.toUpperCase();
  if (option === 'TRUE' || option === 'FALSE' || option === 'SUM' || option === 'LATEST') return option;
  return refuse(400, `No enum constant ${ENUM}.${option}`);
}

function timeOf(text: string | undefined, now: number): number | undefined {
  if (text === undefined) return undefined;
  if (/^\d+$/u.test(text)) return Number(text);
  if (!/^now(?:[-+]\d+[smhd])*$/u.test(text)) refuse(400, `invalid time format ${text}`);
  const steps = text.matchAll(/([-+]\d+)([smhd])/gu);
  return [...steps].reduce((time, [, number, unit]) => time + Number(number) * (UNITS[unit ?? ''] ?? 0), now);
}

function countOf(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  return /^[-+]?\d+$/u.test(text) ? Number(text) : refuse(400, `For input string: "${text}"`);
}

function resolutionOf(text: string | undefined, start: number | undefined, end: number | undefined): number {
  if (text !== undefined && text !== 'auto') {
    const told = 'only 1 second, 1 minute and 1 hour resolutions are supported currently';
    return RESOLUTIONS[text] ?? refuse(400, `Resolution interval not supported, ${told}`);
  }
  if (start === undefined || end === undefined) return 1;
  const length = end - start;
  if (length > 10 * 3600) return 3600;
  return length > 600 ? 60 : 1;
}
