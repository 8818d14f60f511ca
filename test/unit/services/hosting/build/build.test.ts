import { createHash } from 'node:crypto';
import { chmodSync, mkdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { IndexFile } from '../../../../../src/hub/index-file.js';
import { writeIndex } from '../../../../../src/hub/index-writer.js';
import { buildHub, type BuildOutcome, type BuildRequest } from '../../../../../src/services/hosting/build/build.js';
import { openedFiles } from '../../../../support/opened-files.js';
import { withTempDir } from '../../../../support/processes/run-cli.js';

const { signal } = new AbortController();
const specOf = (name: string): string => `packages/${name}/1.0.0/spec.json`;

interface Site {
  readonly request: BuildRequest;
  readonly put: (name: string, label: string) => void;
  /** The packages whose specifications are read by a build. */
  readonly read: (more?: Partial<BuildRequest>) => Promise<readonly string[]>;
  readonly catalog: () => string;
}

/** A tree of two packages that was built once. */
async function atTree(test: (site: Site) => Promise<void>): Promise<void> {
  await withTempDir(async (home) => {
    const root = join(realpathSync(home), 'hub');
    const put: Site['put'] = (name, label) => {
      const file = join(root, specOf(name));
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, JSON.stringify({ label, categories: [`${name}s`], actions: [], created: 1 }));
    };
    put('one', 'Über');
    put('two', 'B');
    const request: BuildRequest = {
      root,
      out: root,
      whitelist: [],
      check: false,
      strict: false,
      forced: [],
      emit: () => undefined,
      memory: { stateFolder: join(root, '../state'), version: '1.0.0' },
      // Later than what is written just now, so that its stamps can be trusted.
      clock: { now: () => Date.now() + 10_000 },
    };
    const build = (more?: Partial<BuildRequest>): Promise<BuildOutcome> => buildHub({ ...request, ...more }, signal);
    expect((await build()).refusal).toBeUndefined();
    await test({
      request,
      put,
      read: async (more) => {
        const paths = await openedFiles(() => build(more));
        return paths.filter((path) => path.endsWith('/spec.json')).map((path) => path.split('/').at(-3) ?? '');
      },
      catalog: () =>
        ['packages.json', 'categories.json'].map((file) => readFileSync(join(root, file), 'utf8')).join(''),
    });
  });
}

