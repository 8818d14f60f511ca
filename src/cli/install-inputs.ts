import { CliError } from '../core/errors.js';
import { LARGEST_TEXT, readBounded, readStreamBounded } from '../core/read-bounded.js';
import { parseValues, splitJar, splitSet, type TypedInputs } from '../services/install/inputs.js';

/** The flags of `install` that carry input. */
export interface InputFlags {
  readonly values?: string | undefined;
  readonly set?: readonly string[] | undefined;
  readonly 'set-file'?: readonly string[] | undefined;
  readonly jar?: readonly string[] | undefined;
  readonly 'accept-license'?: boolean | undefined;
}

async function readText(file: string): Promise<string> {
  const bytes =
    file === '-'
      ? await readStreamBounded(process.stdin, 'stdin', LARGEST_TEXT)
      : await readBounded(file, LARGEST_TEXT);
  return bytes.toString('utf8');
}

async function readValues(file: string): Promise<unknown> {
  const { parseDocument, visit } = await import('yaml');
  const document = parseDocument(await readText(file));
  const [error] = document.errors;
  if (error === undefined) {
    // A number keeps the text that was written: 1.0 is no 1.
    visit(document, {
      Scalar: (_, node) => {
        if (typeof node.value === 'number') node.value = node.source;
      },
    });
    return document.toJS();
  }
  const line = error.linePos === undefined ? '' : ` (line ${error.linePos[0].line})`;
  throw new CliError('USAGE', `the values file ${file} is neither YAML nor JSON${line}`, { target: { file } });
}

async function setFromFile(text: string): Promise<string> {
  const [key, name, file] = splitSet(text, '--set-file', 'FILE');
  return `${key}.${name}=${await readText(file)}`;
}

/** Reads what the flags give, files included; USAGE for a wrong form, which needs no look at the package. */
export async function typedInputs(flags: InputFlags): Promise<TypedInputs> {
  for (const text of flags.set ?? []) splitSet(text);
  for (const text of flags.jar ?? []) splitJar(text);
  const files: string[] = [];
  for (const text of flags['set-file'] ?? []) files.push(await setFromFile(text));
  const values = flags.values === undefined ? undefined : await readValues(flags.values);
  parseValues(values);
  return {
    set: [...(flags.set ?? []), ...files],
    jars: flags.jar ?? [],
    acceptLicense: flags['accept-license'] === true,
    ...(values !== undefined && { values }),
  };
}
