import { CliError } from '../core/errors.js';
import { brief } from './fields.js';

const SUFFIX = '.asc';

/** The path of the file that a path is the signature of, by its name; undefined for all other names. */
export const signedBy = (path: string): string | undefined =>
  path.endsWith(SUFFIX) ? path.slice(0, -SUFFIX.length) : undefined;

/** Whether a path is that of the signature of another one among them. */
export const isSignatureAmong = (paths: Pick<ReadonlySet<string>, 'has'>, path: string): boolean =>
  paths.has(signedBy(path) ?? '');

/** Names without those of signatures of others among them. */
export function withoutSignatures(names: readonly string[]): readonly string[] {
  const all = new Set(names);
  return names.filter((name) => !isSignatureAmong(all, name));
}

/**
 * Refuses files of a package of which one would have the name of the signature of another one.
 * @throws BAD_NAME (docs/faults.md H21)
 */
export function refuseSignatures(names: readonly string[]): void {
  const all = new Set(names.filter((name) => name !== ''));
  const clash = names.find((name) => isSignatureAmong(all, name));
  if (clash !== undefined)
    throw new CliError(
      'BAD_NAME',
      `the file name ${brief(clash)} is that of the signature of ${brief(signedBy(clash) ?? '')}`,
    );
}
