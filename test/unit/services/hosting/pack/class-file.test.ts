import { describe, expect, it } from 'vitest';
import { ConstantPool, u1, u2, u4 } from '../../../../../src/emulator/jar/constant-pool.js';
import { readClassFile } from '../../../../../src/services/hosting/pack/class-file.js';

const bytesOf = (...parts: readonly Buffer[]): Buffer => Buffer.concat(parts);
const attribute = (name: number, body: Buffer): Buffer => bytesOf(u2(name), u4(body.length), body);
const listOf = (parts: readonly Buffer[]): Buffer => bytesOf(u2(parts.length), ...parts);
const tag = (letter: string): Buffer => u1(letter.charCodeAt(0));

interface Parts {
  readonly magic?: number;
  readonly interfaces?: readonly string[];
  readonly fields?: (pool: ConstantPool) => readonly Buffer[];
  readonly methods?: (pool: ConstantPool) => readonly Buffer[];
  readonly attributes?: (pool: ConstantPool) => readonly Buffer[];
}

const none = (): readonly Buffer[] => [];

/** A class `a/B` that extends `a/Base`. */
function classOf({
  magic = 0xcafebabe,
  interfaces = [],
  fields = none,
  methods = none,
  attributes = none,
}: Parts): Buffer {
  const pool = new ConstantPool();
  const names = [pool.classRef('a/B'), pool.classRef('a/Base')].map(u2);
  const rest = [listOf(interfaces.map((name) => u2(pool.classRef(name)))), listOf(fields(pool)), listOf(methods(pool))];
  const last = listOf(attributes(pool));
  return bytesOf(u4(magic), u4(52), pool.bytes(), u2(0x21), ...names, ...rest, last);
}

const VISIBLE = 'RuntimeVisibleAnnotations';
/** A class with annotations of the type `La;`, each with one member `m`. */
const annotated = (values: (pool: ConstantPool) => readonly Buffer[]): Buffer =>
  classOf({
    attributes: (pool) => {
      const one = (value: Buffer): Buffer => bytesOf(u2(pool.utf8('La;')), u2(1), u2(pool.utf8('m')), value);
      return [attribute(pool.utf8(VISIBLE), listOf(values(pool).map(one)))];
    },
  });
const PLAIN = { superName: 'a/Base', interfaces: [], annotations: new Map(), signature: '' };

