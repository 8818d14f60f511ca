import { accessSync, chmodSync, constants, mkdtempSync, rmSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A folder in memory, where a test waits for no disk at each of the many writes that are synced. */
const MEMORY = '/dev/shm';
/** Bytes that must be free there: many times what all tests together leave at once. */
const ROOM = 4 * 1024 ** 3;

/** Gives the tests of a run one temporary folder for all of theirs, and removes it with what they left. */
export function setup(): () => void {
  const before = process.env['TMPDIR'];
  const folder = mkdtempSync(join(before === undefined && hasRoom(MEMORY) ? MEMORY : tmpdir(), 'cdapctl-tests-'));
  // Some tests run the tool as another user.
  chmodSync(folder, 0o755);
  process.env['TMPDIR'] = folder;
  return () => {
    if (before === undefined) delete process.env['TMPDIR'];
    else process.env['TMPDIR'] = before;
    rmSync(folder, { recursive: true, force: true });
  };
}

function hasRoom(folder: string): boolean {
  try {
    accessSync(folder, constants.W_OK | constants.X_OK);
    const { bavail, bsize } = statfsSync(folder);
    return bavail * bsize >= ROOM;
  } catch {
    return false;
  }
}
