import type { Clock } from '../../core/clock.js';
import { CliError } from '../../core/errors.js';
import { warn } from '../../core/events.js';
import { deletePreferences, putPreferences, type PreferencePlace } from '../../platform/preferences.js';
import { sendOnce, type SendDeps } from '../writing/send.js';
import { placeWords, readPreferences, type PreferenceDeps, type Values } from './place.js';

/** Milliseconds from the look before a write to its answer. A write that takes longer is told of. */
const WINDOW = 1000;
/** Milliseconds after a write until it is read back. Longer than anybody's window, so that what was undone shows. */
const SETTLE = 1500;
const MOST_WRITES = 5;

/** What is to be set and what removed; all other keys stay as they are. */
export interface PreferenceChange {
  readonly set: Values;
  readonly remove: ReadonlySet<string>;
}

/** What a change came to. */
export interface ChangeOutcome {
  /** As it was found, and as it was read back in the end. */
  readonly before: Values;
  readonly after: Values;
  /** Keys that somebody else changed in between; theirs are kept. */
  readonly others: readonly string[];
}

/** A platform whose preferences are changed, and the signals that end this. */
export interface ChangeDeps extends PreferenceDeps, Omit<SendDeps, 'clock'> {
  /** Lets what is in flight end and begins nothing new. */
  readonly stop: AbortSignal;
  readonly clock: Pick<Clock, 'monotonic'>;
}

/** The keys of a change that differ from it. */
function missingIn(values: Values, { set, remove }: PreferenceChange): readonly string[] {
  const unset = [...set].filter(([key, value]) => values.get(key) !== value);
  return [...unset.map(([key]) => key), ...[...remove].filter((key) => values.has(key))];
}

/** What is there after a change. */
export function mergedValues(values: Values, { set, remove }: PreferenceChange): Values {
  return new Map([...[...values].filter(([key]) => !remove.has(key)), ...set]);
}

/** Sets values; with what is there, also removes everything else. */
export const settingChange = (set: Values, replaced: Values = new Map()): PreferenceChange => ({
  set,
  remove: new Set([...replaced.keys()].filter((key) => !set.has(key))),
});

/** Removes values by their keys. */
export const removingChange = (keys: Iterable<string>): PreferenceChange => ({ set: new Map(), remove: new Set(keys) });

/** Removes all that is there. */
export const clearingChange = (now: Values): PreferenceChange => removingChange(now.keys());

/** The keys in which two maps differ. */
function differing(one: Values, other: Values): readonly string[] {
  const keys = new Set([...one.keys(), ...other.keys()]);
  return [...keys].filter((key) => one.get(key) !== other.get(key));
}

async function replace(place: PreferencePlace, values: Values, { platform, signal, stop }: ChangeDeps): Promise<void> {
  stop.throwIfAborted();
  if (values.size === 0) await platform.call(deletePreferences, place, signal);
  else await platform.call(putPreferences, { place, values: Object.fromEntries(values) }, signal);
}

interface Written {
  readonly base: Values;
  readonly sent: Values;
  /** Milliseconds from the look before it to its answer. */
  readonly took: number;
}

/** Looks at a place. A key that is neither as it was seen nor as it is to be is someone else's. */
async function look(
  place: PreferencePlace,
  change: PreferenceChange,
  seen: Values | undefined,
  deps: PreferenceDeps,
): Promise<Values> {
  const now = await readPreferences(place, deps);
  refuseForeign(place, missingIn(now, change), now, seen ?? now);
  return now;
}

function refuseForeign(place: PreferencePlace, wrong: readonly string[], now: Values, seen: Values): void {
  const foreign = wrong.filter((key) => now.get(key) !== seen.get(key));
  if (foreign.length > 0) throw taken(place, foreign);
}

/** Looks, merges and sends; what is sent again is merged again. */
async function write(
  place: PreferencePlace,
  change: PreferenceChange,
  shown: Values | undefined,
  deps: ChangeDeps,
): Promise<Written> {
  const { clock, platform, stop } = deps;
  // Nothing is in flight before a write: a stop ends the look.
  const before = { platform, signal: stop };
  let from = clock.monotonic();
  let base = await look(place, change, shown, before);
  const seen = shown ?? base;
  let isFresh = true;
  const send = async (): Promise<void> => {
    if (!isFresh) {
      from = clock.monotonic();
      base = await look(place, change, seen, before);
    }
    isFresh = false;
    await replace(place, mergedValues(base, change), deps);
  };
  const applied = async (): Promise<boolean> => missingIn(await look(place, change, seen, deps), change).length === 0;
  if (missingIn(base, change).length > 0) await sendOnce(`the change of ${placeWords(place)}`, deps, send, applied);
  return { base, sent: mergedValues(base, change), took: clock.monotonic() - from };
}

async function readBack(place: PreferencePlace, deps: ChangeDeps): Promise<Values> {
  try {
    await deps.wait(SETTLE);
    return await readPreferences(place, deps);
  } catch (cause) {
    if (!(cause instanceof CliError) || deps.signal.aborted) throw cause;
    throw new CliError('UNKNOWN_OUTCOME', `the preferences of ${placeWords(place)} were sent, but not read back`, {
      cause,
      request: cause.details.request,
      lines: [cause.message],
      hints: ['run the same command again: it changes only what is missing'],
    });
  }
}

function taken(place: PreferencePlace, keys: readonly string[]): CliError {
  const names = keys.map((key) => JSON.stringify(key)).join(', ');
  return new CliError(
    'CHANGED_MEANWHILE',
    `someone else changed the same preferences of ${placeWords(place)} at the same time: ${names}`,
    { hints: ['check the values, then run the same command again'], target: { level: place.level } },
  );
}

/**
 * Changes keys of a place and keeps all others, although the platform only replaces the whole. Each write follows a
 * look, is read back after a while, and is merged and sent again where someone who looked before it wrote over it
 * (docs/platform.md 8.3). `shown` is what the change was decided on; by default what the first look finds.
 * @throws CHANGED_MEANWHILE where someone else sets the same keys, UNKNOWN_OUTCOME where nothing could be read back
 */
export async function changePreferences(
  place: PreferencePlace,
  change: PreferenceChange,
  deps: ChangeDeps,
  shown?: Values,
): Promise<ChangeOutcome> {
  const others = new Set<string>();
  let first: Values | undefined;
  for (let writes = 1; ; writes += 1) {
    const { base, sent, took } = await write(place, change, shown ?? first, deps);
    first ??= base;
    if (differing(base, sent).length === 0) return { before: first, after: base, others: [...others] };
    if (took > WINDOW)
      warn(
        deps,
        `the write took ${Math.round(took)} ms; a change that someone else made to ${placeWords(place)} in that time may be lost`,
      );
    const now = await readBack(place, deps);
    const own = new Set([...change.set.keys(), ...change.remove]);
    for (const key of differing(sent, now)) if (!own.has(key)) others.add(key);
    const wrong = missingIn(now, change);
    if (wrong.length === 0) return { before: first, after: now, others: [...others] };
    refuseForeign(place, wrong, now, shown ?? first);
    if (writes === MOST_WRITES) throw taken(place, wrong);
    warn(deps, `someone else changed ${placeWords(place)} at the same time; merging and writing again`);
  }
}
