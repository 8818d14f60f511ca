import { CliError, ERRORS, type ErrorCode } from '../../core/errors.js';
import { countingProblems, type PackageFile } from './package-files.js';
import type { FetchOptions, FileReport, TrustedPackage } from './trusted-package.js';

/** Errors that concern one file or package; others (network, local disk) end the run. */
const CONTENT_EXITS: readonly number[] = [5, 9, 12];
const OF_THE_WAY: readonly number[] = [3, 4, 7, 8];

/** Whether an error says something of what a hub holds, not of the way there. */
export function isContentError(error: unknown): error is CliError {
  return error instanceof CliError && CONTENT_EXITS.includes(error.exitCode);
}

/** Whether an error leaves what has come as good as it was: it is about the way to the hub. */
export function isOfTheWay(error: unknown): error is CliError {
  return error instanceof CliError && isCodeOfTheWay(error.code);
}

/** Whether a code is of errors on the way to the hub. */
export const isCodeOfTheWay = (code: ErrorCode): boolean => OF_THE_WAY.includes(ERRORS[code].exit);

/** Fetches one file through every check; undefined for an optional file that the hub does not have. */
export async function fetchFile(
  trusted: Pick<TrustedPackage, 'fetch' | 'inspect'>,
  file: PackageFile,
  options: FetchOptions,
  signal: AbortSignal,
): Promise<FileReport | undefined> {
  if (file.signed) return trusted.fetch(file.name, options, signal);
  const inspected = await trusted.inspect(file.name, options, signal).catch((error: unknown) => {
    if (file.optional && error instanceof CliError && error.code === 'RESOURCE_MISSING') return undefined;
    throw error;
  });
  if (inspected === undefined) return undefined;
  const [problem] = countingProblems(file, inspected.report.verdict, inspected.problems);
  if (problem !== undefined) throw problem;
  return inspected.report;
}
