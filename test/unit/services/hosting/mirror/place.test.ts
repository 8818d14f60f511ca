import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { mirrorFolder, type MirrorFolder } from '../../../../../src/services/hosting/mirror/folder/mirror-folder.js';
import {
  forgetRemovals,
  keepRemovals,
  ownRemovals,
} from '../../../../../src/services/hosting/mirror/folder/mirror-removals.js';
import {
  emptyTrash,
  placeNew,
  placeReplaced,
  removeSurplus,
  removeVersion,
  resumeFirst,
} from '../../../../../src/services/hosting/mirror/folder/place.js';
import type { PublishStep } from '../../../../../src/services/hosting/publish/plan.js';
import { NEVER } from '../../../../support/clock.js';
import { codeOf, errorOf, saidBy, thrownBy } from '../../../../support/errors.js';

const ONE = { name: 'one', version: '1.0.0' };
const TWO = { name: 'two', version: '2.0.0' };
const FILES = ['plug.jar', 'plug.jar.asc', 'spec.json', 'spec.json.asc'];

let folder: MirrorFolder;
beforeEach(() => {
  folder = mirrorFolder(realpathSync(mkdtempSync(join(tmpdir(), 'cdapctl-place-'))));
});
afterEach(() => {
  rmSync(folder.root, { recursive: true });
});

