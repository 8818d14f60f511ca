import { expect, it } from 'vitest';
import { commandLine, withFlags } from '../../../../src/cli/line/command-line.js';

it('quotes what a shell would read otherwise', () => {
  expect(commandLine(['hub', 'show', 'Trim Fields', "it's", '$(x)', '*'])).toBe(
    "cdapctl hub show 'Trim Fields' 'it'\\''s' '$(x)' '*'",
  );
});

it.each([
  [['report', 'delete', 'x'], 'cdapctl report delete x -y'],
  [['report', 'delete', '--', '-x'], 'cdapctl report delete -y -- -x'],
])('adds a flag to %j where it still counts', (argv, line) => {
  expect(commandLine(withFlags(argv, ['-y']))).toBe(line);
});
