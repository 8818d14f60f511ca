import { join } from 'node:path';
import { commandLine } from '../../cli/line/command-line.js';
import { isFolder, isPath } from '../../cli/line/local-path.js';
import { CliError } from '../../core/errors.js';
import { isThere } from '../../core/files/exists.js';
import { refuseAside } from '../../services/hosting/tree/displaced-packages.js';
import { treeRoot } from '../../services/hosting/tree/source-tree.js';

/** Folders of a project, or of a site, that its hub is often in. */
const INNER = ['hub', 'v2', 'public'];

/**
 * The real path of the folder of a hub that has a catalog. Where nothing else is named, it may be the target.
 * @throws HUB_NOT_FOUND where it is no folder, BAD_SOURCE without a catalog
 */
export async function builtTree(folder: string, isAlone: boolean): Promise<string> {
  const root = await treeRoot(folder).catch((error: unknown) => {
    if (!(error instanceof CliError) || error.code !== 'HUB_NOT_FOUND') throw error;
    const isNew = !isThere(folder) && !folder.includes('://');
    const isTarget = isNew && isAlone && isThere('packages.json');
    const begin = isTarget ? [commandLine(['hub', 'publish', '.', asPath(folder)])] : (error.details.hints ?? []);
    const hints = [...begin, 'to copy a hub that is served: cdapctl hub mirror --hub NAME -D DIR'];
    throw new CliError(error.code, error.message, { ...error.details, hints });
  });
  if (isThere(join(root, 'packages.json'))) return root;
  if (isFolder(join(root, 'packages'))) refuseAside(root);
  const inner = INNER.find((name) => isThere(join(root, name, 'packages.json')));
  const hint =
    inner !== undefined
      ? `for the hub in it: ${asPath(join(folder, inner))}`
      : isFolder(join(root, 'packages'))
        ? commandLine(['hub', 'build', asPath(folder)])
        : 'a hub has packages.json and packages/NAME/VERSION/spec.json';
  throw new CliError('BAD_SOURCE', `${folder} has no packages.json, the catalog of a hub; nothing was published`, {
    hints: [hint],
    target: { file: folder },
  });
}

/** A path that nobody takes for a name. */
const asPath = (path: string): string => (isPath(path) ? path : `./${path}`);
