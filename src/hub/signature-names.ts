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
