import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';

const FOLDER = resolve(import.meta.dirname, '../faults');

function rowsOf(readme: string): string[] {
  return [...readme.matchAll(/^### ([A-Z])01 to \1(\d\d):/gmu)].flatMap(([, letter = '', last = '']) =>
    Array.from({ length: Number(last) }, (_, at) => `${letter}${String(at + 1).padStart(2, '0')}`),
  );
}

/** Ids that begin the name of a test, alone or in a row of a table of tests. */
function testedRows(): Set<string> {
  const files = readdirSync(FOLDER).filter((name) => name.endsWith('.fault.ts'));
  const texts = files.map((name) => readFileSync(join(FOLDER, name), 'utf8'));
  return new Set(
    texts.flatMap((text) => [...text.matchAll(/['`]([SHNPLUD]\d\d)(?=[:' `])/gu)].map(([, id = '']) => id)),
  );
}

describe('the fault matrix', () => {
  const readme = readFileSync(join(FOLDER, 'README.md'), 'utf8');
  const rows = rowsOf(readme);
  const excused = [...readme.matchAll(/^\| ([SHNPLUD]\d\d) +\|/gmu)].map(([, id = '']) => id);
  const tested = testedRows();

  it('has all its rows', () => {
    expect(rows).toHaveLength(26 + 36 + 45 + 41 + 42 + 12 + 10);
  });

  it('has for every row a test that begins with its id, or a line that says why not, and not both', () => {
    expect(rows.filter((row) => !tested.has(row) && !excused.includes(row))).toEqual([]);
    expect(excused.filter((row) => tested.has(row))).toEqual([]);
  });

  it('excuses only rows that exist, each once', () => {
    expect(excused.filter((row, at) => !rows.includes(row) || excused.indexOf(row) !== at)).toEqual([]);
  });
});
