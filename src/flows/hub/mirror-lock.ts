import { counted } from '../../core/counted.js';
import { CliError } from '../../core/errors.js';
import { hubAddress } from '../../core/hub-address.js';
import { shellWord } from '../../core/shell-word.js';
import type { LockedPackage } from '../../services/catalog/lock-file.js';
import type { MirrorRequest } from '../../services/hosting/mirror/mirror-plan.js';
import { readLock } from '../install/locked.js';

const MOST_HINTS = 5;

/** A lock file that names all packages of a mirror. */
export interface MirrorLock {
  readonly file: string;
  readonly packages: readonly LockedPackage[];
}

/** Reads the lock file of a mirror, which may be a pipe, and so is read once. */
export const readMirrorLock = async (file: string): Promise<MirrorLock> => ({ file, packages: await readLock(file) });

/**
 * The address of the hub whose packages a lock file pins.
 * @throws USAGE unless it is exactly one
 */
export function hubOfLock({ file, packages }: MirrorLock): string {
  const hubs = new Map(packages.map(({ hub }) => [hubAddress(hub), hub]));
  const [first, ...others] = hubs.values();
  if (first === undefined)
    throw new CliError('USAGE', `${file} pins no packages`, { hints: [{ next: 'lock-packages', file }] });
  if (others.length === 0) return first;
  throw new CliError(
    'USAGE',
    `${file} pins packages of ${hubs.size} hubs, but only one hub can be mirrored at a time`,
    { hints: [first, ...others].slice(0, MOST_HINTS).map((hub) => `--hub ${shellWord(hub)}`) },
  );
}

/** What a lock file pins of a hub. Where no pin is of this hub, it stands for the others: all of it. */
export function pinsOf(
  { file, packages }: MirrorLock,
  base: string,
  emit: MirrorRequest['emit'],
): readonly LockedPackage[] {
  const own = packages.filter(({ hub }) => hubAddress(hub) === hubAddress(base));
  const others = packages.length - own.length;
  if (own.length === 0 || others === 0) return packages;
  const verb = others === 1 ? 'is' : 'are';
  emit({ type: 'note', message: `note: ${file}: ${counted(others, 'package')} of other hubs ${verb} not mirrored` });
  return own;
}
