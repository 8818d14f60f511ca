import { appendFile, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { JournalWriter } from '../../../src/state/journal-writer.js';
import { runEntry, upgradeJournalName, type UpgradeEntry } from '../../../src/state/upgrade-journal.js';
import { createUpgradeFile, newestUpgrade } from '../../../src/state/upgrade-folder.js';
import { readUpgrade, recordKey } from '../../../src/state/read-upgrade-journal.js';
import { withTempDir } from '../../support/processes/run-cli.js';
import { codeOf } from '../../support/errors.js';

const AT = Date.UTC(2024, 4, 2, 22);
const at = new Date(AT).toISOString();
const PLATFORM = 'https://cdap.example';
const PLACE = { namespace: 'etl', pipeline: 'orders' };
const artifact = { name: 'cdap-data-pipeline', version: '6.10.0', scope: 'SYSTEM' } as const;
const run = (more: Partial<Parameters<typeof runEntry>[1]> = {}): UpgradeEntry =>
  runEntry(AT, { command: 'upgrade', platform: PLATFORM, platformVersion: '6.11.0', ...more });
const sending: UpgradeEntry = {
  v: 1,
  type: 'sending',
  at,
  ...PLACE,
  before: { artifact, configuration: '{"é": "\\u2028"}' },
  sent: { artifact: { ...artifact, version: '6.11.0' }, configuration: '{}' },
  schedules: [{ name: 's', status: 'SCHEDULED', trigger: {} }],
};
const ended = (state: 'done' | 'failed' | 'unknown'): UpgradeEntry => ({ v: 1, type: 'ended', at, ...PLACE, state });
const finished: UpgradeEntry = { v: 1, type: 'finished', at };

/** Writes these entries as a journal, and what comes behind them. */
async function journal(folder: string, entries: readonly UpgradeEntry[], behind = ''): Promise<string> {
  const file = await createUpgradeFile(folder, AT);
  const writer = new JournalWriter(file, 0);
  for (const entry of entries) await writer.append(entry);
  await writer.close();
  await appendFile(file, behind);
  return file;
}

describe('a journal of an upgrade', () => {
  it.each([
    ['nothing yet', [], undefined],
    ['a write that was cut off', [sending], 'sending'],
    ['one that is done', [sending, ended('done')], 'done'],
    ['the last of several attempts', [sending, ended('failed'), sending, ended('unknown')], 'unknown'],
    ['a failure before anything was sent', [ended('failed')], 'failed'],
  ] as const)('tells of %s', async (_, entries, state) => {
    await withTempDir(async (folder) => {
      const { records } = await readUpgrade(await journal(folder, [run(), ...entries]));
      const record = records.get(recordKey('etl', 'orders'));
      expect(record?.state).toBe(state);
      const wasSent = entries.some(({ type }) => type === 'sending');
      expect(await record?.sending()).toEqual(wasSent ? sending : undefined);
    });
  });

  it('is finished when its last line says so, and not when a run went on after that', async () => {
    await withTempDir(async (folder) => {
      expect((await readUpgrade(await journal(folder, [run(), finished]))).finished).toBe(true);
      expect((await readUpgrade(await journal(folder, [run(), finished, sending]))).finished).toBe(false);
    });
  });

  it('drops a last line without its end, and says where the next one belongs', async () => {
    await withTempDir(async (folder) => {
      const file = await journal(folder, [run(), sending], '{"v":1,"type":"ended","at":"20');
      const { records, length } = await readUpgrade(file);
      expect(records.get(recordKey('etl', 'orders'))?.state).toBe('sending');
      const writer = new JournalWriter(file, length);
      await writer.append(ended('done'));
      await writer.close();
      expect((await readUpgrade(file)).records.get(recordKey('etl', 'orders'))?.state).toBe('done');
      expect((await readFile(file, 'utf8')).split('\n')).toHaveLength(4);
    });
  });

  it.each([
    ['a line that is none', [run(), sending], 'garbage\n'],
    ['no first line', [], ''],
    ['another first line', [sending], ''],
    ['two first lines', [run(), run()], ''],
  ] as const)('is damaged with %s', async (_, entries, behind) => {
    await withTempDir(async (folder) => {
      expect(await codeOf(readUpgrade(await journal(folder, entries, behind)))).toBe('JOURNAL');
    });
  });

  it('is not found where there is none', async () => {
    expect(await codeOf(readUpgrade('/nowhere/x.ndjson'))).toBe('NOT_FOUND');
  });
});

describe('the journals of upgrades', () => {
  it('are found by their platform, the newest first, and never one of a rollback', async () => {
    await withTempDir(async (folder) => {
      expect(await newestUpgrade(folder, PLATFORM)).toBeUndefined();
      await journal(folder, [run()]);
      const second = await journal(folder, [run({ platform: `${PLATFORM}/` })]);
      await journal(folder, [run({ platform: 'https://other.example' })]);
      await journal(folder, [run({ command: 'rollback', of: second })]);
      await writeFile(join(folder, 'upgrades', 'notes.txt'), 'mine');
      expect(await newestUpgrade(folder, PLATFORM)).toBe(second);
    });
  });

  it('have names of their own, by the time of their run', async () => {
    await withTempDir(async (folder) => {
      await mkdir(join(folder, 'upgrades'), { recursive: true });
      const files = await Promise.all([1, 2, 3].map(() => createUpgradeFile(folder, AT)));
      const names = [1, 2, 3].map((nth) => join(folder, 'upgrades', upgradeJournalName(AT, nth)));
      expect(files.toSorted()).toEqual(names.toSorted());
    });
  });
});
