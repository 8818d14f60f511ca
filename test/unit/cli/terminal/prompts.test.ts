import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { askChoice, askPath, askText, askYesNo, type Asker } from '../../../../src/cli/terminal/prompts.js';
import { CliError } from '../../../../src/core/errors.js';
import type { Look } from '../../../../src/output/look.js';
import { withTempDir } from '../../../support/processes/run-cli.js';

const CTRL_C = '\u0003';
const CTRL_D = '\u0004';

const look: Look = { terminal: true, color: false, columns: 80, unicode: true, utc: true };

/** Asks on streams in memory: presses each group of keys when the screen shows the text before it. */
async function ask<T>(
  question: (asker: Asker) => Promise<T>,
  ...steps: readonly (readonly [string, string])[]
): Promise<T> {
  const [input, output] = [new PassThrough(), new PassThrough()];
  const left = [...steps];
  let screen = '';
  output.setEncoding('utf8').on('data', (text: string) => {
    screen += text;
    const [next] = left;
    if (next === undefined || !screen.includes(next[0])) return;
    left.shift();
    screen = '';
    // The question listens to keys only after it was drawn.
    setImmediate(() => input.write(next[1]));
  });
  return question({ input, output, signal: new AbortController().signal, home: undefined, look });
}

const codeOf = async (ended: Promise<unknown>): Promise<unknown> =>
  ended.catch((error: unknown) => (error instanceof CliError ? [error.code, error.message, error.cause] : error));

