import { readFrom } from './read-own.js';

/** That of a run which came to its end is short. */
const LAST_LINE = 200;

/** Whether the run of a journal came to its end, by its last line alone. */
export async function hasFinished(file: string): Promise<boolean> {
  const end = await readFrom(file, {}, async (handle, size) => {
    const start = Math.max(0, size - LAST_LINE);
    return (await handle.read(Buffer.alloc(size - start), 0, size - start, start)).buffer;
  });
  return /^\{"v":1,[^\n]*"type":"finished"[^\n]*\}\n(?![^])/mu.test(end?.toString('latin1') ?? '');
}
