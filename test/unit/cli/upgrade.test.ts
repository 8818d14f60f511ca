import { describe, expect, it } from 'vitest';
import { namespaceOf, selectionOf } from '../../../src/cli/upgrade-inputs.js';
import { mostFailures } from '../../../src/cli/upgrade-run.js';
import type { CommandContext } from '../../../src/cli/context.js';
import { thrownBy } from '../services/install/support.js';

describe('--max-failures', () => {
  it.each([
    [undefined, 100, Infinity],
    ['0', 100, 0],
    ['3', 100, 3],
    ['10%', 214, 21],
    ['100%', 7, 7],
    ['0%', 7, 0],
  ])('%s of %d is %d', (text, tried, most) => {
    expect(mostFailures(text, tried)).toBe(most);
  });

  it.each(['', '-1', '1.5', 'ten', '101%', '5 %', '%', '1e3'])('refuses "%s"', (text) => {
    expect(thrownBy(() => mostFailures(text, 10)).code).toBe('USAGE');
  });
});

describe('the namespace of an upgrade', () => {
  const context = (origin: string | undefined): CommandContext =>
    ({
      found: { settings: { namespace: origin === undefined ? undefined : { value: 'etl', origin } } },
    }) as CommandContext;

  it.each([
    ['flag', {}, 'etl'],
    ['environment', {}, 'etl'],
    ['context', {}, 'etl'],
    [undefined, {}, undefined],
    ['context', { 'all-namespaces': true }, undefined],
    ['flag', { pipeline: 'orders' }, 'etl'],
    ['environment', { pipeline: 'orders' }, 'etl'],
    ['context', { pipeline: 'orders' }, 'USAGE'],
    [undefined, { pipeline: 'orders' }, 'USAGE'],
    ['environment', { pipeline: 'orders', 'all-namespaces': true }, 'USAGE'],
  ] as const)('from the %s with %o is %s (decision 13, P23)', (origin, flags, expected) => {
    const find = () => namespaceOf({ 'all-namespaces': false, ...flags }, context(origin));
    if (expected === 'USAGE') expect(thrownBy(find).code).toBe('USAGE');
    else expect(find()).toBe(expected);
  });
});

describe('what flags choose', () => {
  it('is everything, without flags', () => {
    expect(selectionOf({}, undefined)).toEqual({
      match: [],
      exclude: [],
      plugins: [],
      includeCurrent: false,
      snapshots: false,
      running: 'warn',
      engine: 'client',
    });
  });
});
