import type { Hint } from './next-step.js';

/**
 * All error codes, each with its exit code (docs/conventions.md 2.4) and title; one line per error. The exit code tells
 * a script what to do about it; the title is shown in `help exit-codes`.
 */
export const ERRORS = {
  INTERNAL: { exit: 1, title: 'a bug in this tool' },
  SELF_CHECK: { exit: 1, title: 'a new signature does not verify' },
  USAGE: { exit: 2, title: 'invalid command line' },
  INPUT_MISSING: { exit: 2, title: 'input is missing and there is no prompt for it' },
  MACRO_MISSING: { exit: 2, title: 'a macro of a pipeline has no value' },
  CONFIG: { exit: 2, title: 'the configuration file is invalid' },
  TOKEN_BAD: { exit: 2, title: 'the access token is invalid' },
  PLAIN_HTTP_TOKEN: { exit: 2, title: 'a token would be sent unencrypted' },
  TRUST_PRIVATE: { exit: 2, title: 'a private key was given instead of a public key' },
  TRUST_PERMS: { exit: 2, title: 'other users can change the trust store' },
  STATE_PERMS: { exit: 2, title: 'other users can change the state folder' },
  JOURNAL_NEWER: { exit: 2, title: 'a journal was written by a newer version of cdapctl' },
  KEY_PERMS: { exit: 2, title: 'other users can read a secret key' },
  NODE_TOO_OLD: { exit: 2, title: 'this version of Node is too old' },
  AUTH: { exit: 3, title: 'the platform requires a valid access token' },
  KEY_LOCKED: { exit: 3, title: 'the passphrase of a secret key is wrong' },
  TOKEN_COMMAND: { exit: 3, title: 'the command that prints the access token failed' },
  FORBIDDEN: { exit: 4, title: 'permission denied by the platform' },
  NOT_FOUND: { exit: 5, title: 'not found' },
  PACKAGE_NOT_FOUND: { exit: 5, title: 'no such package or version in the hub' },
  HUB_NOT_FOUND: { exit: 5, title: 'no hub with this URL or name' },
  RESOURCE_MISSING: { exit: 5, title: 'a file of the package is missing in the hub' },
  GONE: { exit: 5, title: 'the object to change no longer exists' },
  PLAN_CHANGED: { exit: 6, title: 'the confirmed plan no longer applies' },
  CONFLICT: { exit: 6, title: 'the platform has a different object with this name' },
  CHANGED_MEANWHILE: { exit: 6, title: 'it was changed by someone else since it was read' },
  REPUBLISH: { exit: 6, title: 'a file of a published version has changed' },
  RUNNING: { exit: 6, title: 'it is running' },
  INCOMPATIBLE: { exit: 6, title: 'not compatible with or not supported by this platform version' },
  EXISTS: { exit: 6, title: 'a local file already exists' },
  LOCKED: { exit: 6, title: 'another run is in progress' },
  IN_USE: { exit: 6, title: 'the port is in use' },
  NET_DNS: { exit: 7, title: 'a host name cannot be resolved' },
  NET_REFUSED: { exit: 7, title: 'connection refused' },
  NET_RESET: { exit: 7, title: 'the connection broke' },
  NET_SHORT: { exit: 7, title: 'a response was incomplete' },
  NET_PROTO: { exit: 7, title: 'the response is not valid HTTP' },
  TLS: { exit: 7, title: 'the server certificate is not trusted or not valid' },
  PROXY: { exit: 7, title: 'the proxy refused the connection' },
  PROXY_AUTH: { exit: 3, title: 'the proxy requires authentication' },
  REDIRECT_WRITE: { exit: 7, title: 'a write request was redirected' },
  REDIRECT_LOOP: { exit: 7, title: 'too many redirects' },
  REDIRECT_BAD: { exit: 7, title: 'a redirect to a location that is not allowed' },
  REDIRECT_INSECURE: { exit: 7, title: 'a redirect from https to http' },
  RATE_LIMIT: { exit: 7, title: 'the server asks to wait too long before a retry' },
  UNAVAILABLE: { exit: 7, title: 'the server is unavailable' },
  REPORTS_OFF: { exit: 7, title: 'the report service of the platform is not running' },
  NET_TIMEOUT: { exit: 8, title: 'no response in time' },
  NET_SLOW: { exit: 8, title: 'the response is too slow' },
  STILL_RUNNING: { exit: 8, title: 'not finished in time; the remote work continues' },
  SIG_MISSING: { exit: 9, title: 'a signature is missing' },
  SIG_BAD: { exit: 9, title: 'a file does not match its signature' },
  SIG_DISPUTED: { exit: 9, title: 'the checks of a signature disagree' },
  SIG_EXPIRED: { exit: 9, title: 'a signature has expired' },
  SIG_FUTURE: { exit: 9, title: 'a signature is dated in the future' },
  SIG_WEAK: { exit: 9, title: 'a signature or key is too weak' },
  SIG_TYPE: { exit: 9, title: 'a signature has the wrong type' },
  SIG_MALFORMED: { exit: 9, title: 'a signature file cannot be read' },
  SIG_LIMIT: { exit: 9, title: 'a signature file is too large' },
  KEY_UNKNOWN: { exit: 9, title: 'the signer is not trusted for this hub' },
  KEY_EXPIRED: { exit: 9, title: 'the key of the signer has expired' },
  KEY_REVOKED: { exit: 9, title: 'the key of the signer was revoked' },
  KEY_UNUSABLE: { exit: 9, title: 'the key of the signer cannot be used for signing' },
  BINDING: { exit: 9, title: 'a signed file belongs to another package' },
  CHANGED: { exit: 9, title: 'a published file has changed' },
  ROLLBACK: { exit: 9, title: 'the hub index is older than one seen before' },
  STALE: { exit: 9, title: 'the signed index of the hub has expired' },
  MIXED: { exit: 9, title: 'a file does not match the signed index' },
  LOCK_MISMATCH: { exit: 9, title: 'a package does not match the lock file' },
  DOWNGRADE: { exit: 9, title: 'the hub is no longer signed as before' },
  CATALOG_MISMATCH: { exit: 9, title: 'the catalog does not match the specification of a package' },
  NO_TRUST: { exit: 9, title: 'no key is trusted for this hub' },
  INSTALL_PARTIAL: { exit: 10, title: 'an install failed after some changes were made' },
  PARTIAL: { exit: 10, title: 'some succeeded and some failed' },
  BLOCKED: { exit: 11, title: 'the pre-check found upgrades that would fail' },
  REMOTE_FAILED: { exit: 11, title: 'the platform rejected a request' },
  REPORT_FAILED: { exit: 11, title: 'the platform could not generate the report' },
  REPORTS_STOPPED: { exit: 11, title: 'the platform stopped its report service again' },
  REPORTS_EMPTY: { exit: 11, title: 'the report service has collected nothing although there were runs' },
  RUN_FAILED: { exit: 11, title: 'the run of the pipeline did not complete' },
  CHECK_FAILED: { exit: 11, title: 'a check failed' },
  GATE: { exit: 11, title: 'a condition of --fail-if is met' },
  BAD_JSON: { exit: 12, title: 'a document is not valid JSON' },
  BAD_UTF8: { exit: 12, title: 'a document is not valid UTF-8' },
  DUP_KEY: { exit: 12, title: 'a JSON document has a duplicate member' },
  TOO_DEEP: { exit: 12, title: 'a JSON document is nested too deeply' },
  TOO_LARGE: { exit: 12, title: 'a response is larger than allowed' },
  BAD_ENCODING: { exit: 12, title: 'a response has an unsupported encoding' },
  BAD_CATALOG: { exit: 12, title: 'the catalog of the hub cannot be read' },
  BAD_FIELD: { exit: 12, title: 'a field of a package is invalid' },
  AMBIGUOUS: { exit: 12, title: 'the catalog lists a package version twice' },
  BAD_RANGE: { exit: 12, title: 'a version range is invalid' },
  BAD_ACTION: { exit: 12, title: 'an action of a package is not supported' },
  BAD_NAME: { exit: 12, title: 'a name could point outside its folder' },
  BAD_PARENT: { exit: 12, title: 'a parent artifact is invalid' },
  BAD_BUNDLE: { exit: 12, title: 'a bundle of a hub is invalid' },
  BAD_SOURCE: { exit: 12, title: 'the source tree of a hub is invalid' },
  BAD_JAR: { exit: 12, title: 'a JAR file is invalid' },
  BAD_ANSWER: { exit: 12, title: 'a response of the platform is invalid' },
  PAGING: { exit: 12, title: 'the pages of a response are inconsistent' },
  SHORT: { exit: 12, title: 'a response has fewer rows than announced' },
  DECLINED: { exit: 13, title: 'declined' },
  CONSENT_MISSING: { exit: 13, title: 'confirmation required, but there is no terminal to prompt' },
  SIGNER_FAILED: { exit: 11, title: 'the program that signs a file failed' },
  SIGNER_BAD: { exit: 11, title: 'the program that signs a file printed another signature than expected' },
  PUBLISH_FAILED: { exit: 11, title: 'the program that publishes a file failed' },
  CHANGES: { exit: 14, title: 'changes are pending (only with --detailed-exitcode)' },
  EXPIRING: { exit: 14, title: 'a signed index or key expires soon (only with --expires-within)' },
  LOCAL_IO: { exit: 15, title: 'a local file cannot be read or written' },
  DISK_FULL: { exit: 15, title: 'the disk is full' },
  SYMLINK: { exit: 15, title: 'a file of cdapctl was replaced by a symbolic link' },
  JOURNAL: { exit: 15, title: 'a journal is damaged' },
  UNKNOWN_OUTCOME: { exit: 16, title: 'a write may or may not have been applied' },
  HANGUP: { exit: 129, title: 'the terminal was closed' },
  INTERRUPTED: { exit: 130, title: 'stopped by Ctrl-C' },
  TERMINATED: { exit: 143, title: 'stopped by a signal' },
} as const satisfies Record<string, { exit: number; title: string }>;

