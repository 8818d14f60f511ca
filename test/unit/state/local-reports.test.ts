import { mkdirSync, mkdtempSync, readdirSync, readFileSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as z from 'zod/mini';
import { beforeEach, describe, expect, it } from 'vitest';
import { LocalReports } from '../../../src/state/reports/local-reports.js';
import { ownMark } from '../../../src/state/temporary.js';
import { codeOf, errorOf, saidBy } from '../../support/errors.js';
import { syncedInodes } from '../../support/synced-inodes.js';

const { signal } = new AbortController();
const Detail = z.strictObject({ name: z.string() });

let state: string;
let reports: LocalReports<z.infer<typeof Detail>>;
beforeEach(() => {
  state = mkdtempSync(join(tmpdir(), 'cdapctl-local-'));
  reports = new LocalReports(state, 'http://platform.example', Detail);
});

const padded = (key: number): string => String(key).padStart(6, '0');

async function kept(keys: readonly number[], text = 'ä\n"\t'): Promise<string> {
  const { id, writer } = await reports.create();
  for (const [n, key] of keys.entries()) writer.add(padded(key), JSON.stringify({ n, key, text }));
  await writer.commit({ name: 'kept' }, signal);
  return id;
}

async function read(id: string, range: { offset: number; limit?: number }) {
  const found: unknown[] = [];
  const totals = new Set<number>();
  const offsets: number[] = [];
  for await (const page of reports.pages(id, range, signal)) {
    offsets.push(page.offset);
    totals.add(page.total);
    found.push(...page.records.map(({ n }) => n));
  }
  return { found, totals: [...totals], offsets };
}

const upTo = (count: number): number[] => Array.from({ length: count }, (_, at) => at);

describe('local reports', () => {
  it('give back any part of their records', async () => {
    const id = await kept(upTo(2500));
    expect(await read(id, { offset: 0 })).toEqual({ found: upTo(2500), totals: [2500], offsets: [0, 1000, 2000] });
    expect((await read(id, { offset: 990, limit: 20 })).found).toEqual(upTo(1010).slice(990));
    expect((await read(id, { offset: 2499, limit: 10 })).found).toEqual([2499]);
    expect(await read(id, { offset: 2500 })).toEqual({ found: [], totals: [2500], offsets: [2500] });
  });

  it('are on the disk before they have a name', async () => {
    const synced = syncedInodes();
    const id = await kept([1, 2, 3]);
    for (const name of ['records.ndjson', 'report.json'])
      expect(synced).toContain(statSync(join(reports.folder, id, name)).ino);
  });

  it('can be empty', async () => {
    expect(await read(await kept([]), { offset: 0 })).toEqual({ found: [], totals: [0], offsets: [0] });
  });

  it.for([
    ['few', 3000, ''],
    ['more than are sorted at a time', 3000, 'ä'.repeat(3000)],
  ] as const)('are sorted by key: %s', async ([, count, text]) => {
    const keys = upTo(count).map((n) => (n * 7919) % count);
    const id = await kept(keys, text);
    const expected = upTo(count).sort((a, b) => (keys[a] ?? 0) - (keys[b] ?? 0));
    expect((await read(id, { offset: 0 })).found).toEqual(expected);
    expect(readdirSync(join(reports.folder, id)).sort()).toEqual(['records.ndjson', 'report.json']);
  });

  it('are listed per platform, whatever the spelling of its address', async () => {
    const id = await kept([1]);
    const same = new LocalReports(state, 'HTTP://platform.example:80/', Detail);
    const other = new LocalReports(state, 'http://other.example', Detail);
    expect(await same.list()).toEqual([{ id, detail: { name: 'kept' }, records: 1 }]);
    expect(await other.list()).toEqual([]);
  });

  it('are not there before they are whole, and what dead runs left goes', async () => {
    const { writer } = await reports.create();
    writer.add('', '{}');
    expect(await reports.list()).toEqual([]);
    const [host = ''] = ownMark().split('-');
    mkdirSync(join(reports.folder, `.cdapctl-${host}-4194999-x-0123456789abcdef.tmp`), { mode: 0o700 });
    await kept([1]);
    expect(readdirSync(reports.folder).filter((name) => name.startsWith('.'))).toHaveLength(1);
    writer.abort();
    expect(readdirSync(reports.folder)).toHaveLength(1);
  });

  it('are removed once', async () => {
    const id = await kept([1]);
    expect([reports.remove(id), reports.remove(id), reports.remove('../x')]).toEqual([true, false, false]);
    expect(await reports.get(id)).toBeUndefined();
    expect(readdirSync(reports.folder)).toEqual([]);
    expect(saidBy(await errorOf(read(id, { offset: 0 })))).toEqual({
      code: 'NOT_FOUND',
      message: `report ${id} not found`,
      hints: [{ next: 'list-reports' }],
    });
  });

  it('of which two became one are told as damaged', async () => {
    const id = await kept(upTo(10));
    const file = join(reports.folder, id, 'records.ndjson');
    writeFileSync(file, readFileSync(file, 'utf8').replace('}\n{', ',  '));
    const folder = join(reports.folder, id);
    expect(saidBy(await errorOf(read(id, { offset: 0 })))).toEqual({
      code: 'LOCAL_IO',
      message: `the local report ${id} is damaged or was written by a newer version of cdapctl`,
      hints: [`rm -r ${folder}`],
      target: { file: folder },
    });
  });

  it('that were cut are told as damaged', async () => {
    const id = await kept(upTo(10));
    truncateSync(join(reports.folder, id, 'records.ndjson'), 5);
    expect(await codeOf(read(id, { offset: 0 }))).toBe('LOCAL_IO');
    writeFileSync(join(reports.folder, id, 'report.json'), '{"v":2}', { mode: 0o600 });
    expect(await codeOf(reports.list())).toBe('LOCAL_IO');
  });
});
