import { describe, expect, it } from 'vitest';
import { combine } from '../../../src/trust/combine-verdicts.js';
import {
  checkDowngrade,
  checkFile,
  checkIndex,
  clockWarning,
  emptyMemory,
  mergeMemories,
  remember,
} from '../../../src/trust/memory.js';
import {
  acceptedHash,
  CLOCK_SKEW,
  hashName,
  MAX_FILE_BYTES,
  MAX_KEY_FILE_BYTES,
  MAX_SIGNATURE_BYTES,
  MAX_SIGNATURES,
  MIN_RSA_BITS,
} from '../../../src/trust/policy.js';
import { decide } from '../../../src/trust/policy-decision.js';
import {
  keyStep,
  missingVerdict,
  refusedVerdict,
  verdictError,
  type Origin,
  type Verdict,
} from '../../../src/trust/verdict.js';
import type { CliError } from '../../../src/core/errors.js';
import { hintText } from '../../../src/output/next-steps.js';
import { hintsOf, saidBy } from '../../support/errors.js';

/** All that an error says, its hints in words. */
function told(error: CliError): object {
  const said = saidBy(error);
  return error.details.hints === undefined ? said : { ...said, hints: hintsOf(error) };
}

const NOW = new Date('2024-06-01T12:00:00Z');
const time = NOW.getTime();
const DAY = 86_400_000;
const [A, B] = ['a'.repeat(64), 'b'.repeat(64)];
const facts = { sequence: 7, created: time - 40 * DAY, expires: time + DAY };
const seen = remember(emptyMemory(), { signed: true, index: { ...facts, sha256: A } }, NOW);
const errors = (changes: object, digest = B, now = NOW, options?: { allowStale: boolean }): readonly object[] =>
  checkIndex(seen, { ...facts, ...changes }, digest, now, options).map(told);

const REBUILT = [
  'only if the owner confirms that the hub was rebuilt, delete its history (its keys are kept):',
  'cdapctl hub remove NAME --forget',
  'cdapctl hub add NAME https://...',
];

describe('a signed index that is refused', () => {
  it.each<[string, object, object]>([
    [
      'is older',
      { sequence: 6 },
      {
        code: 'ROLLBACK',
        message: 'the signed index is older than one seen before: number 6 after 7 (made 2024-04-22T12:00:00Z)',
        hints: ['a mirror may be out of date; try again later or ask the owner of the hub', ...REBUILT],
      },
    ],
    [
      'has other content',
      {},
      {
        code: 'ROLLBACK',
        message: 'the signed index has the same number 7 as before, but different content',
        hints: REBUILT,
      },
    ],
    [
      'has no number',
      { sequence: 0.5 },
      {
        code: 'ROLLBACK',
        message: 'the sequence number of the signed index is not a positive integer: 0.5',
      },
    ],
    [
      'is of the future',
      { sequence: 8, created: time + 300_001 },
      {
        code: 'SIG_FUTURE',
        message:
          'the signed index was made 2024-06-01T12:05:00.001Z, the clock of this machine shows 2024-06-01T12:00:00Z',
        hints: ['check the clock of this machine'],
      },
    ],
    [
      'is of an impossible future',
      { sequence: 8, created: 1e300 },
      {
        code: 'SIG_FUTURE',
        message:
          'the signed index was made at an impossible time, the clock of this machine shows 2024-06-01T12:00:00Z',
        hints: ['check the clock of this machine'],
      },
    ],
    [
      'expired today',
      { sequence: 8, created: time - 3_600_000, expires: time - 300_000 },
      {
        code: 'STALE',
        message: 'the signed index expired 2024-06-01T11:55:00Z (it is 2024-06-01T12:00:00Z)',
        hints: [
          'if the clock of this machine is right, the hub may be an outdated copy; ask its owner',
          'to accept it once: --allow-stale',
        ],
      },
    ],
    [
      'has expired',
      { sequence: 8, expires: time - 300_000 },
      {
        code: 'STALE',
        message: 'the signed index expired 2024-06-01T11:55:00Z and is 40 days old (it is 2024-06-01T12:00:00Z)',
        hints: [
          'if the clock of this machine is right, the hub may be an outdated copy; ask its owner',
          'to accept it once: --allow-stale',
        ],
      },
    ],
  ])('because it %s says so', (_, changes, expected) => {
    expect(errors(changes)).toEqual([expected]);
  });

  it.each([
    ['made in five minutes', { sequence: 8, created: time + 300_000 }],
    ['expired less than five minutes ago', { sequence: 8, expires: time - 299_999 }],
  ])('is not one that was %s', (_, changes) => {
    expect(errors(changes)).toEqual([]);
  });

  it('is accepted although it has expired where that was asked for', () => {
    const old = { sequence: 8, expires: 0 };
    expect(errors(old, B, NOW, { allowStale: true })).toEqual([]);
    expect(errors(old, B, NOW, { allowStale: false })).toHaveLength(1);
  });
});

