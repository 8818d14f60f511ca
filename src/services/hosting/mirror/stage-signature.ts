import { createHash } from 'node:crypto';
import { lstatSync, readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { localError } from '../../../core/files/local-error.js';
import { openInside } from '../../../hub/folder-files.js';
import { LIMITS, type HubSource } from '../../../hub/source.js';
import { createStaged } from '../../../state/atomic-write.js';
import { fetchFile } from '../../catalog/fetch-file.js';
import type { PackageFile } from '../../catalog/package-files.js';
import { readSmall } from '../../catalog/signed-index.js';
import { isKept, localFile } from './folder/local-file.js';
import type { KeptFile } from './folder/records.js';
import type { Brought } from './stage-file.js';
import { pathIn, stagePath, tagOf, type Place, type VersionWork } from './version-work.js';

const OPTIONS = { mode: 0o644, overwrite: true, passing: true };

/** Fetches the signature of a file that was brought, unless the one that is there still holds. */
export async function bringSignature(
  work: VersionWork,
  file: PackageFile,
  { place: signed, isNew }: { readonly place: Place; readonly isNew: boolean },
  signal: AbortSignal,
): Promise<Brought> {
  const name = `${file.name}.asc`;
  const { basis, record } = work;
  const local = (['stage', 'tree'] as const).find((place) => isKnown(work, name, place));
  if (!isNew) {
    if (local !== undefined && basis !== undefined && record.kept(name)?.basis === basis) return kept(local);
    if (basis !== undefined && record.absent(name)?.basis === basis) return kept('absent');
    if (local !== undefined && (await hasTag(work, name, signal))) {
      if (!work.dry) note(work, name, local);
      return kept(local);
    }
  }
  if (work.dry && isNew) return { place: 'stage', isNew: true, bytes: 0 };
  const bytes = await readSmall(work.held, { ...versionOf(work), file: name }, LIMITS.signature, signal);
  if (bytes === undefined) {
    // One that is lost is judged as that of a new file: the mirror must not lose what its readers require.
    if (!isNew && work.judged && !work.dry && isHere(work, name)) await verifyLocal(work, file, signed, signal);
    if (!work.dry) record.note({ name, absent: true, ...(basis !== undefined && { basis }) });
    return kept('absent');
  }
  const same = (['tree', 'stage'] as const).find((place) => hasBytes(pathIn(work, place, name), bytes));
  // A new signature of a file that stays, or one that other keys have judged, is verified as that of a new one.
  const isJudged = !work.judged || record.kept(name) !== undefined;
  const isVerified = same === undefined ? work.dry : isJudged;
  if (!isNew && !isVerified) await verifyLocal(work, file, signed, signal);
  if (same !== undefined || work.dry) {
    if (same !== undefined && !work.dry) note(work, name, same);
    return same === undefined ? { place: 'stage', isNew: true, bytes: bytes.length } : kept(same);
  }
  await stage(work, name, bytes);
  return { place: 'stage', isNew: true, bytes: bytes.length };
}

const kept = (place: Brought['place']): Brought => ({ place, isNew: false, bytes: 0 });
const versionOf = ({ wanted: { name, version } }: VersionWork) => ({ name, version });

const isHere = (work: VersionWork, name: string): boolean => localFile(pathIn(work, 'tree', name)) !== undefined;

function isKnown(work: VersionWork, name: string, place: Place): boolean {
  const [known, local] = [work.record.kept(name), localFile(pathIn(work, place, name))];
  return local !== undefined && isKept(known, local);
}

async function hasTag(work: VersionWork, name: string, signal: AbortSignal): Promise<boolean> {
  const unless = work.record.kept(name)?.etag;
  if (unless === undefined) return false;
  const place = { ...versionOf(work), file: name };
  const opened = await work.source.open(place, { maxBytes: LIMITS.signature, unless }, signal);
  if (opened?.isUnchanged === true) return true;
  await opened?.discard();
  return false;
}

function hasBytes(path: string, bytes: Uint8Array): boolean {
  if (localFile(path)?.size !== bytes.length) return false;
  try {
    return readFileSync(path).equals(bytes);
  } catch (error) {
    throw localError(error, 'read', path);
  }
}

async function verifyLocal(work: VersionWork, file: PackageFile, place: Place, signal: AbortSignal): Promise<void> {
  const folder = dirname(pathIn(work, place, file.name));
  const open: HubSource['open'] = (_place, { maxBytes }, both) => openInside(folder, [file.name], maxBytes, both);
  await fetchFile(work.trusted, file, { open }, signal);
}

function note(work: VersionWork, name: string, place: Place): void {
  const path = pathIn(work, place, name);
  const local = localFile(path);
  if (local !== undefined) work.record.note({ ...lineOf(work, name, readFileSync(path), local.mtime), ...local });
}

const lineOf = (work: VersionWork, name: string, bytes: Uint8Array, mtime: number): KeptFile => ({
  name,
  size: bytes.length,
  mtime,
  sha256: createHash('sha256').update(bytes).digest('hex'),
  ...tagOf(work, name),
  ...(work.basis !== undefined && { basis: work.basis }),
});

async function stage(work: VersionWork, name: string, bytes: Uint8Array): Promise<void> {
  const staged = createStaged(stagePath(work, name), OPTIONS);
  try {
    staged.write(bytes);
    work.record.note(lineOf(work, name, bytes, lstatSync(staged.path).mtimeMs));
    await staged.commit();
  } finally {
    await staged.abort();
  }
}
