import { CliError } from './errors.js';

/** What was thrown as an error of ours; what is none is INTERNAL. */
export function asError(cause: unknown): CliError {
  return cause instanceof CliError
    ? cause
    : new CliError('INTERNAL', cause instanceof Error ? cause.message : String(cause), { cause });
}
