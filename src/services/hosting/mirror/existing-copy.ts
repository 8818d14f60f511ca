import { createHash } from 'node:crypto';
import { dirname } from 'node:path';
import { openInside } from '../../../hub/folder-files.js';
import { LIMITS, type HubFile } from '../../../hub/source.js';
import { fetchFile, isContentError } from '../../catalog/fetch-file.js';
import type { PackageFile } from '../../catalog/package-files.js';
import { isKept, localFile } from './folder/local-file.js';
import type { KeptFile } from './folder/records.js';
import { expectedDigest, pathIn, type Place, type VersionWork } from './version-work.js';

/** What is there of a file: a good copy, else what the hub has opened when it was asked. */
export interface Found {
  readonly copy: Place | undefined;
  readonly opened?: HubFile | undefined;
}

/** SHA-256 of a local file in hex; undefined when it cannot be read any more. */
export async function digestOf(path: string, signal: AbortSignal): Promise<string | undefined> {
  const file = await openInside(dirname(path), [path.slice(dirname(path).length + 1)], LIMITS.resource, signal);
  if (file === undefined) return undefined;
  const hash = createHash('sha256');
  for await (const chunk of file.body) hash.update(chunk);
  return hash.digest('hex');
}

/**
 * Finds a copy of a file that need not be fetched again. It is known by the index or a lock file, else by what was kept
 * of it and the tag of the hub, else by its signature.
 */
export async function goodCopy(work: VersionWork, file: PackageFile, signal: AbortSignal): Promise<Found> {
  const sha256 = expectedDigest(work, file.name);
  return sha256 === undefined ? byTag(work, file, signal) : byDigest(work, file, sha256, signal);
}

async function byDigest(work: VersionWork, file: PackageFile, sha256: string, signal: AbortSignal): Promise<Found> {
  const { name } = file;
  // What an index says that no key speaks for is no more than what the hub says.
  const isVouched = !work.judged || work.trusted.index !== undefined;
  const wanted = work.listed.get(name)?.size;
  for (const place of ['tree', 'stage'] as const) {
    const path = pathIn(work, place, name);
    const local = localFile(path);
    if (local === undefined || (wanted !== undefined && local.size !== wanted)) continue;
    const known = work.record.kept(name);
    const isKnown = known?.sha256 === sha256 && isKept(known, local);
    // What waited may have been lost by a power failure, of which its size says nothing.
    if ((!isKnown || place === 'stage') && (await digestOf(path, signal)) !== sha256) continue;
    if (!isKnown && !isVouched && !(await isSigned(work, file, path, signal))) continue;
    if (!isKnown && !work.dry) work.record.note({ name, ...local, sha256 });
    return { copy: place };
  }
  return { copy: undefined };
}

async function byTag(work: VersionWork, file: PackageFile, signal: AbortSignal): Promise<Found> {
  const { name } = file;
  const known = work.record.kept(name);
  for (const place of ['stage', 'tree'] as const) {
    const path = pathIn(work, place, name);
    const local = localFile(path);
    if (local === undefined) continue;
    // What waited may have been lost by a power failure, of which its size says nothing.
    const isRead = place === 'stage' || !isKept(known, local);
    const isGood = known?.size === local.size && (!isRead || (await digestOf(path, signal)) === known.sha256);
    if (isGood && isRead && !work.dry) work.record.note({ ...known, ...local });
    if (isGood && (known.etag ?? known.changed) !== undefined) {
      const { name: owner, version } = work.wanted;
      const options = { maxBytes: LIMITS.resource, unless: known.etag };
      const opened = await work.source.open({ name: owner, version, file: name }, options, signal);
      if (opened === undefined || !isSame(opened, known)) return { copy: undefined, opened };
      await opened.discard();
      return { copy: place };
    }
    if (work.judged && file.signed && (await isSigned(work, file, path, signal))) return { copy: place };
  }
  return { copy: undefined };
}

/** Whether the hub has the very file that was kept. */
function isSame(opened: HubFile, { size, etag, changed }: KeptFile): boolean {
  if (opened.isUnchanged === true) return true;
  if (opened.bytes !== size) return false;
  return etag === undefined ? opened.changed?.at === changed : opened.etag === etag;
}

/** Whether a local file has a good signature of the hub, as if it came from there. */
export async function isSigned(
  { trusted }: Pick<VersionWork, 'trusted'>,
  file: PackageFile,
  path: string,
  signal: AbortSignal,
): Promise<boolean> {
  const folder = dirname(path);
  const open: VersionWork['source']['open'] = (_place, { maxBytes }, both) =>
    openInside(folder, [file.name], maxBytes, both);
  try {
    return (await fetchFile(trusted, file, { open }, signal))?.verdict.state === 'valid';
  } catch (error) {
    if (isContentError(error)) return false;
    throw error;
  }
}
