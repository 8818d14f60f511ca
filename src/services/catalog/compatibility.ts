import { shapeOf } from '../../hub/action-types.js';
import { capabilitiesOf } from '../../platform/capabilities.js';
import { CliError } from '../../core/errors.js';
import { isEmptyRange, parseRange, placeInRange } from '../../core/version-range.js';
import { parseVersion } from '../../core/version.js';

/** Why a package is or is not for a platform, as in `compatibility.reason` of the JSON output. */
export type CompatibilityReason = 'IN_RANGE' | 'BELOW' | 'ABOVE' | 'NO_RANGE' | 'EMPTY_RANGE' | 'INVALID_RANGE';

/**
 * Whether a package is for a platform; BELOW and ABOVE say where the platform lies. Without a platform the reason of a
 * good range is not known.
 */
export interface Compatibility {
  readonly platform: string | undefined;
  readonly reason: CompatibilityReason | undefined;
  /** False as soon as something speaks against it. */
  readonly compatible: boolean;
}

const PLACES = { below: 'BELOW', in: 'IN_RANGE', above: 'ABOVE' } as const;

/**
 * Judges a `cdapVersion` for a platform (docs/hub-format.md 4, 8). No range fits every platform, an empty or unreadable
 * one fits none. A platform version that cannot be parsed counts as unknown.
 */
export function compatibilityOf(cdapVersion: string | undefined, platform: string | undefined): Compatibility {
  if (cdapVersion === undefined) return { platform, reason: 'NO_RANGE', compatible: true };
  const range = parseRange(cdapVersion);
  if (range === undefined) return { platform, reason: 'INVALID_RANGE', compatible: false };
  if (isEmptyRange(range)) return { platform, reason: 'EMPTY_RANGE', compatible: false };
  const version = platform === undefined ? undefined : parseVersion(platform);
  if (version === undefined) return { platform, reason: undefined, compatible: true };
  const reason = PLACES[placeInRange(range, version)];
  return { platform, reason, compatible: reason === 'IN_RANGE' };
}

/**
 * As `compatibilityOf` for one platform, but cached: hundreds of packages share some ninety ranges. See
 * docs/hub-format.md 6.2.
 */
export function compatibilityFor(platform: string | undefined): (cdapVersion: string | undefined) => Compatibility {
  const known = new Map<string | undefined, Compatibility>();
  return (cdapVersion) => {
    const before = known.get(cdapVersion);
    if (before !== undefined) return before;
    const verdict = compatibilityOf(cdapVersion, platform);
    known.set(cdapVersion, verdict);
    return verdict;
  };
}

/**
 * The number of the first action that needs streams, if this platform has none; else undefined. No permission makes
 * such an action possible.
 */
export const actionWithoutStreams = (
  actions: readonly { readonly n: number; readonly type: string }[],
  version: string,
): number | undefined =>
  capabilitiesOf(version).streams ? undefined : actions.find(({ type }) => shapeOf(type)?.needs === 'streams')?.n;

/**
 * Refuses a text that is no version of a platform, which would fit every range.
 * @throws USAGE
 */
export function refuseOtherPlatform(text: string | undefined): void {
  if (text !== undefined && parseVersion(text) === undefined)
    throw new CliError('USAGE', `${JSON.stringify(text)} is not a platform version`);
}
