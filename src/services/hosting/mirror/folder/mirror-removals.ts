import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { isThere } from '../../../../core/files/exists.js';
import { readBounded } from '../../../../core/files/read-bounded.js';
import { LIMITS } from '../../../../hub/source.js';
import { signedBy } from '../../../../hub/signature-names.js';
import { refuseLink, writeAtomically } from '../../../../state/atomic-write.js';
import type { Published, PublishStep } from '../../publish/plan.js';
import { mirrorFolder } from './mirror-folder.js';

const listOf = (root: string): string => join(mirrorFolder(root).own, 'removals.txt');

/**
 * The removals of files that the mirror published itself. Its last index lists them, or a killed run came to no
 * end with them. What others have put into the folder stays.
 */
export async function ownRemovals(
  root: string,
  removals: readonly PublishStep[],
  { index }: Pick<Published, 'index'>,
): Promise<readonly PublishStep[]> {
  const path = listOf(root);
  refuseLink(path);
  const left = isThere(path) ? (await readBounded(path, LIMITS.index)).toString('utf8').split('\n') : [];
  const own = new Set(left);
  for (const { name, version, files } of index?.packages ?? [])
    for (const file of files) own.add(`packages/${name}/${version}/${file.name}`);
  return removals.filter((step) => own.has(step.path) || own.has(signedBy(step.path) ?? step.path));
}

/** Keeps what is to be removed until it is, so that the next run goes on after a kill. */
export async function keepRemovals(root: string, removals: readonly PublishStep[]): Promise<void> {
  const text = removals.map(({ path }) => path).join('\n');
  await writeAtomically(listOf(root), text, { overwrite: true });
}

/** Forgets what has been removed. */
export function forgetRemovals(root: string): void {
  rmSync(listOf(root), { force: true });
}