/** The stable name of an error, printed in brackets and as `error.code` in JSON. */
export type ErrorCode = keyof typeof ERRORS;

/** The request that failed, without secrets: what `request` shows in an error. */
export interface RequestFacts {
  readonly method: string;
  readonly url: string;
  readonly status?: number | undefined;
  readonly attempts?: number | undefined;
}

/** What an error knows besides its sentence; every member is optional. */
export interface ErrorDetails {
  /** What to do next: complete commands or sentences, or steps that are put into words when shown. */
  readonly hints?: readonly Hint[];
  /** The same command ends like this again unless something else is done first. */
  readonly final?: true;
  readonly request?: RequestFacts | undefined;
  /**
   * Of a write: whether the server may have got it. What is no for certain may be sent again; shown as
   * `error.target.sent`.
   */
  readonly sent?: 'no' | 'unknown' | undefined;
  /** The deploy before it was applied and read back: nothing of that is to be sent again. */
  readonly isDeployed?: true;
  /** Of ROLLBACK: the number of the index of a tree, and the one that is published. */
  readonly sequences?: { readonly tree: number; readonly published: number };
  /** The index of the tree that is signed is what cannot be used. */
  readonly isOfOwnIndex?: true;
  /** Of BAD_JSON: the document has a beginning but no end. */
  readonly cutShort?: true;
  /** The server's own words, verbatim; escaped by the view. */
  readonly serverSaid?: string | undefined;
  /** Further lines below the sentence (a list of problems, say). */
  readonly lines?: readonly string[];
  /** What the error is about: `{ package, hub, namespace, file, ... }`. */
  readonly target?: Readonly<Record<string, string>>;
  /** The message does not name the file of `target`. */
  readonly isFileUnnamed?: true;
  /** What was done before the error, for `item` in the JSON document. */
  readonly item?: unknown;
  readonly cause?: unknown;
}

