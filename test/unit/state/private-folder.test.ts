import {
  chmodSync,
  chownSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import {
  checkFolder,
  checkOwner,
  checkPrivateFolder,
  privateFolder,
  safeFolder,
} from '../../../src/state/private-folder.js';
import { readOwn } from '../../../src/state/read-state-file.js';
import { makePipe, temporaryFolder } from './support.js';
import { codeOf, errorOf, refusalOf, thrownBy } from '../../support/errors.js';

const root = temporaryFolder();
let folder = '';

beforeEach(() => {
  folder = join(mkdtempSync(join(root, 'private-')), 'cdapctl');
});

describe('privateFolder', () => {
  it('makes the folder and its parents for us alone, and takes it again', async () => {
    const inner = join(folder, 'installs');
    expect(await privateFolder(inner)).toBe(inner);
    expect(await privateFolder(inner)).toBe(inner);
    expect([folder, inner].map((path) => statSync(path).mode & 0o777)).toEqual([0o700, 0o700]);
  });

  it.each([0o770, 0o702, 0o777, 0o722])('refuses a folder of mode %o that others may write (L12)', async (mode) => {
    mkdirSync(folder);
    chmodSync(folder, mode);
    expect(await errorOf(() => privateFolder(folder))).toMatchObject({
      code: 'STATE_PERMS',
      details: { hints: [`chmod go-w ${folder}`] },
    });
    expect(await codeOf(() => privateFolder(folder, { code: 'TRUST_PERMS' }))).toBe('TRUST_PERMS');
  });

  it.each([0o700, 0o755, 0o750])('takes a folder of mode %o', async (mode) => {
    mkdirSync(folder);
    chmodSync(folder, mode);
    expect(await privateFolder(folder)).toBe(folder);
  });

  it('refuses a link, even one to a folder of ours (L11)', async () => {
    symlinkSync(root, folder);
    expect(await codeOf(() => privateFolder(folder))).toBe('SYMLINK');
  });

  it.each([0o1777, 0o1770])('does not tell to close a folder for everybody, of mode %o', async (mode) => {
    mkdirSync(folder);
    chmodSync(folder, mode);
    const hints = ['use a folder that only you can change'];
    expect(await errorOf(() => privateFolder(folder))).toMatchObject({ code: 'STATE_PERMS', details: { hints } });
  });

  it('refuses a device or a file as the folder of the configuration, but not where its home is none', () => {
    writeFileSync(folder, '');
    const paths = ['/dev/null', folder, '/dev/null/.config/cdapctl', join(folder, 'none'), root];
    const refusals = paths.map((path) =>
      refusalOf(() => {
        checkFolder(path);
      }),
    );
    expect(refusals).toEqual([
      '/dev/null is not a folder',
      `${folder} is not a folder`,
      ...[undefined, undefined, undefined],
    ]);
  });

  it('refuses a device or a file as the folder of all others', () => {
    writeFileSync(folder, '');
    for (const path of ['/dev/null', folder])
      expect(() => safeFolder(path)).toThrow(
        expect.objectContaining({
          code: 'LOCAL_IO',
          message: `${path} is not a folder`,
          details: { target: { file: path } },
        }),
      );
  });

  it('refuses a file in its place', async () => {
    writeFileSync(folder, '');
    expect(await errorOf(() => privateFolder(folder))).toMatchObject({
      code: 'LOCAL_IO',
      message: `${folder} is not a folder`,
    });
  });

  it('does not make a folder where it only looks', () => {
    expect(checkPrivateFolder(folder)).toBe(false);
    expect(readdirSync(join(folder, '..'))).toEqual([]);
  });
});

describe('checkOwner', () => {
  it.each([
    [1000, 0o40700, 1000, undefined],
    [0, 0o40755, 1000, undefined],
    [1001, 0o40700, 1000, 'belongs to another user'],
    [1001, 0o40700, 0, 'belongs to another user'],
    [1000, 0o40720, 1000, 'is writable by other users'],
    [0, 0o40777, 1000, 'is writable by other users'],
  ])('judges owner %i, mode %o for user %i: %s', (uid, mode, user, problem) => {
    const check = (): void => {
      checkOwner('/x', { uid, mode }, { code: 'TRUST_PERMS', user });
    };
    expect(refusalOf(check)).toBe(problem && `/x ${problem}`);
    if (problem !== undefined) expect(thrownBy(check).code).toBe('TRUST_PERMS');
  });
});

describe('readOwn', () => {
  it('gives the bytes, or undefined for a file or folder that is not there', async () => {
    mkdirSync(folder);
    writeFileSync(join(folder, 'a'), 'text', { mode: 0o600 });
    expect((await readOwn(join(folder, 'a')))?.toString()).toBe('text');
    expect(await readOwn(join(folder, 'b'))).toBeUndefined();
    expect(await readOwn(join(folder, 'c', 'd'))).toBeUndefined();
  });

  it('reads through no link, from no folder, and does not wait at a pipe', async () => {
    mkdirSync(folder);
    writeFileSync(join(folder, 'a'), 'text');
    symlinkSync(join(folder, 'a'), join(folder, 'link'));
    makePipe(join(folder, 'pipe'));
    expect(await codeOf(() => readOwn(join(folder, 'link')))).toBe('SYMLINK');
    expect(await codeOf(() => readOwn(join(folder, 'pipe')))).toBe('LOCAL_IO');
    expect(await codeOf(() => readOwn(folder))).toBe('LOCAL_IO');
  });

  it('refuses a file that others may write, or own', async () => {
    mkdirSync(folder);
    const file = join(folder, 'a');
    writeFileSync(file, 'text');
    chmodSync(file, 0o646);
    expect(await codeOf(() => readOwn(file, { code: 'TRUST_PERMS' }))).toBe('TRUST_PERMS');
    chmodSync(file, 0o600);
    if (statSync(file).uid === 0) chownSync(file, 4242, 4242);
    expect(await codeOf(() => readOwn(file, { user: statSync(file).uid + 1 }))).toBe('STATE_PERMS');
    expect(await readOwn(file, { user: statSync(file).uid })).toBeDefined();
  });
});
