import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';

/** The paths of all files that are opened meanwhile, sorted, each once. */
export async function openedFiles(work: () => Promise<unknown>): Promise<readonly string[]> {
  const paths = new Set<string>();
  const { openSync } = fs;
  const { open } = fs.promises;
  const note = (path: unknown): void => {
    if (typeof path === 'string') paths.add(path);
  };
  fs.openSync = (path, ...more) => {
    note(path);
    return openSync(path, ...more);
  };
  fs.promises.open = async (path, ...more) => {
    note(path);
    return open(path, ...more);
  };
  syncBuiltinESMExports();
  try {
    await work();
    return [...paths].sort();
  } finally {
    Object.assign(fs, { openSync });
    fs.promises.open = open;
    syncBuiltinESMExports();
  }
}
