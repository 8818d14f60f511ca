import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { openKeyring } from '../../../src/trust/keyring.js';
import { verifyBytes } from '../../../src/trust/verify.js';
import * as pgp from '../../support/openpgp.js';

const FILE = Buffer.from('{"label":"A package","description":"that must not be changed","actions":[]}\n');
const { NOW } = pgp;

function changed(bytes: Uint8Array, at: number, value: number): Buffer {
  const copy = Buffer.from(bytes);
  copy[at] = value;
  return copy;
}

/** A byte of `bytes`, and another value for it. */
function oneChange(bytes: Uint8Array): fc.Arbitrary<Buffer> {
  return fc
    .record({ at: fc.nat(bytes.length - 1), by: fc.integer({ min: 1, max: 255 }) })
    .map(({ at, by }) => changed(bytes, at, (bytes[at] ?? 0) ^ by));
}

describe('any single changed byte', () => {
  // The long note makes the packet longer than 191 bytes, where an old and a new header cannot be told to mean the same by one byte.
  const options = { more: [pgp.sub(100, Buffer.alloc(200, 0x61))] };
  it.each(['rsa2048', 'p256', 'ed25519', 'ed25519-new'] as const)(
    'of signature or file is never valid: %s',
    async (kind) => {
      const key = pgp.makeKey(kind);
      const ring = await openKeyring([{ armored: pgp.armorKey(pgp.plainCertificate(key)) }]);
      const signature = pgp.signFile(key, FILE, options);
      expect((await verifyBytes(FILE, signature, ring, NOW)).state).toBe('valid');
      await fc.assert(
        fc.asyncProperty(
          oneChange(signature),
          async (other) => (await verifyBytes(FILE, other, ring, NOW)).state !== 'valid',
        ),
        { numRuns: 150 },
      );
      await fc.assert(
        fc.asyncProperty(
          oneChange(FILE),
          async (other) => (await verifyBytes(other, signature, ring, NOW)).reason === 'bad-signature',
        ),
        { numRuns: 40 },
      );
    },
  );

  it('of the armor is never valid, except where line ends and headers allow it', async () => {
    const key = pgp.makeKey('ed25519');
    const ring = await openKeyring([{ armored: pgp.armorKey(pgp.plainCertificate(key)) }]);
    const text = Buffer.from(pgp.armorSignature(pgp.signFile(key, FILE)));
    const harmless = /[\s]/u;
    const body = [...text.keys()].filter((at) => !harmless.test(String.fromCharCode(text[at] ?? 0)));
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...body), fc.integer({ min: 0, max: 255 }), async (at, value) => {
        fc.pre(text[at] !== value);
        return (await verifyBytes(FILE, changed(text, at, value), ring, NOW)).state !== 'valid';
      }),
      { numRuns: 300 },
    );
  });

  it('of a 2 KB file is noticed at every place', async () => {
    const file = Buffer.alloc(2048, 'specification ');
    const key = pgp.makeKey('ed25519');
    const ring = await openKeyring([{ armored: pgp.armorKey(pgp.plainCertificate(key)) }]);
    const signature = pgp.signFile(key, file);
    const reasons = new Set<string>();
    for (const at of file.keys())
      reasons.add((await verifyBytes(changed(file, at, (file[at] ?? 0) ^ 0x20), signature, ring, NOW)).reason);
    expect([...reasons]).toEqual(['bad-signature']);
  });
});

describe('any bytes at all', () => {
  it('get a verdict and never an error', async () => {
    const key = pgp.makeKey('ed25519');
    const ring = await openKeyring([{ armored: pgp.armorKey(pgp.plainCertificate(key)) }]);
    const good = pgp.signFile(key, FILE);
    const mutated = fc
      .array(fc.record({ at: fc.nat(good.length - 1), value: fc.nat(255) }), { minLength: 1, maxLength: 6 })
      .map((changes) => changes.reduce((bytes, { at, value }) => changed(bytes, at, value), good));
    const armored = fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(pgp.armorSignature(bytes)));
    await fc.assert(
      fc.asyncProperty(fc.oneof(fc.uint8Array({ maxLength: 300 }), mutated, armored), async (bytes) => {
        expect((await verifyBytes(FILE, bytes, ring, NOW)).reason).toBeTypeOf('string');
      }),
      { numRuns: 400 },
    );
  });
});
