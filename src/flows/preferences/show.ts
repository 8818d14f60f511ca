import type { ShownChange } from '../../output/views/preferences.js';
import type { PreferencePlace } from '../../platform/preferences.js';
import type { ChangeOutcome, PreferenceChange } from '../../services/preferences/change.js';
import { isSecret, shownValue } from '../../core/secrets/shown-value.js';
import { readLayers, resolveLayers, type ResolvedValue } from '../../services/preferences/resolve.js';
import type { PreferenceDeps } from '../../services/preferences/place.js';

/** The values in force in a place, or with `own` those of the place itself. */
export async function valuesAt(
  place: PreferencePlace,
  own: boolean,
  deps: PreferenceDeps,
): Promise<readonly ResolvedValue[]> {
  const layers = await readLayers(place, deps);
  return resolveLayers(own ? layers.slice(-1) : layers);
}

function stateOf(before: string | undefined, after: string | undefined): ShownChange['state'] {
  if (before === after) return 'unchanged';
  if (before === undefined) return 'added';
  return after === undefined ? 'removed' : 'changed';
}

/** What became of each key of a change, by key. */
export function shownChanges(
  { set, remove }: PreferenceChange,
  { before, after }: Pick<ChangeOutcome, 'before' | 'after'>,
  showSecrets: boolean,
): readonly ShownChange[] {
  const keys = [...new Set([...set.keys(), ...remove])].sort();
  return keys.map((key) => {
    const [old, now] = [before.get(key), after.get(key)];
    return {
      key,
      ...(old !== undefined && { before: shownValue(key, old, showSecrets) }),
      ...(now !== undefined && { after: shownValue(key, now, showSecrets) }),
      secret: isSecret(key, old ?? '') || isSecret(key, now ?? ''),
      state: stateOf(old, now),
    };
  });
}
