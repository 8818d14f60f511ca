import { lstatSync } from 'node:fs';
import { join } from 'node:path';
import { CliError } from '../../../core/errors.js';

/** A file that was added to a repository: its size in bytes, and its time in seconds since the epoch. */
export interface AddedFile {
  readonly path: string;
  readonly size: number;
  readonly time: number;
}

/** The history of the repository that a tree is in; paths begin at the tree. */
export interface History {
  /** Whether there is a repository. */
  readonly isThere: () => Promise<boolean>;
  /** The id of a commit; undefined where there is none, or no repository. */
  readonly commit: (name: string) => Promise<string | undefined>;
  /** The paths below `packages` that differ between a commit and what is committed or added now. */
  readonly changed: (id: string) => Promise<readonly string[]>;
  /** The files below `packages` as they were when they were added. */
  readonly added: () => Promise<readonly AddedFile[]>;
  /** Which of some folders a commit has. */
  readonly folders: (id: string, paths: readonly string[]) => Promise<readonly string[]>;
}

/** The changed files of package versions, by `NAME/VERSION`. */
export type ChangedFiles = ReadonlyMap<string, readonly string[]>;

/** Most folders that are asked for at once. */
const AT_ONCE = 500;

/**
 * The files that have changed since a commit, of versions that the commit has already.
 * @throws USAGE for something that is no commit, or outside of a repository
 */
export async function changedSince(name: string, history: History): Promise<ChangedFiles> {
  const id = await history.commit(name);
  if (id === undefined)
    throw new CliError(
      'USAGE',
      (await history.isThere())
        ? `commit ${JSON.stringify(name.slice(0, 80))} not found`
        : 'the folder is not in a Git repository',
    );
  const files = new Map<string, string[]>();
  for (const path of await history.changed(id)) {
    const [, ...parts] = path.split('/');
    const [place, file] = [parts.slice(0, 2).join('/'), parts.slice(2).join('/')];
    if (file !== '') files.set(place, [...(files.get(place) ?? []), file]);
  }
  const before = new Set<string>();
  const folders = [...files.keys()].map((place) => `packages/${place}`);
  for (let at = 0; at < folders.length; at += AT_ONCE)
    for (const path of await history.folders(id, folders.slice(at, at + AT_ONCE)))
      before.add(path.slice('packages/'.length));
  return new Map([...files].filter(([place]) => before.has(place)));
}

/**
 * The files that have changed since they were added, by size and time, as git tells it. Their content is not read: git
 * would have it run through filters.
 */
export async function notAdded(root: string, history: History): Promise<readonly string[]> {
  const isAsAdded = ({ path, size, time }: AddedFile): boolean => {
    const stat = lstatSync(join(root, path), { throwIfNoEntry: false });
    return stat?.size === size && Math.floor(stat.mtimeMs / 1000) === time;
  };
  return (await history.added()).filter((file) => !isAsAdded(file)).map(({ path }) => path);
}