const put = (path: string, text = 'old'): void => {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
};
/** Lets a version wait. */
const stage = ({ name, version }: typeof ONE, root = folder.stage, files = FILES): void => {
  for (const file of files) put(join(root, 'packages', name, version, file), 'new');
};
/** The files below a folder, with their content. */
function filesIn(root: string): readonly string[] {
  if (!existsSync(root)) return [];
  return readdirSync(root, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort()
    .map((path) => `${path.slice(root.length + 1)}: ${readFileSync(path, 'utf8')}`);
}
const packages = (): readonly string[] => filesIn(join(folder.root, 'packages'));
const newOnes = (place: string): readonly string[] => FILES.map((file) => `${place}/${file}: new`);

describe('new versions', () => {
  it('appear at once where there is no hub yet, and in their places where there is one', async () => {
    stage(ONE);
    await placeNew(folder, [], NEVER);
    expect(packages()).toEqual([]);
    await placeNew(folder, [ONE], NEVER);
    expect([packages(), filesIn(folder.own)]).toEqual([newOnes('one/1.0.0'), []]);
    stage(TWO);
    await placeNew(folder, [TWO], NEVER);
    expect([packages(), filesIn(folder.own)]).toEqual([[...newOnes('one/1.0.0'), ...newOnes('two/2.0.0')], []]);
  });

  it('wait again when a run was killed before they appeared', async () => {
    stage(ONE, folder.first);
    stage(TWO);
    resumeFirst(folder);
    expect([filesIn(folder.first), filesIn(join(folder.stage, 'packages'))]).toEqual([
      [],
      [...newOnes('one/1.0.0'), ...newOnes('two/2.0.0')],
    ]);
    const stopped = new Error('stopped');
    await expect(placeNew(folder, [ONE, TWO], AbortSignal.abort(stopped))).rejects.toBe(stopped);
    expect(packages()).toEqual([]);
    resumeFirst(folder);
    await placeNew(folder, [ONE, TWO], NEVER);
    expect(packages()).toEqual([...newOnes('one/1.0.0'), ...newOnes('two/2.0.0')]);
  });

  it('are not looked for elsewhere, nor put behind a link', async () => {
    expect(saidBy(await errorOf(placeNew(folder, [ONE], NEVER)))).toEqual({
      code: 'CHANGED_MEANWHILE',
      message: `${join(folder.stage, 'packages/one/1.0.0')} was removed by another program`,
    });
    for (const path of ['packages', 'packages/one', 'packages/one/1.0.0', 'packages/one/1.0.0/spec.json']) {
      rmSync(join(folder.root, 'packages'), { recursive: true, force: true });
      stage(ONE);
      mkdirSync(dirname(join(folder.root, path)), { recursive: true });
      symlinkSync(tmpdir(), join(folder.root, path));
      expect([path, thrownBy(() => placeReplaced(folder, [ONE])).code]).toEqual([path, 'SYMLINK']);
    }
  });
});

describe('files that replace others', () => {
  const target = (file: string): string => join(folder.root, 'packages/one/1.0.0', file);

  it('are in their places with what stays, and their folders are named', () => {
    put(target('icon.png'));
    put(target('spec.json'));
    stage(ONE);
    const touched = placeReplaced(folder, [ONE]);
    expect([...touched].map((path) => path.slice(folder.root.length + 1))).toEqual([
      'packages/one/1.0.0',
      'packages/one',
      'packages',
    ]);
    expect([packages(), filesIn(folder.stage)]).toEqual([['one/1.0.0/icon.png: old', ...newOnes('one/1.0.0')], []]);
  });

  it.each([
    ['plug.jar.asc', []],
    ['plug.jar', ['plug.jar.asc']],
    ['spec.json.asc', ['plug.jar', 'plug.jar.asc']],
    ['spec.json', ['plug.jar', 'plug.jar.asc', 'spec.json.asc']],
  ])('come after their signatures, and the specification after all: up to %s', (file, before) => {
    // Nothing can replace a folder.
    put(join(target(file), 'inside'));
    stage(ONE, folder.stage, FILES.toReversed());
    const { code, message } = thrownBy(() => placeReplaced(folder, [ONE]));
    expect([code, message]).toEqual(['LOCAL_IO', expect.stringMatching(/^cannot write .*\/packages\/one\/1\.0\.0: /u)]);
    expect(packages().filter((line) => line.endsWith('new'))).toEqual(before.map((name) => `one/1.0.0/${name}: new`));
  });
});

describe('a version that is removed', () => {
  it('is gone with its record, and its package with the last one', () => {
    const [other, record] = [{ name: 'one', version: '2.0.0' }, folder.record(ONE)];
    for (const place of [ONE, other]) stage(place, folder.root);
    put(record);
    put(join(folder.trash, 'one/1.0.0/of a killed run'));
    removeVersion(folder, ONE);
    expect([packages(), existsSync(record), filesIn(folder.trash)]).toEqual([newOnes('one/2.0.0'), false, []]);
    removeVersion(folder, ONE);
    removeVersion(folder, other);
    expect(readdirSync(join(folder.root, 'packages'))).toEqual([]);
    put(join(folder.trash, 'x'));
    emptyTrash(folder);
    emptyTrash(folder);
    expect(existsSync(folder.trash)).toBe(false);
  });

  it('may lose files alone', () => {
    stage(ONE, folder.root);
    put(join(folder.root, 'packages/one/1.0.0/folder/inside'));
    removeSurplus(folder, ONE, ['plug.jar', 'plug.jar.asc', 'folder', 'none']);
    expect(packages()).toEqual(['one/1.0.0/spec.json: new', 'one/1.0.0/spec.json.asc: new']);
  });
});

describe('the removals of a signed mirror', () => {
  const step = (path: string): PublishStep => ({ action: 'remove', path, size: 0, sha256: '' });
  const removed = async (...paths: readonly string[]): Promise<readonly string[]> => {
    const files = [{ name: 'spec.json', size: 1, sha256: 'a' }];
    const packagesOf = [{ ...ONE, files }];
    const index = {
      format: 1 as const,
      sequence: 1,
      created: 0,
      expires: 0,
      files: [],
      keys: [],
      packages: packagesOf,
    };
    return (await ownRemovals(folder.root, paths.map(step), { index })).map(({ path }) => path);
  };
  const SPEC = 'packages/one/1.0.0/spec.json';
  const OTHERS = ['publisher.asc', 'packages/mine/1.0.0/spec.json', 'packages/one/1.0.0/mine'];

  it('are those of its last index, and what a killed run had not removed', async () => {
    mkdirSync(folder.own);
    expect(await removed(SPEC, `${SPEC}.asc`, ...OTHERS)).toEqual([SPEC, `${SPEC}.asc`]);
    await keepRemovals(folder.root, ['packages/two/1.0.0/a', 'packages/two/1.0.0/b'].map(step));
    const left = ['packages/two/1.0.0/a', 'packages/two/1.0.0/b', 'packages/two/1.0.0/b.asc'];
    expect(await removed(...OTHERS, ...left, SPEC)).toEqual([...left, SPEC]);
    forgetRemovals(folder.root);
    forgetRemovals(folder.root);
    expect(await removed(...OTHERS, ...left, SPEC)).toEqual([SPEC]);
    expect(await ownRemovals(folder.root, [step(SPEC)], { index: undefined })).toEqual([]);
    symlinkSync(tmpdir(), join(folder.own, 'removals.txt'));
    expect(await codeOf(removed(SPEC))).toBe('SYMLINK');
  });
});
