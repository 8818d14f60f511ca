import { mkdtempSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { upgradeHistory, type PastUpgrade } from '../../../../../src/services/upgrade/journals/history.js';
import { findUpgrade } from '../../../../../src/services/upgrade/journals/rollback-journals.js';
import { runEntry, type RunEntry, type UpgradeEntry } from '../../../../../src/state/upgrade-journal.js';
import { createUpgradeFile } from '../../../../../src/state/upgrade-folder.js';
import { temporaryFolder } from '../../../state/support.js';
import { SELECTION } from '../in-memory.js';

const URL = 'http://platform:11015';
const MAY = Date.UTC(2026, 4, 1);
const MADE = {
  artifact: { name: 'cdap-data-pipeline', version: '6.10.0', scope: 'SYSTEM' },
  configuration: '{}',
} as const;
const common = { v: 1, at: '2026-05-01T00:00:00.000Z', namespace: 'etl' } as const;
const FINISHED: UpgradeEntry = { v: 1, at: common.at, type: 'finished' };
type Ended = Extract<UpgradeEntry, { type: 'ended' }>;

const root = temporaryFolder();
let state = '';
beforeEach(() => {
  state = mkdtempSync(join(root, 'history-'));
});

async function journal(at: number, more: Partial<RunEntry>, entries: readonly UpgradeEntry[]): Promise<string> {
  const file = await createUpgradeFile(state, at);
  const run = runEntry(at, { command: 'upgrade', platform: URL, platformVersion: '6.11.0', ...more });
  writeFileSync(file, [run, ...entries].map((entry) => `${JSON.stringify(entry)}\n`).join(''));
  return file;
}

const sending = (pipeline: string): UpgradeEntry => ({
  ...{ ...common, type: 'sending', pipeline, before: MADE, sent: MADE },
  schedules: [],
});
const ended = (pipeline: string, more: Partial<Ended> = {}): readonly UpgradeEntry[] => [
  ...[sending(pipeline), { ...common, type: 'ended' as const, pipeline, state: 'done' as const, ...more }],
];

async function history(namespace?: string): Promise<readonly PastUpgrade[]> {
  const upgrades: PastUpgrade[] = [];
  for await (const one of upgradeHistory(state, URL, namespace)) upgrades.push(one);
  return upgrades;
}

describe('a past upgrade', () => {
  it.each([
    ['all that it sent', [...ended('a')], ended('a'), 'rolled-back'],
    [
      'what it changed, and the rest is untouched',
      [...ended('a'), ...ended('b', { state: 'failed', untouched: true })],
      ended('a'),
      'rolled-back',
    ],
    ['as many as it upgraded, and not what it was cut off in', [...ended('a'), sending('cut')], ended('a'), 'finished'],
    [
      'one that failed, and not the one that it upgraded',
      [...ended('a'), ...ended('b', { state: 'failed' })],
      ended('b'),
      'finished',
    ],
    [
      'what it changed, with one that was blocked',
      [...ended('a'), { ...common, type: 'ended', pipeline: 'b', state: 'blocked' }],
      ended('a'),
      'rolled-back',
    ],
    ['nothing', [...ended('a', { state: 'failed', untouched: true })], [], 'finished'],
    ['nothing to its end', [...ended('a')], [sending('a')], 'finished'],
  ] as const)('of which a rollback took back %s is told as such', async (_, entries, back, expected) => {
    const of = await journal(MAY, {}, [...entries, FINISHED]);
    if (back.length > 0) await journal(MAY + 1000, { command: 'rollback', of }, back);
    expect(await history()).toMatchObject([{ state: expected }]);
  });

  it('is told with all that is known of it, where it sent anything to the namespace', async () => {
    const file = await journal(MAY, { selection: { ...SELECTION, namespace: 'etl' } }, [...ended('a'), FINISHED]);
    await journal(MAY + 1000, {}, [FINISHED]);
    const told = {
      ...{ at: new Date(MAY).toISOString(), namespace: 'etl', platformVersion: '6.11.0' },
      ...{ upgraded: 1, failed: 0, unknown: 0, rolledBack: 0, state: 'finished', journal: basename(file), file },
    };
    expect([await history(), await history('etl'), await history('default')]).toEqual([[told], [told], []]);
  });

  it('that was cut off counts what it had sent as unknown, and as failed what failed', async () => {
    const unknown = ended('c', { state: 'unknown' });
    await journal(MAY, {}, [...ended('a'), ...ended('b', { state: 'failed' }), ...unknown, sending('d')]);
    expect(await history()).toMatchObject([{ upgraded: 1, failed: 1, unknown: 2, state: 'unfinished' }]);
  });

  it.each(['http://localhost:11015', 'http://[::1]:11015/', 'http://127.0.0.1:11015'])(
    'of this machine is found by each name of it: %s',
    async (url) => {
      const platform = 'http://localhost:11015';
      await journal(MAY, { platform }, ended('a'));
      const found: string[] = [];
      for await (const { at } of upgradeHistory(state, url)) found.push(at);
      expect(found).toHaveLength(1);
      expect(await findUpgrade(undefined, state, { url, namespace: undefined }, () => undefined)).toMatchObject({
        at: found[0],
      });
    },
  );
});
