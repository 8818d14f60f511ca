import { describe, expect, it } from 'vitest';
import { formatOf } from '../../../src/output/format.js';

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
