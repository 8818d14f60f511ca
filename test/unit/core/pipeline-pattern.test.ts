import { describe, expect, it } from 'vitest';
import {
  fitsAny,
  fitsPattern,
  isOneName,
  namespacesOfPatterns,
  onePipeline,
  pipelinePattern,
} from '../../../src/core/pipeline-pattern.js';
import { saidBy, thrownBy } from '../../support/errors.js';

/** What is said of a text that is no pipeline. */
const noPipeline = (text: string, hint: unknown) => ({
  code: 'USAGE',
  message: `${JSON.stringify(text)} is not a pipeline`,
  hints: [hint],
});

describe('a pattern [NS/]GLOB', () => {
  it.each([
    ['orders', true],
    ['ord*', true],
    ['etl/orders', true],
    ['etl/ord?rs', true],
    ['e*/*', true],
    ['dev/orders', false],
    ['etl/order', false],
    ['etl', false],
  ])('%s fits etl/orders: %s', (pattern, fits) => {
    expect(fitsPattern(pipelinePattern(pattern), { namespace: 'etl', name: 'orders' })).toBe(fits);
  });

  it.each(['', '/', 'a/', '/a', 'a/b/c', 'a b', '../a', '$(x)', 'a,b'])('is not %j', (text) => {
    expect(saidBy(thrownBy(() => pipelinePattern(text)))).toEqual(noPipeline(text, { next: 'write-pattern' }));
  });

  it('is one of several, or there is none', () => {
    const orders = { namespace: 'etl', name: 'orders' };
    expect([fitsAny([], orders), fitsAny(['a', 'etl/o*'], orders), fitsAny(['a'], orders)]).toEqual([
      true,
      true,
      false,
    ]);
  });

  it('may be one name', () => {
    expect([isOneName('a'), isOneName('etl/a'), isOneName('etl/*')]).toEqual([true, true, false]);
  });
});

describe('the namespaces of patterns', () => {
  it.each<[readonly string[], readonly string[] | undefined, readonly string[] | undefined]>([
    [[], ['default'], ['default']],
    [['orders'], ['default'], ['default']],
    [['etl/orders', 'etl/x', 'dev/*'], ['default'], ['etl', 'dev']],
    [['etl/orders', 'x'], ['default'], ['default', 'etl']],
    [['etl/orders', 'x'], undefined, undefined],
    [['etl/orders', '*/x'], ['default'], undefined],
  ])('%j with %j are %j', (patterns, otherwise, namespaces) => {
    expect(namespacesOfPatterns(patterns, otherwise)).toEqual(namespaces);
  });
});

describe('one pipeline', () => {
  it.each(['orders', 'etl/orders'])('is %s', (text) => {
    expect(onePipeline(text)).toBe(text);
  });

  it.each([
    ['orders*', 'specify one pipeline, without * and ?'],
    ['e?l/orders', 'specify one pipeline, without * and ?'],
    ['a/b/c', 'use NAME or NAMESPACE/NAME'],
    ['', 'use NAME or NAMESPACE/NAME'],
  ])('is not %j', (text, hint) => {
    expect(saidBy(thrownBy(() => onePipeline(text)))).toEqual(noPipeline(text, hint));
  });
});
