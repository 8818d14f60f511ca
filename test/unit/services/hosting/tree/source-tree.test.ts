import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { CliError } from '../../../../../src/core/errors.js';
import { packagesAside } from '../../../../../src/services/hosting/tree/displaced-packages.js';
import {
  categoriesWithIcon,
  filesAt,
  filesOfVersion,
  findVersions,
  listVersions,
  treeRoot,
  type TreeFault,
} from '../../../../../src/services/hosting/tree/source-tree.js';
import { temporaryName } from '../../../../../src/state/temporary.js';
import { errorOf, saidBy } from '../../../../support/errors.js';

const never = new AbortController().signal;
let root = '';
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'cdapctl-unit-'));
});
afterEach(() => rm(root, { recursive: true, force: true }));

const made = (...path: readonly string[]) => mkdir(join(root, 'packages', ...path), { recursive: true });
const put = (file: string) => writeFile(join(root, file), '');

it('refuses a tree with a package that was set aside, until the package is back', async () => {
  const aside = temporaryName();
  await made('one', '1.0.0');
  await made(aside, 'two', '2.0.0');
  await made(temporaryName());
  await writeFile(join(root, 'packages', temporaryName()), '');
  const error = await errorOf(findVersions(root, never));
  const [from, to] = [join(root, 'packages', aside, 'two/2.0.0'), join(root, 'packages/two/2.0.0')];
  expect(saidBy(error)).toEqual({
    code: 'BAD_SOURCE',
    message: 'packages/two/2.0.0 was moved aside by a run that was killed while replacing it',
    hints: [`move ${from} to ${to}`, 'or create the package again from its JAR'],
    target: { file: from },
  });
  expect((await listVersions(root, never)).places).toEqual([{ name: 'one', version: '1.0.0' }]);
  const parent = join(root, 'packages');
  const found = { name: 'two', version: '2.0.0', from, to };
  await put(`packages/${aside}/file`);
  await put(`packages/${aside}/two/file`);
  expect(packagesAside(parent, ['none', aside])).toEqual([found]);
  await made('two', '2.0.0');
  expect(packagesAside(parent, [aside])).toEqual([]);
  expect((await findVersions(root, never)).places).toHaveLength(2);
});

it('lists the versions of a tree, and what does not belong there', async () => {
  for (const place of ['b/1.0.0', 'a/2.0.0', 'a/1.0.0/in', '.c/1.0.0', 'a/.d']) await made(...place.split('/'));
  for (const file of ['x.txt', 'a/y.txt', 'a/.z', 'a/1.0.0/spec.json', 'a/1.0.0/.w']) await put(`packages/${file}`);
  await put(join('packages/a/1.0.0', temporaryName()));
  await symlink('/etc', join(root, 'packages/link'));
  await symlink('/etc/passwd', join(root, 'packages/a/1.0.0/link'));
  execFileSync('mkfifo', [join(root, 'packages/a/pipe')]);
  const { root: of, ...tree } = await listVersions(root, never);
  expect(of === root && tree).toEqual({
    places: [
      { name: 'a', version: '1.0.0' },
      { name: 'a', version: '2.0.0' },
      { name: 'b', version: '1.0.0' },
    ],
    faults: [
      { file: 'packages/.c', code: 'BAD_SOURCE', message: 'it is hidden: remove or rename it' },
      { file: 'packages/link', code: 'BAD_SOURCE', message: 'it is a symbolic link: put the file itself there' },
      { file: 'packages/a/.d', code: 'BAD_SOURCE', message: 'it is hidden: remove or rename it' },
      { file: 'packages/a/.z', code: 'BAD_SOURCE', message: 'it is hidden: remove or rename it' },
      { file: 'packages/a/pipe', code: 'BAD_SOURCE', message: 'it is neither a file nor a folder: remove it' },
    ],
    beside: ['packages/x.txt', 'packages/a/y.txt'],
  });
  expect(await filesOfVersion(root, { name: 'a', version: '1.0.0' })).toEqual({
    names: ['spec.json'],
    folders: ['in'],
    hasLeftovers: true,
    faults: [
      {
        file: 'packages/a/1.0.0/.w',
        code: 'BAD_SOURCE',
        message: 'it is hidden: remove or rename it',
        name: 'a',
        version: '1.0.0',
      },
      {
        file: 'packages/a/1.0.0/link',
        code: 'BAD_SOURCE',
        message: 'it is a symbolic link: put the file itself there',
        name: 'a',
        version: '1.0.0',
      },
    ],
  });
  expect((await filesOfVersion(root, { name: 'b', version: '1.0.0' })).hasLeftovers).toBe(false);
  await put('b.asc');
  await put('.hidden');
  await put('a.asc');
  await symlink('/etc/passwd', join(root, 'link'));
  expect(await filesAt(root)).toEqual(['a.asc', 'b.asc']);
});

