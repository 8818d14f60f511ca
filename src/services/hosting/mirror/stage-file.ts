import { lstatSync } from 'node:fs';
import { LIMITS, type HubFile, type HubSource } from '../../../hub/source.js';
import { otherPublication } from '../../../hub/while-published.js';
import { createResumable, type ResumableFile } from '../../../state/resumable-file.js';
import { checkFile } from '../../../trust/memory.js';
import { fetchFile } from '../../catalog/fetch-file.js';
import type { PackageFile } from '../../catalog/package-files.js';
import { counting, fillResumable, resuming } from '../../catalog/resume.js';
import { digestOf, goodCopy } from './existing-copy.js';
import { localFile } from './folder/local-file.js';
import { expectedDigest, pathIn, stagePath, tagOf, type Place, type VersionWork } from './version-work.js';

/** What became of a file: where its good copy is, and whether it was fetched, with its size in bytes. */
export interface Brought {
  readonly place: Place | 'absent';
  /** Whether it was fetched, or would be. */
  readonly isNew: boolean;
  readonly bytes: number;
}

/** Readable by all, before the umask: a hub is public. Flushed with the version that it belongs to. */
const OPTIONS = { mode: 0o644, overwrite: true, passing: true };

/** Fetches a file unless a good copy is there; it waits beside the hub until its version is whole. */
export async function bringFile(work: VersionWork, file: PackageFile, signal: AbortSignal): Promise<Brought> {
  const { copy, opened } = await goodCopy(work, file, signal);
  if (copy !== undefined) return { place: copy, isNew: false, bytes: 0 };
  // Most hubs have no such file for most packages, and nothing need be made ready for it.
  let first = opened ?? (file.optional ? await openOptional(work, file.name, signal) : undefined);
  if (file.optional && first === undefined) return { place: 'absent', isNew: false, bytes: 0 };
  if (work.dry) {
    await first?.discard();
    refuseForeseen(work, file.name);
    return { place: 'stage', isNew: true, bytes: work.listed.get(file.name)?.size ?? first?.bytes ?? 0 };
  }
  return fillResumable(
    () => stagedFile(work, file.name, signal),
    (staged, fresh) => {
      const one = first;
      first = undefined;
      return fill(work, file, { staged, fresh, opened: one }, signal);
    },
    signal,
  );
}

/** Refuses what would come, where its digest is listed, and is not the one that was seen before. */
function refuseForeseen(work: VersionWork, file: string): void {
  const { wanted, trusted, judged } = work;
  const expected = expectedDigest(work, file);
  if (!judged || expected === undefined) return;
  const key = `${wanted.name}/${wanted.version}/${file}`;
  const changed = checkFile(trusted.setup.memory, key, expected, trusted.index !== undefined);
  if (changed !== undefined) throw changed;
}

function openOptional(
  { source, wanted: { name, version } }: VersionWork,
  file: string,
  signal: AbortSignal,
): Promise<HubFile | undefined> {
  return source.open({ name, version, file }, { maxBytes: LIMITS.resource }, signal);
}

function stagedFile(work: VersionWork, file: string, signal: AbortSignal): Promise<ResumableFile> {
  const { name, version } = work.wanted;
  const address = JSON.stringify([work.source.base, name, version, file]);
  return createResumable(stagePath(work, file), address, OPTIONS, signal);
}

interface StagedCopy {
  readonly staged: ResumableFile;
  readonly fresh: boolean;
  /** The answer to the question whether the file has changed. */
  readonly opened: HubFile | undefined;
}

async function fill(
  work: VersionWork,
  file: PackageFile,
  { staged, fresh, opened }: StagedCopy,
  signal: AbortSignal,
): Promise<Brought> {
  const { name } = file;
  const goOn = resuming(staged, work.source);
  const open: HubSource['open'] = async (...asked) => {
    if (opened === undefined) return goOn(...asked);
    staged.begin(undefined);
    return opened;
  };
  const maxBytes = name === 'spec.json' ? LIMITS.specification : LIMITS.resource;
  const { wanted, emit } = work;
  const sink = counting(staged, `${wanted.name}/${wanted.version}/${name}`, emit);
  const report = await fetchFile(work.trusted, file, { sink, fresh, open, maxBytes }, signal);
  if (report === undefined) return { place: 'absent', isNew: false, bytes: 0 };
  const { bytes, sha256 } = report;
  const expected = expectedDigest(work, name);
  if (expected !== undefined && expected !== sha256)
    throw otherPublication(`${name} does not match the index of the hub`, { file: name });
  const tree = pathIn(work, 'tree', name);
  const local = localFile(tree);
  if (local?.size === bytes && (await digestOf(tree, signal)) === sha256) {
    work.record.note({ name, ...local, sha256, ...tagOf(work, name) });
    return { place: 'tree', isNew: false, bytes: 0 };
  }
  // Before the file has its name: what a killed run leaves is known by what was noted.
  const { mtimeMs: mtime } = lstatSync(staged.path);
  work.record.note({ name, size: bytes, mtime, sha256, ...tagOf(work, name) });
  await staged.commit();
  return { place: 'stage', isNew: true, bytes };
}
