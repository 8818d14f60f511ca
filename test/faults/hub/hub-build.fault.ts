import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { acquireLock, runLockFile } from '../../../src/state/lock.js';
import { ROOT, runCli, withTempDir, type RunResult } from '../../support/processes/run-cli.js';
import { DEPTH, draw } from '../depth.js';

const LINE = ['hub', 'build', './hub'];
const PRELOAD = join(ROOT, 'test/support/processes/kill-at-write.cjs');
const FILES = ['packages.json', 'categories.json'];

interface Tree {
  readonly home: string;
  readonly folder: string;
  readonly put: (path: string, content: string) => void;
  readonly add: (name: string, category?: string) => void;
  readonly build: (...more: readonly string[]) => Promise<RunResult>;
  readonly catalog: () => readonly string[];
}

/** A source tree with the package `good`. */
async function inTree(test: (tree: Tree) => Promise<void>): Promise<void> {
  await withTempDir(async (home) => {
    const folder = join(home, 'hub');
    const put = (path: string, content: string): void => {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      writeFileSync(join(folder, path), content);
    };
    const add = (name: string, category = 'example'): void => {
      const spec = { label: name, categories: [category], actions: [], created: 1 };
      put(`packages/${name}/1.0.0/spec.json`, JSON.stringify(spec));
    };
    add('good');
    await test({
      home,
      folder,
      put,
      add,
      build: (...more) => runCli([...LINE, ...more], { home, cwd: home }),
      catalog: () => FILES.map((name) => readFileSync(join(folder, name), 'utf8')),
    });
  });
}

const namesIn = (text = '[]'): readonly string[] => (JSON.parse(text) as { name: string }[]).map(({ name }) => name);

