import { CliError } from '../../core/errors.js';

/** Answers that come before a deploy begins; 400 and 500 do not say so (docs/platform.md 5). */
const REFUSALS: readonly number[] = [401, 403, 404, 409, 413];

/** Whether an error says that the platform did not even begin a write. */
export function wasRefused(error: unknown): boolean {
  if (!(error instanceof CliError)) return false;
  const { method = 'GET', status = 0 } = error.details.request ?? {};
  return method !== 'GET' && REFUSALS.includes(status);
}
