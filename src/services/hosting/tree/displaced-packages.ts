import { lstatSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { CliError } from '../../../core/errors.js';
import { isThere } from '../../../core/files/exists.js';
import { localError } from '../../../core/files/local-error.js';
import { isGone } from '../../../hub/folder-files.js';
import type { PackageVersion } from '../../../hub/source.js';
import { isTemporaryName } from '../../../state/temporary.js';

/** A package that is out of its place while another one takes it. */
export interface AsidePackage extends PackageVersion {
  /** The folder where it is, and that of its place. */
  readonly from: string;
  readonly to: string;
}

/**
 * The packages in some temporary folders of `packages` whose places are empty.
 * @throws what `readdir` throws
 */
export function packagesAside(parent: string, folders: readonly string[]): readonly AsidePackage[] {
  return folders.flatMap((aside) =>
    foldersIn(join(parent, aside)).flatMap((name) =>
      foldersIn(join(parent, aside, name)).flatMap((version) => {
        const [from, to] = [join(parent, aside, name, version), join(parent, name, version)];
        return isThere(to) ? [] : [{ name, version, from, to }];
      }),
    ),
  );
}

function foldersIn(folder: string): readonly string[] {
  try {
    if (!lstatSync(folder).isDirectory()) return [];
    return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => (entry.isDirectory() ? [entry.name] : []));
  } catch (error) {
    if (isGone(error)) return [];
    throw error;
  }
}

/**
 * Refuses a tree that lacks a package only because the run that replaced it was killed.
 * @throws BAD_SOURCE, LOCAL_IO
 */
export function refuseAside(root: string): void {
  const parent = join(root, 'packages');
  let aside: readonly AsidePackage[];
  try {
    aside = packagesAside(parent, readdirSync(parent).filter(isTemporaryName));
  } catch (error) {
    throw localError(error, 'read', parent);
  }
  const [first] = aside;
  if (first === undefined) return;
  const { name, version, from, to } = first;
  throw new CliError(
    'BAD_SOURCE',
    `packages/${name}/${version} was moved aside by a run that was killed while replacing it`,
    { hints: [`move ${from} to ${to}`, 'or create the package again from its JAR'], target: { file: from } },
  );
}
