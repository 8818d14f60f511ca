import { createHash } from 'node:crypto';
import type { FileHandle } from 'node:fs/promises';
import { TextDecoder } from 'node:util';
import * as z from 'zod/mini';
import { CliError } from '../core/errors.js';
import { writeAtomically } from './atomic-write.js';
import { readFrom } from './read-state-file.js';

const VERSION = 1;
const Versioned = z.looseObject({ v: z.number() });

/** The document of one line of a journal; undefined when it is none. */
export function valueOfLine(line: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(line));
  } catch {
    return undefined;
  }
}

/** Refuses a journal with an entry of a newer version of this tool: JOURNAL_NEWER (docs/faults.md L20). */
export function refuseNewer(file: string, value: unknown): void {
  if ((Versioned.safeParse(value).data?.v ?? 0) <= VERSION) return;
  throw new CliError('JOURNAL_NEWER', `the journal ${file} was written by a newer version of cdapctl`, {
    hints: ['use that version, or finish the run there first'],
    target: { file },
  });
}

async function keepCopy(file: string, handle: FileHandle): Promise<string> {
  const whole = (): AsyncIterable<Buffer> => handle.createReadStream({ start: 0, autoClose: false });
  const hash = createHash('sha256');
  for await (const chunk of whole()) hash.update(chunk);
  const copy = `${file}.damaged-${hash.digest('hex').slice(0, 8)}`;
  await writeAtomically(copy, whole(), { overwrite: true });
  return copy;
}

/**
 * Keeps a copy of a journal with an unreadable line, and returns the error that names it. The same damage is copied
 * only once (docs/faults.md L19).
 */
export async function damagedJournal(file: string, line: number): Promise<CliError> {
  const copy = (await readFrom(file, {}, (handle) => keepCopy(file, handle))) ?? file;
  return new CliError('JOURNAL', `the journal ${file} is damaged at line ${line}`, {
    hints: [`a copy was saved as ${copy}`, `remove ${file} to start over: existing objects are found on the platform`],
    target: { file, copy, line: String(line) },
  });
}
