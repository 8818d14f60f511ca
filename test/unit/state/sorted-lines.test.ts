import { existsSync, mkdtempSync, rmSync, truncateSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { SortedLines } from '../../../src/state/reports/sorted-lines.js';

const { signal } = new AbortController();

async function sortedBy(most: number, lines: readonly string[], path: string): Promise<readonly string[]> {
  const sorting = new SortedLines(path, most);
  for (const line of lines) sorting.add(line);
  const found: string[] = [];
  for await (const batch of sorting.sorted(signal)) found.push(...batch);
  return found;
}

const place = (): string => join(mkdtempSync(join(tmpdir(), 'cdapctl-sorted-')), 'lines');

describe('sorted lines', () => {
  it('have the order of a plain sort, whatever part of them is in memory, and leave no file', async () => {
    const line = fc.string({ unit: 'grapheme' }).map((text) => text.replaceAll('\n', ' '));
    await fc.assert(
      fc.asyncProperty(fc.array(line), fc.integer({ min: 1, max: 60 }), async (lines, most) => {
        const path = place();
        expect(await sortedBy(most, lines, path)).toEqual([...lines].sort());
        expect(existsSync(path)).toBe(false);
      }),
    );
  });

  it('may be longer than what is read at a time', async () => {
    const lines = ['b', 'a', 'c'].map((first) => first + 'ä'.repeat(200_000));
    expect(await sortedBy(1, lines, place())).toEqual([...lines].sort());
  });

  it('come to their end where somebody removes the file', async () => {
    const path = place();
    const sorting = new SortedLines(path, 1);
    for (const line of ['b', 'a']) sorting.add(line);
    const all = sorting.sorted(signal);
    expect((await all.next()).value).toEqual(['a', 'b']);
    rmSync(path);
    expect((await all.next()).done).toBe(true);
  });

  it('fail where the file is cut short', async () => {
    const path = place();
    const sorting = new SortedLines(path, 200_000);
    for (let n = 0; n < 4000; n += 1) sorting.add(String(n).padStart(100));
    const all = sorting.sorted(signal);
    expect((await all.next()).value).toHaveLength(1000);
    truncateSync(path, 1000);
    await expect(all.next()).rejects.toThrow('the file ends too early');
    expect(existsSync(path)).toBe(false);
  });

  it('end with what stops them, and leave no file', async () => {
    const path = place();
    const sorting = new SortedLines(path, 10);
    for (let n = 0; n < 5000; n += 1) sorting.add(String(n));
    const stopped = new AbortController();
    const all = sorting.sorted(stopped.signal);
    expect((await all.next()).value).toHaveLength(1000);
    stopped.abort(new Error('stopped'));
    await expect(all.next()).rejects.toThrow('stopped');
    expect(existsSync(path)).toBe(false);
  });
});
