import {
  readAll,
  type ChangeTime,
  type FilePlace,
  type HubFile,
  type HubSource,
  type OpenOptions,
} from '../../hub/source.js';

/** A small file as it was fetched. */
interface HeldFile {
  readonly bytes: Uint8Array;
  readonly changed: ChangeTime | undefined;
}

async function* whole(bytes: Uint8Array): AsyncGenerator<Uint8Array, void, void> {
  yield bytes;
}

/**
 * Wraps a hub so that chosen small files are fetched once and kept in memory. What was judged is then what is used.
 * Opening with `fresh` fetches the file again (docs/faults.md T09).
 */
export function holdFiles(source: HubSource, held: (place: FilePlace) => boolean): HubSource {
  const files = new Map<string, Promise<HeldFile | undefined>>();
  const read = async (place: FilePlace, options: OpenOptions, signal: AbortSignal): Promise<HeldFile | undefined> => {
    const file = await source.open(place, options, signal);
    return file && { bytes: await readAll(file, options.maxBytes), changed: file.changed };
  };
  const fetched = (
    place: FilePlace,
    { maxBytes, fresh }: OpenOptions,
    signal: AbortSignal,
  ): Promise<HeldFile | undefined> => {
    const key = JSON.stringify([place.name, place.version, place.category, place.file]);
    const known = fresh === true ? undefined : files.get(key);
    const reading = known ?? read(place, { maxBytes, fresh }, signal);
    files.set(key, reading);
    return reading;
  };
  const open = async (place: FilePlace, options: OpenOptions, signal: AbortSignal): Promise<HubFile | undefined> => {
    if (!held(place)) return source.open(place, options, signal);
    const found = await fetched(place, options, signal);
    if (found === undefined) return undefined;
    const { bytes, changed } = found;
    return { what: place.file, bytes: bytes.length, changed, body: whole(bytes), discard: () => Promise.resolve() };
  };
  return { ...source, open };
}

/**
 * Whether a file is held during a run that reads whole packages. These are the signed index with its signature, and
 * every signature.
 */
export function isHeld({ name, file }: FilePlace): boolean {
  return file.endsWith('.asc') || (name === undefined && file === 'index.json');
}

/** Holds the index and the signatures of every hub of a run, once for each address. */
export function holdHubs(): (source: HubSource) => HubSource {
  const hubs = new Map<string, HubSource>();
  return (source) => {
    const held = hubs.get(source.base) ?? holdFiles(source, isHeld);
    hubs.set(source.base, held);
    return held;
  };
}
