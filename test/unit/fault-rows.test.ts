import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';

const TEST = resolve(import.meta.dirname, '..');
const ALL = { S: 28, H: 36, N: 45, P: 49, L: 44, V: 29, U: 12, D: 10, T: 46 };

interface Row {
  readonly id: string;
  /** The last cell: files, or rows. */
  readonly tests: string;
}

const page = readFileSync(resolve(TEST, '../docs/faults.md'), 'utf8');
const rows: readonly Row[] = [...page.matchAll(/^\| ([A-Z]\d\d) \|.*\| ([^|]+) \|$/gmu)].map(
  ([, id = '', tests = '']) => ({ id, tests }),
);
const files = ({ tests }: Row): string[] => [...tests.matchAll(/`([^`]+)`/gu)].map(([, file = '']) => file);
const textOf = (file: string): string => readFileSync(join(TEST, file), 'utf8');

/** Ids that begin the name of a test in a file, alone or in a row of a table of tests. */
function testedIn(file: string): string[] {
  return [...textOf(file).matchAll(/['`]([SHNPLUDV]\d\d)(?=[:' `])/gu)].map(([, id = '']) => id);
}

const faults = readdirSync(join(TEST, 'faults'), { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.fault.ts'))
  .map((name) => `faults/${name}`);

describe('the fault matrix', () => {
  it('has all its rows, in order, each once', () => {
    const ids = Object.entries(ALL).flatMap(([letter, count]) =>
      Array.from({ length: count }, (_, at) => `${letter}${String(at + 1).padStart(2, '0')}`),
    );
    expect(rows.map(({ id }) => id)).toEqual(ids);
  });

  it('says of every row where it is tested, by files that contain its id, or by other rows', () => {
    const known = new Set(rows.map(({ id }) => id));
    const wrong = rows.filter((row) => {
      const named = files(row);
      if (named.some((file) => !existsSync(join(TEST, file)) || !textOf(file).includes(row.id))) return true;
      if (named.length > 0) return false;
      return !row.id.startsWith('T') || !row.tests.split(', ').every((id) => known.has(id));
    });
    expect(wrong).toEqual([]);
  });

  it('names every file of faults that has a test of a row', () => {
    const named = new Map(rows.map((row) => [row.id, files(row)]));
    const left = faults.flatMap((file) =>
      testedIn(file).flatMap((id) => (named.get(id)?.includes(file) === true ? [] : [`${id} in ${file}`])),
    );
    expect([...new Set(left)]).toEqual([]);
  });
});
