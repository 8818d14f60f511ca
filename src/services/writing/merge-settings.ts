import { warn, type Warnings } from '../../core/events.js';
import type { SettingsPart } from '../../platform/user-store.js';
import type { SendDeps } from './send.js';

/**
 * The longest time from a read to the write of what was merged, in milliseconds. After it, the write may undo what
 * someone has already checked.
 */
const LONGEST_MERGE = 1000;

/** Tells later whether more time has passed than the merge that begins now may take. */
export function overdue({ wait }: Pick<SendDeps, 'wait'>): () => boolean {
  let passed = false;
  wait(LONGEST_MERGE).then(
    () => (passed = true),
    () => undefined,
  );
  return () => passed;
}

/** Warns that a merge took too long to be sure that it undid nothing. */
export function warnLate(warnings: Warnings): void {
  warn(
    warnings,
    `the user store took more than ${LONGEST_MERGE / 1000} s: changes by others in the meantime may be lost`,
  );
}

/** Parts of the settings as messages name them. */
export const pathsOf = (parts: readonly SettingsPart[]): string => parts.map(({ path }) => path.join('.')).join(', ');
