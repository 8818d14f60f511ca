import { createHash } from 'node:crypto';
import { join } from 'node:path';
import * as z from 'zod/mini';
import { baseAddress } from '../core/hub-address.js';
import { writeAtomically } from './atomic-write.js';
import { privateFolder } from './private-folder.js';
import { readOwn } from './read-state-file.js';

const Names = z.strictObject({
  v: z.literal(1),
  /** Milliseconds since the epoch. */
  at: z.number(),
  names: z.array(z.string()),
});

/** Names of a platform as they were read last; `at` is in milliseconds since the epoch. */
export interface KeptNames {
  readonly at: number;
  readonly names: readonly string[];
}

/** What the names are of: all namespaces, or the pipelines of one. */
export interface NamesPlace {
  readonly folder: string;
  readonly url: string;
  /** Undefined: the namespaces. */
  readonly namespace?: string | undefined;
}

function fileOf({ folder, url, namespace }: NamesPlace): string {
  const key = createHash('sha256')
    .update(JSON.stringify([baseAddress(url), namespace ?? null]))
    .digest('hex');
  return join(folder, `${key}.json`);
}

/** The names that were read last; undefined when there are none, or the file is not to be read. */
export async function keptNames(place: NamesPlace): Promise<KeptNames | undefined> {
  try {
    const bytes = await readOwn(fileOf(place));
    return bytes && Names.safeParse(JSON.parse(bytes.toString('utf8'))).data;
  } catch {
    return undefined;
  }
}

/** Keeps names for later; silent where there is no place for them. */
export async function keepNames(place: NamesPlace, kept: KeptNames): Promise<void> {
  try {
    await privateFolder(place.folder);
    await writeAtomically(fileOf(place), JSON.stringify({ v: 1, ...kept }), { overwrite: true, passing: true });
  } catch {
    // Names that are not kept are read again.
  }
}
