import {
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  mirrorFolder,
  readMirrorState,
  writeMirrorState,
  type MirrorFolder,
  type MirrorState,
} from '../../../../../src/services/hosting/mirror/folder/mirror-folder.js';
import { namesIn } from '../../../../../src/services/hosting/mirror/folder/folder-names.js';
import { VersionRecord } from '../../../../../src/services/hosting/mirror/folder/records.js';
import { stampOf } from '../../../../../src/services/hosting/tree/file-stamp.js';
import { errorOf, saidBy, thrownBy } from '../../../../support/errors.js';

const BASE = 'https://hub.example.com/v2';
const WHOLE = { base: BASE, whole: true };
const PART = { base: BASE, whole: false };

let folder: MirrorFolder;
beforeEach(() => {
  folder = mirrorFolder(realpathSync(mkdtempSync(join(tmpdir(), 'cdapctl-mirror-'))));
  mkdirSync(folder.own);
});
afterEach(() => {
  rmSync(folder.root, { recursive: true });
});

/** How a folder is refused, with FOLDER in place of its path. */
const refused = async (wanted: Pick<MirrorState, 'base' | 'whole'>): Promise<unknown> =>
  JSON.parse(JSON.stringify(saidBy(await errorOf(readMirrorState(folder, wanted)))).replaceAll(folder.root, 'FOLDER'));
const put = (name: string, text = ''): void => {
  writeFileSync(join(folder.root, name), text);
};
const keep = (state: Pick<MirrorState, 'base' | 'whole'>): Promise<void> =>
  writeMirrorState(folder, { version: 1, ...state });

describe('what a folder mirrors', () => {
  it('is nothing where there is no hub, else what was kept of it, for any spelling of its address', async () => {
    put('notes.txt');
    expect(await readMirrorState(folder, WHOLE)).toBeUndefined();
    const state = { ...WHOLE, created: '2026-01-01T00:00:00Z', index: { sequence: 2, sha256: 'a' } };
    await keep(state);
    for (const base of [BASE, `${BASE}/`, 'https://hub.example.com'])
      expect(await readMirrorState(folder, { base, whole: true })).toEqual({ version: 1, ...state });
    await keep(PART);
    for (const whole of [true, false])
      expect(await readMirrorState(folder, { base: BASE, whole })).toEqual({ version: 1, ...PART });
  });

  it.each(['packages', 'packages.json', 'index.json'])('is unknown where it has %s of its own', async (name) => {
    put(name);
    expect(await refused(WHOLE)).toEqual({
      code: 'EXISTS',
      message: `FOLDER contains ${name}, but is not a mirror created by cdapctl`,
      hints: ['use another folder'],
      target: { file: 'FOLDER' },
    });
    mkdirSync(join(folder.own, 'signed'));
    expect(await refused(WHOLE)).toEqual({
      code: 'EXISTS',
      message: 'FOLDER is a mirror that was signed with a key of your own',
      hints: ['specify the secret key that signed it', 'use another folder for a mirror without one'],
      target: { file: 'FOLDER' },
    });
  });

  it.each(['{', '{"version":2}', '[]'])('cannot be read of %s', async (text) => {
    writeFileSync(folder.state, text);
    expect(await refused(WHOLE)).toEqual({
      code: 'LOCAL_IO',
      message: 'FOLDER/.cdapctl-mirror/state.json cannot be read',
      hints: ['use another folder'],
      target: { file: 'FOLDER/.cdapctl-mirror/state.json' },
    });
  });

  it('is neither another hub, nor more or less of it than it has a catalog or an index of', async () => {
    await keep(WHOLE);
    expect(await refused({ base: 'https://other.example.com', whole: true })).toEqual({
      code: 'USAGE',
      message: `FOLDER is the mirror of ${BASE}`,
      hints: [
        'use another folder for another hub',
        'if the hub has moved: "base" in FOLDER/.cdapctl-mirror/state.json',
      ],
    });
    expect(await refused(PART)).toEqual({
      code: 'USAGE',
      message: 'FOLDER is a mirror of the whole hub with its catalog',
      hints: ['use another folder for part of it'],
    });
    await keep(PART);
    put('index.json');
    expect(await refused(WHOLE)).toEqual({
      code: 'USAGE',
      message: 'FOLDER is a mirror of part of the hub with its own index',
      hints: ['use another folder for the whole hub'],
    });
    expect(await readMirrorState(folder, PART)).toEqual({ version: 1, ...PART });
  });

  it.each(['.cdapctl-mirror/records', '.cdapctl-mirror/state.json', 'packages'])(
    'is not read through a link at %s',
    async (name) => {
      const path = join(folder.root, name);
      symlinkSync(tmpdir(), path);
      const { code, message } = await errorOf(readMirrorState(folder, WHOLE));
      expect([code, message]).toEqual(['SYMLINK', expect.stringContaining(path)]);
    },
  );

  it('has the names in a folder in order, and none of one that is gone', () => {
    for (const name of ['b', 'a']) put(name);
    expect(namesIn(folder.root)).toEqual(['.cdapctl-mirror', 'a', 'b']);
    expect(namesIn(join(folder.root, 'none'))).toEqual([]);
  });
});

