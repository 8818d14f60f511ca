import { linkSync, mkdtempSync, readdirSync, readFileSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { removeLeftPartials, restingPartial } from '../../../src/state/partial-file-names.js';
import { createResumable, type ResumableFile } from '../../../src/state/resumable-file.js';
import { ownMark } from '../../../src/state/temporary.js';
import { temporaryFolder } from './support.js';
import { codeOf } from '../../support/errors.js';

const root = temporaryFolder();
const { signal } = new AbortController();
const HALF = Buffer.alloc(1_500_000, 'some bytes');
let target = '';

beforeEach(() => {
  target = join(mkdtempSync(join(root, 'partial-')), 'big.jar');
});

const folder = (): string => join(target, '..');
const create = (address = 'here'): Promise<ResumableFile> => createResumable(target, address, {}, signal);

async function leaveHalf(): Promise<void> {
  const file = await create();
  file.begin('"one"');
  file.write(HALF);
  file.leave();
  expect(readdirSync(folder())).toHaveLength(2);
}

describe('a resumable file', () => {
  it('goes on with what was left, which is read and then not written again', async () => {
    await leaveHalf();
    const file = await create();
    expect(file.left).toMatchObject({ etag: '"one"', bytes: HALF.length });
    file.goOn();
    for await (const piece of file.contents()) file.write(piece);
    file.write('and the end');
    await file.commit();
    expect(readFileSync(target).equals(Buffer.concat([HALF, Buffer.from('and the end')]))).toBe(true);
    expect(readdirSync(folder())).toEqual(['big.jar']);
  });

  it('begins anew with what was left of another file', async () => {
    await leaveHalf();
    const file = await create();
    file.begin('"two"');
    expect(file.left).toBeUndefined();
    file.write('short');
    file.leave();
    expect((await create()).left).toMatchObject({ etag: '"two"', bytes: 5 });
  });

  it('leaves nothing without a tag, and nothing when it is given up', async () => {
    const untagged = await create();
    untagged.begin(undefined);
    untagged.write(HALF);
    untagged.leave();
    expect(readdirSync(folder())).toEqual([]);
    await leaveHalf();
    await (await create()).abort();
    expect(readdirSync(folder())).toEqual([]);
  });

  it('is not taken over by two', async () => {
    await leaveHalf();
    const first = await create();
    expect((await create()).left).toBeUndefined();
    expect(first.left?.bytes).toBe(HALF.length);
  });

  it('takes over nothing of another address', async () => {
    await leaveHalf();
    const file = await create('elsewhere');
    expect(file.left).toBeUndefined();
    expect(readdirSync(folder()).map((name) => join(folder(), name))).toEqual([file.path]);
    await file.abort();
    expect(readdirSync(folder())).toEqual([]);
  });

  it.each([
    ['a link', symlinkSync],
    ['a second name of another file', linkSync],
  ])('takes over nothing that is %s, and leaves the other file as it was', async (_, plant) => {
    await leaveHalf();
    const other = join(folder(), 'precious');
    renameSync(restingPartial(target).bytes, other);
    plant(other, restingPartial(target).bytes);
    const file = await create();
    expect(file.left).toBeUndefined();
    file.begin('"one"');
    await file.abort();
    expect(readFileSync(other).equals(HALF)).toBe(true);
    expect(readdirSync(folder())).toEqual(['precious']);
  });

  it('keeps what was left when it is stopped while it looks at it', async () => {
    await leaveHalf();
    const stopped = AbortSignal.abort(new Error('stopped'));
    await expect(createResumable(target, 'here', {}, stopped)).rejects.toThrow('stopped');
    expect(readdirSync(folder()).filter((name) => name.endsWith('.tmp'))).toEqual([]);
    expect(readdirSync(folder())).toHaveLength(2);
  });

  it('is EXISTS before anything of it is touched', async () => {
    await leaveHalf();
    writeFileSync(target, 'mine');
    expect(await codeOf(create)).toBe('EXISTS');
    expect(readdirSync(folder())).toHaveLength(3);
  });
});

describe('removeLeftPartials', () => {
  it('removes those of dead runs and resting ones, of this file alone', async () => {
    await leaveHalf();
    const stem = restingPartial(target).bytes.replace(/\.partial$/u, '');
    const [host = '', , start = ''] = ownMark().split('-');
    writeFileSync(`${stem}-${host}-999999999-${start}.partial`, 'of a dead run');
    writeFileSync(`${stem}-00000000-1-x.partial`, 'of another host');
    writeFileSync(restingPartial(join(folder(), 'other.jar')).bytes, 'of another file');
    writeFileSync(`${stem}-${ownMark()}.partial`, 'of a living run');
    removeLeftPartials(target);
    const left = readdirSync(folder()).map((name) => readFileSync(join(folder(), name), 'utf8'));
    expect(left.sort()).toEqual(['of a living run', 'of another file', 'of another host']);
  });
});
