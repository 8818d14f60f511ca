import { existsSync, readdirSync, statSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { CliError } from '../../core/errors.js';
import { isInside } from '../../core/files/inside.js';
import { withoutCredentials } from '../../core/secrets/redact.js';

/** A path with a leading `~` replaced by the home folder. */
export function expandHome(path: string, home: string | undefined, platform = process.platform): string {
  const starts = platform === 'win32' ? ['~/', '~\\'] : ['~/'];
  return home !== undefined && (path === '~' || starts.includes(path.slice(0, 2))) ? join(home, path.slice(1)) : path;
}

/**
 * The path of a folder that is written into.
 * @throws USAGE for a file, and for a URL, of which a local folder would be made
 */
export function folderPath(path: string, home: string | undefined, hints: readonly string[] = []): string {
  if (/^[a-z][a-z0-9+.-]+:\/\//iu.test(path))
    throw new CliError('USAGE', `${withoutCredentials(path)} is a URL, not a folder`, { hints });
  const folder = expandHome(path, home);
  if (existsSync(folder) && !isFolder(folder)) throw new CliError('USAGE', `${path} is a file, not a folder`);
  return folder;
}

/**
 * Whether an argument is the path of a folder instead of a package or hub. Only the spelling counts, not what the
 * current folder contains.
 */
export function isPath(text: string, platform: NodeJS.Platform = process.platform): boolean {
  const written = platform === 'win32' ? text.replace(/^(?:\.{1,2}|~)?\\/u, (start) => `${start.slice(0, -1)}/`) : text;
  return /^(?:\.{1,2}(?:\/|$)|\/|~(?:\/|$)|[A-Za-z]:[\\/](?!\/))/u.test(written);
}

/** Whether an argument is the URL of a hub instead of a package or folder. */
export const isUrl = (text: string): boolean => /^(?:https?|file):\/\//iu.test(text);

/** Whether there is a folder at a path. */
export function isFolder(path: string): boolean {
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

/**
 * The longest continuation of a typed path that is certain, as a shell does on Tab. Only JARs and folders count, and a
 * folder gets a slash. Candidates are given when there are several.
 */
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

/** A path as somebody in a folder would type it; one outside stays as it is. */
export function typedPath(path: string, folder = process.cwd()): string {
  const way = relative(folder, path);
  return way !== '' && isInside(folder, path) ? way : path;
}
