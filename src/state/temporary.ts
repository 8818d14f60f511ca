import { createHash, randomBytes } from 'node:crypto';
import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { isRunning, ownProcess } from './own-process.js';
import { privateFolder } from './private-folder.js';

const NAME = /^\.cdapctl-([0-9a-f]{8})-([1-9][0-9]{0,9})-([0-9a-f]{16}|x)-[0-9a-f]{16}\.tmp$/u;

function hostMark(host: string): string {
  return createHash('sha256').update(host).digest('hex').slice(0, 8);
}

/** A new name for a temporary file or folder: of fixed length, hard to guess, and telling which process of which host it belongs to. */
export function temporaryName(): string {
  const { pid, start, host } = ownProcess();
  return `.cdapctl-${hostMark(host)}-${pid}-${start === '' ? 'x' : start}-${randomBytes(8).toString('hex')}.tmp`;
}

/** Removes the temporary files and folders that dead runs of this host left in a folder; what cannot be removed stays, silently. */
export function removeLeftovers(folder: string): void {
  try {
    const own = ownProcess();
    for (const name of readdirSync(folder)) {
      const [, host, pid, start] = NAME.exec(name) ?? [];
      if (host !== hostMark(own.host)) continue;
      if (!isRunning(Number(pid), start === 'x' ? undefined : start))
        rmSync(join(folder, name), { recursive: true, force: true });
    }
  } catch {
    // A folder that can be written but not listed is good enough for the write that follows.
  }
}

/** Makes a private folder of this process inside another one, which loses those of dead runs first. */
export async function temporaryFolder(parent: string): Promise<string> {
  await privateFolder(parent);
  removeLeftovers(parent);
  return privateFolder(join(parent, temporaryName()));
}
