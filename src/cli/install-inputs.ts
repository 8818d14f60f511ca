import { readFile } from 'node:fs/promises';
import { text as readStream } from 'node:stream/consumers';
import { CliError } from '../core/errors.js';
import { localError } from '../core/local-error.js';
import type { TypedInputs } from '../services/install/inputs.js';

/** The flags of `install` that carry input. */
export interface InputFlags {
  readonly values?: string | undefined;
  readonly set?: readonly string[] | undefined;
  readonly 'set-file'?: readonly string[] | undefined;
  readonly jar?: readonly string[] | undefined;
  readonly 'accept-license'?: boolean | undefined;
}

async function readText(file: string): Promise<string> {
  if (file === '-') return readStream(process.stdin);
  try {
    return await readFile(file, 'utf8');
  } catch (cause) {
    throw localError(cause, 'read', file);
  }
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
  const at = text.indexOf('=');
  if (at < 1) throw new CliError('USAGE', `"${text}" is not of the form N.ARGUMENT=FILE`);
  return `${text.slice(0, at)}=${await readText(text.slice(at + 1))}`;
}

/** Reads what the flags give, files included. */
export async function typedInputs(flags: InputFlags): Promise<TypedInputs> {
  const files: string[] = [];
  for (const text of flags['set-file'] ?? []) files.push(await setFromFile(text));
  return {
    set: [...(flags.set ?? []), ...files],
    jars: flags.jar ?? [],
    acceptLicense: flags['accept-license'] === true,
    ...(flags.values !== undefined && { values: await readValues(flags.values) }),
  };
}
