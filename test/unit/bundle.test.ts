import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build, type BuildOptions, type Metafile } from 'esbuild';
import { beforeAll, describe, expect, it } from 'vitest';

const BUILD = pathToFileURL(resolve(import.meta.dirname, '../../.ci/build.mjs')).href;

let inputs: Metafile['inputs'];
beforeAll(async () => {
  const { settings } = (await import(BUILD)) as { settings: () => BuildOptions };
  const { metafile } = await build({ ...settings(), entryPoints: ['src/main.ts'], metafile: true, write: false });
  ({ inputs } = metafile);
});

/** The library that a file of the bundle is of; none for our own. */
const libraryOf = (file: string): string | undefined => /node_modules\/((?:@[^/]+\/)?[^/]+)/u.exec(file)?.[1];

interface Load {
  readonly library: string;
  readonly name: string;
  readonly from: string;
}

const loadsOf = (): readonly Load[] =>
  Object.entries(inputs).flatMap(([file, { imports }]) => {
    const library = libraryOf(file);
    return library === undefined
      ? []
      : imports.map(({ path, original = path }) => ({ library, name: original, from: path }));
  });

describe('the bundle', () => {
  it('has a stub for each part of a library that no start is to load', () => {
    const stubbed = loadsOf().filter(({ from }) => from.startsWith('.ci/stubs/'));
    const found = stubbed.map(({ library, name, from }) => `${library} ${name}: ${from.slice('.ci/stubs/'.length)}`);
    expect([...new Set(found)].sort()).toEqual([
      '@oclif/core ../help/index: left-out.cjs',
      '@oclif/core ./config/ts-path: left-out.cjs',
      '@oclif/core ./help: left-out.cjs',
      '@oclif/core ./plugin: left-out.cjs',
      '@oclif/core ./ts-path: left-out.cjs',
      '@oclif/core clean-stack: left-out.cjs',
      '@oclif/core cli-spinners: left-out.cjs',
      '@oclif/core debug: debug.cjs',
      '@oclif/core ejs: left-out.cjs',
      '@oclif/core indent-string: left-out.cjs',
      '@oclif/core minimatch: left-out.cjs',
      '@oclif/core node:child_process: left-out.cjs',
      '@oclif/core node:perf_hooks: perf-hooks.mjs',
      '@oclif/core wrap-ansi: left-out.cjs',
      '@oclif/core wsl-utils: wsl-utils.mjs',
      'undici ./client-h2.js: left-out.cjs',
      'undici node:assert: assert.cjs',
      'undici node:http: http.cjs',
      'undici node:perf_hooks: perf-hooks.mjs',
    ]);
  });

  it('has no library that loads these parts by another name', () => {
    const parts = /^(?:node:)?(?:assert|http2|perf_hooks)$/u;
    const loaded = loadsOf().filter(({ from }) => parts.test(from));
    expect(loaded).toEqual([]);
    const libraries = new Set(Object.keys(inputs).map(libraryOf));
    expect(libraries).toContain('undici');
    const left = [
      'clean-stack',
      'cli-spinners',
      'debug',
      'ejs',
      'indent-string',
      'lilconfig',
      'minimatch',
      'wsl-utils',
    ];
    for (const name of left) expect(libraries).not.toContain(name);
  });
});
