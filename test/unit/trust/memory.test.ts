import { describe, expect, it } from 'vitest';
import {
  checkDowngrade,
  checkFile,
  checkIndex,
  clockWarning,
  emptyMemory,
  HubMemory,
  mergeMemories,
  remember,
  type IndexFacts,
} from '../../../src/trust/memory.js';
import { hintsOf } from '../../support/errors.js';
import * as z from 'zod/mini';

const NOW = new Date('2024-06-01T12:00:00Z');
const DAY = 86_400_000;
const A = 'a'.repeat(64);
const B = 'b'.repeat(64);

function at(days: number, milliseconds = 0): Date {
  return new Date(NOW.getTime() + days * DAY + milliseconds);
}

function index(sequence: number, facts: Partial<IndexFacts> = {}): IndexFacts {
  return { sequence, created: at(-1).getTime(), expires: at(30).getTime(), ...facts };
}

const seen = remember(emptyMemory(), { signed: true, index: { ...index(7), sha256: A } }, NOW);

describe('the sequence of the signed index', () => {
  it.each([
    ['lower', 6, A],
    ['the same with other content', 7, B],
  ])('that is %s is refused with the way out for a hub that was built anew', (_, sequence, digest) => {
    const [error] = checkIndex(seen, index(sequence), digest, NOW);
    expect(error === undefined ? '' : hintsOf(error).join()).toContain('cdapctl hub remove NAME --forget');
  });

  it.each<[string, number, string, readonly string[]]>([
    ['the same', 7, A, []],
    ['the same with other content', 7, B, ['ROLLBACK']],
    ['one lower', 6, A, ['ROLLBACK']],
    ['one higher', 8, B, []],
    ['huge', Number.MAX_SAFE_INTEGER, B, []],
    ['beyond exact numbers', Number.MAX_SAFE_INTEGER + 1, B, ['ROLLBACK']],
    ['zero', 0, B, ['ROLLBACK']],
    ['negative', -1, B, ['ROLLBACK']],
    ['a fraction', 7.5, B, ['ROLLBACK']],
    ['not a number', Number.NaN, B, ['ROLLBACK']],
    ['missing', undefined as unknown as number, B, ['ROLLBACK']],
  ])('%s', (_, sequence, digest, codes) => {
    expect(checkIndex(seen, index(sequence), digest, NOW).map(({ code }) => code)).toEqual(codes);
  });

  it('may be anything from 1 up for a hub that was never seen', () => {
    expect(checkIndex(emptyMemory(), index(1), A, NOW)).toEqual([]);
    expect(checkIndex(emptyMemory(), index(0), A, NOW)).toHaveLength(1);
  });

  it('says which number came after which', () => {
    expect(checkIndex(seen, index(3), B, NOW)[0]?.message).toContain('number 3 after 7');
  });
});

describe('the age of the signed index', () => {
  it.each<[string, Date, Partial<IndexFacts>, readonly string[]]>([
    ['fresh', NOW, {}, []],
    ['past its expiry', at(31), {}, ['STALE']],
    ['a year old', at(365), {}, ['STALE']],
    ['expired two minutes ago', at(30, 120_000), {}, []],
    ['expired six minutes ago', at(30, 360_000), {}, ['STALE']],
    ['made in two minutes', NOW, { created: at(0, 120_000).getTime() }, []],
    ['made tomorrow', NOW, { created: at(1).getTime() }, ['SIG_FUTURE']],
    [
      'made and expired beyond all calendars',
      NOW,
      { created: Number.MAX_SAFE_INTEGER, expires: 0 },
      ['SIG_FUTURE', 'STALE'],
    ],
    ['without numbers', NOW, { created: Number.NaN, expires: Number.NaN }, ['SIG_FUTURE', 'STALE']],
  ])('%s', (_, now, facts, codes) => {
    expect(checkIndex(seen, index(8, facts), B, now).map(({ code }) => code)).toEqual(codes);
  });

  it('is told with the age, and can be accepted once', () => {
    const [error] = checkIndex(seen, index(8), B, at(31));
    expect(error?.message).toContain('32 days old');
    expect(checkIndex(seen, index(8), B, at(31), { allowStale: true })).toEqual([]);
  });

  it('is judged by the last time the hub was seen when the clock of this machine is wrong', () => {
    const later = remember(seen, {}, at(40));
    expect(checkIndex(later, index(8), B, at(-1)).map(({ code }) => code)).toEqual(['STALE']);
  });

  it('comes after the sequence', () => {
    expect(checkIndex(seen, index(6), B, at(31)).map(({ code }) => code)).toEqual(['ROLLBACK', 'STALE']);
  });
});

