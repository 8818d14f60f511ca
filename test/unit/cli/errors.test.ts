import type { InferredFlags } from '@oclif/core/interfaces';
import * as Args from '@oclif/core/args';
import * as Flags from '@oclif/core/flags';
import { parse } from '@oclif/core/parser';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { describe, expect, expectTypeOf, it } from 'vitest';
import { FRAMEWORK_ERRORS, toCliError } from '../../../src/cli/errors.js';
import { connectionFlags } from '../../../src/flags/connection.js';
import { outputFlags } from '../../../src/flags/output.js';
import { twinOf } from '../../../src/flags/environment-names.js';
import { CliError } from '../../../src/core/errors.js';

const never = new AbortController().signal;

async function thrownFor(argv: string[]): Promise<object> {
  const options = {
    args: { package: Args.string({ required: true, ignoreStdin: true }) },
    flags: {
      ...outputFlags,
      ...connectionFlags,
      only: Flags.string({ exclusive: ['skip'] }),
      skip: Flags.string(),
      name: Flags.string({ required: true }),
    },
  };
  try {
    await parse(argv, options);
  } catch (error) {
    if (error instanceof Error) return error;
  }
  throw new Error('parsed');
}

const failureOf = async (argv: string[]): Promise<CliError> => toCliError(await thrownFor(argv), never);

const load = createRequire(import.meta.url);

describe('the errors of the pinned framework', () => {
  const classes = load(join(dirname(load.resolve('@oclif/core')), 'parser/errors.js')) as Record<string, unknown>;

  it('are all known by their class, and no others', () => {
    expect(Object.keys(FRAMEWORK_ERRORS).sort()).toEqual(Object.keys(classes).sort());
  });

  it.each([
    ['CLIError', ['p', '--name']],
    ['RequiredArgsError', ['--name', 'n']],
    ['UnexpectedArgsError', ['p', 'q', '--name', 'n']],
    ['NonExistentFlagsError', ['p', '--name', 'n', '--bogus']],
    ['FlagInvalidOptionError', ['p', '--name', 'n', '-o', 'jsn']],
    ['FailedFlagValidationError', ['p']],
  ] as const)('is a %s for %j', async (name, argv) => {
    const error = await thrownFor([...argv]);
    expect(error.constructor.name).toBe(name);
  });
});

it('takes another number for no slip of the fingers', async () => {
  const options = { flags: { step: Flags.option({ options: ['auto', '1s', '1m', '1h'] as const })() } };
  const failed: unknown = await parse(['--step', '1d'], options).catch((error: unknown) => error);
  expect(toCliError(failed, never)).toMatchObject({
    message: '--step: "1d" is not an allowed value',
    details: { lines: ['allowed: auto, 1s, 1m, 1h'], hints: [] },
  });
});

it.each([
  ['offline', ['Did you mean --dry-run=offline?']],
  ['done', ['Did you mean --wait=done?']],
  ['other', []],
])('tells how a flag takes a value that it may have: %s', async (word, hints) => {
  const flags = {
    'dry-run': Flags.string({ helpValue: '[=online|offline]' }),
    wait: Flags.string({ helpValue: '[=done|running]' }),
  };
  const options = { args: { package: Args.string() }, flags };
  const failed: unknown = await parse(['p', word, '--dry-run=online'], options).catch((error: unknown) => error);
  expect(toCliError(failed, never)).toMatchObject({
    message: `unexpected argument "${word}"`,
    details: { hints },
  });
});

it.each([
  [['mails-load'], {}, ['cdapctl pipeline list -p mails-load']],
  [['my pipeline'], {}, ["cdapctl pipeline list -p 'my pipeline'"]],
  [['a', 'b'], {}, []],
  [['x'.repeat(41)], {}, []],
  [['a', 'b'], { pipeline: Args.string() }, []],
])('names the flag that selects pipelines where a command takes no name: %j', async (argv, args, hints) => {
  const flags = { pipeline: Flags.string({ char: 'p', helpValue: '[NS/]GLOB' }) };
  const context = { id: 'pipeline:list' };
  const failed: unknown = await parse(argv, { args, flags, context } as never).catch((error: unknown) => error);
  expect(toCliError(failed, never).details.hints).toEqual(hints);
});

it.each(['-D', '--dir=x'])('says that the folder is an argument where it is given by %s', async (flag) => {
  const failed: unknown = await parse([flag, 'x'], { args: { dir: Args.string() } }).catch((error: unknown) => error);
  const hints = ['the folder is an argument without a flag', 'cdapctl help flags'];
  expect(toCliError(failed, never).details).toMatchObject({ hints });
});

it('shows the usage where a flag is missing, on a terminal of colours, too', async () => {
  const failed: unknown = await parse([], { flags: { dir: Flags.string({ required: true }) } }).catch(
    (error: unknown) => error,
  );
  expect(toCliError(failed, never).details.lines).toEqual([expect.stringContaining('usage  cdapctl')]);
  if (!(failed instanceof Error)) throw new Error('it parsed');
  failed.message = failed.message.replace(/Missing required flag dir/u, '\u001b[2m$&\u001b[22m');
  expect(failed.message).toContain('\u001b[2m');
  const coloured = toCliError(failed, never);
  expect([coloured.message, coloured.details.lines]).toEqual([
    'missing required flag --dir',
    [expect.stringContaining('usage  cdapctl')],
  ]);
});

