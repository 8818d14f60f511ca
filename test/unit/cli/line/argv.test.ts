import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readLineRules } from '../../../../src/cli/line/flag-tables.js';
import { beforeDashes, formatOf, verbosityOf } from '../../../../src/cli/line/argv.js';
import { withFlagsApart } from '../../../../src/cli/read-request.js';

describe('the format of a line', () => {
  it.each([
    [[], 'table'],
    [['--json'], 'json'],
    [['-o', 'csv'], 'csv'],
    [['-ocsv'], 'csv'],
    [['-o=csv'], 'csv'],
    [['--output', 'yaml'], 'yaml'],
    [['--output=ndjson'], 'ndjson'],
    [['--', '--json'], 'table'],
    [['--bogus', '--json'], 'json'],
    [['-o', 'nonsense'], 'table'],
    [['-o'], 'table'],
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

describe('letters that stand together', () => {
  const rules = readLineRules(join(import.meta.dirname, '../../../..'));
  const ids = [...rules.keys()];
  const apart = (argv: readonly string[]): readonly string[] => withFlagsApart(argv, ids, rules);

  it.each(ids)('of %s are read by its flags, with what is glued to them', (id) => {
    const line = id.split(':');
    const letters = [...(rules.get(id)?.flags ?? [])].filter(([flag]) => /^-\w$/u.test(flag));
    expect(letters.length).toBeGreaterThan(3);
    for (const [flag, takesNext] of letters) {
      expect(apart([...line, `-qy${flag.charAt(1)}`])).toEqual([...line, '-q', '-y', flag]);
      const glued = apart([...line, `${flag}ojson`]);
      expect(glued).toEqual([...line, flag, ...(takesNext ? ['ojson'] : ['-o', 'json'])]);
      expect(formatOf(glued, {})).toBe(takesNext ? 'table' : 'json');
    }
  });

  it.each([
    ['install p -fnightly.yaml -netl', 'install p -f nightly.yaml -n etl'],
    ['pipeline logs p -fnightly', 'pipeline logs p -f -n ightly'],
    ['-fuser.json install p', '-f user.json install p'],
    ['hub list -qo=json', 'hub list -q -o json'],
    ['hub list -o=', 'hub list -o='],
    ['hub download p -D-x', 'hub download p -D-x'],
    ['hub list -qx', 'hub list -qx'],
    ['install p -- -qojson', 'install p -- -qojson'],
    ['config path -5', 'config path -5'],
  ])('%j is %j', (line, expected) => {
    expect(apart(line.split(' ')).join(' ')).toBe(expected);
  });
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
    [['-y', '-q'], {}, { ...NOTHING, quiet: true }],
    [['-q', '-v'], {}, { ...NOTHING, quiet: true, verbose: true }],
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
