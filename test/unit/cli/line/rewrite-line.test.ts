import { resolve } from 'node:path';
import { expect, it } from 'vitest';
import { withArgument, withFlag } from '../../../../src/cli/line/rewrite-line.js';

const build = { version: '1', commit: '', root: resolve(import.meta.dirname, '../../../..'), node: '', system: '' };
const rewritten = (line: string, by = 'corp/driver'): string =>
  withArgument({ argv: line.split(' '), build }, 'driver', by).join(' ');

it.each([
  ['install driver -y', 'install corp/driver -y'],
  ['install -n driver driver', 'install -n driver corp/driver'],
  ['-n driver install -y driver', '-n driver install -y corp/driver'],
  ['hub download first driver -d driver', 'hub download first corp/driver -d driver'],
  ['hub show --hub=driver --hub driver driver', 'hub show --hub=driver --hub driver corp/driver'],
  ['installed rm driver', 'installed rm corp/driver'],
  ['install -y -- driver', 'install -y -- corp/driver'],
  ['install another', 'install another'],
])('in the line %j only the argument is another one', (line, expected) => {
  expect(rewritten(line)).toBe(expected);
});

it.each([
  ['hub key show AB', 'hub key show AB --hub corp'],
  ['hub key show AB --hub a --hub=b -y', 'hub key show AB -y --hub corp'],
  ['hub key add -- --hub', 'hub key add --hub corp -- --hub'],
])('in the line %j a flag has one value', (line, expected) => {
  expect(withFlag(line.split(' '), 'hub', 'corp').join(' ')).toBe(expected);
});

it.each([
  'installed show x -n a',
  'installed show x -na',
  'installed show x --namespace a',
  'installed show x --namespace=a',
])('in the line %j a flag has one value however it is written', (line) => {
  expect(withFlag(line.split(' '), 'namespace', 'b', 'n').join(' ')).toBe('installed show x --namespace b');
});

it.each([
  ['uninstall x -y -n a', 'uninstall x -y --namespace b'],
  ['uninstall x -y -f name', 'uninstall x -y -f name --namespace b'],
  ['uninstall x -ofn', 'uninstall x -ofn --namespace b'],
])('in the line %j only the flag and its value are taken out', (line, expected) => {
  expect(withFlag(line.split(' '), 'namespace', 'b', 'n').join(' ')).toBe(expected);
});
