import { describe, expect, it } from 'vitest';
import type { LineRules } from '../../../src/cli/line/flag-tables.js';
import { plainRequest, type Request } from '../../../src/cli/line/argv.js';
import { readRequest } from '../../../src/cli/read-request.js';
import { hintsOf, thrownBy } from '../../support/errors.js';
import { meantCommands } from '../../../src/cli/line/suggest.js';

const COMMON = { '--json': false, '--output': true, '-o': true, '--quiet': false, '-q': false, '-y': false };
const CONNECTION = { ...COMMON, '--namespace': true, '-n': true, '--context': true, '--dry-run': false };
const FLAGS: Readonly<Record<string, Readonly<Record<string, boolean>>>> = {
  version: COMMON,
  install: CONNECTION,
  uninstall: CONNECTION,
  upgrade: { ...CONNECTION, '--pipeline': true, '-p': true },
  'upgrade:rollback': { ...CONNECTION, '--pipeline': true, '-p': true },
  dashboard: CONNECTION,
  'hub:list': { ...CONNECTION, '--hub': true, '--verify': true },
  'hub:pack': { ...COMMON, '--artifact-version': true, '--no-version': false },
  'hub:show': CONNECTION,
  'hub:verify': CONNECTION,
  'hub:key:add': { ...CONNECTION, '--hub': true },
  'hub:key:list': CONNECTION,
  'installed:list': { ...CONNECTION, '--verify': false },
  'installed:show': CONNECTION,
  'metrics:get': { ...CONNECTION, '--fail-if': true },
  'context:add': CONNECTION,
  'context:remove': CONNECTION,
  'report:list': CONNECTION,
  'report:delete': CONNECTION,
  'report:service:enable': CONNECTION,
};
const IDS = Object.keys(FLAGS);
const WITHOUT_ARGUMENTS = ['upgrade', 'dashboard', 'hub:list'];
const RULES = new Map<string, LineRules>(
  Object.entries(FLAGS).map(([id, flags]) => [
    id,
    {
      flags: new Map(Object.entries(flags)),
      takesArguments: !WITHOUT_ARGUMENTS.includes(id),
      takesPackages: id === 'install',
    },
  ]),
);

const requestOf = (argv: readonly string[]): Request => plainRequest(argv, IDS) ?? readRequest(argv, IDS, RULES);

