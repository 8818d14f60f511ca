import { CliError, type ErrorDetails } from '../../../core/errors.js';
import { fileNameProblem } from '../../../core/names.js';

/** Bytes of a name: a signature, a record and a temporary file add to it, and file systems take 255. */
const LONGEST = 200;

/** Why a name of a package, a version or a file cannot be mirrored, or undefined when it can be. */
export function hostedNameProblem(name: string): string | undefined {
  // Web servers do not deliver hidden files, or read them as their configuration.
  if (name.startsWith('.')) return 'begins with a dot';
  return Buffer.byteLength(name) > LONGEST ? `is longer than ${LONGEST} bytes` : fileNameProblem(name);
}

/**
 * Refuses names before a path is made of them.
 * @throws BAD_NAME
 */
export function refuseNames(...names: readonly string[]): void {
  for (const name of names) refuseName(name);
}

/** The same of the name of a file, which is the target of the error. */
export function refuseFile(file: string): void {
  refuseName(file, { target: { file } });
}

function refuseName(name: string, details: ErrorDetails = {}): void {
  const problem = hostedNameProblem(name);
  if (problem === undefined) return;
  throw new CliError('BAD_NAME', `the name ${JSON.stringify(name.slice(0, 120))} ${problem}`, details);
}
