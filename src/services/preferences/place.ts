import { CliError } from '../../core/errors.js';
import { listNamespaces, noNamespace } from '../../platform/namespaces.js';
import type { Platform } from '../../platform/client.js';
import { getPreferences, type PreferencePlace } from '../../platform/preferences.js';

/** The texts of a place by their keys. */
export type Values = ReadonlyMap<string, string>;

/** A platform whose preferences are read. */
export interface PreferenceDeps {
  readonly platform: Platform;
  readonly signal: AbortSignal;
}

/** How a place is called: `namespace etl`, `pipeline orders`. */
export function placeWords(place: PreferencePlace): string {
  switch (place.level) {
    case 'instance':
      return 'instance';
    case 'namespace':
      return `namespace ${place.namespace}`;
    case 'app':
    case 'program':
      return `pipeline ${place.application}`;
  }
}

/** A place and those above it, the widest first. */
export function placesDownTo(place: PreferencePlace): readonly PreferencePlace[] {
  if (place.level === 'instance') return [place];
  const { namespace } = place;
  const wide: readonly PreferencePlace[] = [{ level: 'instance' }, { level: 'namespace', namespace }];
  if (place.level === 'namespace') return wide;
  const app: PreferencePlace = { level: 'app', namespace, application: place.application };
  return place.level === 'app' ? [...wide, app] : [...wide, app, place];
}

/**
 * Reads the preferences of a place itself.
 * @throws NOT_FOUND when the place is absent
 */
export async function readPreferences(place: PreferencePlace, { platform, signal }: PreferenceDeps): Promise<Values> {
  const found = await platform.find(getPreferences, place, signal);
  if (found !== undefined) return new Map(Object.entries(found));
  if (place.level !== 'namespace') throw new CliError('NOT_FOUND', `the platform has no ${placeWords(place)}`);
  const all = await platform.call(listNamespaces, {}, signal);
  throw noNamespace(
    place.namespace,
    all.map(({ name }) => name),
  );
}
