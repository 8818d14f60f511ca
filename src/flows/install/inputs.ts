import { parseValuesText } from '../../config/values-text.js';
import { LARGEST_TEXT, readBounded } from '../../core/files/read-bounded.js';
import { parseValues, splitJar, splitSet, type TypedInputs } from '../../services/install/package/inputs.js';
import { readStdin } from '../../cli/terminal.js';

/** The flags of `install` that carry input. */
export interface InputFlags {
  readonly values?: string | undefined;
  readonly set?: readonly string[] | undefined;
  readonly 'set-file'?: readonly string[] | undefined;
  readonly jar?: readonly string[] | undefined;
  readonly 'accept-license'?: boolean | undefined;
}

async function readText(file: string, signal: AbortSignal): Promise<string> {
  const bytes = file === '-' ? await readStdin(signal) : await readBounded(file, LARGEST_TEXT);
  return bytes.toString('utf8');
}

async function setFromFile(text: string, signal: AbortSignal): Promise<string> {
  const [key, name, file] = splitSet(text, '--set-file', 'FILE');
  return `${key}.${name}=${await readText(file, signal)}`;
}

/** Reads what the flags give, files included; USAGE for a wrong form, which needs no look at the package. */
export async function typedInputs(flags: InputFlags, signal: AbortSignal): Promise<TypedInputs> {
  for (const text of flags.set ?? []) splitSet(text);
  for (const text of flags.jar ?? []) splitJar(text);
  const files: string[] = [];
  for (const text of flags['set-file'] ?? []) files.push(await setFromFile(text, signal));
  const values =
    flags.values === undefined ? undefined : await parseValuesText(flags.values, await readText(flags.values, signal));
  parseValues(values);
  return {
    set: [...(flags.set ?? []), ...files],
    jars: flags.jar ?? [],
    acceptLicense: flags['accept-license'] === true,
    ...(values !== undefined && { values }),
  };
}
