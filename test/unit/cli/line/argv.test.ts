import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readLineRules } from '../../../../src/cli/line/flag-tables.js';
import { beforeDashes, formatOf, verbosityOf } from '../../../../src/cli/line/argv.js';

describe('the format of a line', () => {
  it.each([
    [[], 'table'],
    [['--json'], 'json'],
    [['-o', 'csv'], 'csv'],
    [['-ocsv'], 'csv'],
    [['-o=csv'], 'csv'],
    [['-qo', 'name'], 'name'],
    [['--output', 'yaml'], 'yaml'],
    [['--output=ndjson'], 'ndjson'],
    [['--', '--json'], 'table'],
    [['--bogus', '--json'], 'json'],
    [['-o', 'nonsense'], 'table'],
    [['-o'], 'table'],
    [['-Ao', 'json'], 'json'],
    [['--json', '-o', 'csv'], 'json'],
    [['--output', '--json'], 'json'],
    [['-o', 'jsno', '--json'], 'json'],
    [['-o', 'json', '-o', 'nonsense'], 'json'],
    [['--json=yes'], 'json'],
    [['--outputjson'], 'table'],
  ])('%j is %s', (argv, format) => {
    expect(formatOf(argv, {})).toBe(format);
  });

  it.each([
    [{ CDAPCTL_OUTPUT: 'csv' }, [], 'csv'],
    [{ CDAPCTL_JSON: '1' }, [], 'json'],
    [{ CDAPCTL_JSON: '0' }, [], 'table'],
    [{ CDAPCTL_JSON: '1' }, ['-o', 'csv'], 'csv'],
    [{ CDAPCTL_OUTPUT: 'wrong' }, [], 'table'],
  ])('with %j and %j it is %s', (env, argv, format) => {
    expect(formatOf(argv, env)).toBe(format);
  });
});

it('knows every letter that may stand before -o', () => {
  const all = [...readLineRules(join(import.meta.dirname, '../../../..')).values()].flatMap(({ flags }) => [...flags]);
  const letters = new Set(
    all.flatMap(([flag, takesNext]) => (/^-\w$/u.test(flag) && !takesNext ? [flag.charAt(1)] : [])),
  );
  for (const letter of letters) expect([letter, formatOf([`-${letter}ojson`], {})]).toEqual([letter, 'json']);
  expect(letters.size).toBeGreaterThan(3);
});

it('ends the words among which flags count at the first --', () => {
  expect(beforeDashes(['hub', '--json', '--', '-q', '--'])).toEqual(['hub', '--json']);
  expect(beforeDashes(['hub', '-'])).toEqual(['hub', '-']);
});

describe('how much is said', () => {
  const NOTHING = { quiet: false, verbose: false, debug: false };

  it.each([
    [[], {}, NOTHING],
    [['--quiet'], {}, { ...NOTHING, quiet: true }],
    [['-yq'], {}, { ...NOTHING, quiet: true }],
    [['-qv'], {}, { ...NOTHING, quiet: true, verbose: true }],
    [['--verbose'], {}, { ...NOTHING, verbose: true }],
    [['-nv'], {}, NOTHING],
    [['--debug'], {}, { ...NOTHING, verbose: true, debug: true }],
    [['x', '--', '--debug', '-v', '-q'], {}, NOTHING],
    [[], { CDAPCTL_QUIET: 'yes', CDAPCTL_DEBUG: 'off' }, { ...NOTHING, quiet: true }],
    [[], { CDAPCTL_VERBOSE: '1' }, { ...NOTHING, verbose: true }],
    [[], { CDAPCTL_DEBUG: 'on' }, { ...NOTHING, verbose: true, debug: true }],
  ])('with %j and %j', (argv, env, expected) => {
    expect(verbosityOf(argv, env)).toEqual(expected);
  });
});
