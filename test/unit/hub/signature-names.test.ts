import { expect, it } from 'vitest';
import { isSignatureAmong, signedBy, withoutSignatures } from '../../../src/hub/signature-names.js';

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
