import { join } from 'node:path';
import { categoriesWithIcon, type TreeFault } from '../tree/source-tree.js';
import { iconProblem } from './document-rules.js';
import type { Found } from './found.js';
import { firstBytes } from './first-bytes.js';

/** What does not belong among the categories of a tree, and their icons of another type. */
export async function categoryFaults(
  root: string,
): Promise<{ readonly misplaced: readonly TreeFault[]; readonly icons: readonly Found[] }> {
  const misplaced: TreeFault[] = [];
  const icons: Found[] = [];
  for (const name of [...(await categoriesWithIcon(root, misplaced))].sort()) {
    const file = `categories/${name}/icon.png`;
    const message = iconProblem(await firstBytes(join(root, file)));
    if (message !== undefined) icons.push({ file, message });
  }
  return { misplaced, icons };
}
