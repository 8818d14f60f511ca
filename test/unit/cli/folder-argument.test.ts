import { describe, expect, it } from 'vitest';
import { expandHome, folderPath, isPath } from '../../../src/cli/line/local-path.js';

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

  const BACKSLASHES = ['.\\hub', '..\\hub', '..\\..\\hub', '.\\', '\\hub', '\\\\host\\hub', '~\\hub'];
  it.each(BACKSLASHES)('%j is a folder on Windows, and on no other system', (text) => {
    expect([isPath(text, 'win32'), isPath(text, 'linux'), isPath(text, 'darwin')]).toEqual([true, false, false]);
  });

  it.each(['src', 'src\\cli', '...\\a', '.a\\b', 'C:hub', 'corp\\hub', 'http://host\\.\\a', 'sample/a@1'])(
    '%j is no folder on Windows either',
    (text) => {
      expect(isPath(text, 'win32')).toBe(false);
    },
  );

  it.each(['http://localhost:1/', 'https://hub.example.com/v2', 's3://bucket/x', 'S3://b', 'file:///srv/hub'])(
    '%j is no folder to write into',
    (text) => {
      expect(() => folderPath(text, '/home/me')).toThrow(`${text} is a URL, not a folder`);
    },
  );

  it.each(['./a', 'a/b', 'C:/hub', 'a:b', '~/hub'])('%j is a folder to write into', (text) => {
    expect(folderPath(text, '/home/me')).toBe(expandHome(text, '/home/me'));
  });

  it.each([
    ['~\\hub', 'win32', /^\/home\/me[\\/]+hub$/u],
    ['~\\hub', 'linux', /^~\\hub$/u],
    ['~/hub', 'win32', /^\/home\/me\/hub$/u],
  ] as const)('%j on %s starts at home as the system writes it', (text, platform, path) => {
    expect(expandHome(text, '/home/me', platform)).toMatch(path);
  });
});
