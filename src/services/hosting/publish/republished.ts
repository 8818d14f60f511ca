import { isFree, refuseChanged } from '../tree/published-files.js';
import { filesOfIndex, type Published } from './plan.js';
import type { TreeFiles } from './tree-files.js';
import { isSignatureAmong } from '../../../hub/signature-names.js';

/**
 * Refuses other content of a file than was published. That is what the index lists, as the file may be damaged, else
 * what lies there, as versions that were dropped stay. `forced` are files that may change, as `NAME/VERSION/FILE`.
 * @throws REPUBLISH
 */
export function refuseRepublished(
  tree: TreeFiles,
  { files, index }: Pick<Published, 'files' | 'index'>,
  forced: readonly string[],
  where: string,
): void {
  const listed = index && filesOfIndex(index);
  const changed = new Map<string, 'changed'>();
  for (const { path, sha256 } of tree.files.values()) {
    const [folder, name = '', version = '', file] = path.split('/');
    const there = listed?.get(path) ?? files.get(path);
    if (folder !== 'packages' || file === undefined || there === undefined || there.sha256 === sha256) continue;
    const isSignature = isSignatureAmong(tree.files, path);
    const key = `${name}/${version}/${file}`;
    if (!isSignature && !isFree({ name, version }) && !forced.includes(key)) changed.set(key, 'changed');
  }
  refuseChanged(changed, where, 'would change');
}

/** Whether nothing of a hub is signed. */
export const isUnsigned = ({ files, index }: TreeFiles): boolean =>
  index === undefined && ![...files.keys()].some((path) => isSignatureAmong(files, path));
