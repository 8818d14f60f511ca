import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { findUpgrade } from '../../../../../src/services/upgrade/journals/rollback-journals.js';
import { findLeft } from '../../../../../src/services/upgrade/journals/unfinished.js';
import type { ServiceEvent } from '../../../../../src/core/events.js';
import { runEntry, upgradesFolder, type UpgradeEntry } from '../../../../../src/state/upgrade-journal.js';
import { createUpgradeFile } from '../../../../../src/state/upgrade-folder.js';
import { codeOf } from '../../../../support/errors.js';

const URL = 'http://platform:11015';
const MAY = Date.UTC(2026, 4, 1);
const ARTIFACT = { name: 'cdap-data-pipeline', version: '6.10.0', scope: 'SYSTEM' } as const;
const MADE = { artifact: ARTIFACT, configuration: '{}' };
const common = (pipeline: string) => ({ v: 1, at: '2026-05-01T00:00:00.000Z', namespace: 'etl', pipeline }) as const;
const sending = (pipeline: string): UpgradeEntry => ({
  ...{ ...common(pipeline), type: 'sending', before: MADE, sent: MADE },
  schedules: [{ name: 'nightly', status: 'SCHEDULED' }],
});
const ended = (pipeline: string, more: Partial<Extract<UpgradeEntry, { type: 'ended' }>> = {}): UpgradeEntry => ({
  ...common(pipeline),
  type: 'ended',
  state: 'done',
  ...more,
});
const FINISHED: UpgradeEntry = { v: 1, at: '2026-05-01T00:00:00.000Z', type: 'finished' };

let state: string;
beforeEach(() => {
  state = mkdtempSync(join(tmpdir(), 'cdapctl-test-left-'));
});
afterEach(() => {
  rmSync(state, { recursive: true });
});

async function journal(at: number, more: object, entries: readonly UpgradeEntry[], platform = URL): Promise<string> {
  const file = await createUpgradeFile(state, at);
  const run = runEntry(at, { command: 'upgrade', platform, platformVersion: '6.11.0', ...more });
  writeFileSync(file, [run, ...entries].map((entry) => `${JSON.stringify(entry)}\n`).join(''));
  return file;
}

async function left(): Promise<{ names: readonly string[]; events: readonly ServiceEvent[] }> {
  const events: ServiceEvent[] = [];
  const records = await findLeft(state, URL, (event) => void events.push(event));
  return { names: [...records.values()].map(({ pipeline }) => pipeline), events };
}

