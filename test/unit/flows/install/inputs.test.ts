import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { typedInputs } from '../../../../src/flows/install/inputs.js';
import { codeOf } from '../../../support/errors.js';
import { parseValues } from '../../../../src/services/install/package/inputs.js';

const { signal } = new AbortController();
const root = mkdtempSync(join(tmpdir(), 'cdapctl-values-'));
afterAll(() => {
  rmSync(root, { recursive: true, force: true });
});

describe('a flag of a wrong form', () => {
  it.each([
    ['--set', { set: ['name=Foo'] }, '"name=Foo" does not have the form N.ARGUMENT=VALUE'],
    ['--set-file', { 'set-file': ['name=Foo'] }, '"name=Foo" does not have the form N.ARGUMENT=FILE'],
    ['--jar', { jar: ['driver.jar'] }, '"driver.jar" does not have the form N=PATH'],
  ])('%s is told with what was typed, before the package is read', async (flag, flags, message) => {
    await expect(typedInputs(flags, signal)).rejects.toMatchObject({ code: 'USAGE', message: `${flag}: ${message}` });
  });
});

describe('a value of a flag', () => {
  it.each(['name=x', '1=x', '.name=x', '1.name', '=', ''])(
    '%j does not have the form N.ARGUMENT=VALUE',
    async (text) => {
      expect(await codeOf(typedInputs({ set: [text] }, signal))).toBe('USAGE');
    },
  );

  it('may be empty or hold signs, and its argument a dot', async () => {
    const { set, jars } = await typedInputs({ set: ['1.a.b=', '2.c=d=e'], jar: ['x[1]=a=b.jar'] }, signal);
    expect(set).toEqual([
      { action: '1', name: 'a.b', value: '' },
      { action: '2', name: 'c', value: 'd=e' },
    ]);
    expect(jars).toEqual([{ action: 'x[1]', file: 'a=b.jar' }]);
  });

  it('is the content of a file with --set-file', async () => {
    const file = join(root, 'text');
    writeFileSync(file, 'a=b\n');
    const { set } = await typedInputs({ set: ['1.a=x'], 'set-file': [`1.b=${file}`] }, signal);
    expect(set.map(({ name, value }) => [name, value])).toEqual([
      ['a', 'x'],
      ['b', 'a=b\n'],
    ]);
  });
});

describe('a values file', () => {
  it.each([
    [
      'YAML',
      'acceptLicense: true\nactions:\n  2:\n    set: { a: 1.0, b: 0x1F, c: 007, d: 42.10, e: true, f: "1.0" }\n',
    ],
    [
      'JSON',
      '{"acceptLicense":true,"actions":{"2":{"set":{"a":1.0,"b":"0x1F","c":"007","d":42.10,"e":true,"f":"1.0"}}}}',
    ],
  ])('in %s keeps numbers as they are written', async (_, text) => {
    const file = join(root, 'values');
    writeFileSync(file, text);
    const { values } = await typedInputs({ values: file }, signal);
    expect(parseValues(values)).toEqual({
      acceptLicense: true,
      actions: { 2: { set: { a: '1.0', b: '0x1F', c: '007', d: '42.10', e: true, f: '1.0' } } },
    });
  });

  it.each([
    ['actions: { 1: { jar: a }, "1": { jar: b } }', '1'],
    ['actions: { 1: { jar: a }, 1: { jar: b } }', '1'],
    ['{"actions":{"1":{"set":{"true":"a","true":"b"}}}}', 'true'],
    ['actions: { 1: { set: { true: a, "true": b } } }', 'true'],
  ])('%s has a key twice', async (text, key) => {
    const file = join(root, 'twice');
    writeFileSync(file, text);
    await expect(typedInputs({ values: file }, signal)).rejects.toMatchObject({
      code: 'USAGE',
      message: `the values file ${file} has the key "${key}" twice`,
    });
  });

  it('has no key twice where keys are other texts', async () => {
    const file = join(root, 'once');
    writeFileSync(file, 'actions: { 1: { set: { 1: a, 1.0: b, null: c } }, 2: { set: { 1: a } } }');
    const { values } = await typedInputs({ values: file }, signal);
    expect(values).toEqual({ actions: { 1: { set: { 1: 'a', '1.0': 'b', '': 'c' } }, 2: { set: { 1: 'a' } } } });
  });

  it('is told with the line where it is neither YAML nor JSON', async () => {
    const file = join(root, 'neither');
    writeFileSync(file, 'actions:\n  1: {');
    await expect(typedInputs({ values: file }, signal)).rejects.toMatchObject({
      code: 'USAGE',
      message: `the values file ${file} is neither YAML nor JSON (line 2)`,
    });
  });
});
