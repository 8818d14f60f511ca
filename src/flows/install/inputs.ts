import { parseValuesText } from '../../config/values-text.js';
import { CliError } from '../../core/errors.js';
import { LARGEST_TEXT, readBounded } from '../../core/files/read-bounded.js';
import { parseValues, type TypedInputs } from '../../services/install/package/inputs.js';
import { readStdin } from '../../cli/terminal/terminal.js';

/** The flags of `install` that carry input. */
export interface InputFlags {
  readonly values?: string | undefined;
  readonly set?: readonly string[] | undefined;
  readonly 'set-file'?: readonly string[] | undefined;
  readonly jar?: readonly string[] | undefined;
  readonly 'accept-license'?: boolean | undefined;
}

const HINTS = ['to list action numbers: cdapctl hub show PACKAGE --actions'];

function splitAt(text: string, separator: string): readonly [string, string] | undefined {
  const at = text.indexOf(separator);
  return at < 1 ? undefined : [text.slice(0, at), text.slice(at + 1)];
}

/**
 * Action, argument and value of a `--set`.
 * @throws USAGE for another form
 */
function setOf(text: string, flag = '--set', what = 'VALUE'): TypedInputs['set'][number] {
  const [left = '', value = ''] = splitAt(text, '=') ?? [];
  const [action, name] = splitAt(left, '.') ?? [];
  if (action === undefined || name === undefined)
    throw new CliError('USAGE', `${flag}: "${text}" does not have the form N.ARGUMENT=${what}`, { hints: HINTS });
  return { action, name, value };
}

/**
 * Action and path of a `--jar`.
 * @throws USAGE for another form
 */
function jarOf(text: string): TypedInputs['jars'][number] {
  const [action, file] = splitAt(text, '=') ?? [];
  if (action === undefined || file === undefined)
    throw new CliError('USAGE', `--jar: "${text}" does not have the form N=PATH`, { hints: HINTS });
  return { action, file };
}

async function readText(file: string, signal: AbortSignal): Promise<string> {
  const bytes = file === '-' ? await readStdin(signal) : await readBounded(file, LARGEST_TEXT);
  return bytes.toString('utf8');
}

/**
 * Reads what the flags give, files included.
 * @throws USAGE for a wrong form, which needs no look at the package
 */
export async function typedInputs(flags: InputFlags, signal: AbortSignal): Promise<TypedInputs> {
  const set = (flags.set ?? []).map((text) => setOf(text));
  const jars = (flags.jar ?? []).map(jarOf);
  for (const text of flags['set-file'] ?? []) {
    const { value: file, ...place } = setOf(text, '--set-file', 'FILE');
    set.push({ ...place, value: await readText(file, signal) });
  }
  const values =
    flags.values === undefined ? undefined : await parseValuesText(flags.values, await readText(flags.values, signal));
  parseValues(values);
  return { set, jars, acceptLicense: flags['accept-license'] === true, ...(values !== undefined && { values }) };
}
