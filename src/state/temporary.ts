import { createHash, randomBytes } from 'node:crypto';
import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { isRunning, ownProcess } from './process-identity.js';
import { privateFolder } from './private-folder.js';

const NAME = /^\.cdapctl-([0-9a-f]{8}-[1-9][0-9]{0,9}-(?:[0-9a-f]{16}|x))-[0-9a-f]{16}\.tmp$/u;

function hostMark(host: string): string {
  return createHash('sha256').update(host).digest('hex').slice(0, 8);
}

let mark: string | undefined;
let drawn = Buffer.alloc(0);

/** Which process of which host a file belongs to, for names: host, number and start, joined by hyphens. */
export function ownMark(): string {
  const { pid, start, host } = ownProcess();
  mark ??= `${hostMark(host)}-${pid}-${start === '' ? 'x' : start}`;
  return mark;
}

/** Whether a mark is that of a process of this host that has ended. */
export function isOfDeadRun(mark: string): boolean {
  const [host, pid, start] = mark.split('-');
  return host === hostMark(ownProcess().host) && !isRunning(Number(pid), start === 'x' ? undefined : start);
}

/**
 * A new name for a temporary file or folder that tells which process of which host it belongs to. It has a fixed length
 * and is hard to guess.
 */
export function temporaryName(): string {
  // A run that writes thousands of files draws seldom.
  if (drawn.length === 0) drawn = randomBytes(4096);
  const own = drawn.toString('hex', 0, 8);
  drawn = drawn.subarray(8);
  return `.cdapctl-${ownMark()}-${own}.tmp`;
}

/** Whether a file or folder has a name that `temporaryName` gives, of whatever run. */
export const isTemporaryName = (name: string): boolean => NAME.test(name);

/**
 * The temporary files and folders that dead runs of this host left in a folder.
 * @throws what `readdir` throws
 */
export const leftoversIn = (folder: string): readonly string[] =>
  readdirSync(folder).filter((name) => {
    const mark = NAME.exec(name)?.[1];
    return mark !== undefined && isOfDeadRun(mark);
  });

/**
 * Removes the temporary files and folders that dead runs of this host left in a folder. What cannot be removed stays,
 * silently.
 */
export function removeLeftovers(folder: string): void {
  try {
    for (const name of leftoversIn(folder)) rmSync(join(folder, name), { recursive: true, force: true });
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
