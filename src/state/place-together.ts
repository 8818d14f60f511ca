import { dirname } from 'node:path';
import { syncFolder, type StagedFile } from './atomic-write.js';
import { syncFiles } from './sync-files.js';

/** A staged file for a place, as `passing` unless it is alone; `placed` is called when it is there. */
export interface WaitingFile {
  readonly file: StagedFile;
  readonly place: string;
  readonly placed?: () => void;
}

/**
 * Gives files their names, in this order. The disk is waited for before and after, not in between, so that a reader
 * hardly ever meets some without the others.
 * @throws DISK_FULL, LOCAL_IO, SYMLINK; those before the failed one are in place
 */
export async function placeTogether(files: readonly WaitingFile[], signal: AbortSignal): Promise<void> {
  const paths = files.map(({ file }) => file.path);
  if (files.length > 1) await syncFiles(paths, signal);
  for (const { file, placed } of files) {
    await file.commit();
    placed?.();
  }
  if (files.length > 1)
    for (const folder of new Set(files.map(({ place }) => dirname(place)))) await syncFolder(folder);
}
