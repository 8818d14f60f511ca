import { CliError } from '../../core/errors.js';
import { warn, type Warnings } from '../../core/events.js';
import type { Platform } from '../../platform/client.js';

/**
 * Milliseconds between looks at a platform that is away. With the repeats of the transport about a minute
 * (docs/faults.md P16).
 */
const PAUSES = [1000, 2000, 4000, 8000, 15_000, 15_000];
const AWAY = new Set(['NET_REFUSED', 'NET_RESET', 'NET_SHORT', 'UNAVAILABLE']);

const isAway = (error: unknown): error is CliError => error instanceof CliError && AWAY.has(error.code);

/**
 * A platform whose reads wait about a minute for it to come back; writes are not touched. `wait` may reject, which ends
 * the patience.
 */
export function patientPlatform(
  platform: Platform,
  wait: (milliseconds: number) => Promise<void>,
  warnings: Warnings,
): Platform {
  async function patiently<R>(read: () => Promise<R>): Promise<R> {
    for (const pause of PAUSES) {
      try {
        return await read();
      } catch (error) {
        if (!isAway(error)) throw error;
        warn(warnings, `the platform does not respond, retrying in ${pause / 1000} s: ${error.message}`);
        await wait(pause);
      }
    }
    return read();
  }
  return {
    base: platform.base,
    find: (endpoint, parameters, signal) => patiently(() => platform.find(endpoint, parameters, signal)),
    call: async (endpoint, parameters, signal) => {
      const call = () => platform.call(endpoint, parameters, signal);
      return endpoint.method === 'GET' || endpoint.asks === true ? patiently(call) : call();
    },
  };
}
