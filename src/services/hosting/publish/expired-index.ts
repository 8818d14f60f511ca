import { CliError } from '../../../core/errors.js';
import { formatTime } from '../../../core/time.js';
import type { HubIndex } from '../../../hub/index-file.js';
import { renewalOf } from '../../../hub/index-renewal.js';
import { CLOCK_SKEW } from '../../../trust/policy.js';

/**
 * Refuses an index whose time is over, also on a clock that is ahead as far as clocks may differ. `shown` is the folder
 * of the tree as it may be typed; `now` in milliseconds.
 * @throws STALE
 */
export function refuseExpired(root: string, shown: string, index: HubIndex | undefined, now: number): void {
  if (index === undefined || index.expires > now + CLOCK_SKEW) return;
  const end = index.expires > now ? 'expires' : 'expired';
  const clients = index.expires > now ? 'clients would reject it soon' : 'clients would reject it';
  throw new CliError('STALE', `the index ${end} at ${formatTime(index.expires)}: ${clients}; nothing was published`, {
    hints: [renewalOf(root, shown, true)],
    target: { file: 'index.json' },
  });
}
