import type { LedgerInstall, LedgerItem } from '../../state/ledger.js';
import { standingOf } from '../install/things/table.js';
import type { LookDeps } from '../install/thing-kind.js';

/**
 * An item and its present state on the platform. `there` means that it exists but cannot be compared. Without `now` the
 * platform was not asked.
 */
export interface VerifiedItem {
  readonly item: LedgerItem;
  readonly now?: 'same' | 'changed' | 'gone' | 'there' | 'not-known';
}

async function verifyItem(item: LedgerItem, deps: LookDeps): Promise<VerifiedItem> {
  const standing = await standingOf(item, deps);
  if (standing.state === 'unknown') return { item, now: 'not-known' };
  if (standing.state === 'absent') return { item, now: 'gone' };
  if (item.as === undefined) return { item, now: 'there' };
  return { item, now: item.as === standing.as ? 'same' : 'changed' };
}

/**
 * Reads from the platform how every item of an install stands; writes nothing. Without a place to look nothing is said.
 */
export async function verifyInstall(
  { items }: LedgerInstall,
  deps: LookDeps | undefined,
): Promise<readonly VerifiedItem[]> {
  const verified: VerifiedItem[] = [];
  for (const item of items) verified.push(deps === undefined ? { item } : await verifyItem(item, deps));
  return verified;
}
