import type { Reason, Verdict } from './verdict.js';

/**
 * The order in which reasons decide, most important first. A bad or broken signature outweighs a good one, the others
 * do not.
 */
const DECIDING: readonly Reason[] = [
  'bad-signature',
  'malformed',
  'too-large',
  'too-many-signatures',
  'disputed',
  'good',
  'key-revoked',
  'key-expired',
  'signature-expired',
  'signature-from-future',
  'weak-hash',
  'weak-key',
  'wrong-signature-type',
  'key-not-for-signing',
  'key-unusable',
  'key-newer-than-signature',
  'critical-unknown',
  'unsupported-version',
  'unknown-key',
];

/**
 * One verdict from those of all signatures of a file (docs/faults.md T17, docs/trust.md 1). The ignored ones become a
 * note.
 */
export function combine(verdicts: readonly Verdict[]): Verdict {
  const [first, ...others] = verdicts.toSorted((a, b) => DECIDING.indexOf(a.reason) - DECIDING.indexOf(b.reason));
  if (first === undefined) throw new RangeError('a file without signatures has no verdict');
  const ignored = others.filter(({ reason }) => reason !== 'good');
  if (first.reason !== 'good' || ignored.length === 0) return first;
  const why = ignored.map(({ reason, detail }) => `${reason}: ${detail ?? ''}`).join('; ');
  const note = `${ignored.length} other signature${ignored.length === 1 ? '' : 's'} ignored (${why})`;
  const areUnknown = ignored.every(({ reason }) => reason === 'unknown-key');
  return { ...first, notes: [...first.notes, note], ...(areUnknown && { otherKeys: note }) };
}
