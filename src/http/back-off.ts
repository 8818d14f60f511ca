const FIRST = 500;
const LONGEST = 30_000;

/** Milliseconds to wait before try `attempt` + 1 (attempts count from 1): full jitter below a bound that doubles from 0.5 s to 30 s. */
export function backOff(attempt: number, random: () => number): number {
  return Math.round(random() * Math.min(LONGEST, FIRST * 2 ** (attempt - 1)));
}

/** The wait in milliseconds that a `Retry-After` asks for, or undefined when there is none to obey: text, negative, or in the past (N36). */
export function retryAfter(header: string | undefined, now: number): number | undefined {
  if (header === undefined) return undefined;
  if (/^[0-9]{1,12}$/u.test(header.trim())) return Number(header) * 1000;
  if (!/^[A-Z][a-z]{2}, [0-9]{2} [A-Z][a-z]{2} [0-9]{4} [0-9:]{8} GMT$/u.test(header.trim())) return undefined;
  const wait = Date.parse(header) - now;
  return wait > 0 ? wait : undefined;
}

const STATUSES: readonly number[] = [429, 502, 503, 504];

/** Whether an answer of this status may be asked for again. */
export function isRepeatable(status: number): boolean {
  return STATUSES.includes(status);
}
