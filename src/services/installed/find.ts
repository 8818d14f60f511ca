import { CliError } from '../../core/errors.js';
import { hubAddress } from '../../state/base-address.js';
import type { LedgerInstall } from '../../state/ledger.js';
import type { PackageRef } from '../catalog/package-ref.js';

const nameOf = ({ hubName, package: name, version, namespace }: LedgerInstall): string =>
  `${hubName}/${name}@${version} in ${namespace}`;

/** The one install that a reference means: one of which something is there, else the newest that was; PACKAGE_NOT_FOUND, or USAGE where several are meant. */
export function findInstall(ref: PackageRef, installs: readonly LedgerInstall[]): LedgerInstall {
  const meant = installs.filter(
    ({ hub, hubName, package: name, version }) =>
      name === ref.name &&
      (ref.version === undefined || ref.version === version) &&
      (ref.hub === undefined || ref.hub === hubName || hubAddress(ref.hub) === hub),
  );
  const there = meant.filter(({ items }) => items.length > 0);
  const [first, second] = there;
  if (first !== undefined && second !== undefined)
    throw new CliError('USAGE', `several installs are called ${ref.name}`, {
      lines: there.map(nameOf),
      hints: ['name one: NAME@VERSION, its hub with --hub, its namespace with -n'],
    });
  const found = first ?? meant.at(-1);
  if (found !== undefined) return found;
  throw new CliError(
    'PACKAGE_NOT_FOUND',
    `no install of ${ref.name}${ref.version === undefined ? '' : ` ${ref.version}`} is known here`,
    {
      hints: ['cdapctl installed list'],
      target: { package: ref.name },
    },
  );
}
