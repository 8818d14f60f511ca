import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { faultsIn, GOOD, linesOf, linted, spec, type Tree } from './lint-site.js';

const SECRET = '-----BEGIN PGP PRIVATE KEY BLOCK-----\n\nx';

it('names of packages, versions and files need no escapes', async () => {
  const files = { 'a b/1.0+1/x y': '', 'a b/1.0+1/CON.txt': '', 'a b/1.0+1/x-Y_1.z': '' };
  expect(await faultsIn({ ...spec({}, 'a b/1.0+1'), ...files })).toEqual([
    'a b/1.0+1 1:1 error NAME_ESCAPE: a b needs escaping: use letters, digits, ".", "_" and "-"',
    'a b/1.0+1 1:1 error NAME_ESCAPE: 1.0+1 needs escaping: use letters, digits, ".", "_" and "-"',
    'a b/1.0+1 1:1 warning VERSION_BAD: 1.0+1 is not a valid version: use a name such as 1.2.0',
    'a b/1.0+1/CON.txt 1:1 error NAME_ESCAPE: the file name is reserved on some systems',
    'a b/1.0+1/CON.txt 1:1 warning REF_UNUSED: no action uses it',
    'a b/1.0+1/x y 1:1 error NAME_ESCAPE: the file name needs escaping: use letters, digits, ".", "_" and "-"',
    'a b/1.0+1/x y 1:1 warning REF_UNUSED: no action uses it',
    'a b/1.0+1/x-Y_1.z 1:1 warning REF_UNUSED: no action uses it',
  ]);
  expect(await faultsIn({ ...spec({}, 'a/12c'), ...spec({}, 'b_C/6.0.jre7') })).toEqual([
    'a/12c 1:1 warning VERSION_BAD: 12c is not a valid version: use a name such as 1.2.0',
  ]);
});

it('a version has plain files alone, and a specification', async () => {
  const tree = {
    'a/1.0.0/.hidden': '',
    'a/1.0.0/in/x.txt': '',
    'a/1.0.0/in/deep/k.txt': SECRET,
    'a/1.0.0/k.txt': SECRET,
    'a/1.0.0/icon.png': 'GIF89a',
  };
  const before = (root: string): void => {
    symlinkSync('/etc/passwd', join(root, 'packages/a/1.0.0/link'));
  };
  expect(await faultsIn(tree, { before })).toEqual([
    'a/1.0.0/.hidden 1:1 error MISPLACED: it is hidden: remove or rename it',
    'a/1.0.0/icon.png 1:1 warning ICON_TYPE: it is not a PNG image',
    'a/1.0.0/in 1:1 error NESTED_FOLDER: the packager cannot sign a folder: move its files up',
    'a/1.0.0/in/deep/k.txt 1:1 error SECRET_KEY: it contains a secret key, which everyone could read',
    'a/1.0.0/k.txt 1:1 error SECRET_KEY: it contains a secret key, which everyone could read',
    'a/1.0.0/link 1:1 error MISPLACED: it is a symbolic link: put the file itself there',
    'a/1.0.0/spec.json 1:1 error SPEC_MISSING: it does not exist: create it, or remove the folder',
  ]);
});

it('an icon is a PNG image', async () => {
  const mark = Buffer.from('89504e470d0a1a0a', 'hex');
  for (const icon of [mark, Buffer.concat([mark, Buffer.alloc(100)])])
    expect(await faultsIn({ ...spec({}), 'a/1.0.0/icon.png': icon })).toEqual([]);
  for (const icon of [mark.subarray(0, 7), Buffer.concat([Buffer.alloc(1), mark])])
    expect(await faultsIn({ ...spec({}), 'a/1.0.0/icon.png': icon })).toEqual([
      'a/1.0.0/icon.png 1:1 warning ICON_TYPE: it is not a PNG image',
    ]);
});

it('beside the versions of a whole tree there are no links and secret keys', async () => {
  const before = (root: string): void => {
    writeFileSync(join(root, 'packages/.hidden'), '');
    symlinkSync('/etc', join(root, 'packages/a/link'));
    writeFileSync(join(root, 'packages/a/key.txt'), SECRET);
    mkdirSync(join(root, 'docs'));
    writeFileSync(join(root, 'docs/key.txt'), SECRET);
    writeFileSync(join(root, 'packages.json'), '[]');
  };
  expect(await faultsIn(spec({}), { before })).toEqual([
    'docs/key.txt 1:1 error SECRET_KEY: it contains a secret key, which everyone could read',
    'packages.json 1:1 warning CATALOG_STALE: it does not list a 1.0.0; build the hub again, unless this is intended',
    '.hidden 1:1 error MISPLACED: it is hidden: remove or rename it',
    'a/key.txt 1:1 error SECRET_KEY: it contains a secret key, which everyone could read',
    'a/link 1:1 error MISPLACED: it is a symbolic link: put the file itself there',
  ]);
  const off = { SECRET_KEY: 'off', CATALOG_STALE: 'off', MISPLACED: 'off' } as const;
  expect(await faultsIn(spec({}), { before, severities: new Map(Object.entries(off)) })).toEqual([]);
  const only = [{ name: 'a', version: '1.0.0' }];
  expect(await faultsIn(spec({}), { before, trees: (root) => [{ root, only }] })).toEqual([]);
});

