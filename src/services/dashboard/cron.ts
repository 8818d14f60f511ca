const DAY = 86_400;
const MONTHS = 'JAN FEB MAR APR MAY JUN JUL AUG SEP OCT NOV DEC'.split(' ');
const WEEKDAYS = 'SUN MON TUE WED THU FRI SAT'.split(' ');

/** When a schedule fires, in the local time of the platform. `any` of a day means that the other one decides. */
export interface Cron {
  readonly minutes: readonly number[];
  readonly hours: readonly number[];
  readonly days: ReadonlySet<number> | undefined;
  readonly months: ReadonlySet<number>;
  /** 0 is Sunday. */
  readonly weekdays: ReadonlySet<number> | undefined;
}

interface Field {
  readonly from: number;
  readonly to: number;
  /** Texts that stand for numbers. */
  readonly names?: ReadonlyMap<string, number>;
}

function numberOf(text: string, { from, to, names }: Field): number | undefined {
  const named = names?.get(text.toUpperCase());
  if (named !== undefined) return named;
  const value = /^\d{1,2}$/u.test(text) ? Number(text) : NaN;
  return value >= from && value <= to ? value : undefined;
}

function partOf(part: string, field: Field): readonly number[] | undefined {
  const [range = '', step, ...more] = part.split('/');
  const every = step === undefined ? 1 : /^[1-9]\d?$/u.test(step) ? Number(step) : NaN;
  if (more.length > 0 || !(every <= field.to - field.from + 1)) return undefined;
  const [low = '', high, ...others] = range.split('-');
  const isAll = range === '*';
  const first = isAll ? field.from : numberOf(low, field);
  const end = isAll || (high === undefined && step !== undefined) ? field.to : numberOf(high ?? low, field);
  if (others.length > 0 || first === undefined || end === undefined || end < first) return undefined;
  return Array.from({ length: Math.floor((end - first) / every) + 1 }, (_, at) => first + at * every);
}

function fieldOf(text: string, field: Field): readonly number[] | undefined {
  const parts = text.split(',').map((part) => partOf(part, field));
  const numbers = parts.flatMap((part) => part ?? []);
  return parts.includes(undefined) ? undefined : [...new Set(numbers)].sort((a, b) => a - b);
}

const isAny = (text: string): boolean => text === '*' || text === '?';

function daysOf(text: string, field: Field): ReadonlySet<number> | 'any' | undefined {
  if (isAny(text)) return 'any';
  const numbers = fieldOf(text, field);
  return numbers === undefined ? undefined : new Set(numbers);
}

/**
 * Reads a cron entry of five fields. Undefined for what could be understood in more than one way (six fields, `L`, `W`,
 * `#`, a day of the month beside a day of the week). `sunday` is the number of Sunday: nobody knows which one the
 * author of a number had in mind.
 */
export function parseCron(text: string, sunday: 0 | 1): Cron | undefined {
  const [minute = '', hour = '', day = '', month = '', weekday = '', ...more] = text.trim().split(/\s+/u);
  if (more.length > 0 || weekday.includes('/')) return undefined;
  const minutes = fieldOf(minute, { from: 0, to: 59 });
  const hours = fieldOf(hour, { from: 0, to: 23 });
  const days = daysOf(day, { from: 1, to: 31 });
  const months = fieldOf(month, { from: 1, to: 12, names: new Map(MONTHS.map((name, at) => [name, at + 1])) });
  const names = new Map(WEEKDAYS.map((name, at) => [name, at + sunday]));
  const weekdays = daysOf(weekday, { from: sunday, to: 7, names });
  if (!minutes || !hours || !days || !months || !weekdays || (days !== 'any' && weekdays !== 'any')) return undefined;
  return {
    ...{ minutes, hours },
    days: days === 'any' ? undefined : days,
    months: new Set(months),
    weekdays: weekdays === 'any' ? undefined : new Set([...weekdays].map((number) => (number - sunday) % 7)),
  };
}

function isDay({ days, months, weekdays }: Cron, midnight: number): boolean {
  const date = new Date(midnight * 1000);
  if (!months.has(date.getUTCMonth() + 1)) return false;
  return (days?.has(date.getUTCDate()) ?? true) && (weekdays?.has(date.getUTCDay()) ?? true);
}

/**
 * The times at which a schedule fires in `[from, to]` (epoch seconds), in order. `offset` is how far its clock is ahead
 * of UTC, in seconds.
 */
export function* firesBetween(cron: Cron, from: number, to: number, offset: number): Generator<number> {
  for (let midnight = Math.floor((from + offset) / DAY) * DAY; midnight - offset <= to; midnight += DAY) {
    if (!isDay(cron, midnight)) continue;
    for (const hour of cron.hours)
      for (const minute of cron.minutes) {
        const fire = midnight + hour * 3600 + minute * 60 - offset;
        if (fire > to) return;
        if (fire >= from) yield fire;
      }
  }
}