describe('what a hub must not take back', () => {
  const hints = ['the hub may have been tampered with; ask its owner'];
  const signed = remember(emptyMemory(), { signed: true }, NOW);
  it.each<[string, typeof seen, boolean, boolean, object | undefined]>([
    ['its signatures', seen, false, true, { message: 'this hub is no longer signed by a trusted key' }],
    ['its index', seen, true, false, { message: 'this hub no longer has a valid signed index (last: number 7)' }],
    ['nothing', seen, true, true, undefined],
    ['an index that it never had', signed, true, false, undefined],
    ['signatures that it never had', emptyMemory(), false, false, undefined],
  ])('is %s', (_, memory, isSigned, index, expected) => {
    const error = checkDowngrade(memory, { signed: isSigned, index });
    expect(error && told(error)).toEqual(expected && { code: 'DOWNGRADE', ...expected, hints });
  });

  it('is the content of a file', () => {
    const memory = remember(seen, { files: [{ key: 'a/1/x', sha256: A, bytes: 5 }] }, NOW);
    expect(memory.files).toEqual({ 'a/1/x': { sha256: A, bytes: 5, seenAt: NOW.toISOString() } });
    expect(checkFile(memory, 'a/1/x', A)).toBeUndefined();
    expect(checkFile(memory, 'a/1/y', B)).toBeUndefined();
    const error = checkFile(memory, 'a/1/x', B);
    expect(error && told(error)).toEqual({
      code: 'CHANGED',
      message: 'a/1/x had different content on 2024-06-01',
      lines: [`sha256 then: ${A}`, `sha256 now:  ${B}`],
      hints: ['a published version must never change; ask the publisher', ...REBUILT],
      target: { file: 'a/1/x' },
    });
  });
});

describe('the memory of a hub', () => {
  it('keeps the newer index and the later time of two runs, and all files', () => {
    const later = new Date(time + DAY);
    const file = (key: string, sha256: string) => ({ files: [{ key, sha256, bytes: 1 }] });
    const one = remember(seen, file('a', A), NOW);
    const two = remember(remember(seen, { index: { ...facts, sequence: 9, sha256: B } }, NOW), file('b', B), later);
    const both = mergeMemories(one, two);
    expect(both).toEqual({
      version: 1,
      signed: true,
      index: { ...facts, sequence: 9, sha256: B },
      lastSeenAt: later.toISOString(),
      files: { ...one.files, ...two.files },
    });
    expect(mergeMemories(two, one)).toEqual(both);
    const [stored, other] = [remember(seen, file('a', A), NOW), remember(seen, file('a', B), NOW)];
    expect(mergeMemories(stored, other).files).toEqual(stored.files);
    expect(mergeMemories(emptyMemory(), emptyMemory())).toEqual(emptyMemory());
    expect(mergeMemories(emptyMemory(), seen).signed).toBe(true);
  });

  it('warns of a clock that stands more than five minutes before it', () => {
    expect(clockWarning(seen, new Date(time - 300_000))).toBeUndefined();
    expect(clockWarning(seen, new Date(time - 300_001))).toBe(
      'the clock of this machine is wrong: it shows 2024-06-01T11:54:59.999Z, but this hub was last read 2024-06-01T12:00:00.000Z',
    );
  });
});

