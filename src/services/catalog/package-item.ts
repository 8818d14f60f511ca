import type { Candidate } from './choose.js';
import type { InstalledMarks, InstalledState } from './installed-marks.js';
import type { Compatibility } from './compatibility.js';

/** One package version as `hub list` gives it in JSON; what the catalog does not say is absent. */
export interface PackageItem {
  readonly hub: string;
  readonly name: string;
  readonly version: string;
  readonly label?: string | undefined;
  readonly description?: string | undefined;
  readonly author?: string | undefined;
  readonly org?: string | undefined;
  readonly cdapVersion?: string | undefined;
  /** Seconds since the epoch. */
  readonly created?: number | undefined;
  readonly categories: readonly string[];
  readonly beta: boolean;
  readonly preview: boolean;
  readonly paid: boolean;
  readonly paidLink?: string | undefined;
  readonly license?: string | undefined;
  readonly compatible: boolean;
  readonly compatibility: Compatibility;
  /** Types of the actions in their order, when they were asked for. */
  readonly actions?: readonly string[] | undefined;
  /** How far an install from this machine has it on a platform; absent where none has. */
  readonly installed?: InstalledState | undefined;
}

/** The item of a candidate. */
export function itemOf({ hub, entry, compatibility, actions }: Candidate, marks?: InstalledMarks): PackageItem {
  const { name, version, label, description, author, org, cdapVersion, created } = entry;
  const { categories, beta, preview, paid, paidLink, license } = entry;
  return {
    hub: hub.name,
    name,
    version,
    label,
    description,
    author,
    org,
    cdapVersion,
    created,
    categories,
    beta,
    preview,
    paid,
    paidLink,
    license,
    compatible: compatibility.compatible,
    compatibility,
    actions,
    installed: marks?.get(hub)?.get(`${name}@${version}`),
  };
}
