import { CliError } from '../core/errors.js';
import type { NextStep } from '../core/next-step.js';
import { keyStep, verdictError, type Origin, type Reason, type Verdict } from './verdict.js';

/**
 * How strictly signatures are checked, as set by `--verify`. The default is `require` for a hub with a pinned key and
 * `warn` for one without.
 */
export type Policy = 'require' | 'warn' | 'off';

/** A file with its verdict. */
export interface JudgedFile {
  readonly file: string;
  readonly verdict: Verdict;
}

/** Whether to go on, and what to say. */
export interface Decision {
  readonly ok: boolean;
  readonly errors: readonly CliError[];
  readonly warnings: readonly string[];
}

/**
 * Reasons that stop the run even with `warn`, once a key is pinned. Someone changed a file, signs with a stolen key, or
 * deceives one of the two verifiers.
 */
const ATTACKS: ReadonlySet<Reason> = new Set(['bad-signature', 'disputed', 'key-revoked']);

/** The policy in force when `--verify` is not given (docs/conventions.md D3). `pinned` counts the keys of the hub. */
export function defaultPolicy(pinned: number): Policy {
  return pinned > 0 ? 'require' : 'warn';
}

/**
 * Decides over all files of one package (docs/conventions.md D3). Under `warn` with a pinned key (the user said so, it
 * is never the default), a bad signature in the name of a pinned key or by a revoked one is still an error; everything
 * else, missing and unknown signatures too, is a warning.
 */
export function decide(
  policy: Policy,
  verdicts: readonly JudgedFile[],
  pinned: number,
  origin: Origin = { label: 'NAME', kind: 'http' },
): Decision {
  if (policy === 'off') return decision([], ['NOTHING IS VERIFIED: verification is turned off']);
  if (pinned === 0)
    return policy === 'require'
      ? decision([noTrust(origin)], [])
      : decision([], [`nothing was verified: no key is trusted for this ${nounOf(origin)}`, ...lending(origin)]);
  const refused = verdicts.filter(({ verdict }) => verdict.state !== 'valid' && verdict.state !== 'unsigned');
  const fatal = refused.filter(({ verdict }) => policy === 'require' || ATTACKS.has(verdict.reason));
  const mild = refused.filter((entry) => !fatal.includes(entry));
  return decision(
    fatal.map(({ file, verdict }) => verdictError(verdict, file, origin)),
    [
      ...mild.map(({ file, verdict }) => verdictError(verdict, file).message),
      ...verdicts.flatMap(({ file, verdict }) => notesOf(file, verdict)),
    ],
  );
}

function decision(errors: readonly CliError[], warnings: readonly string[]): Decision {
  return { ok: errors.length === 0, errors, warnings };
}

function notesOf(file: string, { state, notes }: Verdict): string[] {
  return state === 'valid' ? notes.map((note) => `${file}: ${note}`) : [];
}

const nounOf = ({ kind }: Origin): string => (kind === 'folder' ? 'folder' : 'hub');

function lending({ lender }: Origin): string[] {
  if (lender === undefined) return [];
  return [`the key of the signatures is trusted for the hub "${lender.hub}"; to verify with it: ${lender.option}`];
}

/** What says that no key is trusted where one is needed. */
export function noTrust(origin: Origin): CliError {
  const hints: readonly NextStep[] =
    origin.lender === undefined && origin.kind === 'folder' ? [{ next: 'verify-with-hub' }] : [];
  return new CliError('NO_TRUST', `no key is trusted for this ${nounOf(origin)}, so nothing can be verified`, {
    hints: [...lending(origin), ...hints, keyStep(origin)],
  });
}
