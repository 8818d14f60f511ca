import type { Emit } from '../../core/events.js';
import type { HubFile, HubSource } from '../../hub/source.js';
import { isSpoiled, pastCaches } from '../../hub/while-published.js';
import type { StagedFile } from '../../state/atomic-write.js';
import type { ResumableFile } from '../../state/resumable-file.js';
import { isContentError, isOfTheWay } from './fetch-file.js';

/** Smaller files are fetched anew. */
const LARGE = 1_000_000;
const TELL_EVERY = 4 * 1024 * 1024;

/**
 * Opens a file to resume what an earlier run left of it, if the hub still has that very file. Otherwise all of it is
 * opened.
 */
export function resuming(file: ResumableFile, source: HubSource): HubSource['open'] {
  return async (place, options, signal) => {
    const { left } = file;
    // The last byte is asked for again: where all have come, a range of nothing would be refused.
    const rest = left && { from: left.bytes - 1, etag: left.etag };
    const opened = await source.open(place, { ...options, rest }, signal);
    if (opened === undefined) return undefined;
    if (rest !== undefined && opened.from === rest.from) {
      file.goOn();
      return { ...opened, body: joined(file, opened) };
    }
    file.begin((opened.bytes ?? 0) >= LARGE ? opened.etag : undefined);
    return opened;
  };
}

async function* joined(file: ResumableFile, { body }: HubFile): AsyncGenerator<Uint8Array, void, void> {
  yield* file.contents();
  let skip = 1;
  for await (const piece of body) {
    yield piece.subarray(skip);
    skip = 0;
  }
}

/**
 * Fills a file that resumes what an earlier run left. It is filled anew past all caches when its bytes are not the
 * signed ones. What has come stays for the next run where the way to the hub broke off.
 */
export function fillResumable<T>(
  create: () => Promise<ResumableFile>,
  fill: (file: ResumableFile, fresh: boolean) => Promise<T>,
  signal: AbortSignal,
): Promise<T> {
  let resumed = false;
  return pastCaches(
    async (fresh) => {
      const file = await create();
      try {
        return await fill(file, fresh);
      } catch (error) {
        if (signal.aborted || isOfTheWay(error)) file.leave();
        throw error;
      } finally {
        resumed = file.resumed;
        await file.abort();
      }
    },
    // Bytes of an earlier run are suspected first, whatever is wrong.
    (error) => isSpoiled(error) || (resumed && isContentError(error)),
  );
}

/** Writes what comes into a file, and tells from time to time how many bytes of `what` there are. */
export function counting(file: StagedFile, what: string, emit: Emit): (chunk: Uint8Array) => void {
  let [done, told] = [0, 0];
  return (chunk) => {
    file.write(chunk);
    done += chunk.length;
    if (done - told < TELL_EVERY) return;
    told = done;
    emit({ type: 'bytes', what, done, total: undefined });
  };
}
