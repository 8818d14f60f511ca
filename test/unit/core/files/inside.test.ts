import { win32 } from 'node:path';
import { describe, expect, it } from 'vitest';
import { isInside } from '../../../../src/core/files/inside.js';

describe('a path inside a folder', () => {
  it.each([
    ['/hub', '/hub', true],
    ['/hub', '/hub/packages/one', true],
    ['/hub', '/hub/..x', true],
    ['/hub', '/', false],
    ['/hub', '/hub2', false],
    ['/hub', '/other/hub', false],
  ])('%s has %s: %s', (folder, inner, is) => {
    expect(isInside(folder, inner)).toBe(is);
  });

  it('is on the same drive of Windows', () => {
    expect(isInside('C:\\hub', 'D:\\public', win32)).toBe(false);
    expect(isInside('C:\\hub', 'C:\\hub\\public', win32)).toBe(true);
  });
});
