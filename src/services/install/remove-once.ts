import { CliError } from '../../core/errors.js';
import { sendOnce } from '../writing/send.js';
import type { RemovalDeps } from './thing-kind.js';

/** Sends a DELETE once and sees that the thing is gone; what is gone already is as good as deleted. */
export async function removeOnce(
  what: string,
  send: () => Promise<unknown>,
  gone: () => Promise<boolean>,
  deps: RemovalDeps,
): Promise<void> {
  const once = async (): Promise<void> => {
    try {
      await send();
    } catch (error) {
      if (!(error instanceof CliError && error.code === 'NOT_FOUND')) throw error;
    }
  };
  await sendOnce(`the removal of ${what}`, deps, once, gone);
  if (!(await gone())) throw new CliError('BAD_ANSWER', `the platform removed ${what}, but still returns it`);
}
