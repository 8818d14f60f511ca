import { CliError } from '../../../core/errors.js';
import type { FileFinding } from '../verified-file.js';

const UNSIGNED: readonly string[] = ['missing', 'unsigned'];
const REPLACED: readonly string[] = ['DOWNGRADE', 'SIG_MISSING'];

/**
 * Reports one SIG_MISSING for a single-package folder in which no file has a signature. The hub is not to blame for a
 * download without signatures. Other findings are returned unchanged.
 */
export function withoutSignatures(findings: readonly FileFinding[]): readonly FileFinding[] {
  if (!findings.every(({ file }) => UNSIGNED.includes(file.reason))) return findings;
  const bare = new CliError('SIG_MISSING', 'this folder has no signatures (downloaded without signatures?)', {
    hints: [{ next: 'download-signatures' }],
  });
  return findings.map(({ file, problems }) => ({
    file,
    problems: problems.map((problem) => (REPLACED.includes(problem.code) ? bare : problem)),
  }));
}
