import { execFileSync } from 'node:child_process';
import {
  appendFileSync,
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { JournalWriter } from '../../../src/state/journal-writer.js';
import { runEntry, UpgradeJournal, type UpgradeEntry } from '../../../src/state/upgrade-journal.js';
import { createUpgradeFile, newestUpgrade, rollbacksOf } from '../../../src/state/upgrade-folder.js';
import { readUpgrade, recordKey } from '../../../src/state/read-upgrade-journal.js';
import { temporaryFolder } from './support.js';
import { codeOf, errorOf, saidBy } from '../../support/errors.js';

const root = temporaryFolder();
const URL = 'http://cdap.example.com:11015';
const NOON = Date.UTC(2026, 0, 2, 12);
let state = '';

beforeEach(() => {
  state = mkdtempSync(join(root, 'upgrades-'));
});

const run = (at: number, command: 'upgrade' | 'rollback' = 'upgrade', platform = URL) =>
  runEntry(at, { command, platform, platformVersion: '6.11.0' });
const sending = (pipeline: string): UpgradeEntry => ({
  v: 1,
  type: 'sending',
  at: '2026-01-02T12:00:00Z',
  namespace: 'default',
  pipeline,
  before: { artifact: { name: 'cdap-data-pipeline', version: '6.10.0', scope: 'SYSTEM' }, configuration: '{"ü":1.0}' },
  schedules: [{ name: 'dataPipelineSchedule', status: 'SCHEDULED' }],
});
const ended = (pipeline: string): UpgradeEntry => ({
  v: 1,
  type: 'ended',
  at: '2026-01-02T12:00:01Z',
  namespace: 'default',
  pipeline,
  state: 'done',
});

async function journal(at: number, ...entries: readonly unknown[]): Promise<string> {
  const file = await createUpgradeFile(state, at);
  const writer = new JournalWriter(file, 0);
  for (const entry of entries) await writer.append(entry);
  await writer.close();
  return file;
}

describe('the newest journal of an upgrade', () => {
  it('is that of the platform and of no rollback', async () => {
    const wanted = await journal(NOON, run(NOON));
    await journal(NOON + 1000, run(NOON, 'rollback'));
    await journal(NOON + 2000, run(NOON, 'upgrade', 'http://other.example.com'));
    expect(await newestUpgrade(state, `${URL}/`)).toBe(wanted);
  });

  it('is none without a journal, but cannot be told where the folder is none', async () => {
    expect(await newestUpgrade(state, URL)).toBeUndefined();
    const folder = join(state, 'upgrades');
    writeFileSync(folder, '');
    expect(saidBy(await errorOf(newestUpgrade(state, URL)))).toEqual({
      code: 'LOCAL_IO',
      message: `cannot read ${folder}: part of the path is not a folder`,
      target: { file: folder },
    });
  });

  it('is the later of two of one second, which have files of their own', async () => {
    const [first, second] = [await journal(NOON, run(NOON)), await journal(NOON, run(NOON))];
    expect(second).not.toBe(first);
    expect(await newestUpgrade(state, URL)).toBe(second);
  });

  it('is not one whose run was killed before its first line was written', async () => {
    const wanted = await journal(NOON, run(NOON));
    appendFileSync(await createUpgradeFile(state, NOON + 1000), '{"v":1,"type":"ru');
    expect(await newestUpgrade(state, URL)).toBe(wanted);
  });

  it.for([
    [{ ...run(NOON), v: 2 }, 'JOURNAL_NEWER'],
    [{ v: 1, type: 'nothing' }, 'JOURNAL'],
  ] as const)('is not passed over when it cannot be read: %j', async ([entry, code]) => {
    await journal(NOON, run(NOON));
    await journal(NOON + 1000, entry);
    expect(await errorOf(() => newestUpgrade(state, URL))).toMatchObject({ code });
  });
});

describe('reading the journal of an upgrade', () => {
  it('tells of each pipeline the last that is known, and fetches what was sent', async () => {
    const file = await journal(NOON, run(NOON), sending('a'), sending('b'), ended('a'));
    const { records, finished, length } = await readUpgrade(file);
    expect([...records.values()].map(({ pipeline, state: now }) => [pipeline, now])).toEqual([
      ['a', 'done'],
      ['b', 'sending'],
    ]);
    expect(await records.get(recordKey('default', 'a'))?.sending()).toEqual(sending('a'));
    expect([finished, length]).toEqual([false, readFileSync(file).length]);
  });

  it('drops a last line without its end, and goes on in its place', async () => {
    const file = await journal(NOON, run(NOON), sending('a'));
    appendFileSync(file, '{"v":1,"type":"ended","names');
    const { length, run: first } = await readUpgrade(file);
    const writer = new JournalWriter(file, length);
    await writer.append(ended('a'));
    await writer.close();
    expect(first.platform).toBe(URL);
    expect((await readUpgrade(file)).records.get(recordKey('default', 'a'))?.state).toBe('done');
  });

  it('keeps a copy of a damaged one (L19)', async () => {
    const file = await journal(NOON, run(NOON), sending('a'));
    const bytes = Buffer.concat([readFileSync(file), Buffer.from([0x22, 0xff, 0x22, 0x0a])]);
    writeFileSync(file, bytes);
    const { code, details } = await errorOf(() => readUpgrade(file));
    expect([code, details.target?.['line']]).toEqual(['JOURNAL', '3']);
    expect(readFileSync(String(details.target?.['copy']))).toEqual(bytes);
  });

  it('leaves one of a newer version alone (L20)', async () => {
    const file = await journal(NOON, run(NOON), { ...sending('a'), v: 2 });
    expect(await errorOf(() => readUpgrade(file))).toMatchObject({ code: 'JOURNAL_NEWER' });
  });

  it('says so when what was about to be sent is not there any more', async () => {
    const file = await journal(NOON, run(NOON), sending('a'));
    const { records } = await readUpgrade(file);
    writeFileSync(file, `${JSON.stringify(run(NOON))}\n`);
    expect(await errorOf(() => records.get(recordKey('default', 'a'))?.sending())).toMatchObject({
      code: 'JOURNAL',
    });
  });

  it('is NOT_FOUND without a file', async () => {
    expect(await errorOf(() => readUpgrade(join(state, 'none.ndjson')))).toMatchObject({ code: 'NOT_FOUND' });
  });
});

describe('a journal whose lines are numbered', () => {
  async function numbered(): Promise<{ readonly file: string; readonly lines: readonly string[] }> {
    const file = await createUpgradeFile(state, NOON);
    const writer = new UpgradeJournal(file, 0);
    const finished = { v: 1, type: 'finished', at: '2026-01-02T12:00:02Z' } as const;
    const entries = [run(NOON), sending('a'), ended('a'), sending('b'), ended('b'), finished];
    await Promise.all(entries.map((entry) => writer.append(entry)));
    await writer.close();
    return { file, lines: readFileSync(file, 'utf8').trimEnd().split('\n') };
  }

  it('is read as it was written', async () => {
    const { file } = await numbered();
    expect(await readUpgrade(file)).toMatchObject({ finished: true, lines: 6, unsealed: 0 });
  });

  it.each([
    ['lost one', [0, 2, 3, 4, 5], '2'],
    ['lost all of a pipeline', [0, 3, 4, 5], '2'],
    ['has one twice', [0, 1, 1, 2, 3, 4, 5], '3'],
    ['has two in each other\u2019s place', [0, 1, 4, 3, 2, 5], '3'],
    ['lost one before its end', [0, 1, 2, 3, 5], '5'],
  ] as const)('is damaged where it %s', async (_, order, line) => {
    const { file, lines } = await numbered();
    writeFileSync(file, order.map((at) => `${lines[at]}\n`).join(''));
    const { code, details } = await errorOf(() => readUpgrade(file));
    expect([code, details.target?.['line']]).toEqual(['JOURNAL', line]);
  });

  it('goes on with its numbers behind a line that was cut', async () => {
    const { file } = await numbered();
    appendFileSync(file, '{"v":1,"type":"ended","names');
    const { length, lines } = await readUpgrade(file);
    const writer = new UpgradeJournal(file, length, lines);
    await writer.append(ended('a'));
    await writer.close();
    expect(await readUpgrade(file)).toMatchObject({ lines: 7, finished: false });
  });
});

describe('the journal that is named', () => {
  it.each([
    [
      'a link',
      'SYMLINK',
      (file: string, path: string): void => {
        symlinkSync(file, path);
      },
    ],
    [
      'a pipe',
      'LOCAL_IO',
      (_: string, path: string): void => {
        execFileSync('mkfifo', [path]);
      },
    ],
    [
      'a folder',
      'LOCAL_IO',
      (_: string, path: string): void => {
        mkdirSync(path);
      },
    ],
  ] as const)('is read from no %s', async (_, code, make) => {
    const file = await journal(NOON, run(NOON));
    const path = join(state, 'named.ndjson');
    make(file, path);
    expect(await codeOf(() => readUpgrade(path))).toBe(code);
  });

  it('is read from no file that others may change', async () => {
    const file = await journal(NOON, run(NOON));
    chmodSync(file, 0o666);
    expect(await codeOf(() => readUpgrade(file))).toBe('STATE_PERMS');
  });

  it('is copied once for the same damage', async () => {
    const file = await journal(NOON, run(NOON), 'junk');
    expect([await codeOf(() => readUpgrade(file)), await codeOf(() => readUpgrade(file))]).toEqual([
      'JOURNAL',
      'JOURNAL',
    ]);
    expect(readdirSync(join(state, 'upgrades')).filter((name) => name.includes('.damaged'))).toHaveLength(1);
  });
});

describe('the rollbacks of an upgrade', () => {
  const back = (of: string) => ({ ...run(NOON, 'rollback'), of });
  const failed = (pipeline: string) => ({ ...ended(pipeline), state: 'failed' });

  it('tell of each pipeline what the last one that sent it or ended it left', async () => {
    const of = await journal(NOON, run(NOON));
    const first = [sending('a'), sending('b'), sending('c'), failed('c'), sending('d')];
    await journal(NOON + 1000, back(of), ...first);
    await journal(NOON + 2000, back('/elsewhere.ndjson'), sending('e'));
    await journal(NOON + 3000, back(of), failed('a'), ended('b'), sending('c'));
    const records = [...(await rollbacksOf(state, of)).values()].map(({ pipeline, state: end }) => [pipeline, end]);
    expect(Object.fromEntries(records)).toEqual({ a: 'sending', b: 'done', c: 'sending', d: 'sending' });
  });

  it('are not looked for in journals that are older than it', async () => {
    writeFileSync(await journal(NOON - 1000, run(NOON)), 'junk\n');
    const of = await journal(NOON, run(NOON));
    expect([...(await rollbacksOf(state, of))]).toEqual([]);
  });
});
