import { describe, expect, it } from 'vitest';
import { compatibilityOf } from '../../../../src/services/catalog/compatibility.js';

describe('compatibilityOf', () => {
  it.each([
    ['[6.1.0,7.0.0)', '6.4.1', 'IN_RANGE', true],
    ['[6.1.0,7.0.0)', '6.0.0', 'BELOW', false],
    ['[6.1.0,7.0.0)', '7.0.0', 'ABOVE', false],
    ['[6.1.0,7.0.0)', undefined, undefined, true],
    ['[6.1.0,7.0.0)', 'unknown', undefined, true],
    [undefined, '6.4.1', 'NO_RANGE', true],
    [undefined, undefined, 'NO_RANGE', true],
    ['[6.1.3,6.1.3)', '6.1.3', 'EMPTY_RANGE', false],
    ['[6.1.3,6.1.3)', undefined, 'EMPTY_RANGE', false],
    ['[6.0.0,6.0.0-SNAPSHOT)', '6.0.0-SNAPSHOT', 'EMPTY_RANGE', false],
    ['soon', '6.4.1', 'INVALID_RANGE', false],
    ['', '6.4.1', 'INVALID_RANGE', false],
    ['6.4.1', '6.4.1', 'IN_RANGE', true],
  ])('judges %s for a platform %s as %s', (range, platform, reason, compatible) => {
    expect(compatibilityOf(range, platform)).toEqual({ platform, reason, compatible });
  });
});
