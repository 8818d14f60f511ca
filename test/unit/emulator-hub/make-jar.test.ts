import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { makeJar } from '../../../src/emulator/jar/make-jar.js';
import { readZip } from './read-zip.js';

const unfold = (text: string): string => text.replaceAll('\r\n ', '');

describe('makeJar', () => {
  it('makes a ZIP that a reader of the format opens, manifest first', () => {
    const long = Buffer.from('abc'.repeat(1000));
    const files = readZip(
      makeJar({
        manifest: {},
        entries: [
          { name: 'a/long.txt', bytes: long },
          { name: 'empty', bytes: Buffer.alloc(0) },
        ],
      }),
    );
    expect([...files.keys()]).toEqual(['META-INF/MANIFEST.MF', 'a/long.txt', 'empty']);
    expect(files.get('a/long.txt')).toEqual(long);
    expect(files.get('empty')?.length).toBe(0);
  });

  it('keeps any content', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 2000, size: 'max' }), (bytes) => {
        const files = readZip(makeJar({ manifest: {}, entries: [{ name: 'x', bytes: Buffer.from(bytes) }] }));
        expect(files.get('x')).toEqual(Buffer.from(bytes));
      }),
    );
  });

  it('deflates what gets smaller and stores what does not', () => {
    const jar = makeJar({ manifest: {}, entries: [{ name: 'x', bytes: Buffer.alloc(10_000, 'y') }] });
    expect(jar.length).toBeLessThan(500);
    const one = makeJar({ manifest: {}, entries: [{ name: 'x', bytes: Buffer.from('q') }] });
    expect(one.readUInt16LE(one.lastIndexOf('PK\x01\x02') + 10)).toBe(0);
  });

  it('gives equal bytes for equal content', () => {
    const content = { manifest: { A: 'b' }, entries: [{ name: 'x', bytes: Buffer.from('y') }] };
    expect(makeJar(content)).toEqual(makeJar(content));
  });

  it('folds manifest lines at 72 bytes without cutting a character', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom('a', 'ü', '€', '😀'), maxLength: 400, size: 'max' }), (value) => {
        const files = readZip(makeJar({ manifest: { 'Bundle-Name': value, 'Bundle-Version': '1.0.0' }, entries: [] }));
        const text = files.get('META-INF/MANIFEST.MF')?.toString('utf8') ?? '';
        expect(text.split('\r\n').every((line) => Buffer.byteLength(line) <= 70)).toBe(true);
        expect(unfold(text)).toBe(`Manifest-Version: 1.0\r\nBundle-Name: ${value}\r\nBundle-Version: 1.0.0\r\n\r\n`);
      }),
    );
  });
});
