import type { Choose } from '../../core/choose.js';
import { CliError } from '../../core/errors.js';
import { hubAddress } from '../../state/base-address.js';
import type { LedgerInstall } from '../../state/ledger.js';
import type { PackageRef } from '../catalog/package-ref.js';

/** Whether a reference names an install. */
export const isMeant = (ref: PackageRef, { hub, hubName, package: name, version }: LedgerInstall): boolean =>
  name === ref.name &&
  (ref.version === undefined || ref.version === version) &&
  (ref.hub === undefined || ref.hub === hubName || hubAddress(ref.hub) === hub);

/** The one install that a reference means: one of which something is there, else the newest that was; where several are meant `choose` decides. PACKAGE_NOT_FOUND. */
export async function findInstall(
  ref: PackageRef,
  installs: readonly LedgerInstall[],
  choose: Choose<LedgerInstall>,
): Promise<LedgerInstall> {
  const meant = installs.filter((install) => isMeant(ref, install));
  const there = meant.filter(({ items }) => items.length > 0);
  const [first, second] = there;
  if (second !== undefined) return choose(there, `several installs are called ${ref.name}`);
  const found = first ?? meant.at(-1);
  if (found !== undefined) return found;
  throw new CliError(
    'PACKAGE_NOT_FOUND',
    `no install of ${ref.name}${ref.version === undefined ? '' : ` ${ref.version}`} is known here`,
    {
      hints: [{ next: 'list-installed' }],
      target: { package: ref.name },
    },
  );
}
