import { resolve } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { actionTypeOf } from '../../../../../src/services/install/actions/index.js';
import {
  actionNumber,
  parseInputs,
  parseValues,
  refuseOtherValues,
} from '../../../../../src/services/install/package/inputs.js';
import { requiredName } from '../../../../../src/services/install/arguments.js';
import { refuseWrongInputs } from '../../../../../src/services/install/package/check-inputs.js';
import { faultOfInput, resolveArguments } from '../../../../../src/services/install/package/resolve-arguments.js';
import { CliError } from '../../../../../src/core/errors.js';
import { action, argument, COMMANDS, NO_INPUTS } from '../support.js';
import { errorOf, hintsOf, refusalOf, saidBy, thrownBy } from '../../../../support/errors.js';

const ACTIONS = [action(1, 'create_pipeline'), action(2, 'create_driver_artifact'), action(3, 'create_pipeline')];
const NOTHING = { set: [], jars: [], acceptLicense: false };

const noFile = async () => Promise.reject(new Error('no file is read'));

describe('an action', () => {
  it.each([
    ['1', 1],
    ['3', 3],
    ['create_pipeline[1]', 1],
    ['create_pipeline[2]', 3],
    ['create_driver_artifact[1]', 2],
  ])('%s is action %i', (text, n) => {
    expect(actionNumber(text, ACTIONS, COMMANDS)).toBe(n);
  });

  it('may have a number of four digits', () => {
    expect(actionNumber('1200', [action(1200, 'create_pipeline')], COMMANDS)).toBe(1200);
  });

  it.each([
    '0',
    '4',
    '-1',
    '1e0',
    '01',
    ' 1',
    '',
    'create_pipeline',
    'create_pipeline[0]',
    'create_pipeline[3]',
    'x[1]',
    'create_pipeline[1]x',
    'xcreate_pipeline[1]',
    '1x',
    '12345',
  ])('%j is none', (text) => {
    expect(saidBy(thrownBy(() => actionNumber(text, ACTIONS, COMMANDS)))).toEqual({
      ...{ code: 'USAGE', message: `the package has no action "${text}" (it has 3)`, hints: [COMMANDS.actions] },
    });
  });
});

describe('inputs', () => {
  it('are merged: flags over the values file', () => {
    const values = {
      acceptLicense: true,
      actions: { 1: { set: { name: 'File', size: '3', on: true } }, 'create_driver_artifact[1]': { jar: 'file.jar' } },
    };
    const inputs = parseInputs(
      {
        ...NOTHING,
        set: [{ action: '1', name: 'name', value: 'Flag=with=signs' }],
        jars: [{ action: '2', file: 'flag.jar' }],
        values,
      },
      ACTIONS,
      COMMANDS,
    );
    expect(Object.fromEntries(inputs.set.get(1) ?? [])).toEqual({ name: 'Flag=with=signs', size: '3', on: 'true' });
    expect(inputs.jars).toEqual(new Map([[2, 'flag.jar']]));
    expect(inputs.acceptLicense).toBe(true);
  });
});

