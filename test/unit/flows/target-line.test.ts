import { describe, expect, it } from 'vitest';
import { whereOf } from '../../../src/flows/target-line.js';

describe('namespaces in a line', () => {
  it.each([
    [[], 'all namespaces'],
    [['a'], 'namespace a'],
    [['a', 'b', 'c', 'd', 'e'], 'namespaces a, b, c, d, e'],
    [['a', 'b', 'c', 'd', 'e', 'f', 'g'], 'namespaces a, b, c, d, e and 2 more'],
  ])('are five at most: %j', (names, text) => {
    expect(whereOf(names)).toBe(text);
  });
});
