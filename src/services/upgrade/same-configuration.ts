import { sameJson } from '../../core/json/same.js';

const BOM = /^\ufeff/u;

/**
 * Whether a configuration that was sent is the one that is found: the same text, or the same but for what the
 * platform's echo of an object changes: numbers as doubles, members that are null dropped, escapes, blanks
 * (docs/platform.md 5.5).
 */
export function sameConfiguration(sent: string, found: string): boolean {
  return sameJson(sent.replace(BOM, ''), found.replace(BOM, ''));
}
