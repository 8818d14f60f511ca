import { describe, expect, it } from 'vitest';
import { startPrefixCheck } from '../../../src/trust/digest-prefix.js';
import { hubKey } from '../../support/sites/hub-tree.js';

const FILE = Buffer.from('a file of a hub');

describe('without its key, a signature', () => {
  const mayBe = (signature: Uint8Array, bytes: Uint8Array): boolean => {
    const check = startPrefixCheck(signature);
    check.update(bytes.subarray(0, 3));
    check.update(bytes.subarray(3));
    return check.finish();
  };

  it('may be over its file, and is not over another', async () => {
    const key = await hubKey({ now: Date.now() });
    const signature = Buffer.from(await key.sign(FILE));
    const others = Array.from({ length: 8 }, (_, at) => Buffer.from(`another file ${at}`));
    expect(mayBe(signature, FILE)).toBe(true);
    expect(others.map((bytes) => mayBe(signature, bytes))).toContain(false);
  });

  it.each([
    ['no armor', Buffer.from('no signature')],
    ['cut', Buffer.from('-----BEGIN PGP SIGNATURE-----\n\nwsBz\n-----END PGP SIGNATURE-----\n')],
    ['too large', Buffer.alloc(100_000, 'x')],
  ])('that cannot be read is over no file: %s', (_, signature) => {
    expect(mayBe(signature, FILE)).toBe(false);
  });
});
