import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { localError } from '../../../core/files/local-error.js';
import type { PackageVersion } from '../../../hub/source.js';
import { signedBy } from '../../../hub/signature-names.js';
import { firstBytes } from '../tree/first-bytes.js';
import type { PublishedFiles } from '../tree/published-files.js';

/** Unlike the beginning of a key. */
const BEGINNING = /^-+BEGIN PGP S/u;

/** Where the file is, what was published, and whether files are signed. */
interface LeftDeps {
  readonly root: string;
  readonly signer: object | undefined;
  readonly published: PublishedFiles;
}

/**
 * Whether a file is only the signature of a published file that was removed. Where files are signed, it is removed as
 * well; but if the file must stay, so must its signature, and the run fails in the end.
 * @throws LOCAL_IO
 */
export async function isLeftSignature(
  place: PackageVersion,
  name: string,
  { root, signer, published }: LeftDeps,
): Promise<boolean> {
  const signed = signedBy(name);
  if (signed === undefined || !published.isLeft(place, name)) return false;
  if (!published.mayChange(place, signed)) return true;
  const path = join(root, 'packages', place.name, place.version, name);
  if (!BEGINNING.test(Buffer.from(await firstBytes(path)).toString('latin1'))) return false;
  try {
    if (signer !== undefined) rmSync(path);
  } catch (error) {
    throw localError(error, 'write', path);
  }
  return true;
}
