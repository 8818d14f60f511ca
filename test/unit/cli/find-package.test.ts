import { describe, expect, it } from 'vitest';
import { isPath } from '../../../src/cli/find-package.js';

describe('an argument', () => {
  it.each(['.', '..', './a', '../a', '/a/b', './a/b@1', '~', '~/a', 'C:\\hub', 'c:/hub'])('%j is a folder', (text) => {
    expect(isPath(text)).toBe(true);
  });

  it.each([
    'src',
    'src/cli',
    'test/fixtures/hub',
    '...',
    '.../a',
    '.a/b',
    '..a/b',
    '%2e/a',
    '~user/a',
    'C:hub',
    'CC:\\hub',
    '\\\\host\\hub',
    ' ./a',
    'file:///srv/hub',
    'c://host/hub',
    'http://host/./a',
  ])('%j is no folder, whatever lies in the current one', (text) => {
    expect(isPath(text)).toBe(false);
  });
});
