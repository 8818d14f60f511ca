import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { FileHashes } from '../../../src/trust/file-hashes.js';

const hex = (id: string, text: string): string => createHash(id).update(text).digest('hex');

describe('the hashes of a file', () => {
  it('are each made over the same bytes, with their own salt and end, as often as they are asked', () => {
    const hashes = new FileHashes();
    hashes.want('sha256');
    hashes.want('sha256', Buffer.from('salt'));
    hashes.want('sha512');
    for (const part of ['one ', 'two']) hashes.update(Buffer.from(part));
    expect(hashes.digest('sha256').toString('hex')).toBe(hex('sha256', 'one two'));
    expect(hashes.digest('sha256', undefined, Buffer.from(' t'), Buffer.from('h')).toString('hex')).toBe(
      hex('sha256', 'one two th'),
    );
    expect(hashes.digest('sha256', Buffer.from('salt')).toString('hex')).toBe(hex('sha256', 'saltone two'));
    expect(hashes.digest('sha512').toString('hex')).toBe(hex('sha512', 'one two'));
    hashes.update(Buffer.from(' three'));
    expect(hashes.digest('sha256').toString('hex')).toBe(hex('sha256', 'one two three'));
  });

  it.each([1, 16_384, 16_385, 100_000])('are those of a file of %d bytes, in whatever pieces it comes', (size) => {
    const file = Buffer.alloc(size, 'abcdefg');
    for (const piece of [1000, 16_384, size]) {
      const hashes = new FileHashes();
      hashes.want('sha384', Buffer.from('salt'));
      const buffer = Buffer.alloc(piece);
      for (let at = 0; at < size; at += piece) hashes.update(buffer.subarray(0, file.copy(buffer, 0, at, at + piece)));
      const expected = createHash('sha384').update('salt').update(file).update('end').digest('hex');
      for (const _ of [1, 2])
        expect(hashes.digest('sha384', Buffer.from('salt'), Buffer.from('end')).toString('hex')).toBe(expected);
    }
  });

  it('are not told when nobody asked for them in time', () => {
    const hashes = new FileHashes();
    hashes.want('sha256', Buffer.from('salt'));
    expect(() => hashes.digest('sha256')).toThrow('sha256 was not asked for');
    hashes.update(Buffer.alloc(100_000));
    hashes.want('sha256');
    expect(() => hashes.digest('sha256')).toThrow('sha256 was not asked for');
  });
});
