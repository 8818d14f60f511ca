import { isUtf8 } from 'node:buffer';
import { parseValuesText } from '../../config/values-text.js';
import { readStdin } from '../../cli/terminal/terminal.js';
import { CliError } from '../../core/errors.js';
import { shellWord } from '../../core/shell-word.js';
import { LARGEST_TEXT, readBounded } from '../../core/files/read-bounded.js';

const PROFILE = 'system.profile.name';

/** The flags that carry keys and values. */
export interface ValueFlags {
  readonly set?: readonly string[] | undefined;
  readonly 'set-file'?: readonly string[] | undefined;
  readonly values?: string | undefined;
}

function split(text: string, flag: string, what: string): readonly [key: string, value: string] {
  const at = text.indexOf('=');
  if (at > 0) return [text.slice(0, at), text.slice(at + 1)];
  throw new CliError('USAGE', `--${flag} takes KEY=${what}, not ${JSON.stringify(text.slice(0, 40))}`, {
    hints: [`--${flag} KEY=${what}`],
  });
}

/** The later of two values would win without a word. */
function refuseTwice(pairs: readonly (readonly [key: string, value: string])[]): void {
  const keys = pairs.map(([key]) => key);
  const twice = keys.find((key, at) => keys.indexOf(key) !== at);
  if (twice === undefined) return;
  throw new CliError('USAGE', `--set gives ${JSON.stringify(twice)} more than one value`, {
    hints: [`--set ${shellWord(`${twice}=VALUE`)}, once`],
  });
}

async function readText(file: string, signal: AbortSignal): Promise<string> {
  const bytes = file === '-' ? await readStdin(signal) : await readBounded(file, LARGEST_TEXT);
  if (!isUtf8(bytes)) throw new CliError('USAGE', `${file} is not UTF-8 text`, { target: { file } });
  return bytes.toString('utf8');
}

/** The platform keeps texts alone, so that what YAML reads as something else has to be quoted. */
function textOf(key: string, value: unknown, file: string): string {
  if (typeof value === 'string') return value;
  const kind = Array.isArray(value)
    ? 'a list'
    : value === null
      ? 'empty'
      : `${typeof value === 'object' ? 'an' : 'a'} ${typeof value}`;
  const form = JSON.stringify(JSON.stringify(value));
  throw new CliError('USAGE', `the value of ${JSON.stringify(key)} in ${file} is ${kind}, not text`, {
    hints: [value === null ? `${JSON.stringify(key)}: ""` : `${JSON.stringify(key)}: ${form.slice(0, 200)}`],
    target: { file },
  });
}

type TextOf = typeof textOf;

/** The same for arguments of a run, where a number or a boolean means its text. */
const plainText: TextOf = (key, value, file) =>
  typeof value === 'number' || typeof value === 'boolean' ? String(value) : textOf(key, value, file);

async function valuesOfFile(
  file: string,
  read: TextOf,
  signal: AbortSignal,
): Promise<readonly (readonly [string, string])[]> {
  const found = await parseValuesText(file, await readText(file, signal));
  if (typeof found !== 'object' || found === null || Array.isArray(found))
    throw new CliError('USAGE', `the values file ${file} has no keys and values`, { target: { file } });
  return Object.entries(found).map(([key, value]) => [key, read(key, value, file)]);
}

/**
 * Reads the keys and values of a line, files included; `--set` wins over a file.
 * @param pipeline a word that may be KEY=VALUE without its flag
 * @throws USAGE for a wrong form, two files from stdin, or nothing at all
 */
export async function givenValues(
  flags: ValueFlags,
  pipeline: string | undefined,
  signal: AbortSignal,
): Promise<ReadonlyMap<string, string>> {
  const given = await valuesIfAny(flags, signal);
  if (given.size > 0) return given;
  const key = /^[^=]+(?==)/u.exec(pipeline ?? '')?.[0];
  if (key === undefined) throw new CliError('USAGE', 'nothing to set', { hints: ['--set KEY=VALUE, or -f FILE'] });
  // Its value may be a secret, so it is not repeated.
  const word = shellWord(key);
  throw new CliError('USAGE', `nothing to set: ${word}=... without --set is the name of a pipeline`, {
    hints: [`--set ${word}=VALUE`],
  });
}

/** Reads the keys and values of a line that may have none. */
export async function valuesIfAny(
  flags: ValueFlags,
  signal: AbortSignal,
  read = textOf,
): Promise<ReadonlyMap<string, string>> {
  const { set = [], 'set-file': files = [], values } = flags;
  const fromFiles = files.map((text) => split(text, 'set-file', 'FILE'));
  if ([values, ...fromFiles.map(([, file]) => file)].filter((file) => file === '-').length > 1)
    throw new CliError('USAGE', 'only one of the values can come from stdin');
  const given = new Map(values === undefined ? [] : await valuesOfFile(values, read, signal));
  for (const [key, file] of fromFiles) given.set(key, await readText(file, signal));
  const fromLine = set.map((text) => split(text, 'set', 'VALUE'));
  refuseTwice(fromLine);
  for (const [key, value] of fromLine) given.set(key, value);
  return given;
}

/** Reads the arguments of one run. */
export const runArguments = async (flags: ValueFlags, signal: AbortSignal): Promise<Readonly<Record<string, string>>> =>
  Object.fromEntries(await valuesIfAny(flags, signal, plainText));

/**
 * Arguments of a run with its compute profile, which the platform takes from one of them.
 * @throws USAGE when the arguments name another one
 */
export function withProfile(
  given: Readonly<Record<string, string>>,
  profile: string | undefined,
): Readonly<Record<string, string>> {
  if (profile === undefined) return given;
  if ((given[PROFILE] ?? profile) !== profile)
    throw new CliError('USAGE', `--profile ${profile} contradicts the argument ${PROFILE}=${given[PROFILE] ?? ''}`);
  return { ...given, [PROFILE]: profile };
}