describe('what a line asks for', () => {
  it.each([
    [['version'], { kind: 'command', id: 'version', argv: [] }],
    [['hub', 'list', '--json'], { kind: 'command', id: 'hub:list', argv: ['--json'] }],
    [['hub', 'key', 'add', 'file'], { kind: 'command', id: 'hub:key:add', argv: ['file'] }],
    [['install', 'hub', 'list'], { kind: 'command', id: 'install', argv: ['hub', 'list'] }],
    [['hub', 'ls'], { kind: 'command', id: 'hub:list', argv: [] }],
    [['report', 'rm', 'x'], { kind: 'command', id: 'report:delete', argv: ['x'] }],
    [['context', 'rm', 'x'], { kind: 'command', id: 'context:remove', argv: ['x'] }],
    [['install', '--', '--help'], { kind: 'command', id: 'install', argv: ['--', '--help'] }],
    [['upgrade', 'rollback', 'j'], { kind: 'command', id: 'upgrade:rollback', argv: ['j'] }],
    [['upgrade', '--json'], { kind: 'command', id: 'upgrade', argv: ['--json'] }],
    [[], { kind: 'help', words: [] }],
    [['hub'], { kind: 'help', words: ['hub'] }],
    [['help'], { kind: 'help', words: [] }],
    [['help', 'help'], { kind: 'help', words: ['help'] }],
    [['help', 'hub', 'list'], { kind: 'help', words: ['hub', 'list'] }],
    [['hub', 'ls', '-h'], { kind: 'help', words: ['hub', 'list'] }],
    [['--help'], { kind: 'help', words: [] }],
    [['hub', '--help'], { kind: 'help', words: ['hub'] }],
    [['install', 'x', '--bogus', '-h'], { kind: 'help', words: ['install'] }],
    [['--version'], { kind: 'version' }],
    [['-V'], { kind: 'version' }],
    [['namespace', 'list', '--version'], { kind: 'version' }],
    [['install', 'x', '-V', '--json'], { kind: 'version' }],
    [['-n', 'etl', 'namespace', 'list', '-V'], { kind: 'version' }],
    [['hub', '-V'], { kind: 'version' }],
    [['-V', '-q'], { kind: 'version' }],
    [['--version', 'install', 'x'], { kind: 'version' }],
    [['hub', '--version', 'list'], { kind: 'version' }],
    [['hub', 'pack', '--version', '--help'], { kind: 'help', words: ['hub', 'pack'] }],
    [['install', 'x', '--', '--version', '1'], { kind: 'command', id: 'install', argv: ['x', '--', '--version', '1'] }],
  ])('%j', (argv, request) => {
    expect(requestOf(argv)).toEqual(request);
  });

  it.each([
    [['--context', 'prod', 'dashboard'], 'dashboard', ['--context', 'prod']],
    [['-n', 'etl', 'dashboard'], 'dashboard', ['-n', 'etl']],
    [['-n', 'list', 'hub', 'list'], 'hub:list', ['-n', 'list']],
    [['-n', 'hub', 'hub', 'list'], 'hub:list', ['-n', 'hub']],
    [['-netl', '--context=hub', 'hub', 'list'], 'hub:list', ['-netl', '--context=hub']],
    [['-qyn', 'etl', 'dashboard'], 'dashboard', ['-qyn', 'etl']],
    [['hub', '--hub', 'sample', 'list'], 'hub:list', ['--hub', 'sample']],
    [['hub', 'key', '--hub', 'X', 'add', 'f'], 'hub:key:add', ['--hub', 'X', 'f']],
    [['hub', '--hub', 'key', 'key', 'add', 'f'], 'hub:key:add', ['--hub', 'key', 'f']],
    [['report', '--json', 'rm', 'latest'], 'report:delete', ['--json', 'latest']],
    [['metrics', '--fail-if', 'get', 'get', 'p'], 'metrics:get', ['--fail-if', 'get', 'p']],
    [['installed', '--verify', 'list'], 'installed:list', ['--verify']],
    [['hub', '--verify', 'list', 'list'], 'hub:list', ['--verify', 'list']],
    [['--dry-run', 'install', 'x'], 'install', ['--dry-run', 'x']],
    [['upgrade', '-n', 'etl', 'rollback'], 'upgrade:rollback', ['-n', 'etl']],
    [['upgrade', '-p', 'rollback', '-n', 'etl'], 'upgrade', ['-p', 'rollback', '-n', 'etl']],
    [['-n', 'etl', 'version'], 'version', ['-n', 'etl']],
    [['--json', 'install', '--', '-x'], 'install', ['--json', '--', '-x']],
    [['-o', '--json', 'hub', 'list'], 'hub:list', ['-o', '--json']],
    [['--version', '--json'], 'version', ['--json']],
  ])('%j is %s with %j', (argv, id, rest) => {
    expect(requestOf(argv)).toEqual({ kind: 'command', id, argv: rest });
  });

  it.each([
    [['-n', 'etl', 'hub', '--help'], ['hub']],
    [
      ['hub', '--hub', 'x', 'list', '-h'],
      ['hub', 'list'],
    ],
    [['-q', 'help', 'hub'], ['hub']],
  ])('%j is help', (argv, words) => {
    expect(requestOf(argv)).toEqual({ kind: 'help', words });
  });

  it.each([
    [['hub', '--json'], '"cdapctl hub" needs a command'],
    [['hub', '--', 'list'], '"cdapctl hub" needs a command'],
    [['hub', '--hub', 'list'], '"cdapctl hub" needs a command'],
    [['--json'], 'no command specified'],
    [['--', 'hub', 'list'], 'no command specified'],
    [['--bogus', 'hub', 'list', '--json'], undefined],
    [['--bogus', 'x', 'hub', 'list'], 'unknown flag --bogus'],
    [['--token=secret-text', 'hub'], 'unknown flag --token'],
    [['-n', 'hub', 'list'], 'unknown command "list"'],
    [['help', '--json'], 'help does not support --json'],
    [['help', '--bogus'], 'unknown flag --bogus'],
    [['hub', 'x'.repeat(100)], `unknown command "hub ${'x'.repeat(60)}..."`],
  ])('%j is not taken for help', (argv, message) => {
    if (message === undefined) expect(requestOf(argv)).toMatchObject({ kind: 'command' });
    else expect(() => requestOf(argv)).toThrow(expect.objectContaining({ code: 'USAGE', message }) as Error);
  });
});

