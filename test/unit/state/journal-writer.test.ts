import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { JournalWriter } from '../../../src/state/journal-writer.js';
import { codeOf } from '../../support/errors.js';

let folder = '';

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'cdapctl-writer-'));
  chmodSync(folder, 0o700);
});

afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

const fileOf = (): string => join(folder, 'journal.ndjson');
const linesOf = (file: string): unknown[] =>
  readFileSync(file, 'utf8')
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line) as unknown);

describe('a writer of a journal', () => {
  it('has each line in the file when its append is done', async () => {
    const writer = new JournalWriter(fileOf(), 0);
    for (const n of [1, 2, 3]) {
      await writer.append({ n });
      expect(linesOf(writer.file)).toHaveLength(n);
    }
    await writer.close();
    expect(readFileSync(writer.file, 'utf8')).toBe('{"n":1}\n{"n":2}\n{"n":3}\n');
  });

  it('keeps whole lines in the order of their appends, however many come at once and however long they are', async () => {
    const text = fc.oneof(
      fc.string({ unit: 'grapheme' }),
      fc.nat({ max: 300_000 }).map((length) => 'x'.repeat(length)),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(fc.array(text, { maxLength: 8 }), { maxLength: 5 }), async (groups) => {
        rmSync(fileOf(), { force: true });
        const writer = new JournalWriter(fileOf(), 0);
        await writer.append('first');
        for (const group of groups) await Promise.all(group.map((one) => writer.append({ one })));
        await writer.close();
        expect(linesOf(writer.file)).toEqual(['first', ...groups.flat().map((one) => ({ one }))]);
      }),
      { numRuns: 30 },
    );
  });

  it('waits on its end for lines that nobody waits for', async () => {
    const writer = new JournalWriter(fileOf(), 0);
    void writer.append(1);
    void writer.append(2);
    await writer.close();
    expect(linesOf(writer.file)).toEqual([1, 2]);
  });

  it('drops what stands behind the last whole line, also when the next is shorter', async () => {
    const whole = '{"n":1}\n';
    writeFileSync(fileOf(), `${whole}{"n":2,"text":"${'cut '.repeat(100)}`, { mode: 0o600 });
    const writer = new JournalWriter(fileOf(), whole.length);
    await writer.append({ n: 2 });
    await writer.append({ n: 3 });
    await writer.close();
    expect(readFileSync(fileOf(), 'utf8')).toBe(`${whole}{"n":2}\n{"n":3}\n`);
  });

  it('makes nothing before the first line, then a file and a folder that only this user can read', async () => {
    const inner = join(folder, 'upgrades');
    const writer = new JournalWriter(join(inner, 'journal.ndjson'), 0);
    await writer.close();
    expect(statSync(inner, { throwIfNoEntry: false })).toBe(undefined);
    await writer.append(1);
    await writer.close();
    expect([statSync(inner).mode & 0o777, statSync(writer.file).mode & 0o777]).toEqual([0o700, 0o600]);
  });

  it('fails all lines that cannot be written, and goes on when they can', async () => {
    const file = fileOf();
    mkdirSync(file);
    const writer = new JournalWriter(file, 0);
    const failed = await Promise.allSettled([writer.append(1), writer.append(2), writer.append(3)]);
    expect(failed).toEqual(
      [1, 2, 3].map(() => ({ status: 'rejected', reason: expect.objectContaining({ code: 'LOCAL_IO' }) as unknown })),
    );
    rmdirSync(file);
    await writer.append(4);
    await writer.close();
    expect(linesOf(file)).toEqual([4]);
  });

  it('follows no link', async () => {
    const elsewhere = join(folder, 'elsewhere');
    writeFileSync(elsewhere, 'mine');
    symlinkSync(elsewhere, fileOf());
    const writer = new JournalWriter(fileOf(), 0);
    expect(await codeOf(writer.append(1))).toBe('SYMLINK');
    await writer.close();
    expect(readFileSync(elsewhere, 'utf8')).toBe('mine');
  });
});
