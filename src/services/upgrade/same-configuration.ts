import { sameJson } from '../../core/same-json.js';

const BOM = /^\ufeff/u;

/** Whether a configuration that was sent is the one that is found: the same text, or the same but for what the platform's echo of an object changes (contract 5.5: numbers as doubles, members that are null dropped, escapes, blanks). */
export function sameConfiguration(sent: string, found: string): boolean {
  return sameJson(sent.replace(BOM, ''), found.replace(BOM, ''));
}
