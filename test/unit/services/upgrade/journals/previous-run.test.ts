import { mkdtempSync, writeFileSync } from 'node:fs';
import { basename, join, relative } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { newerRun } from '../../../../../src/services/upgrade/journals/newer-run.js';
import {
  findPrevious,
  type ResumeDeps,
  type ResumeOptions,
} from '../../../../../src/services/upgrade/journals/previous-run.js';
import { openRunJournal } from '../../../../../src/services/upgrade/journals/run-journal.js';
import { readUpgrade, recordKey } from '../../../../../src/state/read-upgrade-journal.js';
import type { UpgradeSelection } from '../../../../../src/state/upgrade-journal.js';
import { errorOf, saidBy } from '../../../../support/errors.js';
import { temporaryFolder } from '../../../state/support.js';
import { SELECTION } from '../in-memory.js';
import { done, ended, FINISHED, journalsIn, URL } from './support.js';

const root = temporaryFolder();
let state = '';
let journal = journalsIn(state);
const warnings: string[] = [];
beforeEach(() => {
  state = mkdtempSync(join(root, 'previous-'));
  journal = journalsIn(state);
  warnings.length = 0;
});

const deps = (): ResumeDeps => ({
  stateFolder: state,
  url: URL,
  emit: (event) => {
    if (event.type === 'warning') warnings.push(event.message);
  },
});

const previous = (more: Partial<ResumeOptions> = {}, given: Partial<UpgradeSelection> = {}) => {
  const flags = { resume: true, 'only-failed': false, isChoosing: false, saysNamespace: false, ...more };
  return findPrevious(flags, { ...SELECTION, ...given }, deps());
};
const foundAs = async (...options: Parameters<typeof previous>) => {
  const found = await previous(...options);
  return { ...found, ...('previous' in found && { previous: found.previous.file }) };
};
const fileOf = async (...options: Parameters<typeof previous>) => {
  const found = await previous(...options);
  return found.state === 'found' ? found.previous.file : undefined;
};
const refusal = async (...options: Parameters<typeof previous>) => saidBy(await errorOf(previous(...options)));

const FAILED = { resume: false, 'only-failed': true };
const ETL = { namespace: 'etl' };
const P = { match: ['p*'] };

describe('the run that is resumed', () => {
  it('is none where nothing is to be resumed', async () => {
    await journal(done('a'));
    expect(await previous({ resume: false })).toEqual({ state: 'new' });
  });

  it('is the newest upgrade of the platform that was cut off', async () => {
    await journal(done('a'));
    const of = await journal(done('b'));
    await journal(done('c'), { platform: 'http://other:11015' });
    await journal(done('b'), { command: 'rollback', of });
    expect(await fileOf()).toBe(of);
  });

  it('is that of a journal by path or name, also when it is complete', async () => {
    const file = await journal([...done('a'), FINISHED]);
    await journal(done('b'));
    expect([await fileOf({ journal: file }), await fileOf({ journal: basename(file) })]).toEqual([file, file]);
  });

  it('has its failures retried when it is complete', async () => {
    const file = await journal([...ended('a', 'failed'), FINISHED]);
    expect(await fileOf(FAILED)).toBe(file);
  });

  it('is, behind a complete one, the newest that chose the same pipelines', async () => {
    await journal(done('a'), { selection: P });
    const own = await journal(done('a'), { selection: { ...P, running: 'skip', engine: 'server' } });
    await journal(done('a'), { selection: P, command: 'rollback', of: own });
    await journal([...done('b'), FINISHED]);
    expect(await fileOf({ isChoosing: true }, { ...P, running: 'skip', engine: 'server' })).toBe(own);
  });

  it('is none where the pipelines that are chosen were never upgraded', async () => {
    expect(await previous({ isChoosing: true })).toEqual({ state: 'new' });
    await journal([...done('b'), FINISHED]);
    expect(await previous({ isChoosing: true }, P)).toEqual({ state: 'new' });
  });
});

describe('a run that is not there', () => {
  it.each([{}, FAILED, { ...FAILED, isChoosing: true }])('is none at all (%j)', async (flags) => {
    expect(await previous(flags)).toEqual({ state: 'none' });
  });

  it.each([
    ['done', false],
    ['failed', true],
  ] as const)('is told with the newest one, whose pipelines are %s', async (ending, hasFailed) => {
    const file = await journal([...done('a'), ...ended('b', ending), FINISHED]);
    const complete = { state: 'complete', previous: file, hasFailed };
    expect(await foundAs()).toEqual({ ...complete, newer: undefined });
    const back = await journal(done('a'), { command: 'rollback', of: file });
    const newer = { command: 'rollback', at: '2026-05-01T00:00:02.000Z', journal: back };
    expect(await foundAs()).toEqual({ ...complete, newer });
  });

  it('is told with the same choice, where that is complete, too', async () => {
    const file = await journal([...done('a'), FINISHED], { selection: P });
    await journal([...done('b'), FINISHED]);
    expect(await foundAs({ isChoosing: true }, P)).toMatchObject({ state: 'complete', previous: file });
  });
});

