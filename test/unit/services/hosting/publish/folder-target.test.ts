import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { folderTarget } from '../../../../../src/services/hosting/publish/folder-target.js';
import type { PublishStep } from '../../../../../src/services/hosting/publish/plan.js';
import { errorOf, saidBy } from '../../../../support/errors.js';

const never = new AbortController().signal;
let root = '';
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'cdapctl-unit-'));
});
afterEach(() => rm(root, { recursive: true, force: true }));

it.each([
  ['{"format":1,"sequ', 'BAD_JSON'],
  ['{"format":1,"format":1}', 'DUP_KEY'],
  ['{"format":1}', 'BAD_CATALOG'],
])('a published index %s fails with what repairs it', async (text, code) => {
  const file = join(root, 'index.json');
  await writeFile(file, text);
  const { code: is, details } = await errorOf(folderTarget('unused', root).published(never));
  expect([is, details.hints, details.target]).toEqual([
    code,
    ['restore it from a copy, or remove it to publish the whole tree again'],
    { file },
  ]);
});

it('an unreadable folder fails as it is', async () => {
  await writeFile(join(root, 'packages'), 'no folder');
  const { details } = await errorOf(folderTarget('unused', root).published(never));
  expect(details.hints ?? []).not.toContain('restore it from a copy, or remove it to publish the whole tree again');
});

describe('the packages of a first publication', () => {
  const MARK = '.cdapctl-published';
  const PATHS = ['packages/one/1/spec.json', 'packages/one/1/plug.jar', 'packages/two/1/spec.json'];
  const stepOf = (path: string): PublishStep => {
    const sha256 = createHash('sha256').update(path).digest('hex');
    return { action: 'upload', path, size: path.length, sha256 };
  };
  const put = async (path: string, content = path): Promise<void> => {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), content);
  };
  /** Publishes these files one by one; those that are in their places. */
  const upload = async (...paths: readonly string[]): Promise<readonly string[]> => {
    const placed: string[] = [];
    const target = folderTarget(join(root, 'tree'), join(root, 'there'));
    for (const path of paths) await target.upload([stepOf(path)], (one) => void placed.push(one), never);
    return placed;
  };
  const filesOf = async (folder: string): Promise<readonly string[]> => {
    const entries = await readdir(join(root, folder), { recursive: true, withFileTypes: true });
    return entries
      .filter((entry) => entry.isFile() && entry.name !== MARK)
      .map((entry) => join(entry.parentPath, entry.name).slice(join(root, folder).length + 1))
      .sort();
  };
  beforeEach(async () => {
    for (const path of [...PATHS, 'packages.json', 'index.html']) await put(`tree/${path}`, path);
  });

  it('wait until all of them are there, and appear with the catalog', async () => {
    expect(await upload('index.html', ...PATHS)).toEqual(['index.html', ...PATHS]);
    expect(await filesOf('there')).toEqual([...PATHS.map((path) => `.cdapctl-first/${path}`).sort(), 'index.html']);
    // What a killed run has left, of which the tree has nothing, and what it has of it.
    for (const path of ['packages/one/1/old.jar', 'packages/old/1/spec.json'])
      await put(`there/.cdapctl-first/${path}`);
    const kept = join(root, 'there/.cdapctl-first', PATHS[0] ?? '');
    await utimes(kept, 1, 1);
    await put(`there/.cdapctl-first/${PATHS[1] ?? ''}`, 'x'.repeat(PATHS[1]?.length ?? 0));
    await put(`there/.cdapctl-first/${PATHS[2] ?? ''}`, 'x');
    expect(await upload(...PATHS, 'packages.json')).toEqual([...PATHS, 'packages.json']);
    expect(await filesOf('there')).toEqual(['index.html', ...[...PATHS].sort(), 'packages.json'].sort());
    expect(existsSync(join(root, 'there/.cdapctl-first'))).toBe(false);
    for (const path of [...PATHS, 'packages.json'])
      expect(await readFile(join(root, 'there', path), 'utf8')).toBe(path);
    expect((await stat(join(root, 'there', PATHS[0] ?? ''))).mtimeMs).toBe(1000);
  });

  it.each(['packages', 'packages.json'])('are where they belong at once in a folder with %s', async (name) => {
    if (name === 'packages') await mkdir(join(root, 'there/packages'), { recursive: true });
    else await put('there/packages.json');
    await upload(...PATHS);
    expect(await filesOf('there')).toEqual([...(name === 'packages' ? [] : [name]), ...PATHS].sort());
  });

  it('do not wait behind a link', async () => {
    for (const name of ['.cdapctl-first', '.cdapctl-first/packages']) {
      await mkdir(dirname(join(root, 'there', name)), { recursive: true });
      await symlink(tmpdir(), join(root, 'there', name));
      expect(saidBy(await errorOf(upload(...PATHS)))).toMatchObject({
        code: 'SYMLINK',
        target: { file: join(root, 'there', name) },
      });
      await rm(join(root, 'there', name));
    }
  });

  it('are removed with the folders that have nothing else', async () => {
    await upload(...PATHS, 'packages.json');
    const target = folderTarget(join(root, 'tree'), join(root, 'there'));
    for (const path of ['packages/one/1/plug.jar', 'packages/two/1/spec.json', 'packages/two/1/none'])
      await target.remove?.({ action: 'remove', path, size: 0, sha256: '' }, never).catch(() => undefined);
    expect(await readdir(join(root, 'there/packages'))).toEqual(['one']);
    expect(await filesOf('there')).toEqual(['packages.json', 'packages/one/1/spec.json']);
    await target.remove?.({ action: 'remove', path: 'packages.json', size: 0, sha256: '' }, never);
    await target.remove?.({ action: 'remove', path: 'packages/one/1/spec.json', size: 0, sha256: '' }, never);
    expect((await readdir(join(root, 'there'), { recursive: true })).sort()).toEqual([MARK, 'packages']);
  });

  it.each([
    ['an empty folder', 'README.md', true],
    ['a source tree', 'packages/mine/1/spec.json', false],
    ['a folder with a catalog', 'packages.json', false],
  ])('make %s one of which later ones may remove files, or not (%s: %s)', async (_, file, isOwn) => {
    await put(`there/${file}`);
    const target = folderTarget(join(root, 'tree'), join(root, 'there'));
    expect(target.isOwn?.()).toBe(false);
    await upload(...PATHS, 'packages.json');
    await upload(...PATHS, 'packages.json');
    expect(target.isOwn?.()).toBe(isOwn);
  });
});