describe('a values file', () => {
  it.each([
    [{ acceptLicence: true }, 'acceptLicense'],
    [{ actions: { 1: { sets: {} } } }, 'set'],
    [{ actions: { 1: { jars: '' } } }, 'jar'],
    [{ namespaces: 'x' }, 'namespace'],
  ])('%j is refused with a suggestion', (content, near) => {
    expect(thrownBy(() => parseValues(content)).details.hints).toEqual([`Did you mean "${near}"?`]);
  });

  it.each<[unknown, string, readonly unknown[]]>([
    [{ zzzzzz: 1 }, 'has an unknown member "zzzzzz"', []],
    [{ actions: { 1: { sets: {} } } }, 'has an unknown member "actions.1.sets"', ['Did you mean "set"?']],
    [{ actions: { 1: { set: { a: [] } } } }, 'is invalid at "actions.1.set.a"', ['put the value in quotes']],
    [{ actions: { 1: { set: { a: null } } } }, 'is invalid at "actions.1.set.a"', ['put the value in quotes']],
    [{ actions: { 1: { set: 7 } } }, 'is invalid at "actions.1.set"', [{ next: 'values-file' }]],
    [{ actions: { 1: { jar: 7 } } }, 'is invalid at "actions.1.jar"', [{ next: 'values-file' }]],
    [7, 'is invalid at ""', [{ next: 'values-file' }]],
    [JSON.parse('{"__proto__":{}}'), 'has an unknown member "__proto__"', []],
    [JSON.parse('{"actions":{"__proto__":{"jar":"x"}}}'), 'has an unknown member "actions.__proto__"', []],
    [JSON.parse('{"actions":{"1":{"set":{"__proto__":"x"}}}}'), 'has an unknown member "actions.1.set.__proto__"', []],
  ])('%j is refused: %s', (content, message, hints) => {
    const said = { code: 'USAGE', message: `the values file ${message}`, hints };
    expect(saidBy(thrownBy(() => parseValues(content)))).toEqual(said);
  });

  it('is refused where it has one action by two names', () => {
    const values = { actions: { 3: { jar: 'a' }, 'create_pipeline[2]': { jar: 'b' } } };
    expect(saidBy(thrownBy(() => parseInputs({ ...NOTHING, values }, ACTIONS, COMMANDS)))).toEqual({
      code: 'USAGE',
      message: 'the values file has action 3 twice, as "3" and "create_pipeline[2]"',
      hints: [],
    });
  });

  it.each([null, undefined, {}, { actions: {} }])('%j says nothing', (content) => {
    expect(parseInputs({ ...NOTHING, values: content }, ACTIONS, COMMANDS)).toEqual(NO_INPUTS);
  });

  it('is read or refused as a mistake of its author, whatever is in it', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (values) => {
        try {
          parseInputs({ ...NOTHING, values }, ACTIONS, COMMANDS);
        } catch (error) {
          expect(error instanceof CliError && error.code).toBe('USAGE');
        }
      }),
    );
  });

  const place = { name: 'orders', version: '2.0.0' };
  it.each([
    [{}],
    [{ package: 'orders' }],
    [{ package: 'orders@2.0.0' }],
    [{ package: 'corp/orders@2.0.0' }],
    [{ namespace: 'etl' }],
  ])('%j is for this package and namespace', (values) => {
    const refusals = [place, { ...place, name: 'another' }].map((one) =>
      refusalOf(() => {
        refuseOtherValues(values, one, 'etl');
      }),
    );
    expect(refusals).toEqual([
      undefined,
      'package' in values ? expect.stringContaining('not for another@2.0.0') : undefined,
    ]);
  });

  it.each<[{ readonly package: string } | { readonly namespace: string }]>([
    [{ package: 'order' }],
    [{ package: 'corp/orders@2.0' }],
    [{ namespace: 'default' }],
    [{ namespace: '' }],
  ])('%j is for another one', (values) => {
    const error = thrownBy(() => {
      refuseOtherValues(values, place, 'etl');
    });
    const said =
      'package' in values
        ? { message: `the values file is for the package ${values.package}, not for orders@2.0.0`, hints: [] }
        : {
            message: `the values file is for the namespace "${values.namespace}", but this run is for "etl"`,
            hints: [{ next: 'use-namespace', namespace: values.namespace }],
          };
    expect(saidBy(error)).toEqual({ code: 'USAGE', ...said });
  });
});

describe('changing arguments', () => {
  const pipeline = action(
    1,
    'create_pipeline',
    argument('name', 'Copy', true),
    argument('artifact', { name: 'a' }),
    argument('config', ''),
    argument('extra', 1),
  );
  const resolve = (name: string, value: string, forceSet = false): unknown =>
    resolveArguments(pipeline, { ...NO_INPUTS, set: new Map([[1, new Map([[name, value]])]]) }, forceSet).arguments.get(
      name,
    );

  it('is allowed where the package allows it, or gives nothing, or with force', () => {
    expect(resolve('name', 'Other')).toBe('Other');
    expect(resolve('config', 'c.json')).toBe('c.json');
    expect(resolve('artifact', '{"name":"b"}', true)).toEqual({ name: 'b' });
    expect(resolve('extra', '2', true)).toBe('2');
  });

  const FIXED = { message: 'argument "artifact" of action 1 (create_pipeline) is fixed by the package' };
  it.each<[string, string, boolean, object]>([
    ['artifact', '{}', false, { ...FIXED, hints: [{ next: 'force-argument' }] }],
    ['extra', '2', false, { message: FIXED.message.replace('artifact', 'extra'), hints: [{ next: 'force-argument' }] }],
    ['artifact', 'no json', true, { message: expect.stringMatching(/^the value of 1\.artifact ./u) as string }],
    [
      ...(['nmae', 'x', true] as const),
      {
        message: 'action 1 (create_pipeline) has no argument "nmae"',
        hints: [{ next: 'meant-argument', n: 1, name: 'name' }],
      },
    ],
    ['zzzzzzzzzz', 'x', true, { message: 'action 1 (create_pipeline) has no argument "zzzzzzzzzz"', hints: [] }],
  ])('of %s to %j (forced: %s) is a mistake', (name, value, forceSet, said) => {
    expect(saidBy(thrownBy(() => resolve(name, value, forceSet)))).toEqual({ code: 'USAGE', ...said });
  });

  it('gives what an action is done with, and which of it the package fixes', () => {
    const inputs = { ...NO_INPUTS, set: new Map([[1, new Map([['extra', '2']])]]) };
    const { arguments: values, fixed, ...rest } = resolveArguments(pipeline, inputs, true);
    expect(rest).toEqual({ n: 1, type: 'create_pipeline', label: pipeline.label ?? 'create_pipeline' });
    expect(Object.fromEntries(values)).toEqual({ name: 'Copy', artifact: { name: 'a' }, config: '', extra: '2' });
    expect([...fixed]).toEqual(['artifact']);
  });

  it.each<[string, object | undefined, string | undefined]>([
    ['driver.jar', { kind: 'hub', name: 'driver.jar' }, undefined],
    ['', undefined, undefined],
    ['driver.jar', { kind: 'local', file: 'mine.jar' }, 'mine.jar'],
  ])('takes the JAR of the package (%j) or that of a person', (name, jar, file) => {
    const driver = action(2, 'create_driver_artifact', argument('name', 'd', true), argument('jar', name));
    const jars = new Map(file === undefined ? [] : [[2, file]]);
    expect(resolveArguments(driver, { ...NO_INPUTS, jars }, false).jar).toEqual(jar);
  });

  it('takes no JAR where none is needed', () => {
    const inputs = { ...NO_INPUTS, jars: new Map([[1, 'mine.jar']]) };
    expect(saidBy(thrownBy(() => resolveArguments(pipeline, inputs, false)))).toEqual({
      code: 'USAGE',
      message: 'action 1 (create_pipeline) does not take a JAR',
      hints: [{ next: 'list-actions' }],
    });
    const named = action(1, 'create_pipeline', argument('jar', 'x.jar'));
    expect(resolveArguments(named, NO_INPUTS, false).jar).toBeUndefined();
  });

  it('names the argument that was meant', () => {
    expect(hintsOf(thrownBy(() => resolve('nmae', 'x')))).toEqual(['Did you mean --set 1.name=VALUE?']);
  });
});

