import { closest } from '../core/closest.js';
import { CliError } from '../core/errors.js';
import { localError } from '../core/files/local-error.js';
import { visible } from '../output/escape.js';
import { usageOf, type Usage } from '../output/usage.js';
import { furtherArguments } from './line/suggest.js';

const SECRET_FLAGS: Readonly<Record<string, string>> = {
  '--token': '--token-file FILE',
  '--access-token': '--token-file FILE',
  '--passphrase': '--passphrase-file FILE',
  '--password': '--password-file FILE',
};
/** What an error of oclif is, by the name of its class: only the class of all of them is exported. */
export const FRAMEWORK_ERRORS: Readonly<Record<string, FaultKind>> = {
  CLIError: 'sentences',
  CLIParseError: 'sentences',
  InvalidArgsSpecError: 'bug',
  RequiredArgsError: 'missing arguments',
  UnexpectedArgsError: 'further arguments',
  NonExistentFlagsError: 'unknown flags',
  FlagInvalidOptionError: 'choice',
  ArgInvalidOptionError: 'choice',
  FailedFlagValidationError: 'sentences',
  ViolatedFlagConstraintError: 'sentences',
};
type FaultKind = 'sentences' | 'bug' | 'missing arguments' | 'further arguments' | 'unknown flags' | 'choice';
// What the errors tell in their text alone; a test holds these, too, against the pinned version.
const PARSING = /^Parsing --(\S+) \n\t([\s\S]*)\nSee more help with --help$/u;
const NOT_AN_OPTION = /^Expected (?:--(\S+?)=)?([\s\S]*) to be one of: (.*)$/u;
const EXCLUDES = /^--([a-z0-9-]+)=[\s\S]* cannot also be provided when using --(\S+)$/u;
const NEEDS = /^All of the following must be provided when using (--\S+): (.*)$/u;
const NUMBER = /^Expected an integer(?: (greater|less) than or equal to (\S+))? but received: ([\s\S]*)$/u;
const COLOUR = /\u001b\[\d+m/gu;
const MISSING_FLAG = 'Missing required flag ';
const FOLDER_FLAGS = ['-D', '--dir'];
const DISK = ['ENOSPC', 'EDQUOT'];
const LOCAL = [
  'EACCES',
  'EPERM',
  'EROFS',
  'ENOENT',
  'ENOTDIR',
  'EISDIR',
  'EIO',
  'EMFILE',
  'ENFILE',
  'EXDEV',
  'ELOOP',
  'ENAMETOOLONG',
  ...DISK,
];

/**
 * The one translation of whatever ended a command into the error that is shown. Framework errors become USAGE without
 * repeating values.
 */
export function toCliError(error: unknown, signal: AbortSignal): CliError {
  if (signal.aborted && isAbort(error)) return toCliError(signal.reason, new AbortController().signal);
  if (error instanceof CliError) return withoutWrapping(error);
  if (isFramework(error)) return usageError(error);
  if (isLocal(error)) {
    const named = 'path' in error && typeof error.path === 'string' ? localError(error, 'use', error.path) : undefined;
    if (named instanceof CliError) return named;
    return new CliError(
      DISK.includes(error.code) ? 'DISK_FULL' : 'LOCAL_IO',
      error.message.replace(/^E[A-Z0-9]+: /u, ''),
      {
        cause: error.cause,
      },
    );
  }
  return bug(error);
}

const bug = (cause: unknown): CliError =>
  new CliError('INTERNAL', 'unexpected failure; this is a bug in cdapctl', { cause });

interface FrameworkError extends Error {
  readonly oclif: object;
  readonly flags?: readonly string[];
  readonly args?: readonly { readonly name?: string }[] | readonly string[];
  readonly parse?: { readonly input?: Usage & { readonly context?: { readonly id?: string } } };
}

function isFramework(error: unknown): error is FrameworkError {
  return error instanceof Error && 'oclif' in error && typeof error.oclif === 'object';
}

function isLocal(error: unknown): error is Error & { code: string } {
  return (
    error instanceof Error &&
    'code' in error &&
    typeof error.code === 'string' &&
    'syscall' in error &&
    LOCAL.includes(error.code)
  );
}

function isAbort(error: unknown): boolean {
  return error instanceof Error && (error.name === 'AbortError' || ('code' in error && error.code === 'ABORT_ERR'));
}

/** oclif puts its own words around an error thrown by a flag's parser. */
function withoutWrapping(error: CliError): CliError {
  const match = PARSING.exec(error.message);
  return match === null ? error : new CliError(error.code, `--${match[1] ?? ''}: ${match[2] ?? ''}`, error.details);
}

function usageError(error: FrameworkError): CliError {
  const { message, flags = [], args = [] } = error;
  const input = error.parse?.input;
  const id = input?.context?.id;
  const usage = input === undefined ? [] : [`usage  ${usageOf(id ?? '', input)}`];
  switch (FRAMEWORK_ERRORS[error.constructor.name] ?? 'sentences') {
    case 'bug':
      return bug(error);
    case 'unknown flags':
      return unknownFlags(flags, Object.keys(input?.flags ?? {}), id, Object.keys(input?.args ?? {}));
    case 'missing arguments':
      return missingArguments(args, usage);
    case 'further arguments':
      return furtherArguments(
        args.map((arg) => (typeof arg === 'string' ? arg : '')),
        usage,
        id,
        input ?? {},
      );
    case 'choice':
      return notAnOption(message);
    case 'sentences':
      return sentences(message, usage);
  }
}

/** The error of a flag whose value cannot be read, or of flags that do not fit each other. */
function sentences(message: string, usage: readonly string[]): CliError {
  const wrapped = PARSING.exec(message);
  if (wrapped !== null) return new CliError('USAGE', `--${wrapped[1] ?? ''}: ${valueText(wrapped[2] ?? '')}`);
  // On a terminal it has colours.
  const said = withoutHelp(message.replace(COLOUR, ''))
    .replace(/^The following errors? occurred:\s*/u, '')
    .split('\n')
    .map((reason) => reason.trim());
  const [reason = '', ...others] = said.map(reasonText);
  return new CliError('USAGE', reason, {
    lines: [...others, ...(said[0]?.startsWith(MISSING_FLAG) === true ? usage : [])],
  });
}

const withoutHelp = (message: string): string => message.split('\nSee more help')[0] ?? '';

/** What is wrong with a value, in the words of this tool. */
function valueText(said: string): string {
  const [number, side, bound = '', value = ''] = NUMBER.exec(said) ?? [];
  if (number === undefined) return lowerFirst(said);
  const range = side === 'less' ? `at most ${bound}` : `at least ${bound}`;
  return `must be ${side === undefined ? 'an integer' : range}, not ${value}`;
}

function reasonText(reason: string): string {
  const excluding = EXCLUDES.exec(reason);
  if (excluding !== null) return `--${excluding[1] ?? ''} and --${excluding[2] ?? ''} cannot be used together`;
  const needing = NEEDS.exec(reason);
  if (needing !== null) return `${needing[1] ?? ''} needs ${needing[2] ?? ''}`;
  const plain = reason.replace(/^Flag (?=--)/u, '');
  return lowerFirst(plain.replace(/^(Missing required flag )(?!--)/u, '$1--'));
}

/** An error without the advice to overwrite a file, where the command has no flag for that. */
export function withHintsFor(error: CliError, flags: ReadonlySet<string>): CliError {
  const { code, message, details } = error;
  if (flags.has('clobber')) return error;
  const hints = (details.hints ?? []).map((hint) =>
    typeof hint !== 'string' && hint.next === 'replace-file' ? 'use another name, or remove it first' : hint,
  );
  return new CliError(code, message, { ...details, hints });
}

/**
 * The error for unknown flags. It suggests similar flags or the help that lists all, and never shows a value. `args`
 * are the names of the arguments that the command has.
 */
export function unknownFlags(
  flags: readonly string[],
  known: readonly string[],
  id?: string,
  args: readonly string[] = [],
): CliError {
  const all = id === undefined ? 'cdapctl help flags' : `cdapctl ${id.replaceAll(':', ' ')} --help`;
  const names = flags.map((flag) => (flag.startsWith('--') ? flag.replace(/=[\s\S]*$/u, '') : flag.slice(0, 2)));
  const hints = names.flatMap((name) => {
    const instead = SECRET_FLAGS[name];
    if (name === '--end' && known.includes('duration'))
      return ['--start TIME --duration LENGTH, for example --start yesterday --duration 1d'];
    // Commands that write a folder beside other arguments have it as a flag.
    if (FOLDER_FLAGS.includes(name) && args.includes('dir')) return ['the folder is an argument without a flag', all];
    if (instead !== undefined) return [`use a file: ${instead} (other users can see secrets on the command line)`];
    const near = name.startsWith('--') ? closest(name.slice(2), [...known, 'help']) : undefined;
    return near === undefined ? [all] : [`Did you mean --${near}?`];
  });
  const plural = names.length === 1 ? 'flag' : 'flags';
  return new CliError('USAGE', `unknown ${plural} ${names.map(visible).join(', ')}`, { hints: [...new Set(hints)] });
}

type GivenArguments = NonNullable<FrameworkError['args']>;

function missingArguments(args: GivenArguments, lines: readonly string[]): CliError {
  const names = args.map((arg) => (typeof arg === 'string' ? arg : (arg.name ?? '')).toUpperCase());
  return new CliError('USAGE', `missing argument${names.length === 1 ? '' : 's'} ${names.join(' and ')}`, { lines });
}

function notAnOption(message: string): CliError {
  const [, flag, value = '', listed = ''] = NOT_AN_OPTION.exec(withoutHelp(message)) ?? [];
  const options = listed.split(', ');
  // Another number is no slip of the fingers.
  const near = /^\d+[a-z]?$/iu.test(value) ? undefined : closest(value, options);
  const what =
    flag === undefined
      ? `"${visible(value)}" is not an allowed value`
      : `--${flag}: "${visible(value)}" is not an allowed value`;
  return new CliError('USAGE', what, {
    lines: [`allowed: ${options.join(', ')}`],
    // Flags with an optional value have it behind "=" only.
    hints: near === undefined ? [] : [`Did you mean ${flag === undefined ? near : `--${flag}=${near}`}?`],
  });
}

function lowerFirst(text: string): string {
  return /^[A-Z][a-z ]/u.test(text) ? text.charAt(0).toLowerCase() + text.slice(1) : text;
}