describe('a run of something else', () => {
  it('is no rollback', async () => {
    const file = await journal(done('a'), { command: 'rollback' });
    expect(await refusal({ journal: file })).toEqual({
      code: 'USAGE',
      message: `${file} is the journal of a rollback`,
      hints: [{ next: 'help-upgrade' }],
    });
  });

  it('is none of another platform', async () => {
    const file = await journal(done('a'), { platform: 'http://other:11015' });
    expect(await refusal({ journal: file })).toEqual({
      code: 'USAGE',
      message: `${file} is the journal of an upgrade of http://other:11015, not of ${URL}`,
    });
  });

  it.each<[boolean, Partial<ResumeOptions>, Partial<UpgradeSelection>]>([
    [true, {}, {}],
    [true, {}, { namespace: 'default' }],
    [true, {}, { ...P, namespace: 'default' }],
    [true, { saysNamespace: true }, { ...P, ...ETL }],
    [false, { saysNamespace: true }, ETL],
    [false, { saysNamespace: true }, { ...P, namespace: 'default' }],
    [false, {}, { match: ['q*'] }],
    [false, {}, { ...P, includeCurrent: true }],
    [true, {}, { running: 'skip' }],
    [true, { saysNamespace: true }, { ...P, ...ETL, running: 'fail' }],
  ])('is (%s) the same choice: %j %j', async (isSame, flags, given) => {
    const file = await journal(done('a'), { selection: { ...P, ...ETL } });
    const selection = { ...SELECTION, ...P, ...ETL };
    expect(await foundAs(flags, given)).toEqual(
      isSame ? { state: 'found', previous: file } : { state: 'other', previous: file, selection },
    );
  });
});

describe('a newer run', () => {
  const newer = async (file: string) => newerRun(await readUpgrade(file), deps());

  it('is the newest upgrade that may have changed the same pipelines', async () => {
    const file = await journal(done('a'), { selection: ETL });
    expect(await newer(file)).toBeUndefined();
    await journal(done('a'), { selection: { namespace: 'default' } });
    await journal(done('a'), { selection: ETL, platform: 'http://other:11015' });
    expect(await newer(file)).toBeUndefined();
    await journal(done('a'), { selection: ETL });
    const newest = await journal(done('a'));
    expect(await newer(file)).toEqual({ command: 'upgrade', at: '2026-05-01T00:00:05.000Z', journal: newest });
  });

  it('is a rollback of it, itself or beside others', async () => {
    const file = await journal(done('a'));
    await journal(done('a'), { command: 'rollback', of: '/other', also: ['/another'] });
    expect(await newer(file)).toBeUndefined();
    const beside = await journal(done('a'), { command: 'rollback', of: '/other', also: ['/another', file] });
    expect(await newer(relative('', file))).toMatchObject({ command: 'rollback', journal: beside });
    const own = await journal(done('a'), { command: 'rollback', of: file });
    expect(await newer(file)).toMatchObject({ command: 'rollback', journal: own });
  });

  it('is not known where a journal cannot be read, which is told', async () => {
    const file = await journal(done('a'));
    writeFileSync(await journal(done('a')), 'no journal\n');
    expect(await newer(file)).toBeUndefined();
    expect(warnings).toEqual([expect.stringMatching(/.; whether a newer run exists is not known$/u)]);
  });
});

describe('the journal of a run', () => {
  const run = { command: 'upgrade', platform: URL, platformVersion: '6.11.0', selection: SELECTION } as const;
  const options = () => ({ run, previous: undefined, tried: [], stateFolder: state, now: Date.UTC(2026, 5, 1) });

  it('is that of the run that is resumed, unless another run has done so', async () => {
    const file = await journal(done('a'));
    const read = await readUpgrade(file);
    const own = await openRunJournal({ ...options(), previous: read });
    await own.append(FINISHED);
    await own.close();
    expect(await readUpgrade(file)).toMatchObject({ file, finished: true, lines: 4 });
    const error = await errorOf(openRunJournal({ ...options(), previous: read }));
    expect(saidBy(error)).toEqual({
      code: 'CONFLICT',
      message: `another run has already resumed the journal ${file}; nothing was changed`,
      hints: ['run the same command again to make a new plan'],
      target: { file },
    });
  });

  it('is a new one, which begins with what is left of the pipelines that are tried', async () => {
    const { records } = await readUpgrade(await journal([...done('a'), ...done('b')]));
    const damaged = { ...records.get(recordKey('etl', 'b')), sending: () => Promise.reject(new Error('damaged')) };
    const left = new Map([...records, [recordKey('etl', 'b'), damaged as never]]);
    const tried = ['a', 'b', 'c'].map((name) => ({ namespace: 'etl', name }));
    const own = await openRunJournal({ ...options(), tried, left });
    await own.close();
    const file = join(state, 'upgrades', '2026-06-01T00-00-00Z.ndjson');
    const read = await readUpgrade(file);
    expect([read.run.at, [...read.records.keys()]]).toEqual(['2026-06-01T00:00:00.000Z', [recordKey('etl', 'a')]]);
    await (await openRunJournal({ ...options(), tried })).close();
    expect((await readUpgrade(file.replace('Z.', 'Z-2.'))).records.size).toBe(0);
  });
});
