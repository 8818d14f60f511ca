import { CliError, type ErrorCode } from '../../src/core/errors.js';
import { hintText } from '../../src/output/next-steps.js';

/** An error as one of ours, which has a message and no empty hint. Throws what is another, or has no words. */
export function ours(error: unknown): CliError {
  if (!(error instanceof CliError)) throw error;
  const said = [error.message, ...hintsOf(error), ...(error.details.lines ?? [])];
  if (said.includes('')) throw new Error(`${error.code} has an empty message, hint or line`, { cause: error });
  return error;
}

/** The error that a call throws. Fails when it throws none, or one of another kind. */
export function thrownBy(work: () => unknown): CliError {
  try {
    work();
  } catch (error) {
    return ours(error);
  }
  throw new Error('no error was thrown');
}

/** The error that a piece of work or a promise ends with. Fails when it ends well, or with an error of another kind. */
export async function errorOf(work: Promise<unknown> | (() => unknown)): Promise<CliError> {
  try {
    await (typeof work === 'function' ? work() : work);
  } catch (error) {
    return ours(error);
  }
  throw new Error('no error was thrown');
}

/** The message of the error that a call throws; undefined where it throws none. */
export function refusalOf(work: () => unknown): string | undefined {
  try {
    work();
    return undefined;
  } catch (error) {
    return ours(error).message;
  }
}

/** All that an error says: code, message, and each detail that is there, but for its cause. */
export function saidBy({ code, message, details }: CliError) {
  const given = Object.entries(details).filter(([name, value]) => name !== 'cause' && value !== undefined);
  return { code, message, ...Object.fromEntries(given) };
}

/** The code of the error that a piece of work or a promise ends with. */
export async function codeOf(work: Promise<unknown> | (() => unknown)): Promise<ErrorCode> {
  return (await errorOf(work)).code;
}

/** What an error proposes, in the words that are shown. */
export const hintsOf = ({ details: { hints = [] } }: CliError): readonly string[] => hints.map(hintText);
