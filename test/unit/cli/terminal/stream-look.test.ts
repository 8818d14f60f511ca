import { describe, expect, it } from 'vitest';
import { isCi, lookOf } from '../../../../src/cli/terminal/stream-look.js';

const terminal = { isTTY: true, columns: 100 };

describe('colour', () => {
  it.each([
    [terminal, [], {}, true],
    [{}, [], {}, false],
    [terminal, ['--no-color'], {}, false],
    [terminal, ['--color=never'], { FORCE_COLOR: '1' }, false],
    [{}, ['--color', 'always'], { NO_COLOR: '1' }, true],
    [{}, ['--', '--color=always'], {}, false],
    [terminal, ['--color', 'auto'], { NO_COLOR: '1' }, true],
    [terminal, [], { CDAPCTL_NO_COLOR: '1' }, false],
    [terminal, [], { NO_COLOR: '1', FORCE_COLOR: '1' }, false],
    [terminal, [], { NO_COLOR: '' }, true],
    [{}, [], { CLICOLOR_FORCE: '1' }, true],
    [{}, [], { FORCE_COLOR: '0' }, false],
    [terminal, [], { TERM: 'dumb' }, false],
    [{}, [], { TERM: 'dumb', FORCE_COLOR: '1' }, true],
  ])('of %j with %j and %j is %j', (stream, argv, env, color) => {
    expect(lookOf(stream, argv, env).color).toBe(color);
  });
});

describe('the rest of a look', () => {
  it.each([
    [terminal, {}, 100],
    [{ isTTY: true }, { COLUMNS: '60' }, 60],
    [{ isTTY: true }, { COLUMNS: 'wide' }, undefined],
    [{ isTTY: true, columns: 0 }, {}, undefined],
    [{}, {}, undefined],
  ])('%j with %j has the width %j', (stream, env, columns) => {
    expect(lookOf(stream, [], env).columns).toBe(columns);
  });

  it.each([
    [{ LANG: 'de_DE.UTF-8' }, true],
    [{ LC_ALL: 'C', LANG: 'de_DE.UTF-8' }, process.platform === 'win32'],
    [{}, process.platform === 'win32'],
  ])('%j can show more than ASCII: %j', (env, unicode) => {
    expect(lookOf({}, [], env).unicode).toBe(unicode);
  });

  it.each([
    [{ CI: 'true' }, true],
    [{ GITHUB_ACTIONS: 'true' }, true],
    [{ BUILD_NUMBER: '7' }, true],
    [{ CI: 'false' }, false],
    [{ CI: '' }, false],
    [{ RUN_ID: '7' }, false],
  ])('%j is a build server: %j', (env, ci) => {
    expect(isCi(env)).toBe(ci);
  });
});
