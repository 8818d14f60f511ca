import type { Clock } from '../core/clock.js';
import { CliError } from '../core/errors.js';
import { LIMITS, type HubSource } from './source.js';

/** Milliseconds between two reads, and for all waits of a run. In a folder, files are replaced all at once. */
const PACES = { http: { each: 1000, longest: 15_000 }, folder: { each: 250, longest: 2000 } } as const;
/** Milliseconds; what changed less long ago may belong to a publication that is not complete. */
const YOUNG = 60_000;
/** Among the last that a publication brings, before the index. */
const LAST = ['index.json.asc', 'packages.json'];

/** How long a run waits for hubs that are being published. */
export interface Patience {
  /** Waits a moment; false without a wait when the run has waited long enough. */
  wait(kind: HubSource['kind'], signal: AbortSignal): Promise<boolean>;
  /** Milliseconds since the epoch. */
  now(): number;
}

/** The patience of one run. */
export function patienceOf(clock: Clock): Patience {
  let begun: number | undefined;
  return {
    now: () => clock.now(),
    async wait(kind, signal) {
      const { each, longest } = PACES[kind];
      begun ??= clock.monotonic();
      if (clock.monotonic() - begun >= longest) return false;
      await clock.sleep(each, signal);
      return true;
    },
  };
}

/**
 * Reads files that may be of two publications, and again past all caches where they do not fit. While the hub has just
 * been changed, it reads every now and then. What never fits is given as it is (docs/faults.md V28).
 */
export async function untilFits<T>(
  read: (fresh: boolean) => Promise<T>,
  fits: (found: T) => boolean,
  { source, patience }: { readonly source: HubSource; readonly patience?: Patience | undefined },
  signal: AbortSignal,
): Promise<T> {
  let found = await read(false);
  if (fits(found)) return found;
  do found = await read(true);
  while (
    !fits(found) &&
    patience &&
    (await isYoung(source, patience, signal)) &&
    (await patience.wait(source.kind, signal))
  );
  return found;
}

async function isYoung(source: HubSource, patience: Patience, signal: AbortSignal): Promise<boolean> {
  for (const file of LAST) {
    // What cannot be read is told by those who need it.
    const opened = await source
      .open({ file }, { maxBytes: LIMITS.catalog, fresh: true }, signal)
      .catch(() => undefined);
    await opened?.discard();
    signal.throwIfAborted();
    const { at, answered = patience.now() } = opened?.changed ?? { at: -Infinity };
    if (answered - at < YOUNG) return true;
  }
  return false;
}

/** Whether an error says that the bytes of a file are not the signed ones. */
export function isSpoiled({ code }: CliError): boolean {
  return code === 'SIG_BAD' || code === 'MIXED';
}

/** The error of a file that is perhaps of another publication than the signed index. */
export const otherPublication = (message: string, target: Readonly<Record<string, string>>): CliError =>
  new CliError('MIXED', message, { hints: [{ next: 'publish-again' }], target });

/**
 * Fetches a file, and again past all caches when its bytes are not the signed ones. What a cache spoiled is not the
 * hub's fault (docs/faults.md S04).
 */
export async function pastCaches<T>(
  fetch: (fresh: boolean) => Promise<T>,
  again: (error: CliError) => boolean = isSpoiled,
): Promise<T> {
  try {
    return await fetch(false);
  } catch (error) {
    if (!(error instanceof CliError) || !again(error)) throw error;
    return fetch(true);
  }
}