describe('files seen before', () => {
  const key = 'acme/1.0.0/spec.json';
  const memory = remember(emptyMemory(), { files: [{ key, sha256: A, bytes: 10 }] }, NOW);

  it('may come again with the same content only', () => {
    expect(checkFile(memory, key, A)).toBeUndefined();
    const error = checkFile(memory, key, B);
    expect([error?.code, error?.message]).toEqual([
      'CHANGED',
      'acme/1.0.0/spec.json had different content on 2024-06-01',
    ]);
    expect(checkFile(memory, 'acme/1.0.1/spec.json', B)).toBeUndefined();
  });

  it('may change where they are of a snapshot that a signed index lists', () => {
    for (const [version, isIndexed, code] of [
      ['1.0.0-SNAPSHOT', true, undefined],
      ['1.0.0.SNAPSHOT', true, undefined],
      ['1.0.0-SNAPSHOT', false, 'CHANGED'],
      ['1.0.0', true, 'CHANGED'],
      ['1.0.0-rc1', true, 'CHANGED'],
    ] as const) {
      const seen = `acme/${version}/spec.json`;
      const known = remember(emptyMemory(), { files: [{ key: seen, sha256: A, bytes: 1 }] }, NOW);
      expect(checkFile(known, seen, B, isIndexed)?.code, version).toBe(code);
    }
  });

  it('keep the date of their first sight', () => {
    expect(remember(memory, { files: [{ key, sha256: A, bytes: 10 }] }, at(5)).files[key]?.seenAt).toBe(
      NOW.toISOString(),
    );
  });

  it.each(['__proto__', 'constructor', 'toString', 'hasOwnProperty'])('may be called %s', (name) => {
    expect(checkFile(emptyMemory(), name, A)).toBeUndefined();
    const after = remember(emptyMemory(), { files: [{ key: name, sha256: A, bytes: 1 }] }, NOW);
    expect(checkFile(after, name, A)).toBeUndefined();
    expect(checkFile(after, name, B)?.code).toBe('CHANGED');
    expect(Object.getPrototypeOf(after.files)).toBe(Object.prototype);
    expect(({} as Record<string, unknown>)['sha256']).toBeUndefined();
    expect(checkFile(remember(after, {}, NOW), name, B)?.code).toBe('CHANGED');
  });
});

describe('protection that a hub once had', () => {
  it.each<[string, HubMemory, { signed: boolean; index: boolean }, string | undefined]>([
    ['a new hub without any', emptyMemory(), { signed: false, index: false }, undefined],
    ['a new hub with all', emptyMemory(), { signed: true, index: true }, undefined],
    ['both kept', seen, { signed: true, index: true }, undefined],
    ['the signatures lost', seen, { signed: false, index: true }, 'DOWNGRADE'],
    ['the index lost', seen, { signed: true, index: false }, 'DOWNGRADE'],
    ['both lost', seen, { signed: false, index: false }, 'DOWNGRADE'],
  ])('%s', (_, memory, observed, code) => {
    expect(checkDowngrade(memory, observed)?.code).toBe(code);
  });

  it('stays remembered when a run sees nothing of it', () => {
    const after = remember(seen, { signed: false }, at(1));
    expect([after.signed, after.index]).toEqual([true, seen.index]);
  });
});

describe('remembering', () => {
  it('makes a new value and leaves the old one alone', () => {
    const before = emptyMemory();
    const after = remember(before, { signed: true, files: [{ key: 'a/1/f', sha256: A, bytes: 1 }] }, NOW);
    expect(before).toEqual(emptyMemory());
    expect(after).toEqual({
      version: 1,
      signed: true,
      lastSeenAt: NOW.toISOString(),
      files: { 'a/1/f': { sha256: A, bytes: 1, seenAt: NOW.toISOString() } },
    });
  });

  it('never moves the last time back, and warns of a clock that did', () => {
    expect(remember(seen, {}, at(-1)).lastSeenAt).toBe(NOW.toISOString());
    expect(remember(seen, {}, at(1)).lastSeenAt).toBe(at(1).toISOString());
    expect(clockWarning(seen, at(-1))).toContain('the clock of this machine is wrong');
    expect(clockWarning(seen, at(0, -120_000))).toBeUndefined();
    expect(clockWarning(emptyMemory(), at(-1000))).toBeUndefined();
  });

  it('survives the way to disk and back', () => {
    const full = remember(seen, { files: [{ key: 'a/1/f', sha256: A, bytes: 1 }] }, NOW);
    expect(z.parse(HubMemory, JSON.parse(JSON.stringify(full)))).toEqual(full);
  });

  it('takes only what the index says of itself', () => {
    const wide = { ...index(9), sha256: A, packages: ['much'] };
    expect(Object.keys(remember(seen, { index: wide }, NOW).index ?? {})).toEqual([
      'sequence',
      'sha256',
      'created',
      'expires',
    ]);
  });
});

