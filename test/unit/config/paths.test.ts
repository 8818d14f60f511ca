import { describe, expect, it } from 'vitest';
import { foldersFrom } from '../../../src/config/paths.js';
import { errorOf } from '../../support/errors.js';

describe('foldersFrom', () => {
  it.each([
    ['the home folder', {}, ['/h/.config/cdapctl', '/h/.local/state/cdapctl', '/h/.cache/cdapctl']],
    [
      'XDG',
      { XDG_CONFIG_HOME: '/x', XDG_STATE_HOME: '/y', XDG_CACHE_HOME: '/z' },
      ['/x/cdapctl', '/y/cdapctl', '/z/cdapctl'],
    ],
    [
      'our own variables',
      { CDAPCTL_CONFIG_DIR: '/a', CDAPCTL_STATE_DIR: '/b', CDAPCTL_CACHE_DIR: '/c', XDG_CONFIG_HOME: '/x' },
      ['/a', '/b', '/c'],
    ],
    [
      'the home folder when XDG is relative or empty',
      { XDG_CONFIG_HOME: 'x', XDG_STATE_HOME: '' },
      ['/h/.config/cdapctl', '/h/.local/state/cdapctl', '/h/.cache/cdapctl'],
    ],
    [
      'the home folder when ours are empty',
      { CDAPCTL_CONFIG_DIR: '' },
      ['/h/.config/cdapctl', '/h/.local/state/cdapctl', '/h/.cache/cdapctl'],
    ],
  ])('goes by %s', (_, environment, expected) => {
    const { config, state, cache } = foldersFrom(environment, '/h');
    expect([config, state, cache]).toEqual(expected);
  });

  it.each([undefined, ''])('complains about a missing home only where it is needed (L31): %j', async (home) => {
    const folders = foldersFrom({ CDAPCTL_CONFIG_DIR: '/a' }, home);
    expect(folders.config).toBe('/a');
    expect(await errorOf(() => folders.state)).toMatchObject({
      code: 'LOCAL_IO',
      details: { hints: ['export CDAPCTL_STATE_DIR=/path/to/a/folder/of/yours'] },
    });
  });
});
