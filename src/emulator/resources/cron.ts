const MONTHS = 'JAN FEB MAR APR MAY JUN JUL AUG SEP OCT NOV DEC'.split(' ');
const WEEKDAYS = 'SUN MON TUE WED THU FRI SAT'.split(' ');
const DAY_MS = 86_400_000;
/** Seconds. */
const EIGHT_YEARS = 8 * 366 * 86_400;

/** The numbers that a field of a cron expression names: a list of values, ranges and steps. */
interface Field {
  readonly low: number;
  readonly high: number;
  readonly names?: readonly string[];
}
const SECOND: Field = { low: 0, high: 59 };
const HOUR: Field = { low: 0, high: 23 };
const DAY: Field = { low: 1, high: 31 };
const MONTH: Field = { low: 1, high: 12, names: MONTHS };
/** Sunday is 1, as the platform's scheduler counts (docs/platform.md 8.4). */
const WEEKDAY: Field = { low: 1, high: 7, names: WEEKDAYS };

/**
 * The times at which a cron expression is due between two epoch seconds, both included; in UTC. The expression has five
 * fields, or six with seconds first. Yields nothing for an expression that it cannot read.
 */
export function* cronTimes(expression: string, from: number, to: number): Generator<number> {
  const fields = expression.trim().split(/\s+/u);
  const [second = '', minute = '', hour = '', day = '', month = '', weekday = ''] =
    fields.length === 5 ? ['0', ...fields] : fields;
  const sets = [
    valuesOf(second, SECOND),
    valuesOf(minute, SECOND),
    valuesOf(hour, HOUR),
    valuesOf(day, DAY),
    valuesOf(month, MONTH),
    valuesOf(weekday, WEEKDAY),
  ];
  const [secondsDue = [], minutes = [], hours = [], days = [], months = [], weekdays = []] = sets;
  if (sets.some((set) => set.length === 0)) return;
  const timesOfDay = hours.flatMap((h) => minutes.flatMap((m) => secondsDue.map((s) => (h * 60 + m) * 60 + s)));
  for (let at = Math.floor((from * 1000) / DAY_MS) * DAY_MS; at <= to * 1000; at += DAY_MS) {
    const date = new Date(at);
    const isDue =
      months.includes(date.getUTCMonth() + 1) &&
      days.includes(date.getUTCDate()) &&
      weekdays.includes(date.getUTCDay() + 1);
    if (!isDue) continue;
    for (const time of timesOfDay) {
      const due = at / 1000 + time;
      if (due >= from && due <= to) yield due;
    }
  }
}

/**
 * The first time at which a cron expression is due from an epoch second on, in UTC. Undefined without one in eight
 * years, the longest way from one leap day to the next.
 */
export function nextCronTime(expression: string, from: number): number | undefined {
  const [next] = cronTimes(expression, from, from + EIGHT_YEARS);
  return next;
}

function valuesOf(text: string, field: Field): number[] {
  const values = text.split(',').map((part) => rangeOf(part, field));
  return values.some((part) => part.length === 0) ? [] : [...new Set(values.flat())].sort((a, b) => a - b);
}

function rangeOf(part: string, { low, high, names = [] }: Field): number[] {
  const [, range = '', step = '1'] = /^([^/]+)(?:\/(\d+))?$/u.exec(part) ?? [];
  const isStepped = part.includes('/');
  const numberOf = (text: string): number => {
    const named = names.indexOf(text.toUpperCase());
    return named >= 0 ? named + low : /^\d+$/u.test(text) ? Number(text) : Number.NaN;
  };
  const [first = '', last = isStepped ? String(high) : first] = range.split('-');
  const [begin, end] = /^[*?]$/u.test(range) ? [low, high] : [numberOf(first), numberOf(last)];
  const isValid = begin >= low && end <= high && Number(step) > 0;
  if (!isValid) return [];
  return Array.from({ length: Math.max(0, Math.floor((end - begin) / Number(step)) + 1) }, (_, index) => {
    return begin + index * Number(step);
  });
}
