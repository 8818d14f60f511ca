import { describe, expect, it } from 'vitest';
import { signerText } from '../../../../../src/output/views/hub/signer.js';

const FINGERPRINT = '4F2A91C07D110C5B92E61B0A66F13B8D20A977D1';

describe('the words for who signed', () => {
  it.each([
    ['require', 1, 'valid', 'specification signed by trusted key 4F2A 91C0 ... 77D1'],
    ['warn', 1, 'missing', 'not signed'],
    ['warn', 0, 'missing', 'not signed'],
    ['warn', 1, 'unknown-signer', 'signed by a key that is not trusted for this hub'],
    ['warn', 1, 'weak', 'not verified: signature is weak'],
    ['warn', 0, 'unknown-signer', 'cannot be verified: no trusted key'],
    ['off', 1, 'missing', 'not verified (--verify off)'],
    ['off', 0, 'unknown-signer', 'not verified (--verify off)'],
  ] as const)('under %s with %i keys, of a file that is %s: %s', (policy, pinned, state, words) => {
    expect(signerText({ state, fingerprint: FINGERPRINT }, { policy, pinned })).toBe(words);
  });
});
