import { isFree, refuseChanged } from '../tree/published-files.js';
import { filesOfIndex, type Published } from './plan.js';
import type { TreeFiles } from './tree-files.js';

/**
 * Refuses other content of a file than the published index lists, or than lies there without one. What lies beside an
 * index may be damaged, or left by a stopped publication. `forced` are files that may change, as `NAME/VERSION/FILE`.
 * @throws REPUBLISH
 */
export function refuseRepublished(
  tree: TreeFiles,
  { files, index }: Pick<Published, 'files' | 'index'>,
  forced: readonly string[],
  where: string,
): void {
  const before = index === undefined ? files : filesOfIndex(index);
  const changed = new Map<string, string>();
  for (const { path, sha256 } of tree.files.values()) {
    const [folder, name = '', version = '', file] = path.split('/');
    const there = before.get(path);
    if (folder !== 'packages' || file === undefined || there === undefined || there.sha256 === sha256) continue;
    const isSignature = path.endsWith('.asc') && tree.files.has(path.slice(0, -'.asc'.length));
    const key = `${name}/${version}/${file}`;
    if (!isSignature && !isFree({ name, version }) && !forced.includes(key)) changed.set(key, path);
  }
  refuseChanged(changed, where, 'would change');
}

/** Whether nothing of a hub is signed. */
export const isUnsigned = ({ files, index }: TreeFiles): boolean =>
  index === undefined && ![...files.keys()].some((path) => path.endsWith('.asc') && files.has(path.slice(0, -4)));