it('a long question is broken at words', async () => {
  const message = `Upgrade 80 pipelines in namespace etl on here (http://127.0.0.1:11015)? ${'1 is running '.repeat(9)}?`;
  let drawn = '';
  const answer = await ask(
    (asker) => {
      asker.output.on('data', (text: string) => (drawn += text));
      return askYesNo(message, false, asker);
    },
    ['y/N', 'y\r'],
  );
  expect(answer).toBe(true);
  expect(drawn.replace(/\u001b\[\d*[A-Za-z]/gu, '').split(/\s+/u)).not.toEqual(
    expect.arrayContaining([expect.stringMatching(/^(?:run|ru|runn|ning|ing|r|unning)$/u)]),
  );
});

describe('the end of the input (Ctrl-D)', () => {
  it('is no yes', async () => {
    const ended = ask((asker) => askYesNo('Install?', true, asker), ['Install?', CTRL_D]);
    expect(await codeOf(ended)).toEqual([
      'DECLINED',
      'the input ended without an answer; nothing was changed',
      undefined,
    ]);
  });

  it.each<[string, (asker: Asker) => Promise<unknown>]>([
    ['a text', (asker) => askText('Name?', undefined, () => undefined, asker)],
    ['a text with a proposal', (asker) => askText('Name?', 'Copy', () => undefined, asker)],
    ['a path', (asker) => askPath('Name?', async () => '', asker)],
  ])('leaves open %s', async (_, question) => {
    expect(await ask(question, ['Name?', CTRL_D])).toBeUndefined();
  });

  it('is a key like others where something is typed already', async () => {
    const asking = ask(
      (asker) => askText('Name?', undefined, () => undefined, asker),
      ['Name?', 'ab'],
      ['ab', `${CTRL_D}\r`],
    );
    expect(await asking).toBe('ab');
  });
});

it('Ctrl-C at a question is told in words of ours', async () => {
  const ended = ask((asker) => askYesNo('Install?', true, asker), ['Install?', CTRL_C]);
  expect(await codeOf(ended)).toEqual(['INTERRUPTED', 'cancelled with Ctrl-C; nothing was changed', undefined]);
});

it('a wrong text is explained and asked for again', async () => {
  const fault = (text: string): string | undefined => (text === 'a b' ? 'no spaces' : undefined);
  const asking = ask(
    (asker) => askText('Name?', 'Copy', fault, asker),
    ['Name?', 'a b\r'],
    ['no spaces', '\u0015ab\r'],
  );
  expect(await asking).toBe('ab');
});

it('a wrong answer is taken away before the next one', async () => {
  const asking = ask(
    (asker) => askYesNo('Install?', false, asker),
    ['Install?', 'maybe\r'],
    ['please answer y or n', 'y\r'],
  );
  expect(await asking).toBe(true);
});

it('what Tab offers for a path is taken away by Enter', () =>
  withTempDir(async (folder) => {
    for (const name of ['orders-1.jar', 'orders-2.jar']) await writeFile(join(folder, name), '');
    let drawn = '';
    const asking = ask(
      (asker) => {
        asker.output.on('data', (text: string) => (drawn += text));
        const inspect = async (): Promise<string> => {
          drawn = '';
          await new Promise(setImmediate);
          return '';
        };
        return askPath('JAR?', inspect, asker);
      },
      ['JAR?', join(folder, 'o')],
      ['/o', '\t'],
      ['orders-1.jar  orders-2.jar', '\r'],
    );
    expect(await asking).toMatchObject({ path: join(folder, 'orders-') });
    expect(drawn).toContain('/orders-');
    expect(drawn).not.toContain('orders-1.jar');
  }));

it.each<[string, (asker: Asker) => Promise<unknown>]>([
  ['yes or no', (asker) => askYesNo('Name?', true, asker)],
  ['a text', (asker) => askText('Name?', 'Copy', () => undefined, asker)],
  ['a path', (asker) => askPath('Name?', async () => '', asker)],
])('Esc gives up a question for %s', async (_, question) => {
  const ended = ask(question, ['Name?', '\u001b']);
  expect(await codeOf(ended)).toEqual(['DECLINED', 'cancelled; nothing was changed', undefined]);
});

it('only a yes gets a tick', async () => {
  const screens: string[] = [];
  for (const key of ['n', 'y']) {
    const [input, output] = [new PassThrough(), new PassThrough()];
    let screen = '';
    output.setEncoding('utf8').on('data', (text: string) => {
      if (screen === '') setImmediate(() => input.write(`${key}\r`));
      screen += text;
    });
    await askYesNo('Delete?', false, { input, output, signal: new AbortController().signal, home: undefined, look });
    screens.push(screen);
  }
  expect(screens[0]).not.toMatch(/[✔√]/u);
  expect(screens[1]).toMatch(/[✔√]/u);
});

it.each<[string, (asker: Asker) => Promise<unknown>]>([
  ['yes or no', (asker) => askYesNo('Name?', true, asker)],
  ['a text', (asker) => askText('Name?', 'Copy', () => undefined, asker)],
  ['a path', (asker) => askPath('Name?', async () => '', asker)],
  ['one of several', (asker) => askChoice('Name?', [{ value: 1, row: 'one', short: 'one' }], asker)],
])('a question for %s is coloured where its stream takes colours, and only there', async (_, question) => {
  const colored = async (color: boolean): Promise<boolean> => {
    const [input, output] = [new PassThrough(), new PassThrough()];
    let screen = '';
    output.setEncoding('utf8').on('data', (text: string) => {
      if (screen === '') setImmediate(() => input.write('y\r'));
      screen += text;
    });
    await question({ input, output, signal: AbortSignal.timeout(5000), home: undefined, look: { ...look, color } });
    return /\u001b\[[\d;]*m/u.test(screen);
  };
  expect({ with: await colored(true), without: await colored(false) }).toEqual({ with: true, without: false });
});

describe('text from outside', () => {
  const hostile = 'a\u001b]0;pwned\u0007\u001b[2J\u202eb';
  const bytes = (asker: Asker): (() => string) => {
    let drawn = '';
    asker.output.on('data', (text: string) => (drawn += text));
    return () => drawn;
  };
  const isRaw = (drawn: string): readonly boolean[] =>
    ['\u001b]0;', '\u0007', '\u001b[2J', '\u202e'].map((sign) => drawn.includes(sign));

  it('is shown as a proposal, as the answer and in a fault without what a terminal would obey, and taken as it is', async () => {
    let drawn = (): string => '';
    const answer = await ask(
      (asker) => {
        drawn = bytes(asker);
        let asked = 0;
        return askText('Label:', hostile, (text) => (asked++ === 0 ? `not ${text}` : undefined), asker);
      },
      ['Label:', '\r'],
      ['not a', '\r'],
    );
    expect(answer).toBe(hostile);
    expect(isRaw(drawn())).toEqual([false, false, false, false]);
    expect(drawn()).toContain('a\\x1b]0;pwned\\x07\\x1b[2J\\u{202e}b');
  });
});
