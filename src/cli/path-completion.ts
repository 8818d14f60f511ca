import { readdirSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';

/** A path with a leading `~` replaced by the home folder. */
export function expandHome(path: string, home: string | undefined): string {
  return home !== undefined && (path === '~' || path.startsWith('~/')) ? join(home, path.slice(1)) : path;
}

function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false;
  }
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

/** The longest continuation of a typed path that is certain, as a shell does on Tab; only JARs and folders count, and a folder gets a slash. Candidates are given when there are several. */
export function completePath(
  typed: string,
  home: string | undefined,
): { readonly text: string; readonly candidates: readonly string[] } {
  const path = expandHome(typed, home);
  const [folder, start] =
    path === '' || path.endsWith('/') ? [path === '' ? '.' : path, ''] : [dirname(path), basename(path)];
  const names = namesIn(folder).filter(
    (name) =>
      name.startsWith(start) &&
      (start !== '' || !name.startsWith('.')) &&
      (/\.jar$/iu.test(name) || isFolder(join(folder, name))),
  );
  const [first, ...rest] = names;
  if (first === undefined) return { text: typed, candidates: [] };
  const certain = rest.reduce((prefix, name) => {
    let length = 0;
    while (length < prefix.length && prefix[length] === name[length]) length += 1;
    return prefix.slice(0, length);
  }, first);
  const only = rest.length === 0;
  const slash = only && isFolder(join(folder, first)) ? '/' : '';
  return { text: typed + certain.slice(start.length) + slash, candidates: only ? [] : names.toSorted() };
}
