import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { valuesIfAny } from '../../../../src/flows/preferences/input.js';
import { NEVER } from '../../../support/clock.js';
import { errorOf } from '../../../support/errors.js';
import { withTempDir } from '../../../support/processes/run-cli.js';

it.each(['date', '=5'])('a value that has no key and value is named: %s', async (text) => {
  expect((await errorOf(valuesIfAny({ set: ['a=1', text] }, NEVER))).message).toBe(
    `--set takes KEY=VALUE, not ${JSON.stringify(text)}`,
  );
});

it('a nested value in a file is called an object', () =>
  withTempDir(async (folder) => {
    const file = join(folder, 'values.yaml');
    await writeFile(file, 'a: { b: 1 }\n');
    expect((await errorOf(valuesIfAny({ values: file }, NEVER))).message).toContain('is an object, not text');
  }));

it.each([
  ['a value', (file: string) => ({ 'set-file': [`key=${file}`] })],
  ['values', (file: string) => ({ values: file })],
])('%s of a file in another encoding is refused, as it would change', (_, flagsOf) =>
  withTempDir(async (folder) => {
    const file = join(folder, 'latin1');
    await writeFile(file, Buffer.from('key: caf\u00e9', 'latin1'));
    const { code, message } = await errorOf(valuesIfAny(flagsOf(file), NEVER));
    expect([code, message]).toEqual(['USAGE', `${file} is not UTF-8 text`]);
  }),
);

it('a key that is given twice is refused', async () => {
  const { code, message } = await errorOf(valuesIfAny({ set: ['a=1', 'b=1', 'a=2'] }, NEVER));
  expect([code, message]).toEqual(['USAGE', '--set gives "a" more than one value']);
});
