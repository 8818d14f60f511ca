import { join } from 'node:path';
import { isThere } from '../../../core/files/exists.js';
import { filesOfPackage, type HubIndex } from '../../../hub/index-file.js';
import { ownIndex } from './published-files.js';

/** Which of the files that may change, as `NAME/VERSION/FILE`, neither a tree nor an index has. */
export async function unknownForced(
  root: string,
  forced: readonly string[],
  published?: HubIndex,
): Promise<readonly string[]> {
  const absent = forced.filter((path) => !isThere(join(root, 'packages', path)));
  if (absent.length === 0) return [];
  const indexes = [await ownIndex(root), published].filter((index) => index !== undefined);
  return absent.filter((path) => {
    const [name = '', version = '', file = ''] = path.split('/');
    return !indexes.some((index) => filesOfPackage(index, { name, version }).some((listed) => listed.name === file));
  });
}
