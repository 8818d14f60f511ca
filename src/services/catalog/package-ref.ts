import { CliError } from '../../core/errors.js';
import { isSafeSegment } from '../../core/names.js';

/** What the user calls a package: `[HUB/]NAME[@VERSION]` (docs/conventions.md 2.1). */
export interface PackageRef {
  readonly hub: string | undefined;
  readonly name: string;
  readonly version: string | undefined;
}

/**
 * Reads a package reference.
 * @throws USAGE when it has an empty part or one that cannot be a name
 */
export function parsePackageRef(text: string): PackageRef {
  const slash = text.indexOf('/');
  const rest = text.slice(slash + 1);
  const at = rest.lastIndexOf('@');
  const ref = {
    hub: slash === -1 ? undefined : text.slice(0, slash),
    name: at === -1 ? rest : rest.slice(0, at),
    version: at === -1 ? undefined : rest.slice(at + 1),
  };
  for (const part of [ref.hub, ref.name, ref.version]) {
    if (part !== undefined && !isSafeSegment(part)) {
      throw new CliError('USAGE', `${JSON.stringify(text.slice(0, 200))} is not a package name`, {
        hints: [
          'use NAME, NAME@VERSION or HUB/NAME@VERSION',
          ...(slash > 0 && !text.includes('://') ? [`for a folder: ./${text.slice(0, 200)}`] : []),
        ],
      });
    }
  }
  return ref;
}
