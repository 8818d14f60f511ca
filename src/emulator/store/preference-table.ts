import type { PlacePreferences } from './model.js';

type Texts = Readonly<Record<string, string>>;

/** The preferences of all places; a place is named as in `PlacePreferences`. */
export class PreferenceTable {
  readonly #places = new Map<string, PlacePreferences>();
  readonly #changed: () => void;

  constructor(entries: readonly PlacePreferences[], changed: () => void) {
    this.#changed = changed;
    for (const entry of entries) this.#places.set(JSON.stringify(entry.place), entry);
  }

  all(): PlacePreferences[] {
    return [...this.#places.values()];
  }

  get(place: readonly string[]): Texts {
    return this.#places.get(JSON.stringify(place))?.values ?? {};
  }

  /** What holds in a place: what is deeper wins. */
  resolved(place: readonly string[]): Texts {
    const levels = [...place.keys(), place.length].map((depth) => this.get(place.slice(0, depth)));
    return Object.fromEntries(levels.flatMap((values) => Object.entries(values)));
  }

  /** Replaces all that is set in a place. */
  put(place: readonly string[], values: Texts): void {
    if (Object.keys(values).length === 0) this.#places.delete(JSON.stringify(place));
    else this.#places.set(JSON.stringify(place), { place: [...place], values });
    this.#changed();
  }

  /** Drops what is set in a place and below it. */
  forget(place: readonly string[]): void {
    for (const [key, entry] of this.#places)
      if (place.every((part, at) => entry.place[at] === part)) this.#places.delete(key);
  }
}
