import type { FlagInput } from '@oclif/core/interfaces';

/**
 * Flags that count only where they stand on the line: an answer that the environment gave would stand for every
 * command.
 */
const LINE_ONLY = new Set(['confirm']);

/**
 * Gives every flag its environment twin by rule (`--error-dir` = `CDAPCTL_ERROR_DIR`) and, unless it has one, the group
 * it is listed in by help.
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
