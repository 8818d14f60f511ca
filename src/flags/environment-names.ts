import type { FlagInput } from '@oclif/core/interfaces';

/** Flags without an environment variable. One would give the same answer to every command. */
const LINE_ONLY = new Set(['confirm']);

/**
 * Gives every flag its environment variable: `--error-dir` has `CDAPCTL_ERROR_DIR`. Sets the group in the help too,
 * unless the flag has one.
 */
export function withTwins<T extends FlagInput>(flags: T, group?: string): T {
  for (const [name, flag] of Object.entries(flags)) {
    if (!LINE_ONLY.has(name)) flag.env ??= twinOf(name);
    if (group !== undefined) flag.helpGroup ??= group;
  }
  return flags;
}

/** The environment variable that stands for a long flag. */
export function twinOf(name: string): string {
  return `CDAPCTL_${name.replaceAll('-', '_').toUpperCase()}`;
}
