import { PassThrough } from 'node:stream';
import { stripVTControlCharacters } from 'node:util';
import { expect, it } from 'vitest';
import { choose, type Choice } from '../../../../src/cli/terminal/choice.js';
import { CliError } from '../../../../src/core/errors.js';

const DOWN = '\u001b[B';
const PROBLEM = 'several hubs have the package driver';
const CHOICES: readonly Choice<number>[] = [
  { value: 1, columns: ['corp', '42.7.0', 'trusted key A66F13B8D20A977D'], argv: ['install', 'corp/driver', '-y'] },
  { value: 2, columns: ['partner', '9.1', 'no trusted key'], argv: ['install', 'partner/driver', '-y'] },
];

/** Chooses on streams in memory: the keys are pressed when the list was drawn. */
async function answer(keys: string, choices = CHOICES): Promise<{ chosen: unknown; screen: string }> {
  const [input, output] = [new PassThrough(), new PassThrough()];
  let screen = '';
  output.setEncoding('utf8').on('data', (text: string) => {
    if (screen === '') setImmediate(() => input.write(keys));
    screen += text;
  });
  const look = { terminal: true, color: false, columns: 80, unicode: true, utc: true };
  const asker = { input, output, signal: new AbortController().signal, home: undefined, look };
  const chosen = await choose(PROBLEM, choices, asker).then(
    ({ value }) => value,
    (error: unknown) => (error instanceof CliError ? [error.code, error.message] : error),
  );
  return { chosen, screen: stripVTControlCharacters(screen) };
}

it.each<[string, string, unknown]>([
  ['Enter takes the first', '\r', 1],
  ['an arrow key moves', `${DOWN}\r`, 2],
  ['the list has an end', `${DOWN}${DOWN}${DOWN}\r`, 2],
  ['a number moves', '2\r', 2],
  ['Ctrl-C ends the run', '\u0003', ['INTERRUPTED', 'cancelled with Ctrl-C; nothing was changed']],
  ['Esc gives it up', '\u001b', ['DECLINED', 'cancelled; nothing was changed']],
  ['Ctrl-D is no choice', '\u0004', ['DECLINED', 'the input ended without an answer; nothing was changed']],
])('in a list to choose from %s', async (_, keys, expected) => {
  expect((await answer(keys)).chosen).toEqual(expected);
});

it('a list tells its rows apart and keeps what was chosen', async () => {
  const { screen } = await answer(`${DOWN}\r`);
  expect(screen).toContain('Several hubs have the package driver; which one?');
  expect(screen).toMatch(/❯ corp {5}42\.7\.0 {2}trusted key A66F13B8D20A977D\n {2}partner {2}9\.1 {5}no trusted key/u);
  expect(screen).toMatch(/which one\? partner\s*$/u);
});

it('a list shows what moves the cursor or hides text as what it is', async () => {
  const { screen } = await answer('\r', [{ value: 1, columns: ['evil\u202ehub', '1\u001b[2J'], argv: [] }]);
  expect(screen).toContain('evil\\u{202e}hub');
  expect(screen).toContain('1\\x1b[2J');
});

it('where nobody can be asked, every one is a whole command', async () => {
  await expect(choose(PROBLEM, CHOICES, undefined)).rejects.toMatchObject({
    code: 'USAGE',
    message: PROBLEM,
    details: {
      lines: ['corp     42.7.0  trusted key A66F13B8D20A977D', 'partner  9.1     no trusted key'],
      hints: ['cdapctl install corp/driver -y', 'cdapctl install partner/driver -y'],
    },
  });
});
