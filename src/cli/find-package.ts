import { folderSource, packageInFolder } from '../hub/folder-source.js';
import { CliError } from '../core/errors.js';
import { parsePackageRef } from '../services/catalog/package-ref.js';
import { resolvePackage, type PackagePlace } from '../services/catalog/resolve.js';
import type { CommandContext } from './context.js';
import { expandHome } from './path-completion.js';

/** Whether an argument names a folder and not a package or a hub: only how it is written counts, never what lies in the current folder. */
export function isPath(text: string): boolean {
  return /^(?:\.{1,2}(?:\/|$)|\/|~(?:\/|$)|[A-Za-z]:[\\/](?!\/))/u.test(text);
}

async function inFolder(
  folder: string,
  platformVersion: string | undefined,
  signal: AbortSignal,
): Promise<PackagePlace> {
  const source = await folderSource(folder, folder);
  const place = await packageInFolder(folder);
  if (place !== undefined) {
    return resolvePackage([{ name: folder, source }], { hub: undefined, ...place }, platformVersion, signal);
  }
  const { catalog } = await source.catalog({}, signal);
  const names = [...new Set(catalog.entries.map(({ name }) => name))];
  const [only] = names;
  if (only === undefined || names.length > 1) {
    throw new CliError('USAGE', `${folder} holds ${names.length} packages`, {
      hints: [`name the folder of one: ${folder}/packages/NAME/VERSION`, `or the package: --hub ${folder} NAME`],
    });
  }
  return resolvePackage(
    [{ name: folder, source }],
    { hub: undefined, name: only, version: undefined },
    platformVersion,
    signal,
  );
}

/** The package that an argument names: `[HUB/]NAME[@VERSION]` in the hubs of the context, or a folder on this machine. */
export async function findPackage(
  context: CommandContext,
  text: string,
  platformVersion: string | undefined,
  signal: AbortSignal,
): Promise<PackagePlace> {
  if (isPath(text)) return inFolder(expandHome(text, context.home), platformVersion, signal);
  const ref = parsePackageRef(text);
  return resolvePackage(await context.hubs(ref.hub), ref, platformVersion, signal);
}
