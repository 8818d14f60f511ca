import { ERRORS, type ErrorCode } from '../core/errors.js';

/** The exit codes (docs/conventions.md 2.4): name, and when a script sees it. Codes are never reused. */
export const EXIT_CODES: ReadonlyMap<number, readonly [name: string, when: string]> = new Map([
  [0, ['OK', 'done; also nothing to do, already so, an empty list']],
  [1, ['INTERNAL', 'a bug in the tool; the message names the report']],
  [2, ['USAGE', 'a wrong flag or value, missing input without a terminal, an unknown command']],
  [3, ['AUTH', 'not logged in, token rejected or expired']],
  [4, ['FORBIDDEN', 'the platform does not allow it']],
  [5, ['NOT_FOUND', 'what was named does not exist']],
  [6, ['CONFLICT', 'something else is there, or the version does not fit; --force may help']],
  [7, ['UNAVAILABLE', 'no connection, TLS or proxy failure, or no answer after all retries']],
  [8, ['TIMEOUT', 'our deadline passed; the remote work may continue']],
  [9, ['TRUST', 'a signature is missing or wrong, or a file changed']],
  [10, ['PARTIAL', 'some were done and some were not']],
  [11, ['REMOTE_FAILED', 'the platform refused, or a run or report failed']],
  [
    12,
    ['INVALID_CONTENT', 'a hub or the platform answered something that breaks its contract, or a JAR cannot be used'],
  ],
  [13, ['CANCELLED', 'the answer was no, or --yes or --confirm is missing']],
  [14, ['CHANGES', 'only with --detailed-exitcode: changes are pending']],
  [15, ['LOCAL_IO', 'a local file or folder cannot be read or written, or the disk is full']],
  [16, ['UNKNOWN_OUTCOME', 'a write may or may not have been applied']],
  [129, ['HANGUP', 'the terminal was closed']],
  [130, ['INTERRUPTED', 'Ctrl-C, after the state was written']],
  [143, ['TERMINATED', 'SIGTERM, after the state was written']],
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
