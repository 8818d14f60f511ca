import {
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { FaultList, MOST_FAULTS } from '../../../../../src/services/hosting/tree/fault-list.js';
import { ID_BYTES, isSettled, sizeOf, stampOf } from '../../../../../src/services/hosting/tree/file-stamp.js';
import { futurePath } from '../../../../../src/services/hosting/tree/future-path.js';
import { madeFolder } from '../../../../../src/services/hosting/tree/create-folder.js';
import { nameClashes } from '../../../../../src/services/hosting/tree/name-clash.js';
import { readSmall } from '../../../../../src/services/hosting/tree/read-small.js';
import { recall, remember } from '../../../../../src/services/hosting/tree/tree-memory.js';
import { errorOf, saidBy, thrownBy } from '../../../../support/errors.js';
import { withTempDir } from '../../../../support/processes/run-cli.js';

describe('notes of a tree', () => {
  const pieces = ['one', '', 'two'].map((text) => Buffer.from(text));

  it('are those of the same words and version', () =>
    withTempDir(async (home) => {
      const stateFolder = join(home, 'state');
      const place = { stateFolder, version: '1.0.0', words: ['sign', '/hub'] };
      expect(await recall(place)).toBeUndefined();
      await remember(place, pieces);
      expect((await recall(place))?.toString()).toBe('onetwo');
      expect(await recall({ ...place, version: '1.0.1' })).toBeUndefined();
      expect(await recall({ ...place, words: ['sign/hub'] })).toBeUndefined();
      await remember(place, []);
      expect((await recall(place))?.toString()).toBe('');
      const [name = ''] = readdirSync(join(stateFolder, 'trees'));
      expect([name.length, readdirSync(stateFolder)]).toEqual([64, ['trees']]);
      const file = join(stateFolder, 'trees', name);
      writeFileSync(file, readFileSync(file, 'latin1').replace('tree 1', 'tree 2'), 'latin1');
      expect(await recall(place)).toBeUndefined();
    }));

  it('are not written where there is no place for them', () =>
    withTempDir(async (home) => {
      writeFileSync(join(home, 'state'), '');
      const place = { stateFolder: join(home, 'state'), version: '1.0.0', words: [] };
      await remember(place, pieces);
      expect(readdirSync(home)).toEqual(['state']);
    }));
});

describe('a list of faults', () => {
  const fault = (file: string) => ({ file, code: 'BAD_SOURCE' as const, message: 'it is odd' });

  it('is sorted by file', () => {
    const list = new FaultList();
    list.add(['b', 'a'].map(fault));
    list.add(['c', 'a'].map(fault));
    expect(list.lines()).toEqual(['a: it is odd', 'a: it is odd', 'b: it is odd', 'c: it is odd']);
    expect([list.count, list.sorted().length]).toEqual([4, 4]);
  });

  it('counts those that it does not keep', () => {
    const list = new FaultList();
    for (let at = 0; at <= MOST_FAULTS; at += 1) list.add([fault('a')]);
    const lines = list.lines();
    expect([lines.length, lines.at(-1)]).toEqual([MOST_FAULTS + 1, 'and 1 more']);
  });
});

describe('the stamp of a file', () => {
  it('is another after each change, and tells when that was', () =>
    withTempDir(async (folder) => {
      const file = join(folder, 'a');
      expect([stampOf(file), sizeOf(file), stampOf(join(file, 'b'))]).toEqual([undefined, undefined, undefined]);
      writeFileSync(file, 'text');
      const stamp = stampOf(file);
      expect([stamp?.size, sizeOf(file), stamp?.changedAt]).toEqual([4, 4, Math.floor(statSync(file).ctimeMs)]);
      expect(Buffer.from(stamp?.id ?? '', 'base64')).toHaveLength(ID_BYTES);
      expect(stampOf(file)).toEqual(stamp);
      utimesSync(file, 1, 4_000_000_000);
      expect([stampOf(file)?.changedAt, stampOf(file)?.id === stamp?.id]).toEqual([4_000_000_000_000, false]);
      expect(stampOf(join(folder, 'x'.repeat(300)))).toBeUndefined();
    }));

  it('can be trusted two seconds after a change', () => {
    const stamp = { size: 0, changedAt: 1000, id: '' };
    expect([3000, 3001].map((before) => isSettled(stamp, before))).toEqual([false, true]);
  });
});

describe('a folder of a hub', () => {
  it('is made with those above it, and has its real path before', () =>
    withTempDir(async (home) => {
      mkdirSync(join(home, 'real'));
      symlinkSync(join(home, 'real'), join(home, 'link'));
      expect(await futurePath(join(home, 'link/a/b'))).toBe(join(await futurePath(home), 'real/a/b'));
      expect(madeFolder(join(home, 'real/a/b'))).toBe(join(home, 'real/a/b'));
      expect(statSync(join(home, 'real/a/b')).isDirectory()).toBe(true);
      writeFileSync(join(home, 'file'), '');
      const path = join(home, 'file/a');
      const said = {
        code: 'LOCAL_IO',
        message: `cannot write ${path}: part of the path is not a folder`,
        target: { file: path },
      };
      expect(saidBy(await errorOf(futurePath(path)))).toEqual(said);
      expect(saidBy(thrownBy(() => madeFolder(path)))).toEqual(said);
    }));
});

it('a small file is read whole, up to a limit, and behind no link', () =>
  withTempDir(async (folder) => {
    const file = join(folder, 'a');
    const most = 4 * 1024 * 1024;
    writeFileSync(file, Buffer.alloc(most, 'x'));
    expect((await readSmall(file)).length).toBe(most);
    writeFileSync(file, '');
    expect((await readSmall(file)).length).toBe(0);
    writeFileSync(file, Buffer.alloc(most + 1));
    expect(saidBy(await errorOf(readSmall(file)))).toEqual({
      code: 'TOO_LARGE',
      message: `it is larger than the limit of ${most} bytes`,
    });
    symlinkSync(file, join(folder, 'link'));
    expect((await errorOf(readSmall(join(folder, 'link')))).code).toBe('SYMLINK');
    rmSync(file);
    expect((await errorOf(readSmall(file))).message).toBe(`${file} does not exist`);
  }));

it('V10: tells which actions use files that they cannot', () => {
  const jar = (...values: readonly unknown[]) => ({
    type: 'deploy_app',
    arguments: values.map((value) => ({ name: 'jar', value })),
  });
  const files = ['x.jar', 'x.jar.asc', 'y.asc'];
  const actions = [
    'none',
    { type: 1 },
    { type: 'unknown', arguments: [{ name: 'jar', value: 'icon.png' }] },
    jar('SPEC.JSON', 'Icon.png', 'license.TXT', 'x.jar', 7, ['x.jar.ASC', 'y.asc']),
    { type: 'deploy_app', arguments: ['jar', { name: 'other', value: 'icon.png' }] },
    { type: 'create_stream', arguments: [{ name: 'name', value: 'icon.png' }] },
    { type: 'deploy_app', arguments: { name: 'jar', value: 'icon.png' } },
  ];
  expect(nameClashes({ actions }, files)).toEqual([
    'action 4 uses "SPEC.JSON", which is the specification itself',
    'action 4 uses "Icon.png", which is never signed',
    'action 4 uses "license.TXT", which is never signed',
    'action 4 uses "x.jar.ASC", which is the signature of x.jar',
    'action 7 uses "icon.png", which is never signed',
  ]);
  expect(nameClashes({ actions: jar('spec.json') }, files)).toEqual([
    'action 1 uses "spec.json", which is the specification itself',
  ]);
  expect(nameClashes({}, files)).toEqual([]);
});