describe('a class', () => {
  it('is read with what it extends', () => {
    expect(readClassFile(classOf({}))).toEqual(PLAIN);
    expect(readClassFile(classOf({ interfaces: ['a/One', 'b/Two'] }))).toEqual({
      ...{ ...PLAIN, interfaces: ['a/One', 'b/Two'] },
    });
  });

  it('is read with its signature, whatever other attributes it and its members have', () => {
    const member = (pool: ConstantPool): Buffer => {
      const own = [
        attribute(pool.utf8('Signature'), u2(pool.utf8('LOther;'))),
        attribute(pool.utf8('x'), Buffer.alloc(9)),
      ];
      return bytesOf(u2(1), u2(pool.utf8('f')), u2(pool.utf8('I')), listOf(own));
    };
    const members = (pool: ConstantPool): readonly Buffer[] => [member(pool), member(pool)];
    const attributes = (pool: ConstantPool): readonly Buffer[] => [
      attribute(pool.utf8('SourceFile'), u2(1)),
      // Longer than what is read of it.
      attribute(pool.utf8('Signature'), bytesOf(u2(pool.utf8('La/Base<La/C;>;')), Buffer.alloc(3))),
      attribute(pool.utf8('Deprecated'), Buffer.alloc(0)),
    ];
    const bytes = classOf({ fields: members, methods: members, attributes });
    expect(readClassFile(bytes)).toEqual({ ...PLAIN, signature: 'La/Base<La/C;>;' });
  });

  it('is read with the texts of its annotations, whatever other values they have', () => {
    const bytes = classOf({
      attributes: (pool) => {
        const text = (value: string): Buffer => bytesOf(tag('s'), u2(pool.utf8(value)));
        const member = (name: string, value: Buffer): Buffer => bytesOf(u2(pool.utf8(name)), value);
        const annotation = (type: string, ...members: readonly Buffer[]): Buffer =>
          bytesOf(u2(pool.utf8(type)), listOf(members));
        const more = [
          member('inner', bytesOf(tag('@'), annotation('Linner;', member('hidden', text('hidden'))))),
          member('list', bytesOf(tag('['), listOf([text('x'), bytesOf(tag('['), listOf([bytesOf(tag('I'), u2(1))]))]))),
          member('one', bytesOf(tag('e'), u2(1), u2(1))),
          member('number', bytesOf(tag('I'), u2(1))),
        ];
        const all = [
          annotation('La/Plugin;', ...more, member('type', text('sink'))),
          annotation('La/Name;', member('value', text('Ä')), member('other', text(''))),
          annotation('La/Bare;'),
        ];
        return [attribute(pool.utf8(VISIBLE), listOf(all))];
      },
    });
    expect(readClassFile(bytes)).toEqual({
      ...PLAIN,
      annotations: new Map([
        ['La/Plugin;', new Map([['type', 'sink']])],
        [
          'La/Name;',
          new Map([
            ['value', 'Ä'],
            ['other', ''],
          ]),
        ],
        ['La/Bare;', new Map()],
      ]),
    });
  });

  it('is read with constants of every kind', () => {
    const sizes = [
      ...[7, 8, 16, 19, 20].map((kind) => [kind, 2]),
      [15, 3],
      ...[3, 4, 9, 10, 11, 12, 17, 18].map((kind) => [kind, 4]),
    ];
    const others = sizes.map(([kind = 0, size = 0]) => bytesOf(u1(kind), Buffer.alloc(size)));
    const long = [5, 6].map((kind) => bytesOf(u1(kind), Buffer.alloc(8)));
    const text = bytesOf(u1(1), u2(4), Buffer.from('Last'));
    // Those of 8 bytes take two numbers.
    const at = others.length + 2 * long.length + 1;
    const pool = bytesOf(u2(at + 2), ...others, ...long, text, u1(7), u2(at));
    const bytes = bytesOf(u4(0xcafebabe), u4(52), pool, u2(0), u2(0), u2(at + 1), Buffer.alloc(8));
    expect(readClassFile(bytes)).toEqual({ ...PLAIN, superName: 'Last' });
  });

  it('is read with texts as Java writes them', () => {
    const textWith = (hex: string): string | undefined => {
      const mark = '0123456789ab'.slice(0, hex.length / 2);
      const bytes = annotated((pool) => [bytesOf(tag('s'), u2(pool.utf8(mark)))]);
      Buffer.from(hex, 'hex').copy(bytes, bytes.indexOf(mark));
      return readClassFile(bytes)?.annotations.get('La;')?.get('m');
    };
    expect(textWith('61c080c3a4eda0bdedb88162')).toBe('a\0ä\u{1f601}b');
    expect(textWith('e282acc080')).toBe('€\0');
    expect(textWith('eda0bd')).toBe('\ud83d');
    expect(textWith('61e2')).toBe('a\u2000');
    expect(textWith('61e282')).toBe('a\u2080');
    expect(textWith('61c3')).toBe('a\u00c0');
  });

  it('is none with another beginning, an unknown constant or fewer bytes', () => {
    const whole = classOf({ interfaces: ['a/One'], fields: (pool) => [bytesOf(u4(1), u2(pool.utf8('f')), u2(0))] });
    expect(readClassFile(whole)).toEqual({ ...PLAIN, interfaces: ['a/One'] });
    expect(readClassFile(classOf({ magic: 0xcafebabf }))).toBeUndefined();
    expect(readClassFile(bytesOf(u4(0xcafebabe), u4(52), u2(2), u1(2), Buffer.alloc(40)))).toBeUndefined();
    for (let length = 0; length < whole.length; length += 1)
      expect(readClassFile(whole.subarray(0, length))).toBeUndefined();
  });

  it.each([
    ['lists', 32, true],
    ['lists', 33, false],
    ['annotations', 32, true],
    ['annotations', 33, false],
  ])('with %s %i deep is read: %s', (kind, depth, isRead) => {
    const bytes = annotated((pool) => {
      const inner = bytesOf(u2(pool.utf8('La;')), u2(1), u2(pool.utf8('m')));
      const level = kind === 'lists' ? bytesOf(tag('['), u2(1)) : bytesOf(tag('@'), inner);
      return [bytesOf(...Array<Buffer>(depth).fill(level), tag('I'), u2(1))];
    });
    expect(readClassFile(bytes) !== undefined).toBe(isRead);
  });

  it.each([
    [9998, true],
    [9999, false],
  ])('with a list of %i values in an annotation is read: %s', (count, isRead) => {
    // The annotation and the list count as well.
    const bytes = annotated(() => [bytesOf(tag('['), listOf(Array<Buffer>(count).fill(bytesOf(tag('I'), u2(1)))))]);
    expect(readClassFile(bytes) !== undefined).toBe(isRead);
  });
});
