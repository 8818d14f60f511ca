import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';
import { CliError } from '../../../src/core/errors.js';

/** A real temporary folder that goes away after the file of tests. */
export function temporaryFolder(): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'cdapctl-unit-')));
  afterAll(() => {
    rmSync(folder, { recursive: true, force: true });
  });
  return folder;
}

/** The error that a piece of work ends with; fails when it ends well or with an error of another kind. */
export async function errorOf(work: () => unknown): Promise<CliError> {
  try {
    await work();
  } catch (error) {
    if (error instanceof CliError) return error;
    throw error;
  }
  throw new Error('no error was thrown');
}

/** Everything that an error could print, also of what caused it. */
export function wordsOf(error: CliError): string {
  const { message, stack, cause, details } = error;
  return `${message} ${stack ?? ''} ${String(cause)} ${String(details.cause)} ${JSON.stringify(details)}`;
}
