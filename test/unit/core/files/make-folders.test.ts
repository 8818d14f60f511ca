import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { transformSync } from 'esbuild';
import { afterAll, describe, expect, it } from 'vitest';
import { makeFolders } from '../../../../src/core/files/make-folders.js';

const root = mkdtempSync(join(tmpdir(), 'make-folders-'));
afterAll(() => {
  rmSync(root, { recursive: true, force: true });
});

/** Makes the same folders as the other worker, each at the same moment. */
const BOTH = `
import { parentPort, workerData } from 'node:worker_threads';
import { makeFolders } from './make-folders.mjs';
const failures = [];
for (let round = 1; round <= 400; round++) {
  Atomics.add(workerData.met, 0, 1);
  while (Atomics.load(workerData.met, 0) < 2 * round) Atomics.wait(workerData.met, 0, 2 * round - 1, 1);
  try {
    makeFolders(\`\${workerData.root}/\${round}/a/b/c\`);
  } catch (error) {
    failures.push(error.message);
  }
}
parentPort.postMessage(failures);
`;

/** What failed in two threads that make the same folders at once. */
async function failuresOfTwo(): Promise<readonly string[]> {
  const source = readFileSync('src/core/files/make-folders.ts', 'utf8');
  writeFileSync(join(root, 'make-folders.mjs'), transformSync(source, { loader: 'ts' }).code);
  writeFileSync(join(root, 'both.mjs'), BOTH);
  const workerData = { root: join(root, 'both'), met: new Int32Array(new SharedArrayBuffer(4)) };
  const workers = [1, 2].map(() => new Worker(join(root, 'both.mjs'), { workerData }));
  const told = await Promise.all(workers.map(async (worker) => (await once(worker, 'message')) as [string[]]));
  return told.flatMap(([failures]) => failures);
}

describe('makeFolders', () => {
  it('makes what is missing, and is content with what is there', () => {
    makeFolders(join(root, 'a/b/c'), 0o700);
    makeFolders(join(root, 'a/b/c'), 0o700);
    expect(statSync(join(root, 'a/b/c')).mode & 0o777).toBe(0o700);
  });

  it('is content with what another process makes meanwhile', async () => {
    expect(await failuresOfTwo()).toEqual([]);
  });

  it('throws where a file is in the way', () => {
    writeFileSync(join(root, 'file'), '');
    expect(() => {
      makeFolders(join(root, 'file'));
    }).toThrow('EEXIST');
    expect(() => {
      makeFolders(join(root, 'file/below'));
    }).toThrow('ENOTDIR');
  });

  it.runIf(existsSync('/proc/self'))('ends where nothing can be made', () => {
    expect(() => {
      makeFolders('/proc/nothing-here/below');
    }).toThrow('ENOENT');
  });
});
