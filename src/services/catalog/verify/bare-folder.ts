import { CliError } from '../../../core/errors.js';
import type { FileFinding } from '../verified-file.js';

const UNSIGNED: readonly string[] = ['missing', 'unsigned'];
const REPLACED: readonly string[] = ['DOWNGRADE', 'SIG_MISSING'];

/**
 * The findings of a package in a folder of its own: when not one file has its signature beside it, that is one
 * SIG_MISSING instead of an accusation of the hub.
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
