import { once } from 'node:events';
import { mkdirSync, mkdtempSync, realpathSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openFile } from '../../../../../src/services/hosting/serve/open-file.js';

const ROUNDS = 1500;
/** Puts a link out of the tree in the place of a folder and takes it away again, until it is stopped. */
const SWAPPER = `
const { workerData: [folder, link, aside], parentPort } = require('node:worker_threads');
const { renameSync } = require('node:fs');
parentPort.postMessage('begun');
for (;;) {
  renameSync(folder, aside); renameSync(link, folder);
  renameSync(folder, link); renameSync(aside, folder);
}`;
/** Replaces a file by another whole one, until it is stopped. */
const REPLACER = `
const { workerData: [file, fresh], parentPort } = require('node:worker_threads');
const { renameSync, writeFileSync } = require('node:fs');
parentPort.postMessage('begun');
for (;;) { writeFileSync(fresh, 'inside'); renameSync(fresh, file); }`;

let home = '';
let root = '';

beforeEach(() => {
  home = realpathSync(mkdtempSync(join(tmpdir(), 'cdapctl-open-')));
  root = join(home, 'hub');
  for (const folder of ['hub/packages/a', 'outside']) mkdirSync(join(home, folder), { recursive: true });
  writeFileSync(join(root, 'packages/a/f'), 'inside');
  writeFileSync(join(home, 'outside/f'), 'OUTSIDE');
});
afterEach(() => {
  rmSync(home, { recursive: true });
});

/** Opens the file again and again while a worker changes the tree; what was read, each once. */
async function readWhile(code: string, data: readonly string[]): Promise<ReadonlySet<string>> {
  const worker = new Worker(code, { eval: true, workerData: data });
  await once(worker, 'message');
  const found = new Set<string>();
  for (let round = 0; round < ROUNDS; round += 1) {
    const file = await openFile(root, ['packages', 'a', 'f']);
    found.add(file === undefined ? 'none' : await file.handle.readFile('utf8'));
    await file?.handle.close();
  }
  await worker.terminate();
  return found;
}

describe('opening a file of a hub', () => {
  it('V21: never opens a file elsewhere when a folder is swapped for a link meanwhile', async () => {
    const link = join(home, 'link');
    symlinkSync(join(home, 'outside'), link);
    const found = await readWhile(SWAPPER, [join(root, 'packages/a'), link, join(home, 'aside')]);
    expect(found).not.toContain('OUTSIDE');
    expect(found).toContain('inside');
  });

  it('V20: always finds a file that is replaced meanwhile', async () => {
    expect([...(await readWhile(REPLACER, [join(root, 'packages/a/f'), join(home, 'fresh')]))]).toEqual(['inside']);
  });

  it('finds nothing behind a link, and no folder', async () => {
    symlinkSync(join(root, 'packages/a/f'), join(root, 'packages/a/link'));
    symlinkSync(join(root, 'packages/a'), join(root, 'packages/b'));
    for (const names of [['packages'], ['packages', 'a', 'link'], ['packages', 'b', 'f'], ['packages', 'a', 'none']])
      expect(await openFile(root, names)).toBeUndefined();
    await expect(openFile(root, ['packages', 'a', 'f\0'])).rejects.toThrow('null bytes');
    renameSync(join(root, 'packages/a/f'), join(root, 'packages/a/g'));
    expect(await openFile(root, ['packages', 'a', 'f'])).toBeUndefined();
  });
});