describe('a hub that is built again', () => {
  it('reads only specifications that have changed, and makes the same catalog', () =>
    atTree(async ({ request, put, read, catalog }) => {
      const before = catalog();
      expect(await read()).toEqual([]);
      expect(catalog()).toBe(before);
      put('two', 'A');
      put('three', 'C');
      expect(await read()).toEqual(['three', 'two']);
      const { root } = request;
      const made = catalog();
      expect(made.match(/"label": "."|"name": ".*"/gu)?.slice(0, 4)).toEqual([
        '"name": "two"',
        '"label": "A"',
        '"name": "three"',
        '"label": "C"',
      ]);
      rmSync(join(root, 'packages.json'));
      expect(await read()).toEqual(['one', 'three', 'two']);
      expect(catalog()).toBe(made);
      rmSync(join(root, 'packages/three'), { recursive: true });
      expect(await read({ whitelist: ['twos'] })).toEqual([]);
      expect(await read()).toEqual(['one']);
      // A catalog in another folder has a memory of its own.
      expect(await read({ out: join(root, '../out'), whitelist: ['twos'] })).toEqual(['one', 'two']);
      expect(await read()).toEqual([]);
    }));

  it('V09: refuses another specification of a version that the index of the tree lists', () =>
    atTree(async ({ request, put, catalog }) => {
      const { root } = request;
      const sha256 = createHash('sha256')
        .update(readFileSync(join(root, specOf('two'))))
        .digest('hex');
      const files = [{ name: 'spec.json', size: 1, sha256 }];
      const packages = ['1.0.0', '1.0.0-SNAPSHOT'].map((version) => ({ name: 'two', version, files }));
      const index = writeIndex({ sequence: 1, created: 0, expires: 0, files: [], packages, keys: [] });
      writeFileSync(join(root, 'index.json'), index);
      const before = catalog();
      put('two', 'A');
      mkdirSync(join(root, 'packages/two/1.0.0-SNAPSHOT'));
      writeFileSync(join(root, 'packages/two/1.0.0-SNAPSHOT/spec.json'), '{}');
      mkdirSync(join(root, 'packages/three/1.0.0'), { recursive: true });
      writeFileSync(join(root, specOf('three')), '{}');
      const other = `${specOf('three')}: label is missing`;
      const error = {
        code: 'REPUBLISH',
        details: {
          lines: expect.arrayContaining(['packages/two/1.0.0/spec.json', other]) as string[],
          item: { faulty: 2, files: [] },
        },
      };
      for (const check of [true, false])
        await expect(buildHub({ ...request, check }, signal)).rejects.toMatchObject(error);
      expect(catalog()).toBe(before);
      await buildHub({ ...request, forced: ['two/1.0.0/spec.json'] }, signal);
      expect(catalog()).toContain('"label": "A"');
      put('two', 'C');
      writeFileSync(join(root, 'index.json'), 'no index');
      await buildHub(request, signal);
      expect(catalog()).toContain('"label": "C"');
    }));

  it('V09: refuses files of a published version that were replaced, removed or added', () =>
    atTree(async ({ request, catalog }) => {
      const folder = join(request.root, 'packages/two/1.0.0');
      const listed = (name: string, content: string): IndexFile => {
        writeFileSync(join(folder, name), content);
        writeFileSync(join(folder, `${name}.asc`), 'signature');
        return { name, size: content.length, sha256: createHash('sha256').update(content).digest('hex') };
      };
      const spec = readFileSync(join(folder, 'spec.json'), 'latin1');
      const files = [listed('spec.json', spec), listed('a.jar', 'jar'), listed('gone.jar', 'jar')];
      const packages = [{ name: 'two', version: '1.0.0', files }];
      const index = writeIndex({ sequence: 1, created: 0, expires: 0, files: [], packages, keys: [] });
      writeFileSync(join(request.root, 'index.json'), index);
      expect((await buildHub(request, signal)).refusal).toBeUndefined();
      const before = catalog();
      writeFileSync(join(folder, 'a.jar'), 'another jar');
      rmSync(join(folder, 'gone.jar'));
      writeFileSync(join(folder, 'new.txt'), '');
      const changed = ['two/1.0.0/a.jar', 'two/1.0.0/gone.jar', 'two/1.0.0/new.txt'];
      for (const check of [true, false])
        await expect(buildHub({ ...request, check }, signal)).rejects.toMatchObject({
          code: 'REPUBLISH',
          details: {
            lines: [
              'packages/two/1.0.0/a.jar',
              'packages/two/1.0.0/gone.jar (removed)',
              'packages/two/1.0.0/new.txt (added)',
            ],
            hints: [
              'remove files that were added to a published version by mistake',
              'restore files that were removed from a published version by mistake',
              'give the package a new version, unless this one was only signed, never published',
              { next: 'force-file', files: changed, more: false },
            ],
          },
        });
      expect(catalog()).toBe(before);
      // A signature whose file may be removed is a file of its own.
      const forced = [...changed, 'two/1.0.0/gone.jar.asc'];
      expect((await buildHub({ ...request, forced }, signal)).refusal).toBeUndefined();
    }));

  it.skipIf(process.getuid?.() === 0)('says of a package that cannot be read that it is not in the catalog', () =>
    atTree(async ({ request }) => {
      const folder = join(request.root, 'packages/two');
      chmodSync(folder, 0);
      const { build, refusal } = await buildHub(request, signal);
      chmodSync(folder, 0o700);
      expect(build.packages).toBe(1);
      expect([refusal?.code, refusal?.message]).toEqual([
        'PARTIAL',
        expect.stringMatching(/; 1 package not in the catalog$/u),
      ]);
    }),
  );

  it('V25: sees what is wrong since without a change of the specification', () =>
    atTree(async ({ request, put, read }) => {
      const { root } = request;
      const specification = { label: 'C', categories: [], created: 1 };
      const config = [{ name: 'config', value: 'c.asc' }];
      const actions = [{ type: 'one_step_deploy_plugin', label: 'x', arguments: config }];
      put('three', 'C');
      writeFileSync(join(root, specOf('three')), JSON.stringify({ ...specification, actions }));
      writeFileSync(join(root, 'packages/three/1.0.0/c.asc'), 'x');
      expect((await buildHub(request, signal)).build.faults).toEqual([]);
      expect(await read()).toEqual([]);
      writeFileSync(join(root, 'packages/three/1.0.0/c'), 'x');
      const { faults } = (await buildHub(request, signal)).build;
      expect(faults).toMatchObject([{ file: specOf('three'), code: 'BAD_NAME' }]);
      const files = [{ name: 'spec.json', size: 1, sha256: 'a'.repeat(64) }];
      const packages = [{ name: 'two', version: '1.0.0', files }];
      const index = writeIndex({ sequence: 1, created: 0, expires: 0, files: [], packages, keys: [] });
      writeFileSync(join(root, 'index.json'), index);
      await expect(buildHub(request, signal)).rejects.toMatchObject({ code: 'REPUBLISH' });
    }));

  it('V25: reads all where the last catalog is another, or its specifications had just been written', () =>
    atTree(async ({ request, read, catalog }) => {
      const before = catalog();
      writeFileSync(join(request.root, 'packages.json'), before);
      expect(await read({ check: true })).toEqual(['one', 'two']);
      expect(await read({ clock: { now: () => Date.now() } })).toEqual(['one', 'two']);
      expect(await read()).toEqual(['one', 'two']);
      expect(await read({ memory: { ...request.memory, version: '2.0.0' } })).toEqual(['one', 'two']);
      expect(catalog()).toBe(before);
    }));

  it('V25: does not trust what was written just before a build that takes long', () =>
    atTree(async ({ put, read }) => {
      let later = 0;
      put('two', 'A');
      const makePage = (): readonly string[] => ((later = 10_000), []);
      expect(await read({ clock: { now: () => Date.now() + later }, makePage })).toEqual(['two']);
      expect(later).toBe(10_000);
      expect(await read()).toEqual(['one', 'two']);
    }));
});
