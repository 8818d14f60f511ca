import { describe, expect, it } from 'vitest';
import { requestOf } from '../../../src/cli/program.js';

const IDS = [
  'version',
  'install',
  'hub:list',
  'hub:show',
  'hub:key:add',
  'pipeline:list',
  'report:delete',
  'preferences:set',
];

describe('what a line asks for', () => {
  it.each([
    [['version'], { kind: 'command', id: 'version', argv: [] }],
    [['hub', 'list', '--json'], { kind: 'command', id: 'hub:list', argv: ['--json'] }],
    [['hub', 'key', 'add', 'file'], { kind: 'command', id: 'hub:key:add', argv: ['file'] }],
    [['install', 'hub', 'list'], { kind: 'command', id: 'install', argv: ['hub', 'list'] }],
    [['hub', 'ls'], { kind: 'command', id: 'hub:list', argv: [] }],
    [['report', 'rm', 'x'], { kind: 'command', id: 'report:delete', argv: ['x'] }],
    [['prefs', 'set'], { kind: 'command', id: 'preferences:set', argv: [] }],
    [['install', '--', '--help'], { kind: 'command', id: 'install', argv: ['--', '--help'] }],
    [[], { kind: 'help', words: [] }],
    [['hub'], { kind: 'help', words: ['hub'] }],
    [['help'], { kind: 'help', words: [] }],
    [['help', 'hub', 'list'], { kind: 'help', words: ['hub', 'list'] }],
    [['hub', 'ls', '-h'], { kind: 'help', words: ['hub', 'list'] }],
    [['--help'], { kind: 'help', words: [] }],
    [['hub', '--help'], { kind: 'help', words: ['hub'] }],
    [['install', 'x', '--bogus', '-h'], { kind: 'help', words: ['install'] }],
    [['--version'], { kind: 'version' }],
    [['-V'], { kind: 'version' }],
  ])('%j', (argv, request) => {
    expect(requestOf(argv, IDS)).toEqual(request);
  });

  it.each([
    [['hub', 'lst'], 'unknown command "hub lst"', 'Did you mean "cdapctl hub list"?'],
    [['hbu', 'list'], 'unknown command "hbu"', 'Did you mean "cdapctl hub list"?'],
    [['isntall', 'x'], 'unknown command "isntall"', 'Did you mean "cdapctl install"?'],
    [['list'], 'unknown command "list"', 'Did you mean "cdapctl hub list"?'],
    [['nonsense'], 'unknown command "nonsense"', 'cdapctl help'],
    [['-o', 'json', 'hub', 'list'], 'a command must come first', 'cdapctl help'],
    [['\u001b[2J'], String.raw`unknown command "\x1b[2J"`, 'cdapctl help'],
    [['__proto__'], 'unknown command "__proto__"', 'cdapctl help'],
  ])('%j is a usage error with a way out', (argv, message, hint) => {
    expect(() => requestOf(argv, IDS)).toThrow(
      expect.objectContaining({ code: 'USAGE', message, details: { hints: [hint] } }) as Error,
    );
  });
});
