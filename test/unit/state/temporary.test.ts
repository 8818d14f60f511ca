import { existsSync, mkdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../../../src/state/temporary.js';
import { temporaryFolder as newRoot } from './support.js';

const root = newRoot();
const DEAD = 2 ** 30;

/** Makes a folder as another process would have made it, with a file in a folder of its own. */
function plant(mine: string, pid: number | string, start?: string): string {
  const path = mine.replace(/^(.*\.cdapctl-[0-9a-f]+-)\d+-([0-9a-fx]+)-/u, (_, head: string, own: string) => {
    return `${head}${pid}-${start ?? own}-`;
  });
  const other = path.replace(/[0-9a-f]{16}\.tmp$/u, '0123456789abcdef.tmp');
  mkdirSync(join(other, 'jars'), { recursive: true });
  writeFileSync(join(other, 'jars', 'plug.jar'), 'staged');
  return other;
}

describe('the folder of a run', () => {
  it('is private and new each time', async () => {
    const parent = join(root, 'new', 'staging');
    const [one, two] = [await temporaryFolder(parent), await temporaryFolder(parent)];
    expect(one).not.toBe(two);
    expect([parent, one, two].map((path) => statSync(path).mode & 0o777)).toEqual([0o700, 0o700, 0o700]);
  });

  it('comes when those of dead processes have gone, and those of living ones stay', async () => {
    const parent = join(root, 'staging');
    const mine = await temporaryFolder(parent);
    const dead = plant(mine, DEAD);
    const living = plant(mine, process.pid);
    const stranger = join(parent, 'run-notes');
    mkdirSync(stranger);
    await temporaryFolder(parent);
    expect([mine, dead, living, stranger].map((path) => existsSync(path))).toEqual([true, false, true, true]);
  });

  it.runIf(existsSync('/proc/self/stat'))('goes when its number belongs to another process now', async () => {
    const parent = join(root, 'reborn');
    const reborn = plant(await temporaryFolder(parent), process.pid, '0'.repeat(16));
    await temporaryFolder(parent);
    expect(existsSync(reborn)).toBe(false);
  });
});
