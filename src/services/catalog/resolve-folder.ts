import type { Meant } from '../../core/closest.js';
import { CliError } from '../../core/errors.js';
import { folderSource, packageInFolder } from '../../hub/folder-source.js';
import { resolvePackage, type PackagePlace } from './resolve.js';

/**
 * The package that a folder is, or the only one of a hub in a folder.
 * @throws USAGE where it holds several
 */
export async function resolveInFolder(
  folder: string,
  platformVersion: string | undefined,
  signal: AbortSignal,
): Promise<Meant<PackagePlace>> {
  const source = await folderSource(folder, folder, signal);
  const place = await packageInFolder(folder, signal);
  const hubs = [{ name: folder, source }];
  if (place !== undefined) return resolvePackage(hubs, { hub: undefined, ...place }, platformVersion, signal);
  const { catalog } = await source.catalog({}, signal);
  const names = [...new Set(catalog.entries.map(({ name }) => name))];
  const [only] = names;
  if (only === undefined || names.length > 1) {
    throw new CliError('USAGE', `${folder} holds ${names.length} packages`, {
      hints: [`use the folder of a package: ${folder}/packages/NAME/VERSION`, { next: 'name-hub-folder', folder }],
    });
  }
  return resolvePackage(hubs, { hub: undefined, name: only, version: undefined }, platformVersion, signal);
}