describe('what is known of the files of a version', () => {
  const LINE = { name: 'plug.jar', size: 1, mtime: 2, sha256: 'a'.repeat(64), etag: '"1"' };
  const path = () => join(folder.own, 'records/one/1.0.0.ndjson');
  const lines = () =>
    readFileSync(path(), 'utf8')
      .split('\n')
      .filter((line) => line !== '');

  it('is kept once, for who has the same keys', async () => {
    const record = await VersionRecord.read(path(), { by: 'K' });
    const absent = { name: 'plug.jar.asc', absent: true, basis: 'b' } as const;
    for (const line of [LINE, LINE, absent, absent]) record.note(line);
    expect(lines()).toEqual([JSON.stringify({ ...LINE, by: 'K' }), JSON.stringify(absent)]);
    for (const by of ['K', undefined]) {
      const again = await VersionRecord.read(path(), { by });
      expect([again.kept('plug.jar'), again.absent('plug.jar')]).toEqual([{ ...LINE, by: 'K' }, undefined]);
      expect([again.kept('plug.jar.asc'), again.absent('plug.jar.asc')]).toEqual([undefined, absent]);
      expect([again.kept('none'), again.absent('none')]).toEqual([undefined, undefined]);
    }
    expect((await VersionRecord.read(path(), { by: 'L' })).kept('plug.jar')).toBeUndefined();
  });

  it('is of a file in its place, where that has the size and the time that were noted', async () => {
    put('plug.jar', 'x');
    const place = join(folder.root, 'plug.jar');
    const { id } = stampOf(place) ?? { id: '' };
    const { mtimeMs: mtime } = statSync(place);
    const placed = async (line: typeof LINE, name = LINE.name): Promise<string | undefined> => {
      rmSync(path(), { force: true });
      const record = await VersionRecord.read(path());
      record.note(line);
      record.note({ name: 'gone.asc', absent: true });
      record.placed(name, place);
      record.placed('gone.asc', place);
      return (await VersionRecord.read(path())).kept(LINE.name)?.stamp;
    };
    expect(await placed({ ...LINE, mtime })).toBe(id);
    expect(await placed({ ...LINE, mtime: mtime + 1 })).toBeUndefined();
    expect(await placed({ ...LINE, mtime, size: 2 })).toBeUndefined();
    expect(await placed({ ...LINE, mtime }, 'other')).toBeUndefined();
    expect((await VersionRecord.read(path(), { recheck: true })).kept(LINE.name)).toEqual({ ...LINE, mtime });
  });

  it('is what of a record can be read, which is replaced where much of it does not count', async () => {
    mkdirSync(join(folder.own, 'records/one'), { recursive: true });
    const noted = (count: number): void => {
      const texts = Array.from({ length: count }, (_, at) => JSON.stringify({ ...LINE, size: at }));
      writeFileSync(path(), ['{"name":', ...texts, '{"name":"x"}', '{"name":"cut'].join('\n'));
    };
    noted(8);
    let record = await VersionRecord.read(path());
    expect([record.kept('plug.jar'), record.kept('x')]).toEqual([{ ...LINE, size: 7 }, undefined]);
    record.note({ ...LINE, size: 99 });
    expect([lines().length, (await VersionRecord.read(path())).kept('plug.jar')?.size]).toEqual([12, 99]);
    noted(9);
    record = await VersionRecord.read(path());
    record.note({ ...LINE, size: 99 });
    expect(lines()).toEqual([JSON.stringify({ ...LINE, size: 99 })]);
    record.note({ ...LINE, size: 100 });
    expect(lines()).toEqual([99, 100].map((size) => JSON.stringify({ ...LINE, size })));
  });

  it('cannot be kept where something else has its place', async () => {
    mkdirSync(path(), { recursive: true });
    const record = await VersionRecord.read(path());
    const noted = thrownBy(() => {
      record.note(LINE);
    });
    expect([noted.code, noted.message]).toEqual(['LOCAL_IO', `cannot write ${path()}: it is a folder`]);
  });
});
