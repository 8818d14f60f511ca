import { makeDriverClass, makePluginClass, type PluginClass } from '../../src/emulator/jar/make-class.js';
import { makeJar } from '../../src/emulator/jar/make-jar.js';

const BARE = { className: 'example.Bare', type: 'transform', name: 'Bare', description: 'bare thing' };

/** A JAR of a class with the annotations of a plugin (`example.Bare`, changed by `plugin`) and of a class with none (`example.Driver`). */
export function classesJar(manifest: Readonly<Record<string, string>> = {}, plugin: Partial<PluginClass> = {}): Buffer {
  return makeJar({
    manifest,
    entries: [
      { name: 'example/Bare.class', bytes: makePluginClass({ ...BARE, ...plugin }) },
      { name: 'example/Driver.class', bytes: makeDriverClass('example.Driver') },
    ],
  });
}

/** A JAR without a class. */
export function emptyJar(manifest: Readonly<Record<string, string>> = {}): Buffer {
  return makeJar({ manifest, entries: [{ name: 'readme.txt', bytes: Buffer.from('no class here\n') }] });
}
