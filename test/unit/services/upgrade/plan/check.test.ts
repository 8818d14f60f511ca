import { describe, expect, it } from 'vitest';
import { checkUse, fitsType } from '../../../../../src/services/upgrade/plan/check.js';
import type { PluginProperty } from '../../../../../src/services/upgrade/plugins/available-plugins.js';
import { offer, recordedOffers, use } from '../support.js';

type Properties = Readonly<Record<string, Partial<PluginProperty>>>;

/** What is found when a plugin with these properties comes after one with those, in short. */
function check(set: Readonly<Record<string, unknown>>, after: Properties, before?: Properties): readonly string[] {
  const old = before === undefined ? undefined : offer('noop 1.0.0', before);
  return checkUse(use('noop 1.0.0', set), offer('noop 2.0.0', after), old).map(({ stage, plugin, level, reason }) => {
    expect([stage, plugin]).toEqual(['n', 'Noop']);
    return `${level}: ${reason}`;
  });
}

const REQUIRED = { required: true };
const INT = { type: 'int' };
const CONNECTION = { type: 'connectorconfig', children: ['user', 'password'] };

describe('a required property', () => {
  it.each<[string, Record<string, unknown>, Properties, Properties | undefined, string[]]>([
    ['that is new', {}, { a: REQUIRED }, {}, ['blocked: new required property "a" has no value']],
    ['that was optional', {}, { a: REQUIRED }, { a: {} }, ['blocked: property "a" is now required and has no value']],
    ['of an unknown past', {}, { a: REQUIRED }, undefined, ['blocked: required property "a" has no value']],
    [
      'that had no value before',
      {},
      { a: REQUIRED },
      { a: REQUIRED },
      ['risky: required property "a" has no value, as before'],
    ],
    ['that is null', { a: null }, { a: REQUIRED }, {}, ['blocked: new required property "a" has no value']],
    ['that is empty', { a: '' }, { a: REQUIRED }, {}, []],
    ['that is set', { a: 'x' }, { a: REQUIRED }, {}, []],
    ['that is set by a macro', { a: '${x}' }, { a: REQUIRED }, {}, []],
  ])('%s', (_, set, after, before, expected) => {
    expect(check(set, after, before)).toEqual(expected);
  });

  const needed = { user: REQUIRED, password: REQUIRED };
  it.each<[string, Record<string, unknown>, Properties, Properties | undefined, string[]]>([
    ['is covered', { connection: '${conn(db)}' }, { connection: CONNECTION, ...needed }, undefined, []],
    [
      'is covered as it was',
      { connection: '${conn(db)}' },
      { connection: {}, ...needed },
      { connection: CONNECTION },
      [],
    ],
    [
      'is judged by itself without one',
      { user: 'u' },
      { connection: { ...CONNECTION, ...REQUIRED }, ...needed },
      {},
      ['blocked: new required property "password" has no value'],
    ],
    [
      'is judged by itself, not the connection, when nothing is set',
      {},
      { connection: { ...CONNECTION, ...REQUIRED }, user: REQUIRED },
      {},
      ['blocked: new required property "user" has no value'],
    ],
    [
      'is enough for a connection that lists it alone',
      { user: 'u' },
      { connection: { ...CONNECTION, ...REQUIRED } },
      {},
      [],
    ],
    [
      'may be covered by one that does not say so',
      { connection: '${conn(db)}' },
      { connection: {}, user: REQUIRED },
      {},
      ['risky: new required property "user" has no value, unless its connection provides one'],
    ],
    [
      'is not covered when it is none of its children',
      { connection: '${conn(db)}' },
      { connection: CONNECTION, table: REQUIRED },
      {},
      ['blocked: new required property "table" has no value'],
    ],
  ])('of a connection %s', (_, set, after, before, expected) => {
    expect(check(set, after, before).filter((line) => !line.includes('not known'))).toEqual(expected);
  });
});