describe('what a person gives', () => {
  const pipeline = action(
    1,
    'create_pipeline',
    argument('name', 'Copy', true),
    argument('artifact', { name: 'a' }, true),
  );
  const staging = { resource: noFile, file: noFile, jar: noFile };
  const given = (name: string, text: string) => ({ ...NO_INPUTS, set: new Map([[1, new Map([[name, text]])]]) });

  it.each([
    ['nmae', 'x', /has no argument "nmae"/u, 'Did you mean --set 1.name=VALUE?'],
    ['name', 'a b', /does not accept the name "a b"/u, 'set another one: --set 1.name=VALUE'],
    ['name', '', /does not accept the name ""/u, 'set another one: --set 1.name=VALUE'],
  ])('is checked before it is asked what is missing: %s=%s', async (name, text, message, hint) => {
    const refused = refuseWrongInputs([pipeline], given(name, text), { forceSet: false, staging });
    const error = await errorOf(refused);
    expect([error.code, hintsOf(error)]).toEqual(['USAGE', [hint]]);
    expect(error.message).toMatch(message);
  });

  it('is checked like this when it is typed at a question, too', () => {
    const type = actionTypeOf('create_pipeline');
    if (type === undefined) throw new Error('create_pipeline is not known');
    const fault = (name: string, text: string) => faultOfInput(pipeline, type, name, text);
    expect([fault('name', 'Copy'), fault('artifact', '{}')]).toEqual([undefined, undefined]);
    expect([fault('name', 'a b'), fault('artifact', '{')]).toEqual([
      expect.stringContaining('letters, digits'),
      expect.stringContaining('the value of 1.artifact'),
    ]);
  });
});

it.each([
  ['fixed by the package', argument('name', 7.5), 'set another one: --set 1.name=VALUE --force-set'],
  ['open to changes', argument('name', 'a b', true), 'set another one: --set 1.name=VALUE'],
  ['missing', argument('name', ''), 'set another one: --set 1.name=VALUE'],
])('a bad argument that is %s is changed with just the flags that it needs', (_, given, hint) => {
  const resolved = resolveArguments(action(1, 'create_pipeline', given), NO_INPUTS, false);
  expect(hintsOf(thrownBy(() => requiredName(resolved)))).toEqual([hint]);
});

it.each(['9', 'x'])('a number that no action has is answered with the command that numbers them: %s', (text) => {
  expect(thrownBy(() => actionNumber(text, ACTIONS, COMMANDS)).details.hints).toEqual([COMMANDS.actions]);
});

it('tells where a JAR was looked for, and for which action', async () => {
  const inputs = { ...NO_INPUTS, jars: new Map([[2, 'no/driver.jar']]) };
  const staging = { resource: noFile, file: noFile, jar: noFile };
  await expect(refuseWrongInputs(ACTIONS, inputs, { forceSet: false, staging })).rejects.toMatchObject({
    code: 'LOCAL_IO',
    message: 'action 2: no/driver.jar does not exist',
    details: {
      lines: [`path: ${resolve('no/driver.jar')}`],
      hints: ['paths are relative to the current folder, including those in a values file'],
    },
  });
});
