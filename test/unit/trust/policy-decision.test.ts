import { describe, expect, it } from 'vitest';
import { decide, defaultPolicy, type Policy } from '../../../src/trust/policy-decision.js';
import { missingVerdict, refusedVerdict, unsignedVerdict, type Verdict } from '../../../src/trust/verdict.js';

const good: Verdict = { state: 'valid', reason: 'good', notes: [] };
const bad = refusedVerdict('bad-signature', 'the file was changed');
const disputed = refusedVerdict('disputed', 'one says yes, one no');
const revoked = refusedVerdict('key-revoked', '2024-05-15');
const unknown = refusedVerdict('unknown-key', 'AB');
const weak = refusedVerdict('weak-hash', 'SHA-1 is not accepted');
const missing = missingVerdict();

function outcome(policy: Policy, verdict: Verdict, pinned: number): string {
  const { ok, errors, warnings } = decide(policy, [{ file: 'spec.json', verdict }], pinned);
  expect(ok).toBe(errors.length === 0);
  return errors[0]?.code ?? (warnings.length > 0 ? 'warning' : 'quiet');
}

describe('the decision over a package', () => {
  it.each<[Policy, number, string, Verdict, string]>([
    ['require', 1, 'good', good, 'quiet'],
    ['require', 1, 'unsigned by design', unsignedVerdict(), 'quiet'],
    ['require', 1, 'missing', missing, 'SIG_MISSING'],
    ['require', 1, 'bad', bad, 'SIG_BAD'],
    ['require', 1, 'revoked', revoked, 'KEY_REVOKED'],
    ['require', 1, 'unknown', unknown, 'KEY_UNKNOWN'],
    ['require', 1, 'weak', weak, 'SIG_WEAK'],
    ['require', 0, 'unknown', unknown, 'NO_TRUST'],
    ['require', 0, 'missing', missing, 'NO_TRUST'],
    ['warn', 0, 'unknown', unknown, 'warning'],
    ['warn', 0, 'missing', missing, 'warning'],
    ['warn', 1, 'good', good, 'quiet'],
    ['warn', 1, 'missing', missing, 'warning'],
    ['warn', 1, 'unknown', unknown, 'warning'],
    ['warn', 1, 'weak', weak, 'warning'],
    ['warn', 1, 'bad', bad, 'SIG_BAD'],
    ['warn', 1, 'disputed', disputed, 'SIG_DISPUTED'],
    ['warn', 1, 'revoked', revoked, 'KEY_REVOKED'],
    ['off', 1, 'bad', bad, 'warning'],
    ['off', 0, 'missing', missing, 'warning'],
  ])('under %s with %i keys, %s: %#', (policy, pinned, _, verdict, expected) => {
    expect(outcome(policy, verdict, pinned)).toBe(expected);
  });

  it('tells every file that is refused, and passes on notes', () => {
    const noted: Verdict = { ...good, notes: ['1 other signature ignored'] };
    const files = [
      { file: 'spec.json', verdict: noted },
      { file: 'a.jar', verdict: missing },
      { file: 'b.jar', verdict: bad },
    ];
    const { ok, errors, warnings } = decide('require', files, 1);
    expect([ok, errors.map(({ message }) => message), warnings]).toEqual([
      false,
      ['a.jar has no signature', 'b.jar does not match its signature: the file was changed'],
      ['spec.json: 1 other signature ignored'],
    ]);
  });

  it('says one line when nothing was verified', () => {
    const files = ['a', 'b', 'c'].map((file) => ({ file, verdict: unknown }));
    expect(decide('warn', files, 0).warnings).toEqual(['nothing was verified: no key is trusted for this hub']);
  });

  it('requires as soon as a key is pinned, by default', () => {
    expect([defaultPolicy(0), defaultPolicy(1), defaultPolicy(2)]).toEqual(['warn', 'require', 'require']);
  });
});
