import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, constants, openSync, statfsSync, statSync } from 'node:fs';
import { platform, release } from 'node:os';
import { dirname } from 'node:path';
import { mapConcurrent } from '../core/concurrency.js';
import { isThere } from '../core/files/exists.js';
import { localError } from '../core/files/local-error.js';
import { unlessAborted } from '../core/unless-aborted.js';
import { flush, syncFolder } from './atomic-write.js';

const AT_ONCE = 16;
/** From so many files on the whole file system takes less work than each of them (docs/decisions/016). */
const MANY = 100;
/** The program of Linux systems that waits for a whole file system: Node has no call for that. */
const PROGRAMS: readonly string[] = ['/usr/bin/sync', '/bin/sync'];
/** File systems that do what it asks for: ext4, XFS, Btrfs, tmpfs. */
const SYSTEMS: ReadonlySet<number> = new Set([0xef53, 0x58465342, 0x9123683e, 0x01021994]);

/**
 * Makes files durable that were written as `passing`, and their names. The paths are gone through several times; a
 * folder is flushed once if its files come one after the other.
 * @throws DISK_FULL, LOCAL_IO
 */
export async function syncFiles(
  paths: Iterable<string>,
  signal: AbortSignal,
  programs: readonly string[] = PROGRAMS,
): Promise<void> {
  const program = tellsErrors(release()) ? programs.find(isThere) : undefined;
  if (program !== undefined && (await areSyncedTogether(paths, program, signal))) return;
  const sync = async (path: string): Promise<void> => {
    try {
      const file = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW);
      try {
        await flush(file);
      } finally {
        closeSync(file);
      }
    } catch (error) {
      throw localError(error, 'write', path);
    }
  };
  for await (const _ of mapConcurrent(paths, AT_ONCE, sync, signal));
  for await (const _ of mapConcurrent(foldersOf(paths), AT_ONCE, syncFolder, signal));
}

/** Whether a kernel tells what it could not write: Linux from 5.8 on. */
export function tellsErrors(kernel: string, system: NodeJS.Platform = platform()): boolean {
  const [major = 0, minor = 0] = kernel.split('.').map(Number);
  return system === 'linux' && (major > 5 || (major === 5 && minor >= 8));
}

/** Waits for the file systems of many files. False where that fails: each file then tells why. */
async function areSyncedTogether(paths: Iterable<string>, program: string, signal: AbortSignal): Promise<boolean> {
  let count = 0;
  for (const _ of paths) if (++count === MANY) break;
  if (count < MANY) return false;
  const systems = new Map<number, string>();
  try {
    for (const folder of foldersOf(paths)) systems.set(statSync(folder).dev, folder);
    for (const folder of systems.values()) if (!SYSTEMS.has(statfsSync(folder).type)) return false;
  } catch {
    return false;
  }
  for (const folder of systems.values()) if (!(await unlessAborted(isSynced(program, folder), signal))) return false;
  return true;
}

/** Whether the program waited for the file system of a folder; it cannot be stopped. */
async function isSynced(program: string, folder: string): Promise<boolean> {
  try {
    const child = spawn(program, ['-f', folder], { stdio: 'ignore', env: {} });
    await once(child, 'exit');
    return child.exitCode === 0;
  } catch {
    return false;
  }
}

function* foldersOf(paths: Iterable<string>): Generator<string> {
  let last = '';
  for (const path of paths) {
    const folder = dirname(path);
    if (folder !== last) yield folder;
    last = folder;
  }
}
