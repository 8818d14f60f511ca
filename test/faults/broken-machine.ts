import { execFileSync } from 'node:child_process';
import { chownSync, closeSync, mkdirSync, openSync, readdirSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../support/processes/run-cli.js';

const PRELOAD = join(ROOT, 'test/support/processes/fault-preload.cjs');

/** Faults of this machine need its administrator; another user skips their tests. */
export const isRoot = process.getuid?.() === 0;

/** A user that is nobody on this machine. */
export const STRANGER = 54_321;

/** The environment that breaks something inside the tool's own process: see `../support/processes/fault-preload.cjs`. */
export function broken(switches: Readonly<Record<string, string>>): Record<string, string> {
  return { NODE_OPTIONS: `--require=${PRELOAD}`, ...switches };
}

/** Small disks in memory, gone at the end of the test. */
export class Disks {
  readonly #mounted: string[] = [];

  /** Mounts a disk of so many bytes over a folder, which is made. */
  mount(folder: string, bytes: number): void {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${bytes},mode=700`, 'tmpfs', folder]);
    this.#mounted.push(folder);
  }

  /** Gives a disk more room, or takes the right to write away. */
  change(folder: string, how: 'ro' | 'rw' | `size=${number}`): void {
    execFileSync('mount', ['-o', `remount,${how}`, folder]);
  }

  isMounted(folder: string): boolean {
    return this.#mounted.includes(folder);
  }

  removeAll(): void {
    for (const folder of this.#mounted.splice(0)) {
      execFileSync('umount', ['-l', folder]);
      rmSync(folder, { recursive: true, force: true });
    }
  }
}

/** Takes all room that is left on the disk of a folder. */
export function fill(folder: string): void {
  const file = openSync(join(folder, 'filler'), 'w');
  try {
    for (;;) writeSync(file, Buffer.alloc(4096));
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOSPC')) throw error;
  } finally {
    closeSync(file);
  }
}

/** Gives a folder and all below it to a user. */
export function giveTo(user: number, folder: string): void {
  chownSync(folder, user, user);
  for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' }))
    chownSync(join(folder, name), user, user);
}
