import { CliError } from '../../core/errors.js';
import type { RunDeps } from './wait.js';

/** What a page can do without: with a warning undefined where it cannot be read. */
export async function ifReadable<T>(
  what: string,
  reading: Promise<T>,
  { emit, signal }: Pick<RunDeps, 'emit' | 'signal'>,
): Promise<T | undefined> {
  try {
    return await reading;
  } catch (error) {
    if (!(error instanceof CliError) || signal.aborted) throw error;
    emit({ type: 'warning', code: error.code, message: `${what} cannot be read: ${error.message}` });
    return undefined;
  }
}
