import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';

const ROOT = resolve(import.meta.dirname, '../..');
const textOf = (file: string): string => readFileSync(join(ROOT, file), 'utf8');

describe('the mutants that change nothing (test/mutation/equivalent.json)', () => {
  it('name lines that the source still has', () => {
    const named = JSON.parse(textOf('test/mutation/equivalent.json')) as { file: string; line: string; from: string }[];
    const lines = (file: string): string[] =>
      textOf(file)
        .split('\n')
        .map((line) => line.trim());
    expect(named).not.toEqual([]);
    expect(named.filter(({ file, line, from }) => !lines(file).includes(line) || !line.includes(from))).toEqual([]);
  });
});