it('says which flags another one needs', async () => {
  const flags = {
    bundle: Flags.string(),
    key: Flags.string(),
    one: Flags.string({ dependsOn: ['bundle'] }),
    both: Flags.string({ dependsOn: ['bundle', 'key'] }),
  };
  const said = async (flag: string): Promise<string> =>
    toCliError(await parse([flag, 'x'], { flags }).catch((error: unknown) => error), never).message;
  expect([await said('--one'), await said('--both')]).toEqual(['--one needs --bundle', '--both needs --bundle, --key']);
});

describe('what the framework says', () => {
  it.each([
    [['p', '--name', 'n', '--bogus'], 'unknown flag --bogus', ['cdapctl help flags']],
    [['p', '--name', 'n', '--urll', 'x'], 'unknown flag --urll', ['Did you mean --url?']],
    [['p', '--name', 'n', '--verison'], 'unknown flag --verison', ['cdapctl help flags']],
    [['p', '--name', 'n', '--a1', '--b2'], 'unknown flags --a1, --b2', ['cdapctl help flags']],
    [['--name', 'n'], 'missing argument PACKAGE', []],
    [['p', 'q', '--name', 'n'], 'unexpected argument "q"', []],
    [['p', 'q', 'r', '--name', 'n'], 'unexpected arguments "q", "r"', []],
    [['p', 'x'.repeat(41), '--name', 'n'], 'unexpected argument of 41 characters', []],
    [['p'], 'missing required flag --name', []],
    [['p', '--name'], '--name expects a value', []],
    [['p', '--name', 'n', '--name', 'm'], '--name can only be specified once', []],
    [
      ['p', '--name', 'n', '-o'],
      '--output expects one of these values: table, wide, json, ndjson, yaml, csv, name',
      [],
    ],
    [['p', '--name', 'n', '-o', 'jsn'], '--output: "jsn" is not an allowed value', ['Did you mean --output=json?']],
    [['p', '--name', 'n', '--retries', '0x10'], '--retries: must be an integer, not 0x10', []],
    [['p', '--name', 'n', '--retries', '99'], '--retries: must be at most 20, not 99', []],
    [
      ['p', '--name', 'n', '--only', 'secret-one', '--skip', 'secret-two'],
      '--skip and --only cannot be used together',
      [],
    ],
  ])('%j', async (argv, message, hints) => {
    const error = await failureOf(argv);
    expect([error.code, error.message, error.details.hints ?? []]).toEqual(['USAGE', message, hints]);
  });

  it('keeps the hints of a value that our own parser refused', async () => {
    const error = await failureOf(['p', '--name', 'n', '--connect-timeout', '10']);
    expect(error.message).toBe('--connect-timeout: the duration "10" needs a unit');
    expect(error.details.hints).toHaveLength(1);
  });
});

describe('what else may end a command', () => {
  it('passes our own errors on', () => {
    const error = new CliError('CONFLICT', 'there');
    expect(toCliError(error, never)).toBe(error);
  });

  it('sees the reason behind an abort', () => {
    const reason = new CliError('INTERRUPTED', 'stopped by Ctrl-C');
    expect(toCliError(new DOMException('aborted', 'AbortError'), AbortSignal.abort(reason))).toBe(reason);
  });

  it.each([
    ['ENOSPC', 'DISK_FULL'],
    ['EACCES', 'LOCAL_IO'],
    ['EROFS', 'LOCAL_IO'],
  ])('takes %s of a system call for %s', (code, expected) => {
    const error = toCliError(Object.assign(new Error(`${code}: why, open 'x'`), { code, syscall: 'open' }), never);
    expect([error.code, error.message]).toEqual([expected, "why, open 'x'"]);
  });

  it('names the file of a system call in words of ours', () => {
    const path = '/no/such/file';
    const error = toCliError(
      Object.assign(new Error(`ENOENT: why, open '${path}'`), { code: 'ENOENT', syscall: 'open', path }),
      never,
    );
    expect([error.code, error.message, error.cause]).toEqual(['LOCAL_IO', '/no/such/file does not exist', undefined]);
  });

  it.each([new TypeError('x'), 'text', undefined, null])('takes %j for a bug', (thrown) => {
    expect(toCliError(thrown, never).code).toBe('INTERNAL');
  });
});

describe('flags', () => {
  it.each(Object.entries({ ...outputFlags, ...connectionFlags }))(
    '--%s has its environment twin and a group',
    (name, flag) => {
      expect(flag.env).toBe(`CDAPCTL_${name.toUpperCase().replaceAll('-', '_')}`);
      expect(flag.env).toBe(twinOf(name));
      expect(flag.helpGroup).toMatch(/^[A-Z]+$/u);
      expect(flag.summary).toMatch(/^[^.]+$/u);
    },
  );

  it('gives one letter one meaning', () => {
    const letters = Object.values({ ...outputFlags, ...connectionFlags }).flatMap(({ char }) => char ?? []);
    expect(new Set(letters).size).toBe(letters.length);
  });

  it('has no value of type any', () => {
    type Values = InferredFlags<typeof connectionFlags>;
    expectTypeOf<Values['url']>().toEqualTypeOf<string | undefined>();
    expectTypeOf<Values['allow-http-token']>().toEqualTypeOf<boolean>();
    expectTypeOf<Values['connect-timeout']>().toEqualTypeOf<number | undefined>();
  });
});