describe('a property that is set', () => {
  const changed = ['blocked: property "a" is now of type int; its value is not'];
  it.each<[string, unknown, Properties, Properties | undefined, string[]]>([
    ['changed its type', 'secret', { a: INT }, { a: {} }, changed],
    ['changed its type and is empty', '', { a: INT }, { a: {} }, changed],
    ['narrowed its type', '3000000000', { a: INT }, { a: { type: 'long' } }, changed],
    ['changed its type and fits', '5', { a: INT }, { a: {} }, []],
    ['changed its type and is a number of JSON', 5, { a: INT }, { a: {} }, []],
    ['changed its type and is a macro', '${x}', { a: INT }, { a: {} }, []],
    [
      'became a boolean',
      'yes',
      { a: { type: 'boolean' } },
      { a: {} },
      ['blocked: property "a" is now of type boolean; its value is not'],
    ],
    ['kept its type', 'secret', { a: INT }, { a: INT }, []],
    ['became a text', '5', { a: {} }, { a: INT }, []],
    [
      'is no number, with an unknown past',
      'x',
      { a: INT },
      undefined,
      ['blocked: property "a" is of type int; its value is not'],
    ],
    [
      'is no boolean, with an unknown past',
      'x',
      { a: { type: 'boolean' } },
      undefined,
      ['risky: property "a" is of type boolean; its value is not'],
    ],
    ['is null', null, { a: INT }, { a: {} }, []],
    ['was taken out', 'x', {}, { a: {} }, ['risky: property "a" is unknown in noop 2.0.0 and is ignored']],
    ['was taken out and is empty', '', {}, { a: {} }, []],
    ['was never known', 'x', {}, {}, []],
    [
      'is not known, with an unknown past',
      'x',
      {},
      undefined,
      ['risky: property "a" is unknown in noop 2.0.0 and is ignored'],
    ],
    [
      'lost its macros',
      '${x}',
      { a: { macroSupported: false } },
      { a: {} },
      ['blocked: property "a" no longer allows macros, and its value has one'],
    ],
    ['lost its macros and has none', 'x', { a: { macroSupported: false } }, { a: {} }, []],
    ['lost its macros and is escaped', '\\${x}', { a: { macroSupported: false } }, { a: {} }, []],
    ['never had macros', 'if ${x}', { a: { macroSupported: false } }, { a: { macroSupported: false } }, []],
    [
      'has no macros, with an unknown past',
      '${x}',
      { a: { macroSupported: false } },
      undefined,
      ['risky: property "a" does not allow macros, and its value looks like one'],
    ],
    ['has macros', 'a ${x} b', { a: {} }, undefined, []],
  ])('and %s', (_, value, after, before, expected) => {
    expect(check({ a: value }, after, before)).toEqual(expected);
  });

  it('names the property in a member of its own', () => {
    const [finding] = checkUse(use('noop 1.0.0'), offer('noop 2.0.0', { 'auth.mode': REQUIRED }), offer('noop 1.0.0'));
    expect(finding).toEqual({
      level: 'blocked',
      stage: 'n',
      plugin: 'Noop',
      property: 'auth.mode',
      reason: 'new required property "auth.mode" has no value',
    });
  });

  it('is not judged where the plugin stays', () => {
    const same = offer('noop 1.0.0', { a: REQUIRED });
    expect(checkUse(use('noop 1.0.0', { b: 'x' }), same, undefined)).toEqual([]);
  });

  it('is found good from one recorded version of a plugin to the next', async () => {
    const [before, , chosen] = await recordedOffers('6.11.0', 'ext-plugin');
    if (before === undefined || chosen === undefined) throw new Error('the recording holds no offers');
    expect(checkUse(use('noop 1.0.0 user', { field: '${f}' }), chosen, before)).toEqual([]);
  });
});

describe('fitsType', () => {
  // whole numbers as a deploy on 6.11.0 took or refused them
  it.each([
    [
      'long',
      ['5', '+5', '-0', '5.0', '9223372036854775807'],
      ['', ' 5 ', 'abc', '5.5', '1e3', '0x10', '5L', 'NaN', '1,000', '.5', '5.', '5\n', '9223372036854775808'],
    ],
    ['int', ['5', '+7', '5.0', '-2147483648'], ['', 'x', '3000000000', '5.7', '1e3']],
    ['short', ['32767'], ['32768']],
    ['byte', ['-128'], ['128']],
    ['double', ['1', '1.5', '.5', '5.', '-1e-3', '1d', 'NaN', '-Infinity'], ['', 'x', '1,5', '1e']],
    ['float', ['1.5f'], ['one']],
    ['boolean', ['true', 'FALSE', ''], ['yes', '1']],
    ['char', ['x'], ['', 'xy']],
    ['string', ['', 'anything'], []],
    ['connectorconfig', ['anything'], []],
  ])('knows what a %s is', (type, good, bad) => {
    expect(good.filter((text) => !fitsType(type, text))).toEqual([]);
    expect(bad.filter((text) => fitsType(type, text))).toEqual([]);
  });
});
