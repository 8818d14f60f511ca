import { CliError } from '../../../core/errors.js';
import type { HubFile, HubSource } from '../../../hub/source.js';
import type { ResumableFile } from '../../../state/resumable-file.js';

/** Smaller files are fetched anew. */
const LARGE = 1_000_000;
const OF_THE_WAY: readonly number[] = [3, 4, 7, 8];

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

/** Whether an error leaves what has come as good as it was: it is about the way to the hub. */
export function isOfTheWay(error: unknown): boolean {
  return error instanceof CliError && OF_THE_WAY.includes(error.exitCode);
}
