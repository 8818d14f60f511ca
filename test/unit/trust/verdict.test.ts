import { describe, expect, it } from 'vitest';
import type { ErrorCode } from '../../../src/core/errors.js';
import { hintText } from '../../../src/output/next-steps.js';
import { hintsOf } from '../../support/errors.js';
import {
  missingVerdict,
  refusedVerdict,
  unsignedVerdict,
  verdictError,
  type SignatureState,
} from '../../../src/trust/verdict.js';

type RefusedReason = Parameters<typeof refusedVerdict>[0];
const FINGERPRINT = '0123456789ABCDEF0123456789ABCDEF01234567';

describe('the error of a verdict', () => {
  it.each<[RefusedReason, SignatureState, ErrorCode]>([
    ['missing', 'missing', 'SIG_MISSING'],
    ['bad-signature', 'invalid', 'SIG_BAD'],
    ['disputed', 'invalid', 'SIG_DISPUTED'],
    ['unknown-key', 'unknown-signer', 'KEY_UNKNOWN'],
    ['signature-expired', 'invalid', 'SIG_EXPIRED'],
    ['signature-from-future', 'invalid', 'SIG_FUTURE'],
    ['key-newer-than-signature', 'invalid', 'KEY_UNUSABLE'],
    ['key-expired', 'expired-key', 'KEY_EXPIRED'],
    ['key-revoked', 'revoked-key', 'KEY_REVOKED'],
    ['key-unusable', 'invalid', 'KEY_UNUSABLE'],
    ['key-not-for-signing', 'invalid', 'KEY_UNUSABLE'],
    ['weak-key', 'weak', 'SIG_WEAK'],
    ['weak-hash', 'weak', 'SIG_WEAK'],
    ['wrong-signature-type', 'invalid', 'SIG_TYPE'],
    ['unsupported-version', 'invalid', 'SIG_MALFORMED'],
    ['critical-unknown', 'invalid', 'SIG_MALFORMED'],
    ['malformed', 'invalid', 'SIG_MALFORMED'],
    ['too-large', 'invalid', 'SIG_LIMIT'],
    ['too-many-signatures', 'invalid', 'SIG_LIMIT'],
  ])('of reason %s has state %s and code %s, and names the file and what is wrong', (reason, state, code) => {
    const verdict = refusedVerdict(reason, 'the very detail');
    const error = verdictError(verdict, 'lib/some.jar');
    expect([verdict.state, error.code, error.exitCode]).toEqual([state, code, 9]);
    expect(error.message).toContain('lib/some.jar');
    expect(error.message).toContain('the very detail');
    expect(error.details.target).toEqual({ file: 'lib/some.jar', reason });
  });

  it('names the hub in the command that adds a key', () => {
    const verdict = refusedVerdict('unknown-key', FINGERPRINT, { fingerprint: FINGERPRINT });
    const hints = hintsOf(verdictError(verdict, 'spec.json', { label: 'corp', kind: 'http' }));
    expect(hints.join()).toContain('cdapctl hub key add FILE --hub corp --fingerprint FPR');
  });

  it.each([
    ['http', 'https://hub.example', 'tell its publisher'],
    ['folder', './my files/copy/1.0.0', "download it again: cdapctl hub download copy@1.0.0 -D './my files' --clobber"],
    ['folder', './here', 'download it again: cdapctl hub download copy@1.0.0 -D FOLDER --clobber'],
  ] as const)('of a changed file of a source of kind %s at %s says: %s', (kind, label, words) => {
    const verdict = refusedVerdict('bad-signature', 'the file, or the signature, was changed');
    const hints = hintsOf(verdictError(verdict, 'spec.json', { label, kind, package: 'copy@1.0.0' })).map(hintText);
    expect(hints.join()).toContain(words);
    expect(hints.join()).not.toContain('was changed');
  });

  it('of an unknown key shows the fingerprint, and how to add one that the publisher tells', () => {
    const error = verdictError(refusedVerdict('unknown-key', FINGERPRINT, { fingerprint: FINGERPRINT }), 'spec.json');
    expect(error.message).toContain(FINGERPRINT);
    expect(hintsOf(error)).toContain('cdapctl hub key add FILE --hub NAME --fingerprint FPR');
    expect(hintsOf(error).join()).not.toContain(FINGERPRINT);
    expect(error.details.target).toMatchObject({ signer: FINGERPRINT });
  });

  it('of an expired key names the option that excuses it', () => {
    const error = verdictError(refusedVerdict('key-expired', 'x', { fingerprint: FINGERPRINT }), 'spec.json');
    expect(hintsOf(error).join()).toContain(`--allow-expired-key ${FINGERPRINT}`);
  });

  it('is a bug for files that need none', () => {
    expect(() => verdictError(unsignedVerdict(), 'icon.png')).toThrow(/unsigned/u);
    expect(() => verdictError({ state: 'valid', reason: 'good', notes: [] }, 'spec.json')).toThrow(/good/u);
  });

  it('of a missing signature says so', () => {
    expect(verdictError(missingVerdict(), 'spec.json').message).toBe('spec.json has no signature');
  });
});
