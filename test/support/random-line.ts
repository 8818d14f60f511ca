import fc from 'fast-check';
import type { LineRules } from '../../src/cli/line/flag-tables.js';

/** Command lines as tired fingers write them: words of commands, flags of the manifest, values, `--`, in any order. */
export function randomLine(rules: ReadonlyMap<string, LineRules>): fc.Arbitrary<string[]> {
  const ids = [...rules.keys()];
  const words = [...new Set(ids.flatMap((id) => id.split(':')))];
  const flags = [...new Set([...rules.values()].flatMap((rule) => [...rule.flags.keys()]))];
  const word = fc.constantFrom(
    ...words,
    'ls',
    'rm',
    'lst',
    'unistall',
    'help',
    '__proto__',
    '',
    'x',
    'etl/orders',
    '*',
  );
  const flag = fc.constantFrom(
    ...flags,
    '-Aq',
    '-qo',
    '-ojson',
    '-ocsv',
    '--json=x',
    '--bogus',
    '-Z',
    '-h',
    '--version',
    '-5',
    '-',
  );
  const path = fc.constantFrom(...ids).map((id) => id.split(':'));
  const piece = fc.oneof(
    { weight: 3, arbitrary: path },
    { weight: 3, arbitrary: fc.tuple(flag, word) },
    { weight: 3, arbitrary: flag.map((one) => [one]) },
    { weight: 2, arbitrary: word.map((one) => [one]) },
    { weight: 1, arbitrary: fc.constantFrom(['--'], ['-o', 'json'], ['-o', 'csv'], ['--json'], ['-o']) },
  );
  return fc.array(piece, { maxLength: 5 }).map((pieces) => pieces.flat());
}
