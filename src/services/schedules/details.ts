import * as z from 'zod/mini';
import { formatTime } from '../../core/time.js';
import { programOf, type FoundSchedule } from './find.js';

const optional = <T extends z.ZodMiniType>(schema: T) => z.catch(z.optional(schema), undefined);
const Further = z.looseObject({
  description: optional(z.string()),
  constraints: z.catch(z.array(z.looseObject({ maxConcurrency: optional(z.number()) })), []),
  properties: z.catch(z.record(z.string(), z.unknown()), {}),
  lastUpdateTime: optional(z.number()),
});

/** A schedule with all that people ask of it. Its properties are arguments of the runs that it starts. */
export interface ScheduleFacts {
  readonly schedule: string;
  readonly status: FoundSchedule['status'];
  readonly description?: string | undefined;
  readonly cron?: string | undefined;
  readonly trigger?: string | undefined;
  readonly program?: string | undefined;
  readonly maxConcurrentRuns?: number | undefined;
  readonly properties: Readonly<Record<string, string>>;
  /** Milliseconds since the epoch. */
  readonly lastUpdateTime?: number | undefined;
  readonly lastUpdateTimeAt?: string | undefined;
  readonly nextRun?: number | undefined;
  readonly nextRunAt?: string | undefined;
}

/** What the platform tells of a schedule, read. */
export function scheduleFacts(found: FoundSchedule): ScheduleFacts {
  const { schedule, status, cron, trigger, nextRun, nextRunAt, detail } = found;
  const { description, constraints = [], properties = {}, lastUpdateTime } = z.safeParse(Further, detail).data ?? {};
  return {
    ...{ schedule, description, status, cron, trigger, program: programOf(detail) },
    maxConcurrentRuns: constraints.find(({ maxConcurrency }) => maxConcurrency !== undefined)?.maxConcurrency,
    properties: Object.fromEntries(
      Object.entries(properties).map(([key, value]) => [
        key,
        typeof value === 'string' ? value : JSON.stringify(value),
      ]),
    ),
    ...(lastUpdateTime !== undefined && { lastUpdateTime, lastUpdateTimeAt: formatTime(lastUpdateTime) }),
    ...(nextRun !== undefined && { nextRun, nextRunAt }),
  };
}
