import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { onTestFinished } from 'vitest';

/** The inodes of the files and folders that this test waits for until they are on the disk, in order. */
export function syncedInodes(): readonly number[] {
  const { fsync } = fs;
  const synced: number[] = [];
  onTestFinished(() => {
    Object.assign(fs, { fsync });
    syncBuiltinESMExports();
  });
  Object.assign(fs, {
    fsync(file: number, done: fs.NoParamCallback) {
      synced.push(fs.fstatSync(file).ino);
      fsync(file, done);
    },
  });
  syncBuiltinESMExports();
  return synced;
}
