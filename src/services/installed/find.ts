import type { Meant } from '../../core/closest.js';
import { CliError } from '../../core/errors.js';
import { hubAddress } from '../../state/base-address.js';
import type { LedgerInstall } from '../../state/ledger.js';
import type { PackageRef } from '../catalog/package-ref.js';

/** Whether a reference names an install. */
export const isMeant = (ref: PackageRef, { hub, hubName, package: name, version }: LedgerInstall): boolean =>
  name === ref.name &&
  (ref.version === undefined || ref.version === version) &&
  (ref.hub === undefined || ref.hub === hubName || hubAddress(ref.hub) === hub);

/**
 * The install that a reference means: one of which something is there, else the newest that was. Several may be meant.
 * @throws PACKAGE_NOT_FOUND
 */
export function findInstall(ref: PackageRef, installs: readonly LedgerInstall[]): Meant<LedgerInstall> {
  const meant = installs.filter((install) => isMeant(ref, install));
  const there = meant.filter(({ items }) => items.length > 0);
  const [found = meant.at(-1), ...others] = there;
  if (found !== undefined) return { all: [found, ...others], problem: `there are several installs of ${ref.name}` };
  throw new CliError(
    'PACKAGE_NOT_FOUND',
    `no install of ${ref.name}${ref.version === undefined ? '' : ` ${ref.version}`} is known here`,
    {
      hints: [{ next: 'list-installed' }],
      target: { package: ref.name },
    },
  );
}
