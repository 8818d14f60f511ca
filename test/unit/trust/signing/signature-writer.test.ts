import { describe, expect, it } from 'vitest';
import { readSignaturePackets } from '../../../../src/trust/packets.js';
import { readSignaturePacket } from '../../../../src/trust/signature-packet.js';
import { writePacketHead, writeSignaturePacket } from '../../../../src/trust/signing/signature-writer.js';

const FACTS = { hash: 8, fingerprint: 'AB'.repeat(20), created: new Date('2024-06-01T12:00:00Z') };
const [RSA, ED25519] = [1, 22];

/** Numbers that begin with so many zero bytes, then with this byte. */
const number = (length: number, zeros: number, byte: number): Buffer =>
  Buffer.concat([Buffer.alloc(zeros), Buffer.from([byte]), Buffer.alloc(length - zeros - 1, 0xa5)]);

describe('a signature packet', () => {
  it.each([
    ['RSA', RSA, [number(384, 0, 0xff)]],
    ['RSA with a zero byte', RSA, [number(384, 1, 0x80)]],
    ['RSA with two zero bytes, then a low bit', RSA, [number(384, 2, 0x01)]],
    ['Ed25519', ED25519, [number(32, 0, 0x80), number(32, 0, 0x01)]],
    ['Ed25519 with a short R', ED25519, [number(32, 1, 0x7f), number(32, 0, 0xff)]],
    ['Ed25519 with a short S', ED25519, [number(32, 0, 0x40), number(32, 3, 0x02)]],
    ['Ed25519 with both short', ED25519, [number(32, 31, 0x01), number(32, 1, 0xff)]],
  ])('of %s is read as it was written, in its shortest form', (_, algorithm, numbers) => {
    const head = writePacketHead({ ...FACTS, algorithm });
    const written = writeSignaturePacket(head, Buffer.alloc(32, 0x11), numbers);
    const [body, ...others] = readSignaturePackets(written);
    expect(others).toEqual([]);
    const read = readSignaturePacket(body ?? Buffer.alloc(0));
    expect(read).toMatchObject({ version: 4, type: 0, algorithm, ...FACTS });
    const short = numbers.map((one) => one.subarray(one.findIndex((byte) => byte !== 0)));
    expect(read.numbers.map((one) => Buffer.from(one).toString('hex'))).toEqual(
      short.map((one) => one.toString('hex')),
    );
    const size = short.reduce((sum, { length }) => sum + 2 + length, head.bytes.length + 2);
    expect(written.length).toBe(size + 6);
  });
});
