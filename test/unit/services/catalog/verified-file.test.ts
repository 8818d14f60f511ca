import { describe, expect, it } from 'vitest';
import { CliError } from '../../../../src/core/errors.js';
import { againstIndex, signedFile } from '../../../../src/services/catalog/signed-index.js';
import { absentFinding, findingOf } from '../../../../src/services/catalog/verified-file.js';
import type { Verdict } from '../../../../src/trust/verdict.js';
import { told } from '../pipelines/support.js';

const label = { hub: 'corp', package: 'a', version: '1', name: 'a.jar' };
const verdict = (state: Verdict['state'], more: Partial<Verdict> = {}): Verdict => ({
  ...{ state, reason: state === 'valid' ? 'good' : 'unsigned', notes: [], ...more },
});
const facts = {
  ...{ fingerprint: 'F', keyId: 'K', userId: 'U', signedAt: '2024-05-02T22:00:00Z', algorithm: 'Ed25519' },
  hash: 'SHA-512',
} as unknown as Partial<Verdict>;
const problem = new CliError('MIXED', 'does not match');
/** Perhaps of another publication than the index. */
const MIXED = { code: 'MIXED', hints: [{ next: 'publish-again' }] };

describe('a file that was looked at', () => {
  it('has all that is known of its signature', () => {
    const { file, problems } = findingOf(label, { verdict: verdict('valid', facts), bytes: 3, sha256: 's' }, []);
    expect([file, problems]).toEqual([
      { ...label, ...facts, bytes: 3, sha256: 's', state: 'valid', reason: 'good', ok: true, detail: undefined },
      [],
    ]);
  });

  it.each<[Verdict['state'], Partial<Verdict>, readonly CliError[], object]>([
    ['valid', {}, [problem], { state: 'invalid', ok: false, detail: 'does not match' }],
    ['unsigned', { detail: 'by design' }, [problem], { state: 'invalid', ok: false, detail: 'does not match' }],
    ['missing', { detail: 'gone' }, [problem], { state: 'missing', ok: false, detail: 'gone' }],
    ['unsigned', { detail: 'by design' }, [], { state: 'unsigned', ok: true, detail: 'by design' }],
    ['valid', { notes: ['one', 'two'] }, [], { state: 'valid', ok: true, detail: 'one; two' }],
    ['valid', { notes: ['one'], detail: 'more' }, [], { state: 'valid', ok: true, detail: 'more' }],
  ])('%s with %j is told with what speaks against it', (state, more, problems, found) => {
    const { file } = findingOf(label, { verdict: verdict(state, more) }, problems);
    expect({ state: file.state, ok: file.ok, detail: file.detail }).toEqual(found);
  });

  it.each([
    [label, 'the file a.jar of a 1 is missing', { file: 'a.jar', package: 'a', version: '1' }],
    [{ hub: 'corp', name: 'index.json' }, 'the file index.json is missing', { file: 'index.json' }],
  ])('may not be there: %j', (of, message, target) => {
    const { file, problems } = absentFinding(of);
    expect(file).toEqual({ ...of, state: 'missing', reason: 'missing', ok: false, detail: 'the hub has no such file' });
    expect(problems.map(told)).toEqual([{ code: 'RESOURCE_MISSING', message, target }]);
  });
});

describe('a file against the signed index', () => {
  const file = (name: string, sha256: string, size = 3) => ({ name, sha256, size });
  const index = {
    files: [],
    packages: [
      { name: 'a', version: '1', files: [file('a.jar', 'x'), file('a.json', 'y')] },
      { name: 'b', version: '2', files: [file('b.jar', 'z')] },
    ],
  } as unknown as NonNullable<Parameters<typeof againstIndex>[0]>;
  const address = { name: 'a', version: '1' } as Parameters<typeof againstIndex>[1];
  const target = { package: 'a', version: '1', file: 'a.jar' };
  const against = (name: string, bytes: number, sha256: string) => {
    const error = againstIndex(index, address, name, bytes, sha256);
    return error && told(error);
  };

  it('is as listed, or there is no index', () => {
    expect([against('a.jar', 3, 'x'), againstIndex(undefined, address, 'a.jar', 9, 'q')]).toEqual([
      undefined,
      undefined,
    ]);
  });

  it.each<[string, number, string, object]>([
    [
      'of another size',
      4,
      'x',
      {
        ...{ code: 'MIXED', hints: ['the index is wrong: report it to the owner of the hub'] },
        message: 'a 1: a.jar has 4 bytes, but the signed index of the hub lists 3 for the same content',
      },
    ],
    ['another file of it', 3, 'y', { code: 'BINDING', message: 'a 1: a.jar is signed as another file of it' }],
    ['of another package', 3, 'z', { code: 'BINDING', message: 'a 1: a.jar is signed as a file of b 2' }],
    ['of other content', 3, 'q', { ...MIXED, message: 'a 1: a.jar does not match the signed index of the hub' }],
    [
      'longer',
      4,
      'q',
      {
        ...MIXED,
        message: 'a 1: a.jar does not match the signed index of the hub: it has more than the listed 3 bytes',
      },
    ],
  ])('is %s', (_, bytes, sha256, error) => {
    expect(against('a.jar', bytes, sha256)).toEqual({ ...error, target });
  });

  it('is not listed', () => {
    expect(against('n.jar', 3, 'z')).toEqual({
      ...{ ...MIXED, message: 'a 1: n.jar is not in the signed index of the hub' },
      target: { ...target, file: 'n.jar' },
    });
  });

  it('has its size in any case, its digest only where both judges took the index', () => {
    expect(signedFile({ index, agreed: true }, address, 'a.jar')).toEqual({ size: 3, agreed: 'x' });
    expect(signedFile({ index, agreed: false }, address, 'a.jar')).toEqual({ size: 3, agreed: undefined });
    expect(signedFile({ index }, address, 'a.jar')).toEqual({ size: 3, agreed: undefined });
    expect(signedFile({ index, agreed: true }, address, 'n.jar')).toBeUndefined();
    expect(signedFile({}, address, 'a.jar')).toBeUndefined();
  });
});
