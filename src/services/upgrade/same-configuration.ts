import { sameJson } from '../../core/json/same.js';

const BOM = /^\ufeff/u;

/**
 * Whether the configuration found is the one that was sent, apart from how the platform rewrites it. Its echo of an
 * object has numbers as doubles, no null members, other escapes and blanks (docs/platform.md 5.5).
 */
export function sameConfiguration(sent: string, found: string): boolean {
  return sameJson(sent.replace(BOM, ''), found.replace(BOM, ''));
}
