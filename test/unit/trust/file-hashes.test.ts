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

  it('are not told when nobody asked for them in time', () => {
    const hashes = new FileHashes();
    hashes.want('sha256', Buffer.from('salt'));
    expect(() => hashes.digest('sha256')).toThrow('sha256 was not asked for');
  });
});
