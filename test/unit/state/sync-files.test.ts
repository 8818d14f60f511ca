import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { syncFiles, tellsErrors } from '../../../src/state/sync-files.js';
import { errorOf } from '../../support/errors.js';
import { openedFiles } from '../../support/opened-files.js';
import { syncedInodes } from '../../support/synced-inodes.js';
import { makePipe, temporaryFolder } from './support.js';

const MANY = 100;
const root = temporaryFolder();
const { signal } = new AbortController();
let folder = '';

beforeEach(() => {
  folder = mkdtempSync(join(root, 'sync-'));
});

/** New files, one in each folder. */
function madeFiles(count: number): readonly string[] {
  return Array.from({ length: count }, (_, n) => {
    mkdirSync(join(folder, `${n}`));
    const path = join(folder, `${n}`, 'file');
    writeFileSync(path, 'x');
    return path;
  });
}

/** A program that notes its arguments and ends with a status. */
function programThat(status: number) {
  const [path, notes] = [join(folder, 'program'), join(folder, 'notes')];
  writeFileSync(path, `#!/bin/sh\necho "$@" >> '${notes}'\nexit ${status}\n`, { mode: 0o755 });
  return { path, notes: () => (existsSync(notes) ? readFileSync(notes, 'utf8') : '') };
}

describe('syncFiles', () => {
  it('waits for few files and, once, for their folder', async () => {
    const paths = ['a', 'b'].map((name) => join(folder, name));
    for (const path of paths) writeFileSync(path, 'x');
    const synced = syncedInodes();
    await syncFiles(paths, signal);
    const wanted = [...paths, folder].map((path) => statSync(path).ino);
    expect([...synced].sort()).toEqual(wanted.sort());
  });

  it('names the file that is gone, or of which the folder is gone', async () => {
    const paths = madeFiles(MANY);
    const gone = paths.at(-1) ?? '';
    rmSync(dirname(gone), { recursive: true });
    for (const some of [[gone], paths]) {
      const error = await errorOf(syncFiles(some, signal));
      expect([error.code, error.details.target]).toEqual(['LOCAL_IO', { file: gone }]);
    }
  });

  it('has the whole file system of many files waited for, and opens none of them', async () => {
    const paths = madeFiles(MANY);
    const program = programThat(0);
    const missing = join(folder, 'none');
    expect(await openedFiles(() => syncFiles(paths, signal, [missing, program.path]))).toEqual([]);
    expect(program.notes()).toBe(`-f ${dirname(paths.at(-1) ?? '')}\n`);
  });

  it('waits for few files without the program', async () => {
    const paths = madeFiles(MANY - 1);
    const program = programThat(0);
    const opened = await openedFiles(() => syncFiles(paths, signal, [program.path]));
    expect([opened, program.notes()]).toEqual([expect.arrayContaining([...paths]), '']);
  });

  it.each([
    ['is not there', (): string => join(folder, 'none')],
    ['fails', (): string => programThat(1).path],
    ['cannot be started', (): string => folder],
  ])('waits for each file where the program %s', async (_, program) => {
    const paths = madeFiles(MANY);
    const opened = await openedFiles(() => syncFiles(paths, signal, [program()]));
    expect(opened).toEqual(expect.arrayContaining([...paths]));
  });

  it('asks a program only where the kernel tells what it could not write', () => {
    const told = ['4.18.0-553.el8', '5.4.0-100-generic', '5.7', '5.8', '5.15.0', '6.1.0', '10.0', ''].map((kernel) =>
      tellsErrors(kernel, 'linux'),
    );
    expect(told).toEqual([false, false, false, true, true, true, true, false]);
    expect(tellsErrors('23.5.0', 'darwin')).toBe(false);
  });

  it('does not wait for a program that hangs once it is to end', async () => {
    const paths = madeFiles(MANY);
    const [pipe, program] = [join(folder, 'pipe'), join(folder, 'program')];
    makePipe(pipe);
    writeFileSync(program, `#!/bin/sh\nexec cat '${pipe}'\n`, { mode: 0o755 });
    const stop = new AbortController();
    const ended = syncFiles(paths, stop.signal, [program]).catch((error: unknown) => error);
    stop.abort('stopped');
    expect(await ended).toBe('stopped');
    // Lets the program end.
    writeFileSync(pipe, '');
  });

  it.runIf(process.platform === 'linux')('uses the program of the system', async () => {
    const paths = madeFiles(MANY);
    expect(await openedFiles(() => syncFiles(paths, signal))).toEqual([]);
  });
});