describe('two runs at one time', () => {
  const run = (sequence: number, file: string, days: number): HubMemory =>
    remember(
      emptyMemory(),
      { index: { ...index(sequence), sha256: A }, files: [{ key: file, sha256: A, bytes: 1 }] },
      at(days),
    );

  it.each([
    ['the newer stores first', 9, 8, 1, 0],
    ['the newer stores last', 8, 9, 0, 1],
  ])('keep the higher sequence, all files and the later time: %s', (_, first, last, firstDay, lastDay) => {
    const both = mergeMemories(run(first, 'a/1/f', firstDay), run(last, 'b/1/f', lastDay));
    expect(both.index?.sequence).toBe(9);
    expect(Object.keys(both.files).sort()).toEqual(['a/1/f', 'b/1/f']);
    expect(both.lastSeenAt).toBe(at(1).toISOString());
    expect(z.parse(HubMemory, both)).toEqual(both);
  });

  it.each([
    [true, false],
    [false, true],
  ])('never lose that the hub was signed: %s and %s', (first, last) => {
    const [stored, mine] = [first, last].map((signed) => remember(emptyMemory(), { signed }, NOW));
    expect(mergeMemories(stored ?? emptyMemory(), mine ?? emptyMemory()).signed).toBe(true);
  });

  it.each(['a/1/f', '__proto__'])('keep what was stored first of %s, and of an index of one number', (key) => {
    const saw = (digest: string, days: number): HubMemory =>
      remember(
        emptyMemory(),
        { index: { ...index(3), sha256: digest }, files: [{ key, sha256: digest, bytes: 1 }] },
        at(days),
      );
    const both = mergeMemories(saw(A, 0), saw(B, 1));
    expect(checkFile(both, key, A)).toBeUndefined();
    expect(checkFile(both, key, B)?.message).toContain('2024-06-01');
    expect(both.index?.sha256).toBe(A);
  });

  it('have no index when neither saw one', () => {
    expect(mergeMemories(emptyMemory(), emptyMemory())).toEqual(emptyMemory());
  });

  it('keeps the later content of a snapshot, and the stored one of a release', () => {
    const saw = (sha256: string, seenAt: string) => {
      const file = { sha256, bytes: 1, seenAt };
      return { ...emptyMemory(), files: { 'a/1.0.0/f': file, 'a/1.0.0-SNAPSHOT/f': file } };
    };
    const [first, last] = [
      saw('1'.repeat(64), '2026-01-01T00:00:00.000Z'),
      saw('2'.repeat(64), '2026-01-02T00:00:00.000Z'),
    ];
    const digests = ({ files }: HubMemory) => Object.values(files).map(({ sha256 }) => sha256[0]);
    expect(digests(mergeMemories(first, last))).toEqual(['1', '2']);
    expect(digests(mergeMemories(last, first))).toEqual(['2', '2']);
  });
});

describe('a stored memory', () => {
  const good = { ...seen };
  it.each<[string, unknown]>([
    ['of another version', { ...good, version: 2 }],
    ['with an unknown member', { ...good, trusted: true }],
    ['without the flag', { ...good, signed: undefined }],
    ['with a sequence of zero', { ...good, index: { ...good.index, sequence: 0 } }],
    ['with a digest in capitals', { ...good, index: { ...good.index, sha256: 'A'.repeat(64) } }],
    ['with a date that is none', { ...good, lastSeenAt: 'yesterday' }],
    ['with a file without a date', { ...good, files: { 'a/1/f': { sha256: A, bytes: 1 } } }],
    ['with negative bytes', { ...good, files: { 'a/1/f': { sha256: A, bytes: -1, seenAt: NOW.toISOString() } } }],
  ])('%s is refused', (_, value) => {
    expect(z.safeParse(HubMemory, value).success).toBe(false);
  });
});
