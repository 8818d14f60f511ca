import { describe, expect, it } from 'vitest';
import { makeDriverClass, makePluginClass } from '../../../src/emulator/jar/make-class.js';

/** Splits a class file into its constants (texts by index) and what follows them; throws on a constant of unknown kind. */
function readPool(file: Buffer): { texts: Map<number, string>; classes: Map<number, number>; rest: Buffer } {
  const texts = new Map<number, string>();
  const classes = new Map<number, number>();
  let at = 10;
  for (let index = 1; index < file.readUInt16BE(8); index += 1) {
    const tag = file.readUInt8(at);
    if (tag === 1) {
      const length = file.readUInt16BE(at + 1);
      texts.set(index, file.toString('utf8', at + 3, at + 3 + length));
      at += 3 + length;
    } else if (tag === 7) {
      classes.set(index, file.readUInt16BE(at + 1));
      at += 3;
    } else if ([10, 11, 12].includes(tag)) at += 5;
    else throw new Error(`constant ${index} is of kind ${tag}`);
  }
  return { texts, classes, rest: file.subarray(at) };
}

function names(file: Buffer): { self: string | undefined; parent: string | undefined; texts: string[] } {
  const { texts, classes, rest } = readPool(file);
  const nameAt = (offset: number): string | undefined => texts.get(classes.get(rest.readUInt16BE(offset)) ?? 0);
  return { self: nameAt(2), parent: nameAt(4), texts: [...texts.values()] };
}

const PLUGIN = { className: 'org.example.Trim', type: 'transform', name: 'Trim', description: 'Trims, größer' };

describe('class files', () => {
  it('are of Java 8, public and named', () => {
    const file = makePluginClass(PLUGIN);
    expect(file.readUInt32BE(0)).toBe(0xcafebabe);
    expect(file.readUInt16BE(6)).toBe(52);
    expect(readPool(file).rest.readUInt16BE(0)).toBe(0x21);
    expect(names(file)).toMatchObject({ self: 'org/example/Trim', parent: 'java/lang/Object' });
  });

  it('end with three annotations that name the plugin', () => {
    const { texts, rest } = readPool(makePluginClass(PLUGIN));
    const start = rest.length - 2 - 3 * 9;
    expect(rest.readUInt16BE(start)).toBe(3);
    const found = [0, 1, 2].map((index) => {
      const at = start + 2 + index * 9;
      return [
        texts.get(rest.readUInt16BE(at)),
        texts.get(rest.readUInt16BE(at + 4)),
        texts.get(rest.readUInt16BE(at + 7)),
      ];
    });
    expect(found).toEqual([
      ['Lio/cdap/cdap/api/annotation/Plugin;', 'type', 'transform'],
      ['Lio/cdap/cdap/api/annotation/Name;', 'value', 'Trim'],
      ['Lio/cdap/cdap/api/annotation/Description;', 'value', 'Trims, größer'],
    ]);
  });

  it('take the annotations of another interface', () => {
    const { texts } = names(makePluginClass({ ...PLUGIN, apiPackage: 'co.cask.cdap.api.annotation' }));
    expect(texts).toContain('Lco/cask/cdap/api/annotation/Plugin;');
    expect(texts).not.toContain('Lio/cdap/cdap/api/annotation/Plugin;');
  });

  it('become transforms that hand records on', () => {
    const { parent, texts } = names(makePluginClass({ ...PLUGIN, passThrough: true }));
    expect(parent).toBe('io/cdap/cdap/etl/api/Transform');
    expect(texts).toContain('(Ljava/lang/Object;Lio/cdap/cdap/etl/api/Emitter;)V');
  });

  it('of drivers have no annotation', () => {
    const { self, texts } = names(makeDriverClass('org.example.Driver'));
    expect(self).toBe('org/example/Driver');
    expect(texts).not.toContain('RuntimeVisibleAnnotations');
  });
});
