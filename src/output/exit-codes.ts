import { ERRORS, type ErrorCode } from '../core/errors.js';

/** The exit codes (docs/conventions.md 2.4): name, and when a script sees it. Codes are never reused. */
export const EXIT_CODES: ReadonlyMap<number, readonly [name: string, when: string]> = new Map([
  [0, ['OK', 'success; also nothing to do or an empty list']],
  [1, ['INTERNAL', 'a bug in cdapctl; the message names the crash report']],
  [2, ['USAGE', 'invalid command, flag or value, or missing input without a terminal']],
  [3, ['AUTH', 'no access token, or it was rejected or has expired']],
  [4, ['FORBIDDEN', 'permission denied by the platform']],
  [5, ['NOT_FOUND', 'not found']],
  [6, ['CONFLICT', 'a conflicting object exists, or the version is not compatible; --force may help']],
  [7, ['UNAVAILABLE', 'no connection, TLS or proxy failure, or no response after all retries']],
  [8, ['TIMEOUT', 'timed out; the remote work may continue']],
  [9, ['TRUST', 'a signature is missing or wrong, or a file changed']],
  [10, ['PARTIAL', 'some succeeded and some failed']],
  [11, ['REMOTE_FAILED', 'the platform rejected a request, or a report or condition failed']],
  [12, ['INVALID_CONTENT', 'invalid content from a hub or the platform, or an invalid JAR']],
  [13, ['CANCELLED', 'declined, or --yes or --confirm is missing']],
  [14, ['CHANGES', 'changes are pending (--detailed-exitcode, --check), or something expires soon (--expires-within)']],
  [15, ['LOCAL_IO', 'a local file or folder cannot be read or written, or the disk is full']],
  [16, ['UNKNOWN_OUTCOME', 'a write may or may not have been applied']],
  [129, ['HANGUP', 'the terminal was closed']],
  [130, ['INTERRUPTED', 'stopped by Ctrl-C; the state was saved']],
  [143, ['TERMINATED', 'stopped by SIGTERM; the state was saved']],
]);

/** The codes that any command may end with, and those that come with requests. */
const ALWAYS = [0, 1, 2, 15, 129, 130, 143];
const REQUESTING = [3, 4, 5, 7, 8, 11, 12];

/** The exit codes of a command, in order, from the errors that it is known for. */
export function exitCodesOf(failures: readonly ErrorCode[], requests: boolean): number[] {
  const own = failures.map((code) => ERRORS[code].exit);
  return [...new Set([...ALWAYS, ...(requests ? REQUESTING : []), ...own])].sort((a, b) => a - b);
}

/** The errors that end with an exit code. */
export function errorsOf(exit: number): [code: string, title: string][] {
  return Object.entries(ERRORS).flatMap(([code, error]) => (error.exit === exit ? [[code, error.title]] : []));
}
