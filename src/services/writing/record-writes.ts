import type { Clock } from '../../core/clock.js';
import { CliError } from '../../core/errors.js';
import type { Platform } from '../../platform/client.js';
import { neverSent } from './send.js';

/** A writing request as the result names it; `status` is 0 when no answer came. */
export interface RequestRecord {
  readonly method: string;
  readonly path: string;
  readonly status: number;
  readonly ms: number;
}

/** Statuses of writes whose effect is open: no answer, or one of a gateway. */
const NO_ANSWER = [0, 502, 503, 504];

/** Whether a write was sent and nobody can tell from its answer what became of it. */
export const hasNoAnswer = ({ status }: RequestRecord): boolean => NO_ANSWER.includes(status);

/** A platform that writes down every request that left and is not a read. */
export function recordWrites(platform: Platform, clock: Clock, records: RequestRecord[]): Platform {
  return {
    base: platform.base,
    find: (endpoint, parameters, signal) => platform.find(endpoint, parameters, signal),
    async call(endpoint, parameters, signal) {
      if (endpoint.method === 'GET') return platform.call(endpoint, parameters, signal);
      const from = clock.monotonic();
      const record = (status: number): void => {
        records.push({
          method: endpoint.method,
          path: endpoint.path(parameters),
          status,
          ms: Math.round(clock.monotonic() - from),
        });
      };
      try {
        const result = await platform.call(endpoint, parameters, signal);
        record(200);
        return result;
      } catch (error) {
        if (!neverSent(error)) record(error instanceof CliError ? (error.details.request?.status ?? 0) : 0);
        throw error;
      }
    },
  };
}