it('files do not change without their version, unless that is a snapshot', async () => {
  const tree = { ...spec({}), ...spec({}, 'a/12c'), ...spec({}, 'a/1.0.1-SNAPSHOT') };
  const changed = new Map(
    ['1.0.0', '12c', '1.0.1-SNAPSHOT', '2.0.0'].map((version) => [`a/${version}`, ['x', 'in/y']]),
  );
  expect(await faultsIn(tree, { trees: (root) => [{ root, changed }] })).toEqual([
    'a/1.0.0/in/y 1:1 error VERSION_NOT_RAISED: it has changed, but the version has not: give the package a new version',
    'a/1.0.0/x 1:1 error VERSION_NOT_RAISED: it has changed, but the version has not: give the package a new version',
    'a/12c 1:1 warning VERSION_BAD: 12c is not a valid version: use a name such as 1.2.0',
    'a/12c/in/y 1:1 error VERSION_NOT_RAISED: it has changed, but the version has not: give the package a new version',
    'a/12c/x 1:1 error VERSION_NOT_RAISED: it has changed, but the version has not: give the package a new version',
  ]);
});

/** The faults of a specification that is this text, but for those of its members. */
const faultsOf = async (content: string | Uint8Array): Promise<readonly string[]> => {
  const { faults, ...counts } = await linted({ 'a/1.0.0/spec.json': content });
  return linesOf({ ...counts, faults: faults.filter(({ rule }) => rule === 'BAD_JSON' || rule === 'DUP_KEY') });
};

it('a specification is a JSON object', async () => {
  const text = JSON.stringify(GOOD);
  expect(await faultsOf('"text"')).toEqual(['a/1.0.0/spec.json 1:1 error BAD_JSON: it is not a JSON object']);
  expect(await faultsOf(`{\n "a": "b" "c"}`)).toEqual([
    'a/1.0.0/spec.json 2:11 error BAD_JSON: invalid JSON from here: a comma, quote or bracket may be missing',
  ]);
  expect(await faultsOf('{"a": "\ufeff')).toEqual([
    'a/1.0.0/spec.json 1:9 error BAD_JSON: invalid JSON from here: a comma, quote or bracket may be missing',
  ]);
  expect(await faultsOf(`\ufeff${text}x`)).toEqual([
    'a/1.0.0/spec.json 1:104 error BAD_JSON: invalid JSON from here: a comma, quote or bracket may be missing',
  ]);
  expect(await faultsOf(`\ufeff${text}`)).toEqual([]);
  expect(await faultsOf(Buffer.from('7b0a2261ff', 'hex'))).toEqual([
    'a/1.0.0/spec.json 2:3 error BAD_JSON: it is not valid UTF-8',
  ]);
  expect(await faultsOf(Buffer.concat([Buffer.from(text), Buffer.from([0xc3])]))).toEqual([
    'a/1.0.0/spec.json 1:103 error BAD_JSON: it is not valid UTF-8',
  ]);
  expect(await faultsOf('['.repeat(5000))).toEqual([
    'a/1.0.0/spec.json 1:1 error BAD_JSON: it is nested deeper than 64 levels (at byte 64)',
  ]);
  expect(await faultsOf(Buffer.alloc(4 * 1024 * 1024 + 1, ' '))).toEqual([
    'a/1.0.0/spec.json 1:1 error BAD_JSON: it is larger than the limit of 4194304 bytes',
  ]);
});

it('a specification has no member twice', async () => {
  const long = 'x'.repeat(61);
  const twice = (name: string): string => `{"a": 1,\n"${name}": 1,\n\n "${name}": 2}`;
  expect(await faultsOf(twice(long))).toEqual([
    'a/1.0.0/spec.json 4:2 error DUP_KEY: duplicate member "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx", first in line 2',
  ]);
  expect(await faultsOf(`{"a":\n${twice('b')}, "a": 1}`)).toEqual([
    'a/1.0.0/spec.json 5:2 error DUP_KEY: duplicate member "b", first in line 3',
    'a/1.0.0/spec.json 5:11 error DUP_KEY: duplicate member "a", first in line 2',
  ]);
  expect(await faultsOf(`{${'"a": 1,\n'.repeat(101)}"b": 1}`)).toHaveLength(100);
  expect(await faultsOf(`{${'"a": 1,\n'.repeat(103)}"b": 1}`)).toHaveLength(100);
  const tree: Tree = {
    ...spec({ actions: [{ type: 'deploy_app', arguments: [{ name: 'config', value: 'c.json' }] }] }),
    'a/1.0.0/c.json': '{',
  };
  expect(await faultsIn(tree)).toEqual([
    'a/1.0.0/c.json 1:1 warning REF_UNUSED: no action uses it',
    'a/1.0.0/c.json 1:2 error BAD_JSON: invalid JSON from here: a comma, quote or bracket may be missing',
    'a/1.0.0/spec.json 7:3 warning INPUT_ASKED: action 1 has no argument jar; users must provide it',
    'a/1.0.0/spec.json 12:15 warning ARG_UNKNOWN: deploy_app has no argument "config"; it is ignored',
  ]);
});

it('an icon of a category is an image, and nothing hidden is beside it', async () => {
  const before = (root: string): void => {
    for (const [name, icon] of Object.entries({ good: '89504e470d0a1a0a', text: '69636f6e' })) {
      mkdirSync(join(root, 'categories', name), { recursive: true });
      writeFileSync(join(root, 'categories', name, 'icon.png'), Buffer.from(icon, 'hex'));
    }
    writeFileSync(join(root, 'categories/good/.hidden'), '');
  };
  expect(await faultsIn(spec({}), { before })).toEqual([
    'categories/good/.hidden 1:1 error MISPLACED: it is hidden: remove or rename it',
    'categories/text/icon.png 1:1 warning ICON_TYPE: it is not a PNG image',
  ]);
});
