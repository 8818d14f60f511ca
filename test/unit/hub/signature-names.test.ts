import { expect, it } from 'vitest';
import { isSignatureAmong, refuseSignatures, signedBy, withoutSignatures } from '../../../src/hub/signature-names.js';
import { refusalOf } from '../../support/errors.js';

it.each([
  ['a.jar.asc', 'a.jar'],
  ['packages/one/1.0.0/spec.json.asc', 'packages/one/1.0.0/spec.json'],
  ['a.asc.asc', 'a.asc'],
  ['.asc', ''],
  ['a.jar', undefined],
  ['a.ASC', undefined],
  ['aasc', undefined],
])('knows by the name of %s what it signs', (name, signed) => {
  expect(signedBy(name)).toBe(signed);
});

it('takes only what has its file beside it for a signature', () => {
  const names = ['key.asc', 'a', 'a.asc', 'a.asc.asc', '.asc'];
  expect(withoutSignatures(names)).toEqual(['key.asc', 'a', '.asc']);
  expect(isSignatureAmong(new Set(['a']), 'b')).toBe(false);
});

it.each<[readonly string[], string | undefined]>([
  [['a', 'key.asc', 'b.asc.asc', '', '.asc'], undefined],
  [['a.asc', 'a'], 'the file name "a.asc" is that of the signature of "a"'],
])('tells which of %j would have the name of a signature', (names, message) => {
  const refused = refusalOf(() => {
    refuseSignatures(names);
  });
  expect(refused).toBe(message);
});
