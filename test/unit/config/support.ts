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

/** Everything that an error could print, also of what caused it. */
export function wordsOf(error: CliError): string {
  const { message, stack, cause, details } = error;
  return `${message} ${stack ?? ''} ${String(cause)} ${String(details.cause)} ${JSON.stringify(details)}`;
}
