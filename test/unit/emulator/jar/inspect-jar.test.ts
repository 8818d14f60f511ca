import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Refusal } from '../../../../src/emulator/http/answers.js';
import { readClassFile, type ClassFile } from '../../../../src/emulator/jar/class-file.js';
import { makeJar } from '../../../../src/emulator/jar/make-jar.js';
import { generationOf } from '../../../../src/emulator/store/generation.js';
import { findPlugins, hasClass, manifestAttribute } from '../../../../src/emulator/jar/inspect-jar.js';
import { openZip, type ZipFile } from '../../../../src/emulator/jar/zip.js';
import { writeClass, type WrittenClass } from '../../../contract/replay/class-writer.js';

const API = 'Lio/cdap/cdap/api/annotation';
const PLUGIN: WrittenClass = {
  name: 'a/b/Cut',
  annotations: [
    { type: `${API}/Plugin;`, members: { type: 'transform' } },
    { type: `${API}/Name;`, members: { value: 'Cutter' } },
    { type: `${API}/Description;`, members: { value: 'cuts' } },
  ],
};

function jar(manifest: Readonly<Record<string, string>>, ...classes: WrittenClass[]): ZipFile {
  const entries = classes.map((written) => ({ name: `${written.name}.class`, bytes: writeClass(written) }));
  const opened = openZip(makeJar({ manifest, entries }));
  if (opened === undefined) throw new Error('no ZIP');
  return opened;
}

/** Texts of a class that do not stand in its bytes. Those that are no UTF-8 have no bytes to look for. */
function inventedTexts(read: ClassFile | undefined, bytes: Buffer): readonly string[] {
  if (read === undefined) return [];
  const { name, superName, annotations, fields } = read;
  const texts = [...annotations, ...fields.flatMap((field) => field.annotations)].flatMap(({ type, members }) => [
    type,
    ...Object.entries(members).flat(),
  ]);
  return [name, superName, ...texts, ...fields.flatMap((field) => [field.name, field.descriptor])].filter(
    (text) => !text.includes('\uFFFD') && !bytes.includes(text),
  );
}

const CURRENT = generationOf('6.11.0');
const names = (zip: ZipFile, parents = true): string[] => findPlugins(zip, parents, CURRENT).map(({ name }) => name);

describe('the plugins of a JAR', () => {
  it('are the annotated classes of the packages that the manifest exports', () => {
    const plain = { name: 'a/b/Plain' };
    const other = { ...PLUGIN, name: 'a/b/c/Deep' };
    const found = findPlugins(jar({ 'Export-Package': 'x.y;version="1,2",a.b' }, PLUGIN, plain, other), true, CURRENT);
    expect(found).toMatchObject([
      { type: 'transform', name: 'Cutter', description: 'cuts', className: 'a.b.Cut', properties: {} },
    ]);
  });

  it('are none when the manifest exports nothing', () => {
    expect(names(jar({ 'Bundle-Version': '1.0.0' }, PLUGIN))).toEqual([]);
  });

  it('are none when the annotations are those of an older generation', () => {
    const old = {
      name: 'a/b/Old',
      annotations: [{ type: 'Lco/cask/cdap/api/annotation/Plugin;', members: { type: 'transform' } }],
    };
    expect(names(jar({ 'Export-Package': 'a.b' }, old))).toEqual([]);
  });

  it('have the name of their class and the type plugin when nothing else is said', () => {
    const bare = { name: 'a/b/Bare', annotations: [{ type: `${API}/Plugin;` }] };
    expect(findPlugins(jar({ 'Export-Package': 'a.b' }, bare), true, CURRENT)).toMatchObject([
      { type: 'plugin', name: 'a.b.Bare' },
    ]);
  });

  it('need a parent when their class extends one of its classes', () => {
    const child = { ...PLUGIN, superName: 'io/cdap/cdap/etl/api/Transform' };
    const zip = jar({ 'Export-Package': 'a.b' }, child);
    expect(names(zip, true)).toEqual(['Cutter']);
    expect(() => names(zip, false)).toThrow(Refusal);
  });

  it('tell the properties of their configuration', () => {
    const config = {
      name: 'a/b/Config',
      superName: 'io/cdap/cdap/api/plugin/PluginConfig',
      fields: [
        { name: 'path', descriptor: 'Ljava/lang/String;', annotations: [{ type: `${API}/Macro;` }] },
        { name: 'limit', descriptor: 'I', annotations: [{ type: 'Ljavax/annotation/Nullable;' }] },
      ],
    };
    const plugin = { ...PLUGIN, fields: [{ name: 'conf', descriptor: 'La/b/Config;' }] };
    expect(findPlugins(jar({ 'Export-Package': 'a.b' }, plugin, config), true, CURRENT)).toMatchObject([
      {
        configFieldName: 'conf',
        properties: {
          path: { type: 'string', required: true, macroSupported: true },
          limit: { type: 'int', required: false, macroSupported: false },
        },
      },
    ]);
  });
});

describe('a JAR', () => {
  it('tells attributes of its manifest, long ones too, and which classes it has', () => {
    const zip = jar({ 'Bundle-Version': '1.2.3', 'Export-Package': 'a.'.repeat(80) }, PLUGIN);
    expect(manifestAttribute(zip, 'bundle-version')).toBe('1.2.3');
    expect(manifestAttribute(zip, 'Export-Package')).toBe('a.'.repeat(80));
    expect(manifestAttribute(zip, 'Bundle-Name')).toBeUndefined();
    expect([hasClass(zip, 'a.b.Cut'), hasClass(zip, 'a.b.Cu')]).toEqual([true, false]);
  });

  it('that was cut is none, wherever it was cut', () => {
    const whole = makeJar({ manifest: {}, entries: [{ name: 'a/b/Cut.class', bytes: writeClass(PLUGIN) }] });
    fc.assert(
      fc.property(fc.nat(whole.length - 1), (length) => {
        expect(openZip(whole.subarray(0, length))).toBeUndefined();
      }),
    );
  });

  it('of any bytes can be looked into', () => {
    const whole = makeJar({ manifest: {}, entries: [{ name: 'a/b/Cut.class', bytes: writeClass(PLUGIN) }] });
    fc.assert(
      fc.property(fc.nat(whole.length - 1), fc.nat(255), (at, value) => {
        const bytes = Buffer.from(whole);
        bytes[at] = value;
        const zip = openZip(bytes);
        for (const name of zip?.names ?? []) {
          const content = zip?.read(name) ?? Buffer.alloc(0);
          expect(inventedTexts(readClassFile(content), content)).toEqual([]);
        }
      }),
    );
  });
});

describe('a class file', () => {
  it('of any bytes is read or refused', () => {
    const whole = writeClass(PLUGIN);
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.nat(whole.length - 1), fc.nat(255)), { maxLength: 4 }), (changes) => {
        const bytes = Buffer.from(whole);
        for (const [at, value] of changes) bytes[at] = value;
        expect(inventedTexts(readClassFile(bytes), bytes)).toEqual([]);
      }),
    );
  });
});
