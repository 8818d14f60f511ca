import { readStdin } from '../../cli/terminal/terminal.js';
import { parseValuesText } from '../../config/values-text.js';
import { CliError } from '../../core/errors.js';
import { LARGEST_TEXT, readBounded } from '../../core/files/read-bounded.js';

/** The flags that give a run its arguments. */
export interface ArgumentFlags {
  readonly set?: readonly string[] | undefined;
  readonly 'set-file'?: readonly string[] | undefined;
  readonly values?: string | undefined;
}

type Arguments = Readonly<Record<string, string>>;

/**
 * The arguments that flags give, files included; `--set` wins over a file.
 * @throws USAGE for a wrong form, before anything is sent
 */
export async function givenArguments(flags: ArgumentFlags, signal: AbortSignal): Promise<Arguments> {
  const set = (flags.set ?? []).map((text) => pairOf(text, '--set', 'VALUE'));
  const files = (flags['set-file'] ?? []).map((text) => pairOf(text, '--set-file', 'FILE'));
  const { values } = flags;
  const given: [string, string][] = [];
  if (values !== undefined)
    given.push(...entriesOf(await parseValuesText(values, await textOf(values, signal)), values));
  for (const [name, file] of files) given.push([name, await textOf(file, signal)]);
  return Object.fromEntries([...given, ...set]);
}

/** `NAME=VALUE`; the name may hold dots, the value anything. */
function pairOf(text: string, flag: string, what: string): readonly [string, string] {
  const at = text.indexOf('=');
  if (at < 1)
    throw new CliError('USAGE', `${flag}: ${JSON.stringify(text.slice(0, 80))} does not have the form NAME=${what}`);
  return [text.slice(0, at), text.slice(at + 1)];
}

async function textOf(file: string, signal: AbortSignal): Promise<string> {
  const bytes = file === '-' ? await readStdin(signal) : await readBounded(file, LARGEST_TEXT);
  return bytes.toString('utf8');
}

function entriesOf(value: unknown, file: string): readonly [string, string][] {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new CliError('USAGE', `the values file ${file} is not an object of arguments`, { target: { file } });
  return Object.entries(value).map(([name, member]: [string, unknown]) => {
    if (typeof member === 'string') return [name, member];
    if (typeof member === 'boolean' || typeof member === 'number') return [name, String(member)];
    throw new CliError('USAGE', `the values file ${file}: argument "${name.slice(0, 80)}" is not a text`, {
      target: { file },
    });
  });
}
