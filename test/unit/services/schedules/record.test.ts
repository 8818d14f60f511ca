import { mkdtemp, readFile, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import {
  openRecord,
  readRecord,
  recordWith,
  refuseOpenRecord,
  refuseOtherPlatform,
  writeRecord,
  type ScheduleRecord,
} from '../../../../src/services/schedules/record.js';
import { codeOf, thrownBy } from '../../../support/errors.js';
import { failure } from '../pipelines/support.js';

const PLATFORM = 'http://platform.example:11015';
const one = (schedule: string, before: 'active' | 'suspended' = 'active') => ({
  ...{ namespace: 'etl', pipeline: 'orders', schedule, before },
});
const record: ScheduleRecord = {
  ...{ kind: 'ScheduleRecord', v: 1, platform: PLATFORM, at: '2024-05-02T22:00:00Z', reason: 'disks' },
  schedules: [one('a'), one('b', 'suspended')],
};

let file: string;
beforeEach(async () => {
  file = join(await mkdtemp(join(tmpdir(), 'record-')), 'window.json');
});

describe('a record of schedules', () => {
  it('is read as it was written, by all who may read the folder', async () => {
    await writeRecord(file, record, false);
    expect(await readRecord(file)).toEqual(record);
    expect(await readFile(file, 'utf8')).toBe(`${JSON.stringify(record, undefined, 2)}\n`);
    expect((await stat(file)).mode & 0o777).toBe(0o644);
  });

  it('is written over another one only where that is wanted', async () => {
    await writeRecord(file, record, false);
    expect(await codeOf(writeRecord(file, { ...record, reason: 'new' }, false))).toBe('EXISTS');
    await writeRecord(file, { ...record, reason: 'new' }, true);
    expect((await readRecord(file))?.reason).toBe('new');
  });

  it('is absent without a file', async () => {
    expect([await readRecord(file), await openRecord(file, PLATFORM)]).toEqual([undefined, undefined]);
  });

  it.each([
    ['', 'is not a record of schedules'],
    ['{', 'is not a record of schedules'],
    ['{}', 'is not a record of schedules'],
    [JSON.stringify({ ...record, v: 2 }), 'is not a record of schedules'],
    [JSON.stringify({ ...record, kind: 'Other' }), 'is not a record of schedules'],
    [JSON.stringify({ ...record, more: 1 }), 'is not a record of schedules'],
    [JSON.stringify({ ...record, schedules: [{ ...one('a'), before: 'x' }] }), 'is not a record of schedules'],
    [JSON.stringify({ ...record, schedules: [{ ...one('a'), more: 1 }] }), 'is not a record of schedules'],
    [Buffer.from([0xff]), 'is not UTF-8 text'],
  ])('is not %s', async (text, why) => {
    await writeFile(file, text);
    expect(await failure(readRecord(file))).toEqual({ code: 'USAGE', message: `${file} ${why}`, target: { file } });
    // What is there is not to be written over.
    expect(await failure(openRecord(file, PLATFORM))).toEqual({
      ...{ code: 'EXISTS', message: `${file} exists`, target: { file } },
      hints: [{ next: 'replace-file' }],
    });
  });

  it('may be larger than other files', async () => {
    const schedules = Array.from({ length: 5 }, (_, at) => one(`${at}`.repeat(1_000_000)));
    await writeRecord(file, { ...record, schedules }, false);
    expect((await stat(file)).size).toBeGreaterThan(4 * 1024 * 1024);
    expect((await readRecord(file))?.schedules).toHaveLength(5);
  });

  it('is continued while its window is open', async () => {
    await writeRecord(file, record, false);
    expect(await openRecord(file, `${PLATFORM}/`)).toEqual(record);
    await writeRecord(file, { ...record, resumedAt: '2024-05-03T00:00:00Z' }, true);
    expect(await codeOf(openRecord(file, PLATFORM))).toBe('EXISTS');
  });

  it('is not continued on another platform', async () => {
    await writeRecord(file, record, false);
    expect(await failure(openRecord(file, 'http://other.example'))).toEqual({
      ...{ code: 'CONFLICT', message: `${file} was written for another platform: ${PLATFORM}`, target: { file } },
    });
    const { code, details } = thrownBy(() => {
      refuseOtherPlatform(file, record, 'http://other.example');
    });
    expect([code, details]).toEqual(['CONFLICT', { target: { file } }]);
  });
});

describe('a file that may be replaced', () => {
  it.each<[string, string | object | undefined]>([
    ['none', undefined],
    ['what is no record', 'mine'],
    ['the record of a window that is over', { ...record, resumedAt: '2024-05-03T00:00:00Z' }],
    ['one without a schedule to resume', { ...record, schedules: [one('b', 'suspended')] }],
  ])('is %s', async (_, content) => {
    if (content !== undefined) await writeFile(file, typeof content === 'string' ? content : JSON.stringify(content));
    await expect(refuseOpenRecord(file)).resolves.toBeUndefined();
  });

  it('is not the record of an open window', async () => {
    await writeRecord(file, record, false);
    expect(await failure(refuseOpenRecord(file))).toEqual({
      ...{ code: 'CONFLICT', message: `${file} has 1 schedule that would no longer be resumed`, target: { file } },
      hints: [{ next: 'resume-record', file }, { next: 'other-record' }],
    });
  });
});

describe('what is added to a record', () => {
  const entry = { platform: PLATFORM, reason: undefined, at: '2024-05-02T23:00:00Z' };

  it('makes one where there is none', () => {
    const targets = [{ ...one('a'), more: 1 }, one('b', 'suspended')];
    const made = recordWith(undefined, { ...entry, targets });
    expect(made).toEqual({
      ...{
        kind: 'ScheduleRecord',
        v: 1,
        platform: PLATFORM,
        at: entry.at,
        schedules: [one('a'), one('b', 'suspended')],
      },
    });
    expect('reason' in made).toBe(false);
  });

  it('keeps what was active when the window began, its time and its reason', () => {
    const targets = [one('a', 'suspended'), one('b', 'active'), one('c', 'suspended')];
    expect(recordWith(record, { ...entry, targets })).toEqual({
      ...record,
      schedules: [one('a'), one('b'), one('c', 'suspended')],
    });
  });

  it('may have another reason', () => {
    expect(recordWith(record, { ...entry, reason: 'network', targets: [] })).toEqual({ ...record, reason: 'network' });
  });

  it('tells schedules of one name apart by pipeline and namespace', () => {
    const targets = [
      one('a'),
      { ...one('a', 'suspended'), pipeline: 'x' },
      { ...one('a', 'suspended'), namespace: 'x' },
    ];
    expect(recordWith(undefined, { ...entry, targets }).schedules).toEqual(targets);
  });
});
