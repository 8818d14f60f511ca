import { TextDecoder } from 'node:util';
import * as z from 'zod/mini';
import { CliError } from '../core/errors.js';

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

/** Refuses a journal with an entry of a newer version of this tool: JOURNAL_NEWER (L20). */
export function refuseNewer(file: string, value: unknown): void {
  if ((Versioned.safeParse(value).data?.v ?? 0) <= VERSION) return;
  throw new CliError('JOURNAL_NEWER', `the journal ${file} was written by a newer version of this tool`, {
    hints: ['use that version, or finish its work there first'],
    target: { file },
  });
}

/** The error for a line of a journal that cannot be read, with the copy that was kept (L19). */
export function damagedJournal(file: string, copy: string, line: number): CliError {
  return new CliError('JOURNAL', `the journal ${file} is damaged in line ${line}`, {
    hints: [
      `a copy is in ${copy}`,
      `remove ${file} to start anew: what is already on the platform is found by reading it back`,
    ],
    target: { file, copy, line: String(line) },
  });
}