describe('the hashes of signatures', () => {
  it.each([
    [1, 'MD5', undefined],
    [2, 'SHA-1', undefined],
    [3, 'RIPEMD-160', undefined],
    [8, 'SHA-256', 'sha256'],
    [9, 'SHA-384', 'sha384'],
    [10, 'SHA-512', 'sha512'],
    [11, 'SHA-224', undefined],
    [12, 'SHA3-256', 'sha3-256'],
    [14, 'SHA3-512', 'sha3-512'],
    [7, 'hash number 7', undefined],
  ])('%i is %s', (number, name, id) => {
    expect([hashName(number), acceptedHash(number)?.id]).toEqual([name, id]);
  });

  it('and keys have limits', () => {
    expect([MAX_FILE_BYTES, MAX_SIGNATURE_BYTES, MAX_SIGNATURES, MAX_KEY_FILE_BYTES, CLOCK_SKEW, MIN_RSA_BITS]).toEqual(
      [65_536, 16_384, 16, 4_194_304, 300_000, 2048],
    );
  });
});

const good: Verdict = { state: 'valid', reason: 'good', notes: [] };

describe('a decision', () => {
  const unknown = refusedVerdict('unknown-key', 'AB');
  const files = [{ file: 'spec.json', verdict: unknown }];
  const folder: Origin = { label: './hub', kind: 'folder' };
  const lent = 'the key of the signatures is trusted for the hub "corp"; to verify with it: --hub corp';

  it('is that nothing is verified where that is switched off', () => {
    expect(decide('off', files, 1)).toEqual({
      ok: true,
      errors: [],
      warnings: ['NOTHING IS VERIFIED: verification is turned off'],
    });
  });

  it.each<[Origin, string, readonly string[]]>([
    [{ label: 'corp', kind: 'http' }, 'hub', ['cdapctl hub key add FILE --hub corp --fingerprint FPR']],
    [
      folder,
      'folder',
      ['to verify with the keys of a hub: --hub NAME', 'cdapctl hub key add FILE --hub NAME --fingerprint FPR'],
    ],
    [
      { ...folder, lender: { hub: 'corp', option: '--hub corp' } },
      'folder',
      [lent, 'cdapctl hub key add FILE --hub NAME --fingerprint FPR'],
    ],
  ])('without a key for %j', (origin, noun, hints) => {
    const {
      ok,
      errors: [error],
      warnings,
    } = decide('require', files, 0, origin);
    expect([ok, error && told(error), warnings]).toEqual([
      false,
      { code: 'NO_TRUST', message: `no key is trusted for this ${noun}, so nothing can be verified`, hints },
      [],
    ]);
    const lending = origin.lender === undefined ? [] : [lent];
    expect(decide('warn', files, 0, origin)).toEqual({
      ok: true,
      errors: [],
      warnings: [`nothing was verified: no key is trusted for this ${noun}`, ...lending],
    });
  });

  it('tells what is passed over, and notes of what is good only', () => {
    const noted = { ...unknown, notes: ['not told'] };
    const all = [
      { file: 'a', verdict: noted },
      { file: 'b', verdict: { ...good, notes: ['told'] } },
    ];
    expect(decide('warn', all, 1)).toEqual({
      ok: true,
      errors: [],
      warnings: ['a is signed by a key that is not trusted: AB', 'b: told'],
    });
  });
});

describe('the verdict of several signatures', () => {
  const bad = refusedVerdict('bad-signature', 'changed');
  const weak = refusedVerdict('weak-hash', 'SHA-1');
  const noted: Verdict = { ...good, notes: ['before'] };

  it('is the good one, with a note of the others', () => {
    expect(combine([weak, noted, good])).toEqual({
      ...good,
      notes: ['before', '1 other signature ignored (weak-hash: SHA-1)'],
    });
    expect(combine([bad, weak, good]).state).toBe(combine([good, weak, bad]).state);
    expect(combine([noted])).toBe(noted);
    expect(combine([good, noted])).toBe(good);
    const { notes } = combine([weak, { ...refusedVerdict('unknown-key', 'x'), detail: undefined }, good]);
    expect(notes).toEqual(['2 other signatures ignored (weak-hash: SHA-1; unknown-key: )']);
  });

  it('says as data whether all others are of keys that are not trusted', () => {
    const unknown = refusedVerdict('unknown-key', 'x; weak-hash: y)');
    const { otherKeys, notes } = combine([unknown, good]);
    expect([otherKeys]).toEqual(notes);
    expect(combine([weak, unknown, good]).otherKeys).toBeUndefined();
  });

  it('is the one that counts most where none is good', () => {
    const unknown = refusedVerdict('unknown-key', 'x');
    expect(combine([unknown, weak])).toBe(weak);
    expect(combine([weak, unknown])).toBe(weak);
    expect(() => combine([])).toThrow('a file without signatures has no verdict');
  });
});

