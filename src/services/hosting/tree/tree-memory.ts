import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { dirname, join } from 'node:path';
import { writeAtomically } from '../../../state/atomic-write.js';
import { privateFolder } from '../../../state/private-folder.js';
import { readOwn } from '../../../state/read-state-file.js';

/** Where the notes of a run on a tree are: in the folder of all state, by what they are of. */
export interface MemoryPlace {
  readonly stateFolder: string;
  /** Of this tool: another one may judge otherwise. */
  readonly version: string;
  readonly words: readonly string[];
}

const DIGEST = 32;

/** The first line of notes; those with another one are none. */
const markOf = ({ version }: MemoryPlace): Buffer => Buffer.from(`tree 1 ${version}\n`);

function fileOf({ stateFolder, words }: MemoryPlace): string {
  return join(stateFolder, 'trees', createHash('sha256').update(JSON.stringify(words)).digest('hex'));
}

/** SHA-256, as it is remembered. */
export const sha256Of = (bytes: Uint8Array): Buffer => createHash('sha256').update(bytes).digest();

/**
 * What the last run wrote down. Undefined when there is nothing, or it is damaged or of another version.
 * @throws STATE_PERMS when somebody else may change it, SYMLINK, LOCAL_IO
 */
export async function recall(place: MemoryPlace): Promise<Buffer | undefined> {
  const bytes = await readOwn(fileOf(place));
  const mark = markOf(place);
  if (bytes?.subarray(0, mark.length).equals(mark) !== true) return undefined;
  const body = bytes.subarray(mark.length + DIGEST);
  return sha256Of(body).equals(bytes.subarray(mark.length, mark.length + DIGEST)) ? body : undefined;
}

/** Writes pieces down for the next run, as one; silent where there is no place for them. */
export async function remember(place: MemoryPlace, pieces: readonly Uint8Array[]): Promise<void> {
  const file = fileOf(place);
  const hash = createHash('sha256');
  for (const piece of pieces) hash.update(piece);
  const bytes = Readable.from([markOf(place), hash.digest(), ...pieces]);
  try {
    await privateFolder(dirname(file));
    await writeAtomically(file, bytes, { overwrite: true, passing: true });
  } catch {
    // The next run reads all files again.
  }
}