describe('a build of a hub', () => {
  it('V01: tells all errors of all specifications at once, and writes nothing with --strict', () =>
    inTree(async ({ add, put, build, catalog }) => {
      expect((await build()).code).toBe(0);
      const before = catalog();
      add('second');
      for (let at = 0; at < 27; at++) add(`more-${at}`);
      put('packages/bad/1.0.0/spec.json', '{"label":"a","label":"b"}');
      put('packages/bad/2.0.0/spec.json', '{"label":{},"created":1.5,"beta":1,"categories":"x","actions":[{}]}');
      const strict = await build('--strict');
      expect([strict.code, catalog()]).toEqual([12, before]);
      for (const line of [
        'packages/bad/1.0.0/spec.json: it has the duplicate member "label"',
        'packages/bad/2.0.0/spec.json: label is not text',
        'packages/bad/2.0.0/spec.json: created is not a whole number',
        'packages/bad/2.0.0/spec.json: beta is neither true nor false',
        'packages/bad/2.0.0/spec.json: categories is not a list',
        'packages/bad/2.0.0/spec.json: action 1 has no type',
      ])
        expect(strict.stderr).toContain(line);
      expect((await build()).code).toBe(10);
      expect(namesIn(catalog()[0])).toHaveLength(29);
    }));

  it(`V02: is killed at a write: every file is the old or the new one, and a second run finishes (${DEPTH} points)`, async () => {
    let log: readonly string[] = [];
    await inTreeOfTwo(async ({ home, folder, build }) => {
      const file = join(home, 'writes.log');
      const env = { NODE_OPTIONS: `--require=${PRELOAD}`, KILL_FOLDER: folder, KILL_LOG: file };
      expect((await runCli(LINE, { home, cwd: home, env })).code).toBe(0);
      expect((await build()).stderr).toContain('nothing changed');
      log = readFileSync(file, 'utf8').trimEnd().split('\n');
    });
    expect(log).toEqual([...FILES.map(() => 'write'), ...FILES.map(() => 'sync'), ...FILES.map(() => 'rename')]);
    const all = log.flatMap((kind, at) =>
      (kind === 'write' ? ['before', 'half'] : ['before', 'after']).map((moment) => ({ at: at + 1, moment })),
    );
    const points = DEPTH === 'all' ? all : draw(all, 4, 'hub build');
    for (const { at, moment } of points)
      await inTreeOfTwo(async ({ home, folder, build, catalog }, before, after) => {
        const env = {
          NODE_OPTIONS: `--require=${PRELOAD}`,
          KILL_FOLDER: folder,
          KILL_N: String(at),
          KILL_MOMENT: moment,
        };
        const { signal } = await runCli(LINE, { home, cwd: home, env });
        expect(signal, 'the run ended before it was killed').toBe('SIGKILL');
        for (const [n, text] of catalog().entries()) expect([before[n], after[n]]).toContain(text);
        expect((await build()).code).toBe(0);
        expect(catalog()).toEqual(after);
        expect(readdirSync(folder).filter((name) => name.startsWith('.'))).toEqual([]);
      });
  });

  it('V03: runs beside another one: LOCKED, nothing written; a check runs', () =>
    inTree(async ({ home, folder, build }) => {
      const state = join(home, '.local', 'state', 'cdapctl');
      const file = runLockFile(state, { kind: 'folder', path: folder });
      const lock = await acquireLock(file, { pid: process.pid, host: hostname(), clock: { now: () => Date.now() } });
      const { code, stderr } = await build();
      expect([code, stderr]).toEqual([6, expect.stringContaining('[LOCKED]')]);
      expect((await build('--out', join(home, 'out'))).code).toBe(6);
      expect((await build('--check')).code).toBe(14);
      expect(readdirSync(folder)).toEqual(['packages']);
      await lock.release();
      expect((await build()).code).toBe(0);
    }));

  it('V04: finds links, hidden files and pipes in the source, and names each', () =>
    inTree(async ({ home, folder, put, add, build, catalog }) => {
      const inside = (path: string): string => join(folder, 'packages', path);
      for (const name of ['link', 'hidden', 'pipe', 'linked-spec']) add(name);
      put('secret.json', '{"label":"secret","categories":["x"],"actions":[]}');
      symlinkSync(join(home, 'outside'), inside('link/1.0.0/data.txt'));
      put('packages/hidden/1.0.0/.DS_Store', 'x');
      execFileSync('mkfifo', [inside('pipe/1.0.0/a.txt')]);
      mkdirSync(inside('linked-spec/2.0.0'));
      symlinkSync(join(folder, 'secret.json'), inside('linked-spec/2.0.0/spec.json'));
      symlinkSync('good', inside('linked'));
      symlinkSync('1.0.0', inside('good/2.0.0'));
      put('packages/.git/config', 'x');
      const { code, stderr } = await build();
      expect(code).toBe(10);
      const lines = stderr.split('\n').filter((line) => line.includes(': it is '));
      expect(lines.map((line) => line.trim())).toEqual([
        'packages/.git: it is hidden: remove or rename it',
        'packages/good/2.0.0: it is a symbolic link: put the file itself there',
        'packages/hidden/1.0.0/.DS_Store: it is hidden: remove or rename it',
        'packages/link/1.0.0/data.txt: it is a symbolic link: put the file itself there',
        'packages/linked: it is a symbolic link: put the file itself there',
        'packages/linked-spec/2.0.0/spec.json: it is a symbolic link: put the file itself there',
        'packages/pipe/1.0.0/a.txt: it is neither a file nor a folder: remove it',
      ]);
      expect(namesIn(catalog()[0])).toEqual(['good', 'linked-spec']);
      expect((await build('--strict')).code).toBe(12);
    }));

  it('V10: leaves out packages whose actions use the specification, a signature or a file that nobody signs', () =>
    inTree(async ({ put, build, catalog }) => {
      const use = (name: string, file: string, argument = 'config'): void => {
        const action = { type: 'one_step_deploy_plugin', label: '', arguments: [{ name: argument, value: file }] };
        const spec = { label: name, categories: ['example'], actions: [action], created: 1 };
        put(`packages/${name}/1.0.0/spec.json`, JSON.stringify(spec));
        put(`packages/${name}/1.0.0/x.jar`, 'x');
      };
      use('a-spec', 'Spec.json');
      use('b-icon', 'icon.png', 'jar');
      use('c-signature', 'x.jar.asc', 'jar');
      use('d-key', 'y.asc', 'jar');
      const { code, stderr } = await build('--json');
      expect([code, stderr]).toEqual([10, '']);
      expect(namesIn(catalog()[0])).toEqual(['d-key', 'good']);
      const refused = await build('--strict');
      expect(refused.code).toBe(12);
      expect(refused.stderr).toContain('action 1 uses "Spec.json", which is the specification itself');
      expect(refused.stderr).toContain('action 1 uses "icon.png", which is never signed');
      expect(refused.stderr).toContain('action 1 uses "x.jar.asc", which is the signature of x.jar');
    }));

  it('V04: takes the files of a checkout beside the packages, and rejects packages that are a link', () =>
    inTree(async ({ home, folder, put, build }) => {
      for (const file of ['.git/config', '.gitignore', '.DS_Store', 'README.md', 'packages/README.md']) put(file, 'x');
      put('packages/good/build.yaml', 'x');
      expect((await build('--strict')).code).toBe(0);
      mkdirSync(join(home, 'other'));
      symlinkSync(join(folder, 'packages'), join(home, 'other/packages'));
      const { code, stderr } = await runCli(['hub', 'build', './other'], { home, cwd: home });
      expect([code, stderr]).toEqual([12, expect.stringContaining('[BAD_SOURCE]')]);
    }));
});

/** A tree whose catalog is one of one package, and would be one of two; with both. */
async function inTreeOfTwo(
  test: (tree: Tree, before: readonly string[], after: readonly string[]) => Promise<void>,
): Promise<void> {
  await inTree(async (tree) => {
    expect((await tree.build()).code).toBe(0);
    const before = tree.catalog();
    tree.add('second', 'other');
    expect((await tree.build('--out', 'new')).code).toBe(0);
    const after = FILES.map((name) => readFileSync(join(tree.home, 'new', name), 'utf8'));
    await test(tree, before, after);
  });
}
