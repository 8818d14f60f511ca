import { createReadStream, lstatSync } from 'node:fs';
import { join } from 'node:path';
import { CliError } from '../../../core/errors.js';
import { objectsIn } from '../../../core/json/elements.js';

const PIECE = 1024 * 1024;

/** How many package versions packages.json lists; undefined without one that can be read. */
export async function listedPackages(root: string, signal: AbortSignal): Promise<number | undefined> {
  const file = join(root, 'packages.json');
  if (lstatSync(file, { throwIfNoEntry: false })?.isFile() !== true) return undefined;
  let count = 0;
  try {
    // One by one: the list of a large hub is not held in memory.
    for await (const entry of objectsIn(createReadStream(file, { highWaterMark: PIECE, signal }), 'packages.json'))
      if (entry !== undefined) count += 1;
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof CliError || (error instanceof Error && 'code' in error)) return undefined;
    throw error;
  }
  return count;
}
