import { isSecret, shownValue } from '../../core/secrets/shown-value.js';
import type { Level, PreferencePlace } from '../../platform/preferences.js';
import { placesDownTo, placeWords, readPreferences, type PreferenceDeps, type Values } from './place.js';

/** The values of one place, a run or a workflow token. A later layer hides what an earlier one has. */
export interface Layer {
  readonly from: Level | 'run' | 'token';
  readonly place: string;
  readonly values: Values;
}

/** A value that is hidden by another one. */
export interface HiddenValue {
  readonly from: Layer['from'];
  readonly place: string;
  readonly value: string;
}

/** A value in force, where it comes from, and what it hides, the nearest first. */
export interface ResolvedValue extends HiddenValue {
  readonly key: string;
  readonly hides: readonly HiddenValue[];
}

const byKey = ({ key: one }: ResolvedValue, { key: other }: ResolvedValue): number => (one < other ? -1 : 1);

/** Reads a place and all above it, the widest first. */
export async function readLayers(place: PreferencePlace, deps: PreferenceDeps): Promise<readonly Layer[]> {
  return Promise.all(
    placesDownTo(place).map(async (one) => ({
      from: one.level,
      // Two levels are of the same pipeline.
      place: one.level === 'program' ? `arguments of ${one.application}` : placeWords(one),
      values: await readPreferences(one, deps),
    })),
  );
}

/** What is in force where later layers win, by key. */
export function resolveLayers(layers: readonly Layer[]): readonly ResolvedValue[] {
  const found = new Map<string, HiddenValue[]>();
  for (const { from, place, values } of layers)
    for (const [key, value] of values) found.set(key, [{ from, place, value }, ...(found.get(key) ?? [])]);
  return [...found]
    .flatMap(([key, [first, ...hides]]) => (first === undefined ? [] : [{ key, ...first, hides }]))
    .sort(byKey);
}

/** A run has all values that were stored when it started; what is told of it is what differs. */
function withoutSame(layer: Layer, stored: readonly Layer[]): Layer {
  const known = new Map(stored.flatMap(({ values }) => [...values]));
  return { ...layer, values: new Map([...layer.values].filter(([key, value]) => known.get(key) !== value)) };
}

/** What is in force where layers of a run are laid over what is stored, by key. */
export const resolveOver = (stored: readonly Layer[], given: readonly Layer[]): readonly ResolvedValue[] =>
  resolveLayers([...stored, ...given.map((layer) => withoutSame(layer, stored))]);

/** A value in force as it may be shown. */
export interface MaskedValue extends ResolvedValue {
  /** Whether it may be a secret. */
  readonly secret: boolean;
}

/** Values as they may be shown. */
export function shownValues(values: readonly ResolvedValue[], showSecrets: boolean): readonly MaskedValue[] {
  return values.map(({ key, value, from, place, hides }) => ({
    key,
    value: shownValue(key, value, showSecrets),
    secret: isSecret(key, value),
    from,
    place,
    hides: hides.map((hidden) => ({ ...hidden, value: shownValue(key, hidden.value, showSecrets) })),
  }));
}
