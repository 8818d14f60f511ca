import { CliError } from '../../core/errors.js';
import type { Hint } from '../../core/next-step.js';
import type { Reason, SignatureState, SignerFacts, Verdict } from '../../trust/verdict.js';
import type { FileReport } from './trusted-package.js';

/** One file as `hub verify` shows it; what is not known is absent. */
export interface VerifiedFile extends SignerFacts {
  readonly hub: string;
  /** Absent for the files of the hub itself. */
  readonly package?: string | undefined;
  readonly version?: string | undefined;
  readonly name: string;
  readonly bytes?: number | undefined;
  readonly sha256?: string | undefined;
  readonly state: SignatureState;
  readonly reason: Reason;
  /** Nothing under the policy in force speaks against the file. */
  readonly ok: boolean;
  readonly detail?: string | undefined;
}

/** A file and every error that speaks against it. */
export interface FileFinding {
  readonly file: VerifiedFile;
  readonly problems: readonly CliError[];
}

/** Which file of which hub; without package and version a file of the hub itself. */
export type FileLabel = Pick<VerifiedFile, 'hub' | 'package' | 'version' | 'name'>;

/** What is known of a file beside its label. */
export type FileFacts = Omit<FileReport, 'name' | 'bytes' | 'sha256'> & Partial<Pick<FileReport, 'bytes' | 'sha256'>>;

/** The finding for a file that was read; a problem makes a well-signed or unsigned file invalid. */
export function findingOf(
  label: FileLabel,
  { verdict, bytes, sha256 }: FileFacts,
  problems: readonly CliError[],
): FileFinding {
  const { reason, fingerprint, keyId, userId, signedAt, algorithm, hash } = verdict;
  const [problem] = problems;
  const spoiled = problem !== undefined && (verdict.state === 'valid' || verdict.state === 'unsigned');
  const state = spoiled ? 'invalid' : verdict.state;
  const detail = spoiled ? problem.message : detailOf(verdict);
  const facts = { fingerprint, keyId, userId, signedAt, algorithm, hash, detail };
  return { file: { ...label, bytes, sha256, state, reason, ok: problem === undefined, ...facts }, problems };
}

function detailOf({ detail, notes }: Verdict): string | undefined {
  return detail ?? (notes.length === 0 ? undefined : notes.join('; '));
}

/** The finding for a file that should be there and is not. */
export function absentFinding(label: FileLabel, hints?: readonly Hint[]): FileFinding {
  const { package: name, version, name: file } = label;
  const owner = name === undefined ? '' : ` of ${name} ${version ?? ''}`;
  const target = { file, ...(name !== undefined && { package: name }), ...(version !== undefined && { version }) };
  const problem = new CliError('RESOURCE_MISSING', `the file ${file}${owner} is missing`, {
    target,
    ...(hints && { hints }),
  });
  const verdict: Verdict = { state: 'missing', reason: 'missing', detail: 'the hub has no such file', notes: [] };
  return findingOf(label, { verdict }, [problem]);
}
