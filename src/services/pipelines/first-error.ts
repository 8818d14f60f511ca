import { jsonParts, type LogMembers, type LogPart, type LogPlace } from '../../platform/logs.js';
import { MOST_AT_ONCE, timeOf, type Line } from './logs.js';
import type { RunDeps } from './wait.js';

const [LINES_BEFORE, LINES_AFTER] = [5, 5];
/** Lines that are asked for at once; more where one millisecond has more of them. */
const AT_ONCE = 64;

/** The first error of a log with the lines around it. */
export interface ErrorInLog {
  readonly error: LogMembers | undefined;
  readonly before: readonly LogMembers[];
  readonly after: readonly LogMembers[];
}

/** Finds the first error of a log. Only the lines around it are read, however large the log is. */
export async function firstError(
  place: LogPlace,
  { platform, signal }: Pick<RunDeps, 'platform' | 'signal'>,
): Promise<ErrorInLog> {
  const read = async (way: 'next' | 'previous', wanted: Omit<LogPart, keyof LogPlace> & Pick<LogPart, 'level'>) =>
    (await platform.find(jsonParts[way], { ...place, ...wanted }, signal)) ?? [];
  const [first] = await read('next', { level: 'ERROR', max: 1 });
  if (first === undefined) return { error: undefined, before: [], after: [] };
  const at = timeOf(first);
  const earlier = await read('previous', { fromOffset: `-10000.${at}`, max: LINES_BEFORE });
  // An offset has milliseconds only: lines of the very millisecond stand on both sides of the error.
  const fromOffset = at > 0 ? `-10000.${at - 1}` : undefined;
  for (let max = AT_ONCE; ; max *= 4) {
    const lines: readonly Line<LogMembers>[] = await read('next', { fromOffset, max });
    const found = lines.findIndex(({ log }) => log.logLevel === 'ERROR');
    const isWhole = found >= 0 && lines.length > found + LINES_AFTER;
    if (!isWhole && lines.length >= max && max < MOST_AT_ONCE) continue;
    const after = found < 0 ? [] : lines.slice(found + 1, found + 1 + LINES_AFTER);
    const before = [...earlier.filter((line) => timeOf(line) < at), ...lines.slice(0, Math.max(found, 0))];
    const logs = (some: readonly Line<LogMembers>[]): readonly LogMembers[] => some.map(({ log }) => log);
    return { error: lines[found]?.log ?? first.log, before: logs(before.slice(-LINES_BEFORE)), after: logs(after) };
  }
}