describe('a version behind --version', () => {
  it.each([
    [['hub', 'pack', 'x.jar', '--version', '1.2'], ['Did you mean --artifact-version?']],
    [['-q', 'hub', 'pack', '-V', '1.2', 'x.jar'], ['Did you mean --artifact-version?']],
    [['hub', 'pack', 'x.jar', '--version=1.2'], ['Did you mean --artifact-version?']],
    [['install', 'x', '--version', '1.2'], ['NAME@VERSION is a version of a package']],
    [['hub', 'list', '--version', '6.11.0'], ['cdapctl hub list --help']],
  ])('%j is refused', (argv, hints) => {
    const error = thrownBy(() => requestOf(argv));
    expect([error.code, error.message, hintsOf(error)]).toEqual([
      'USAGE',
      '--version takes no value: it shows the version of cdapctl',
      hints,
    ]);
  });
});

describe('what was perhaps meant', () => {
  it.each([
    [['hub', 'lst'], ['hub list']],
    [['hbu', 'list'], ['hub list']],
    [['hbu', 'kye', 'ad', 'f'], ['hub key add']],
    [['isntall', 'x'], ['install']],
    [['uninstall'.slice(0, -1), 'x'], ['uninstall']],
    [['unistall', 'x'], ['uninstall']],
    [
      ['ninstall', 'x'],
      ['install', 'uninstall'],
    ],
    [['hub', 'uninstall', 'x'], ['uninstall']],
    [['list'], ['hub list', 'hub key list', 'installed list', 'report list']],
    [['list', 'report'], ['report list']],
    [['add', 'context', 'x'], ['context add']],
    [['key', 'add', 'f'], ['hub key add']],
    [['key', 'ad', 'f'], ['hub key add']],
    [['get', 'pods'], ['metrics get']],
    [
      ['show', 'x'],
      ['hub show', 'installed show'],
    ],
    [['hub', 'key', 'ad'], ['hub key add']],
    [['hub', 'unverify'], undefined],
    [['report', 'enable'], ['report service enable']],
    [['report', 'remove', 'x'], ['report delete']],
    [['context', 'delete', 'x'], ['context remove']],
    [['report', 'install'], ['install']],
    [['report', 'get'], undefined],
    [
      ['rm', 'x'],
      ['uninstall', 'context remove', 'report delete'],
    ],
    [['nonsense'], undefined],
    [['\u001b[2J'], undefined],
    [['__proto__'], undefined],
    [['constructor', 'toString'], undefined],
  ])('%j: %j', (argv, commands) => {
    let hints: readonly string[] = [];
    try {
      requestOf(argv);
    } catch (error) {
      ({ hints } = (error as { details: { hints: string[] } }).details);
    }
    const found = hints
      .join('\n')
      .match(/cdapctl (?!help)[a-z ]+/gu)
      ?.map((command) => command.slice('cdapctl '.length));
    expect(found).toEqual(commands);
    if (hints.length === 1 && commands !== undefined)
      expect(hints).toEqual([`Did you mean "cdapctl ${commands[0] ?? ''}"?`]);
  });

  it.each([
    [
      ['report', 'foo'],
      'unknown command "report foo"',
      'commands: delete, list, service enable',
      'cdapctl help report',
    ],
    [['hub', 'key', 'foo'], 'unknown command "hub key foo"', 'commands: add, list', 'cdapctl help hub key'],
  ])('%j names the commands of the group', (argv, message, line, hint) => {
    expect(() => requestOf(argv)).toThrow(
      expect.objectContaining({ message, details: { lines: [line], hints: [hint] } }) as Error,
    );
  });

  it('takes a word behind a command that is a group, too, for one of the group', () => {
    expect(() => requestOf(['upgrade', 'rolback', '-n', 'etl'])).toThrow(
      expect.objectContaining({
        message: 'unexpected argument "rolback"',
        details: { lines: [], hints: ['Did you mean "cdapctl upgrade rollback"?'] },
      }) as Error,
    );
  });

  it('takes a word behind a flag with its own value for one of the group', () => {
    expect(() => requestOf(['upgrade', '--dry-run=online', 'rolback'])).toThrow('unexpected argument "rolback"');
  });

  it('takes a word behind a flag that is unknown for its value', () => {
    const argv = ['upgrade', '--concurency', '4'];
    expect(requestOf(argv)).toEqual({ kind: 'command', id: 'upgrade', argv: argv.slice(1) });
  });

  it.each([
    [['config', 'view'], 'config list'],
    [['config', 'show'], 'config list'],
    [['config', 'view', 'namespace'], 'config get'],
    [['hub', 'view'], 'hub show'],
    [['hub', 'get', 'x'], 'hub show'],
  ])('%j looks at all of it where it names nothing: %s', (words, command) => {
    const ids = ['config:get', 'config:list', 'config:set', 'hub:list', 'hub:show'];
    expect(meantCommands(words, ids).hints).toEqual([`Did you mean "cdapctl ${command}"?`]);
  });

  it.each([
    [['get', 'pipelines'], 'pipeline list'],
    [['describe', 'pipeline', 'orders'], 'pipeline show'],
    [['stop', 'pipeline', 'orders'], 'pipeline stop'],
    [['pipeline', 'run', 'orders'], 'pipeline start'],
    [['pipelines', 'list'], 'pipeline list'],
    [['prefs', 'list'], 'preferences list'],
    [['schedule', 'pause'], 'schedule suspend'],
    [['auth', 'login'], 'login'],
    [['ls', 'schedules'], 'schedule list'],
    [['schedules'], 'schedule'],
  ])('%j is the word of other tools for %s', (words, command) => {
    const ids = ['login', 'pipeline:list', 'pipeline:show', 'pipeline:start', 'pipeline:stop', 'preferences:list'];
    const all = [...ids, 'report:list', 'report:run', 'report:show', 'schedule:list', 'schedule:suspend'];
    expect(meantCommands(words, all).hints).toEqual([`Did you mean "cdapctl ${command}"?`]);
  });

  it('says how people run a pipeline and stop the emulator', () => {
    const ids = ['pipeline:start', 'pipeline:stop', 'report:run', 'emulator:start'];
    expect(meantCommands(['run', 'orders'], ids).hints.slice(1)).toEqual([
      'cdapctl pipeline start',
      'cdapctl report run',
    ]);
    expect(meantCommands(['report', 'run'], ids).hints).toEqual(['Did you mean "cdapctl report run"?']);
    expect(meantCommands(['emulator', 'stop'], ids)).toEqual({
      lines: [],
      hints: ['stop it with Ctrl-C in its terminal'],
    });
  });

  it('lists at most eight', () => {
    const ids = Array.from({ length: 20 }, (_, at) => `topic${String.fromCharCode(97 + at)}:list`);
    expect(meantCommands(['list'], ids).hints).toHaveLength(1 + 8);
  });
});