it('has categories with an icon, or none', async () => {
  const faults: TreeFault[] = [];
  expect([await categoriesWithIcon(root, faults), faults]).toEqual([new Set(), []]);
  for (const folder of ['a', 'b', 'c/icon.png', '.d', 'e/.f'])
    await mkdir(join(root, 'categories', folder), { recursive: true });
  await put('categories/a/icon.png');
  await put('categories/b/icon.jpg');
  await put('categories/g.txt');
  expect(await categoriesWithIcon(root, faults)).toEqual(new Set(['a']));
  expect(faults).toEqual([
    { file: 'categories/.d', code: 'BAD_SOURCE', message: 'it is hidden: remove or rename it' },
    { file: 'categories/e/.f', code: 'BAD_SOURCE', message: 'it is hidden: remove or rename it' },
  ]);
});

it('is a folder with a folder of packages, which is no link', async () => {
  const inRoot = (error: CliError): unknown => JSON.parse(JSON.stringify(saidBy(error)).replaceAll(root, 'ROOT'));
  expect(inRoot(await errorOf(listVersions(root, never)))).toEqual({
    code: 'HUB_NOT_FOUND',
    message: 'ROOT has no folder packages',
    hints: ['a source tree has packages/NAME/VERSION/spec.json'],
  });
  await mkdir(join(root, 'packages/one'), { recursive: true });
  for (const inside of ['packages', 'packages/one'])
    expect(inRoot(await errorOf(listVersions(join(root, inside), never)))).toMatchObject({
      message: `ROOT/${inside} has no folder packages`,
      hints: ['specify the folder that contains packages'],
    });
  await rm(join(root, 'packages'), { recursive: true });
  await put('file');
  expect(inRoot(await errorOf(treeRoot(join(root, 'file'))))).toEqual({
    code: 'HUB_NOT_FOUND',
    message: 'ROOT/file is a file, not a folder',
  });
  expect(inRoot(await errorOf(treeRoot(join(root, 'none'))))).toEqual({
    code: 'HUB_NOT_FOUND',
    message: 'no folder at ROOT/none',
    hints: [{ next: 'init-hub', folder: 'ROOT/none' }],
  });
  expect(await treeRoot(root)).toBe(await realpath(root));
  await symlink('.', join(root, 'packages'));
  expect(inRoot(await errorOf(listVersions(root, never)))).toEqual({
    code: 'BAD_SOURCE',
    message: 'ROOT/packages is not a folder',
    target: { file: 'ROOT/packages' },
  });
  await rm(join(root, 'packages'));
  await put('packages');
  expect(inRoot(await errorOf(listVersions(root, never)))).toEqual({
    code: 'BAD_SOURCE',
    message: 'ROOT/packages is not a folder',
    target: { file: 'ROOT/packages' },
  });
});

it('stops when it is told to', async () => {
  await made('one', '1.0.0');
  const stopped = new Error('stopped');
  await expect(listVersions(root, AbortSignal.abort(stopped))).rejects.toBe(stopped);
});