describe('the error of a verdict', () => {
  const detail = 'so it is';
  it.each<[Parameters<typeof refusedVerdict>[0], string, readonly unknown[]]>([
    [
      'bad-signature',
      'x does not match its signature',
      ['do not use the package, and tell its publisher: the hub, or something on the way, serves other content'],
    ],
    [
      'disputed',
      'the checks of the signature of x disagree, so it is rejected',
      ['do not use the file; report it with its signature to the cdapctl maintainers (SECURITY.md)'],
    ],
    [
      'unknown-key',
      'x is signed by a key that is not trusted',
      [
        'get the key (FILE) and its fingerprint (FPR) from the publisher through another channel; do not rely on the fingerprint in a signature',
        'cdapctl hub key add FILE --hub corp --fingerprint FPR',
      ],
    ],
    ['signature-expired', 'the signature of x has expired', []],
    [
      'signature-from-future',
      'the signature of x is dated in the future',
      ['check the clock of this machine; up to 5 minutes of difference are allowed'],
    ],
    ['key-newer-than-signature', 'the signature of x is older than its key', []],
    [
      'key-expired',
      'the key that signed x has expired',
      [
        'ask the publisher for the extended key and add it again',
        '--allow-expired-key FPR accepts files that were signed while the key was valid',
      ],
    ],
    ['key-revoked', 'the key that signed x was revoked', []],
    ['key-unusable', 'the key that signed x cannot be used', []],
    ['key-not-for-signing', 'the key that signed x cannot be used for signing', []],
    ['weak-key', 'the key that signed x is too weak', []],
    ['weak-hash', 'the signature of x uses a hash that is too weak', []],
    ['wrong-signature-type', 'the signature of x is not for a binary file', []],
    ['unsupported-version', 'the signature of x has an unsupported version', []],
    ['critical-unknown', 'the signature of x requires an unsupported feature', []],
    ['malformed', 'the signature file of x cannot be read', []],
    ['too-large', 'the signature file of x is too large', []],
    ['too-many-signatures', 'the signature file of x has too many signatures', []],
  ])('%s is told in its words', (reason, text, hints) => {
    const error = verdictError(refusedVerdict(reason, detail, { keyId: 'AB' }), 'x', { label: 'corp', kind: 'http' });
    const { code: _code, ...said } = told(error) as Record<string, unknown>;
    expect(said).toEqual({
      message: `${text}: so it is`,
      hints,
      lines: [],
      target: { file: 'x', reason, signer: 'AB' },
    });
    expect(_code).toBe(error.code);
  });

  it('tells the notes, and of a missing signature whom to ask', () => {
    const verdict = { ...missingVerdict(), notes: ['a note'] };
    expect(told(verdictError(verdict, 'x'))).toEqual({
      code: 'SIG_MISSING',
      message: 'x has no signature',
      hints: ['ask the publisher for a signed package'],
      lines: ['a note'],
      target: { file: 'x', reason: 'missing' },
    });
  });

  it.each([
    [{ label: 'corp', kind: 'folder' }, 'corp'],
    [{ label: 'a/b', kind: 'folder' }, 'NAME'],
    [{ label: String.raw`a\b`, kind: 'folder' }, 'NAME'],
    [{ label: 'https://hub/x', kind: 'http' }, 'https://hub/x'],
  ] as const)('names the hub of %j', (origin, hub) => {
    expect(hintText(keyStep(origin))).toBe(`cdapctl hub key add FILE --hub ${hub} --fingerprint FPR`);
  });
});