/**
 * The one error class of the tool. It carries a stable code from the table, a message and known details. The message is
 * a lower-case sentence without a full stop.
 */
export class CliError extends Error {
  readonly code: ErrorCode;
  readonly details: ErrorDetails;

  constructor(code: ErrorCode, message: string, details: ErrorDetails = {}) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause });
    this.name = 'CliError';
    this.code = code;
    this.details = details;
  }

  /** The exit code of the process when this error ends it. */
  get exitCode(): number {
    return ERRORS[this.code].exit;
  }
}

/** What was thrown as an error of ours; what is none is INTERNAL. */
export function asError(cause: unknown): CliError {
  return cause instanceof CliError
    ? cause
    : new CliError('INTERNAL', cause instanceof Error ? cause.message : String(cause), { cause });
}

const PASSING: ReadonlySet<ErrorCode> = new Set([
  ...(['NET_DNS', 'NET_REFUSED', 'NET_RESET', 'NET_SHORT'] as const),
  ...(['NET_TIMEOUT', 'NET_SLOW', 'RATE_LIMIT', 'UNAVAILABLE'] as const),
]);

/** Whether an error passes by itself: the platform is away or slow. */
export const isPassing = (error: unknown): error is CliError => error instanceof CliError && PASSING.has(error.code);
