import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { localError } from '../../../core/files/local-error.js';
import type { PackageVersion } from '../../../hub/source.js';
import { signedBy } from '../../../hub/signature-names.js';
import { firstBytes } from '../tree/first-bytes.js';
import type { PublishedFiles } from '../tree/published-files.js';

/** Unlike the beginning of a key. */
const BEGINNING = /^-+BEGIN PGP S/u;

/**
 * Whether a file is only the signature of a published file that was removed. If that file must stay, the run fails in
 * the end.
 * @throws LOCAL_IO
 */
export async function isLeftSignature(
  place: PackageVersion,
  name: string,
  { root, published }: { readonly root: string; readonly published: PublishedFiles },
): Promise<boolean> {
  const signed = signedBy(name);
  if (signed === undefined || !published.isLeft(place, name)) return false;
  if (!published.mayChange(place, signed)) return true;
  const path = join(root, 'packages', place.name, place.version, name);
  return BEGINNING.test(Buffer.from(await firstBytes(path)).toString('latin1'));
}

/**
 * Removes signatures of files that were removed.
 * @throws LOCAL_IO
 */
export function removeLeft(paths: readonly string[]): void {
  for (const path of paths) {
    try {
      rmSync(path, { force: true });
    } catch (error) {
      throw localError(error, 'write', path);
    }
  }
}