describe('what an upgrade left unfinished', () => {
  it('is what was cut off, what nobody can tell, and whose schedules are open, of this platform', async () => {
    await journal(MAY, {}, [sending('older')]);
    await journal(MAY + 1000, {}, [
      sending('cut'),
      ...[sending('done'), ended('done')],
      ...[sending('unknown'), ended('unknown', { state: 'unknown' })],
      ...[sending('off'), ended('off', { state: 'failed', schedules: 'open' })],
      ...[sending('failed'), ended('failed', { state: 'failed' })],
      ended('blocked', { state: 'blocked' }),
    ]);
    await journal(MAY + 2000, {}, [sending('elsewhere')], 'http://other:11015');
    expect(await left()).toEqual({ names: ['cut', 'unknown', 'off', 'older'], events: [] });
  });

  it('is remembered over upgrades of other pipelines, until one ends it', async () => {
    await journal(MAY, {}, [sending('a'), sending('b'), sending('c')]);
    await journal(MAY + 1000, {}, [sending('web'), ended('web'), FINISHED]);
    expect((await left()).names).toEqual(['a', 'b', 'c']);
    await journal(MAY + 2000, {}, [
      ...[sending('a'), ended('a')],
      ...[sending('b'), ended('b', { state: 'failed' })],
      ended('c', { state: 'blocked' }),
    ]);
    expect((await left()).names).toEqual(['c']);
  });

  it('is of each pipeline what the newest run noted', async () => {
    await journal(MAY, {}, [sending('a')]);
    const of = await journal(MAY + 1000, {}, [sending('a'), ended('a', { state: 'failed', schedules: 'open' })]);
    expect([...(await findLeft(state, URL, () => undefined)).values()]).toMatchObject([{ state: 'failed' }]);
    await journal(MAY + 2000, { command: 'rollback', of }, [sending('a'), ended('a')]);
    expect((await left()).names).toEqual([]);
  });

  it('is looked for in the newest hundred journals, and down to older ones that are unfinished', async () => {
    await journal(MAY, {}, [sending('old'), sending('settled')]);
    await journal(MAY + 1000, {}, [sending('settled'), ended('settled'), FINISHED]);
    for (let nth = 2; nth <= 101; nth++) await journal(MAY + nth * 1000, {}, [FINISHED]);
    const { names, events } = await left();
    expect(names).toEqual(['old']);
    expect(events).toEqual([]);
  });

  it('is not looked for behind the newest thousand', async () => {
    const file = await journal(MAY, {}, [sending('forgotten')]);
    for (let nth = 1; nth <= 1000; nth++) await journal(MAY + nth * 1000, {}, [FINISHED]);
    const told = (words: string) => ({
      names: [],
      events: [
        { type: 'warning', code: 'JOURNAL', message: `${words} pipelines were not checked (the newest: ${file})` },
      ],
    });
    expect(await left()).toEqual(told('1 upgrade before the newest 1000 is unfinished; its'));
    await journal(MAY - 1000, {}, [sending('forgotten')]);
    expect(await left()).toEqual(told('2 upgrades before the newest 1000 are unfinished; their'));
  });

  it('is told of by nothing where all older runs came to their end', async () => {
    for (let nth = 0; nth <= 101; nth++) await journal(MAY + nth * 1000, {}, [FINISHED]);
    expect((await left()).events).toEqual([]);
  });

  it('is known as far as the journals can be read', async () => {
    writeFileSync(await journal(MAY, {}, [sending('older')]), 'no journal\n');
    await journal(MAY + 1000, {}, [sending('cut')]);
    const { names, events } = await left();
    expect(names).toEqual(['cut']);
    expect(events).toMatchObject([{ type: 'warning', code: 'JOURNAL' }]);
  });

  it('is not what a rollback has taken back since', async () => {
    const of = await journal(MAY, {}, [sending('back'), sending('begun'), sending('cut')]);
    await journal(MAY + 1000, { command: 'rollback', of }, [sending('back'), ended('back'), sending('begun')]);
    expect((await left()).names).toEqual(['begun', 'cut']);
  });

  it('is nothing where there is no journal, and a warning where it cannot be read', async () => {
    expect(await left()).toEqual({ names: [], events: [] });
    await journal(MAY, {}, [sending('cut')]);
    writeFileSync(join(upgradesFolder(state), '2026-05-02T00-00-00Z.ndjson'), 'no journal\n', { mode: 0o600 });
    const { names, events } = await left();
    expect(names).toEqual([]);
    expect(events).toMatchObject([{ type: 'warning', code: 'JOURNAL' }]);
  });
});

describe('the upgrade that is taken back', () => {
  it('is the newest of the platform that sent anything', async () => {
    await journal(MAY, {}, [sending('oldest'), ended('oldest')]);
    const changed = await journal(MAY + 1000, {}, [sending('a'), ended('a'), ended('b', { state: 'blocked' })]);
    await journal(MAY + 2000, {}, [ended('b', { state: 'blocked' })]);
    await journal(MAY + 3000, {}, [sending('elsewhere'), ended('elsewhere')], 'http://other:11015');
    expect((await findUpgrade(undefined, state, { url: URL, namespace: undefined }, () => undefined)).file).toBe(
      changed,
    );
  });

  it('is none where no upgrade sent anything', async () => {
    await journal(MAY, {}, [ended('b', { state: 'blocked' })]);
    expect(await codeOf(findUpgrade(undefined, state, { url: URL, namespace: undefined }, () => undefined))).toBe(
      'NOT_FOUND',
    );
  });
});
