import { getApplicationVersion, listVersions, type ApplicationDetail } from './apps.js';
import type { Platform } from './client.js';

const UUID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/iu;

/** The version of every application up to 6.8. A deploy replaces it there (docs/platform.md 5.3). */
export const REPLACED = '-SNAPSHOT';

/**
 * Whether a user chose the name of a version, as platforms up to 6.8 allow. Such versions exist beside the one that GET
 * shows.
 */
export const isNamedVersion = (version: string | undefined): version is string =>
  version !== undefined && version !== REPLACED && !UUID.test(version);

/** One of the versions of an application that somebody named. */
export interface NamedVersion {
  readonly version: string;
  readonly detail: ApplicationDetail;
}

/** The versions of an application that somebody named, whether or not there is one that GET shows. */
export async function namedVersions(
  place: { readonly namespace: string; readonly application: string },
  platform: Platform,
  signal: AbortSignal,
): Promise<readonly NamedVersion[]> {
  const found: NamedVersion[] = [];
  for (const version of ((await platform.find(listVersions, place, signal)) ?? []).filter(isNamedVersion)) {
    const detail = await platform.find(getApplicationVersion, { ...place, version }, signal);
    if (detail !== undefined) found.push({ version, detail });
  }
  return found;
}
